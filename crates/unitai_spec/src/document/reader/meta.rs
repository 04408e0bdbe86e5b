//! `test`: what a test is called, and how it is to be run.

use std::rc::Rc;

use super::Reader;
use crate::document::keys::{MAX_CALLS, META, TEARDOWN_TIMEOUT, TIMEOUT};
use crate::document::yaml::Node;
use crate::document::{JudgeWhen, Meta, OnSetupFailure, OnTeardownError};

impl OnSetupFailure {
    /// Its words in a file.
    pub(in crate::document) const WORDS: &[(&str, OnSetupFailure)] =
        &[("stop", OnSetupFailure::Stop), ("continue", OnSetupFailure::Continue)];
}

impl OnTeardownError {
    /// Its words in a file.
    pub(in crate::document) const WORDS: &[(&str, OnTeardownError)] =
        &[("fail", OnTeardownError::Fail), ("warn", OnTeardownError::Warn)];
}

impl JudgeWhen {
    /// Its words in a file.
    pub(in crate::document) const WORDS: &[(&str, JudgeWhen)] =
        &[("needed", JudgeWhen::Needed), ("always", JudgeWhen::Always)];
}

impl Reader {
    pub(super) fn meta(&mut self, node: &Rc<Node>, path: &str) -> Option<Meta> {
        let fields = self.fields(node, path, "`test`", META)?;
        let name = match fields.get("name") {
            Some((node, path)) => self.text(node, &path),
            None if fields.is_misspelled("name") => None,
            None => {
                self.tell(
                    node.at,
                    "test.name",
                    "a test must have a `name`, which is not there",
                    "write `name: ...`",
                );
                None
            }
        };
        let mut meta = Meta {
            name: name.unwrap_or_default(),
            description: String::new(),
            tags: vec![],
            timeout: TIMEOUT,
            teardown_timeout: TEARDOWN_TIMEOUT,
            on_setup_failure: OnSetupFailure::Stop,
            teardown_errors: OnTeardownError::Fail,
            judge: JudgeWhen::Needed,
            max_calls: MAX_CALLS,
        };
        if let Some((node, path)) = fields.get("description") {
            meta.description = self.text(node, &path).unwrap_or_default();
        }
        if let Some((node, path)) = fields.get("tags") {
            let tags = self.one_or_many(node, &path);
            meta.tags = tags.into_iter().filter_map(|(node, path)| self.text(node, &path)).collect();
        }
        // 0 stands for the default, as an option of that name on the command line does.
        for (name, into, usual) in [
            ("timeout", &mut meta.timeout, TIMEOUT),
            ("teardown_timeout", &mut meta.teardown_timeout, TEARDOWN_TIMEOUT),
        ] {
            if let Some((node, path)) = fields.get(name) {
                *into = self.count(node, &path).filter(|seconds| *seconds > 0).unwrap_or(usual);
            }
        }
        if let Some((node, path)) = fields.get("max_calls") {
            match self.count(node, &path) {
                Some(0) => {
                    self.tell(node.at, &path, "`max_calls` must be 1 or more, found 0", "leave it out")
                }
                Some(most) => meta.max_calls = most,
                None => {}
            }
        }
        if let Some((node, path)) = fields.get("on_setup_failure") {
            meta.on_setup_failure =
                self.word(node, &path, OnSetupFailure::WORDS).unwrap_or(OnSetupFailure::Stop);
        }
        if let Some((node, path)) = fields.get("teardown_errors") {
            meta.teardown_errors =
                self.word(node, &path, OnTeardownError::WORDS).unwrap_or(OnTeardownError::Fail);
        }
        if let Some((node, path)) = fields.get("judge") {
            meta.judge = self.word(node, &path, JudgeWhen::WORDS).unwrap_or(JudgeWhen::Needed);
        }
        if let Some((node, path)) = fields.get("compat") {
            self.word(node, &path, &[("llm-pytest", ())]);
        }
        Some(meta)
    }
}
