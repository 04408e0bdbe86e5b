//! The keys of a mapping: which are there, which are not known, and what is a mapping at all.

use std::rc::Rc;

use unitai_model::nearest::nearest;

use super::Reader;
use crate::document::keys::{FILE, Key, META};
use crate::document::telling::{clipped, found, one_of};
use crate::document::yaml::{Entry, Kind, Node};

/// In how many keys of one mapping a slip of the pen is looked for: who has more of them meant something else.
const MOST_GUESSES: usize = 50;

/// A mapping of known keys.
pub(super) struct Fields<'n> {
    entries: &'n [Entry],
    path: String,
    /// Keys that are told as errors because nobody knows them.
    strange: Vec<&'n str>,
}

impl<'n> Fields<'n> {
    /// The value of a key, with its path.
    pub(super) fn get(&self, name: &str) -> Option<(&'n Rc<Node>, String)> {
        let entry = self.entries.iter().find(|entry| entry.key.text() == Some(name))?;
        Some((&entry.value, joined(&self.path, name)))
    }

    /// Whether one of the keys that nobody knows may have been meant as this one: then that is told, and nothing else.
    pub(super) fn is_misspelled(&self, name: &str) -> bool {
        self.strange.iter().any(|strange| nearest(strange, [name]).is_some())
    }

    /// Whether there is a key that nobody knows.
    pub(super) fn is_strange(&self) -> bool {
        !self.strange.is_empty()
    }

    /// Whether the key is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// The path of a key in what has this path.
pub(super) fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// What a path is about, for a message: its last part.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

impl Reader {
    /// The keys of a mapping. Those that are not known are told; what is no mapping is told as a whole.
    pub(super) fn fields<'n>(
        &mut self,
        node: &'n Node,
        path: &str,
        what: &str,
        keys: &[Key],
    ) -> Option<Fields<'n>> {
        let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
        self.fields_of(node, path, what, &names)
    }

    /// The same, of names alone.
    pub(super) fn fields_of<'n>(
        &mut self,
        node: &'n Node,
        path: &str,
        what: &str,
        names: &[&str],
    ) -> Option<Fields<'n>> {
        let Kind::Map(entries) = &node.kind else {
            let remedy = format!("its keys are {}", one_of(names).replace(" or ", " and "));
            self.tell(node.at, path, format!("{what} must be a mapping, found {}", found(node)), remedy);
            return None;
        };
        let mut strange = vec![];
        for entry in entries {
            if !entry.key.text().is_some_and(|key| names.contains(&key)) {
                self.unknown(&entry.key, path, what, names, strange.len() < MOST_GUESSES);
                strange.push(entry.key.as_written().unwrap_or_default());
            }
        }
        strange.truncate(if self.is_lenient { 0 } else { MOST_GUESSES });
        Some(Fields { entries, path: path.to_owned(), strange })
    }

    fn unknown(&mut self, key: &Node, path: &str, what: &str, names: &[&str], may_guess: bool) {
        let name = clipped(key.as_written().unwrap_or("null"));
        let is_file = FILE.iter().all(|key| names.contains(&key.name));
        let near = if may_guess { nearest(&name, names.iter().copied()) } else { None };
        let remedy = if let Some(near) = near {
            format!("did you mean `{near}`?")
        } else if is_file && META.iter().any(|key| key.name == name) {
            format!("put `{name}` under `test`")
        } else if what == "a server" && name == "args" {
            "put the arguments into `command`, as in `command: [node, server.js]`".to_owned()
        } else {
            let are = if names.len() == 1 { "is" } else { "are" };
            format!("known {are} {}", one_of(names).replace(" or ", " and "))
        };
        let message = format!("{what} has no key `{name}`");
        let path = joined(path, &name);
        if self.is_lenient {
            self.warn(key.at, &path, message, remedy);
        } else {
            self.tell(key.at, &path, message, remedy);
        }
    }

    /// The entries of a mapping whose keys are names of somebody's own: arguments, variables, servers.
    pub(super) fn named<'n>(&mut self, node: &'n Node, path: &str) -> Vec<(&'n str, &'n Rc<Node>, String)> {
        let Kind::Map(entries) = &node.kind else {
            let message = format!("`{}` must be a mapping, found {}", last(path), found(node));
            let remedy = if node.is_null() { "leave it out, or write `{}`" } else { "write `name: value`" };
            self.tell(node.at, path, message, remedy);
            return vec![];
        };
        let mut all = vec![];
        for Entry { key, value } in entries {
            match key.text() {
                Some(name) => all.push((name, value, joined(path, &clipped(name)))),
                None => {
                    let written = clipped(key.as_written().unwrap_or("null"));
                    let message = format!("a name in `{}` must be a text, found {}", last(path), found(key));
                    self.tell(key.at, &joined(path, &written), message, format!("quote it: \"{written}\""));
                }
            }
        }
        all
    }

    /// The items of a list; a single one may stand alone.
    pub(super) fn one_or_many<'n>(&self, node: &'n Rc<Node>, path: &str) -> Vec<(&'n Rc<Node>, String)> {
        match &node.kind {
            Kind::List(items) => {
                items.iter().enumerate().map(|(at, item)| (item, format!("{path}[{at}]"))).collect()
            }
            _ => vec![(node, path.to_owned())],
        }
    }
}
