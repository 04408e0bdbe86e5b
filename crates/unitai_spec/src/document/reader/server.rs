//! `servers`: what is started or connected to, by name.

use std::rc::Rc;

use super::Reader;
use super::fields::Fields;
use crate::document::keys::{SERVER, START_TIMEOUT};
use crate::document::telling::{clipped, found};
use crate::document::yaml::{Kind, Node};
use crate::document::{Server, ServerKind};

impl Reader {
    pub(super) fn servers(&mut self, node: &Rc<Node>, path: &str) -> Vec<Server> {
        if node.is_null() {
            return vec![];
        }
        let all = self.named(node, path);
        all.into_iter().filter_map(|(name, node, path)| self.server(name, node, &path)).collect()
    }

    fn server(&mut self, name: &str, node: &Rc<Node>, path: &str) -> Option<Server> {
        let fields = self.fields(node, path, "a server", SERVER)?;
        let protocol = fields.get("protocol").and_then(|(node, path)| self.text(node, &path));
        let start_timeout = fields.get("start_timeout").and_then(|(node, path)| self.seconds(node, &path));
        let kind = match (fields.get("command"), fields.get("url")) {
            (Some((command, command_path)), None) => {
                self.strangers(&fields, "command", &["headers"]);
                let env = self.texts(&fields, "env");
                let cwd =
                    fields.get("cwd").and_then(|(node, path)| self.text(node, &path)).unwrap_or_default();
                self.command(command, &command_path).map(|command| ServerKind::Command { command, env, cwd })
            }
            (None, Some((url, url_path))) => {
                self.strangers(&fields, "url", &["env", "cwd"]);
                let headers = self.texts(&fields, "headers");
                self.url(url, &url_path).map(|url| ServerKind::Url { url, headers })
            }
            (given, _) => {
                let which =
                    if given.is_some() { "both `command` and `url`" } else { "neither `command` nor `url`" };
                self.tell(node.at, path, format!("a server has {which}"), "give one of them");
                None
            }
        };
        Some(Server {
            name: name.to_owned(),
            kind: kind?,
            protocol: protocol.unwrap_or_default(),
            start_timeout: start_timeout.filter(|seconds| *seconds > 0.0).unwrap_or(START_TIMEOUT),
            place: self.place(node.at),
        })
    }

    /// Keys that mean nothing for a server of this kind.
    fn strangers(&mut self, fields: &Fields<'_>, kind: &str, names: &[&str]) {
        for name in names {
            if let Some((node, path)) = fields.get(name) {
                let message = format!("a server with `{kind}` has no `{name}`");
                self.tell(node.at, &path, message, "leave it out");
            }
        }
    }

    fn texts(&mut self, fields: &Fields<'_>, name: &str) -> Vec<(String, String)> {
        let Some((node, path)) = fields.get(name).filter(|(node, _)| !node.is_null()) else { return vec![] };
        let all = self.named(node, &path);
        let texts =
            all.into_iter().map(|(name, node, path)| Some((name.to_owned(), self.as_written(node, &path)?)));
        texts.flatten().collect()
    }

    fn command(&mut self, node: &Rc<Node>, path: &str) -> Option<Vec<String>> {
        let words = match &node.kind {
            Kind::List(_) => {
                let items = self.one_or_many(node, path);
                let words: Option<Vec<String>> =
                    items.into_iter().map(|(node, path)| self.as_written(node, &path)).collect();
                words?
            }
            _ => {
                let text = self.text(node, path)?;
                let Some(words) = shlex::split(&text) else {
                    let message =
                        format!("the command `{}` opens a quote and never closes it", clipped(&text));
                    self.tell(node.at, path, message, "close it, or write a list of words");
                    return None;
                };
                words
            }
        };
        if words.first().is_none_or(String::is_empty) {
            self.tell(
                node.at,
                path,
                format!("`command` names no program, found {}", found(node)),
                "name one",
            );
            return None;
        }
        Some(words)
    }

    fn url(&mut self, node: &Rc<Node>, path: &str) -> Option<String> {
        let url = self.text(node, path)?;
        if ["http://", "https://", "${"].iter().any(|begin| url.starts_with(begin)) {
            return Some(url);
        }
        let message = format!("`url` must begin with http:// or https://, found `{}`", clipped(&url));
        self.tell(node.at, path, message, "write the whole address; a program is given as `command`");
        None
    }
}
