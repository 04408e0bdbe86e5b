//! The entries of a mapping: merge keys are filled in, and a key that is there twice is told with both lines. A parser
//! that lets the last one win hides what somebody wrote.

use std::collections::HashMap;
use std::rc::Rc;

use unitai_model::value::{Value, equal, hash};

use super::compose::Composer;
use super::{Entry, Kind, Node};
use crate::document::telling::clipped;

/// The entries of a mapping: what is merged first, then its own, which win.
pub(super) fn whole(composer: &mut Composer<'_>, own: Vec<Entry>, merged: Vec<Entry>) -> Vec<Entry> {
    let mut keys = Keys::default();
    let mut entries = Vec::with_capacity(own.len());
    for entry in own {
        if !matches!(entry.key.kind, Kind::Scalar { .. }) {
            let message = "a key must be a text, this one is a collection".to_owned();
            composer.tell(entry.key.at, message, "put it in quotes if it is a text");
            continue;
        }
        match keys.add(&entry.key) {
            None => entries.push(entry),
            Some(first) => {
                let key = clipped(&shown(&entry.key));
                let lines = format!("lines {} and {}", first.at.line, entry.key.at.line);
                let message = format!("the key `{key}` is there twice, in {lines}");
                composer.tell(entry.key.at, message, "leave one of them out");
            }
        }
    }
    if merged.is_empty() {
        return entries;
    }
    if let Some(second) = merged.get(1) {
        let lines = format!("lines {} and {}", merged[0].key.at.line, second.key.at.line);
        let message = format!("the key `<<` is there twice, in {lines}");
        composer.tell(second.key.at, message, "give one list: `<<: [*a, *b]`");
    }
    let mut whole = vec![];
    for source in merged.iter().take(1).flat_map(|entry| sources(composer, &entry.value)) {
        let Kind::Map(others) = &source.kind else { continue };
        whole.extend(others.iter().filter(|entry| keys.add(&entry.key).is_none()).cloned());
    }
    whole.append(&mut entries);
    whole
}

/// The mappings that a merge key names.
fn sources(composer: &mut Composer<'_>, value: &Rc<Node>) -> Vec<Rc<Node>> {
    let all = match &value.kind {
        Kind::List(items) => items.clone(),
        _ => vec![value.clone()],
    };
    if let Some(wrong) = all.iter().find(|node| !matches!(node.kind, Kind::Map(_))) {
        let message = "`<<` takes a mapping or a list of mappings".to_owned();
        composer.tell(wrong.at, message, "give an alias of a mapping, as in `<<: *base`");
    }
    all
}

/// A key as it stands in the file.
pub(in crate::document) fn shown(key: &Node) -> String {
    key.as_written().map_or_else(|| "null".to_owned(), str::to_owned)
}

/// The keys that are there, found by their hash: there may be thousands.
#[derive(Default)]
struct Keys(HashMap<u64, Vec<(Value, Rc<Node>)>>);

impl Keys {
    /// Adds a key, unless an equal one is there, which is given back.
    fn add(&mut self, key: &Rc<Node>) -> Option<Rc<Node>> {
        let value = key.value();
        let same = self.0.entry(hash(&value)).or_default();
        if let Some((_, first)) = same.iter().find(|(other, _)| equal(other, &value)) {
            return Some(first.clone());
        }
        same.push((value, key.clone()));
        None
    }
}
