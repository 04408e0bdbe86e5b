//! `verdict`: what decides.

use std::rc::Rc;

use super::Reader;
use crate::document::VerdictSpec;
use crate::document::keys::VERDICT;
use crate::document::telling::found;
use crate::document::yaml::{Kind, Node};

/// The word for a test that has nothing to ask a judge.
pub(in crate::document) const CHECKS: &str = "checks";

impl Reader {
    pub(super) fn verdict(&mut self, node: &Rc<Node>, path: &str) -> Option<VerdictSpec> {
        if node.text() == Some(CHECKS) {
            return Some(VerdictSpec::default());
        }
        if !matches!(node.kind, Kind::Map(_)) {
            let message =
                format!("`verdict` must be a mapping or the word `{CHECKS}`, found {}", found(node));
            self.tell(node.at, path, message, "write `pass_if` and `fail_if` under it");
            return None;
        }
        let fields = self.fields(node, path, "`verdict`", VERDICT)?;
        let (has_pass, has_fail) = (fields.has("pass_if"), fields.has("fail_if"));
        if has_pass != has_fail {
            let (there, absent) = if has_pass { ("pass_if", "fail_if") } else { ("fail_if", "pass_if") };
            let message = format!("`verdict` has `{there}` and no `{absent}`");
            if !fields.is_misspelled(absent) {
                self.tell(node.at, path, message, "give both, or neither and a `check`");
            }
        } else if !has_pass && !fields.has("check") && !fields.is_strange() {
            let message = "`verdict` says nothing";
            self.tell(
                node.at,
                path,
                message,
                format!("give `pass_if` and `fail_if`, or write `verdict: {CHECKS}`"),
            );
        }
        let mut text =
            |name| fields.get(name).and_then(|(node, path)| self.text(node, &path)).unwrap_or_default();
        let (pass_if, fail_if) = (text("pass_if"), text("fail_if"));
        let check = fields.get("check").map(|(node, path)| self.checks(node, &path));
        Some(VerdictSpec { pass_if, fail_if, check: check.unwrap_or_default() })
    }
}
