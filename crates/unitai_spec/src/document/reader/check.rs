//! Checks: one or a list of expressions and patterns. What they say is read by `expression`.

use std::rc::Rc;

use super::Reader;
use crate::document::Check;
use crate::document::keys::CHECK;
use crate::document::telling::{found, quote_it};
use crate::document::yaml::{Kind, Node};

impl Reader {
    pub(super) fn checks(&mut self, node: &Rc<Node>, path: &str) -> Vec<Check> {
        let all = self.one_or_many(node, path);
        if all.is_empty() {
            // It would hold whatever happens.
            let message = "`check` is an empty list, which checks nothing";
            self.tell(node.at, path, message, "write what must hold, or leave it out");
        }
        all.into_iter().filter_map(|(node, path)| self.check(node, &path)).collect()
    }

    fn check(&mut self, node: &Rc<Node>, path: &str) -> Option<Check> {
        let place = self.place(node.at);
        match &node.kind {
            Kind::Map(entries) if entries.iter().any(|entry| entry.key.text() == Some("match")) => {
                let (pattern, _) = self.fields(node, path, "a check", CHECK)?.get("match")?;
                Some(Check::Match { pattern: pattern.value(), place })
            }
            _ => match node.text() {
                Some(text) if !text.trim().is_empty() => Some(Check::Holds { text: text.to_owned(), place }),
                Some(_) => {
                    self.tell(
                        node.at,
                        path,
                        "a check cannot be empty",
                        "write what must hold, or leave it out",
                    );
                    None
                }
                None => {
                    let message =
                        format!("a check must be an expression or `match: ...`, found {}", found(node));
                    self.tell(node.at, path, message, quote_it(node));
                    None
                }
            },
        }
    }
}
