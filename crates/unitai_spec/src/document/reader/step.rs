//! Steps: calls, groups, checkpoints, and files that stand for steps.

use std::rc::Rc;

use super::Reader;
use super::fields::{Fields, last};
use crate::document::keys::{REPEAT, RESERVED, RETRY, RETRY_DELAY, STEP};
use crate::document::telling::{found, one_of};
use crate::document::yaml::{Kind, Node};
use crate::document::{Retry, Step};

impl Reader {
    /// A list of steps; nothing is an empty list.
    pub(super) fn steps(&mut self, node: &Rc<Node>, path: &str) -> Vec<Step> {
        let items = match &node.kind {
            Kind::List(items) => items,
            _ if node.is_null() => return vec![],
            _ => {
                let message = format!("`{}` must be a list of steps, found {}", last(path), found(node));
                self.tell(node.at, path, message, "begin each step with `- `");
                return vec![];
            }
        };
        let mut steps = vec![];
        for (at, item) in items.iter().enumerate() {
            self.step(item, &format!("{path}[{at}]"), &mut steps);
        }
        steps
    }

    fn step(&mut self, node: &Rc<Node>, path: &str, into: &mut Vec<Step>) {
        let Some(fields) = self.fields(node, path, "a step", STEP) else { return };
        if let Some((file, file_path)) = fields.get("include") {
            if let Kind::Map(entries) = &node.kind
                && entries.len() > 1
            {
                let message = "a step with `include` has another key beside it";
                self.tell(node.at, path, message, "give `include` a step of its own");
            }
            into.extend(self.included_steps(file, &file_path));
            return;
        }
        let step = self.own_step(node, &fields);
        // What is wrong with a `check` is told where it is read.
        let does_something = fields.has("check")
            || ["tool", "steps", "expect", "analyze"].iter().any(|name| is_given(&fields, name));
        if !does_something && !fields.is_strange() {
            let message =
                "the step does nothing: it has no `tool` and no `steps`, and expects and checks nothing";
            self.tell(node.at, path, message, "give it a `tool`, `steps`, an `expect` or a `check`");
        }
        if !step.tool.is_empty() && step.is_nested() {
            let message =
                "the step has both `tool` and `steps`: the tool is called first, then the steps run";
            self.warn(node.at, path, message, "make two steps of it if that is not meant");
        }
        into.push(step);
    }

    fn own_step(&mut self, node: &Rc<Node>, fields: &Fields<'_>) -> Step {
        let mut text =
            |name| fields.get(name).and_then(|(node, path)| self.text(node, &path)).unwrap_or_default();
        let (name, tool, when) = (text("name"), text("tool"), text("when"));
        let (expect, analyze, save_as) = (text("expect"), text("analyze"), text("save_as"));
        if let Some((node, path)) = fields.get("save_as")
            && RESERVED.contains(&save_as.as_str())
        {
            let message =
                format!("`save_as` cannot be `{save_as}`: {} are kept for values of ours", one_of(RESERVED));
            self.tell(node.at, &path, message, "take another name");
        }
        let args = fields.get("args").map(|(node, path)| {
            let all = self.named(node, &path);
            all.into_iter().map(|(name, node, _)| (name.to_owned(), node.value())).collect()
        });
        let repeat = fields.get("repeat").and_then(|(node, path)| self.count(node, &path));
        let retry = self.retry(fields);
        // 0 is no limit of its own, and so is null.
        let timeout = fields.get("timeout").filter(|(node, _)| !node.is_null());
        let timeout = timeout.and_then(|(node, path)| self.seconds(node, &path));
        let steps = fields.get("steps").map(|(node, path)| self.steps(node, &path));
        let check = fields.get("check").map(|(node, path)| self.checks(node, &path));
        let stop_early = fields.get("stop_early").and_then(|(node, path)| self.flag(node, &path));
        Step {
            name,
            tool,
            args: args.unwrap_or_default(),
            expect,
            analyze,
            save_as,
            repeat: repeat.unwrap_or(REPEAT),
            steps: steps.unwrap_or_default(),
            retry,
            timeout: timeout.filter(|seconds| *seconds > 0.0),
            when,
            check: check.unwrap_or_default(),
            stop_early: stop_early.unwrap_or(false),
            place: self.place(node.at),
        }
    }

    fn retry(&mut self, fields: &Fields<'_>) -> Option<Retry> {
        let usual = fields.get("retry_delay").and_then(|(node, path)| self.seconds(node, &path));
        let usual = usual.unwrap_or(RETRY_DELAY);
        let (node, path) = fields.get("retry")?;
        if !matches!(node.kind, Kind::Map(_)) {
            let times = self.count(node, &path)?;
            return (times > 0).then_some(Retry { times, delay: usual, until: String::new() });
        }
        let inner = self.fields(node, &path, "`retry`", RETRY)?;
        let times = match inner.get("times") {
            Some((node, path)) => self.count(node, &path),
            None if inner.is_misspelled("times") => None,
            None => {
                self.tell(
                    node.at,
                    &path,
                    "`retry` must have `times`, which is not there",
                    "write `times: 3`",
                );
                None
            }
        };
        let delay = inner.get("delay").and_then(|(node, path)| self.seconds(node, &path));
        if inner.has("delay") && fields.has("retry_delay") {
            let message = "both `retry.delay` and `retry_delay` are given, and the first one is used";
            self.warn(node.at, &path, message, "leave `retry_delay` out");
        }
        let until = inner.get("until").and_then(|(node, path)| self.text(node, &path)).unwrap_or_default();
        let times = times.filter(|times| *times > 0 || !until.is_empty())?;
        Some(Retry { times, delay: delay.unwrap_or(usual), until })
    }
}

/// Whether a key is there with something in it. What is wrong with it is told elsewhere.
fn is_given(fields: &Fields<'_>, name: &str) -> bool {
    fields.get(name).is_some_and(|(node, _)| match &node.kind {
        Kind::List(items) => !items.is_empty(),
        _ => !node.is_null() && node.text() != Some(""),
    })
}
