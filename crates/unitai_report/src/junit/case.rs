//! A test case of a file, as it is read.

use unitai_model::event::{Captured, Phase, TestFailure, TestFinished, TestOutcome};

use super::facts::{self, Found};
use super::names;
use crate::Test;
use crate::words::of_word;

/// What an element inside of a test case says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Failure,
    Error,
    Skipped,
}

/// One such element.
pub(super) struct Remark {
    pub(super) kind: Kind,
    pub(super) type_name: Option<String>,
    pub(super) message: Option<String>,
    pub(super) text: String,
}

/// A test case, with all that stands inside of it.
#[derive(Default)]
pub(super) struct Case {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
    pub(super) seconds: f64,
    /// What some tools say beside the elements: `status` of gtest, `result` of Bazel.
    pub(super) status: Option<String>,
    pub(super) remarks: Vec<Remark>,
    pub(super) captured: Vec<Captured>,
    pub(super) facts: Found,
    pub(super) reruns: u64,
}

impl Case {
    /// The name by which properties of a suite speak of it.
    pub(super) fn key(&self) -> String {
        format!("{}::{}", self.class, self.name)
    }

    /// The test.
    pub(super) fn test(self) -> Test {
        let outcome = self.outcome();
        let of_kind = |kind| self.remarks.iter().find(move |remark: &&Remark| remark.kind == kind);
        let reason = of_kind(Kind::Skipped).and_then(|remark| remark.message.clone());
        let is_skip = matches!(outcome, TestOutcome::Skipped | TestOutcome::XFailed);
        let failures = self.remarks.iter().filter_map(|remark| remark.failure(is_skip)).collect();
        let id = match self.facts.text(facts::FIRST) {
            Some(id) => id.to_owned(),
            None => names::to_id(&self.class, &self.name, self.file.as_deref()),
        };
        let end = TestFinished {
            at: 0.0,
            test: id,
            line: self.line,
            outcome,
            duration_seconds: self.seconds,
            reason: reason.filter(|_| is_skip),
            failures,
            spending: self.facts.spending(),
            statistics: self.facts.statistics(),
            layer: self.facts.layer(),
            contract: self.facts.covered(),
            worker: self.facts.text("unitai.worker").map(str::to_owned),
            captured: self.captured,
            reruns: self.facts.reruns().unwrap_or(self.reruns),
            runs_left_out: 0,
            file: self.file,
        };
        Test { end, agents: Vec::new() }
    }

    /// What came of it. The worst that is said of it counts, and our own word only says which kind of it.
    fn outcome(&self) -> TestOutcome {
        let has = |kind| self.remarks.iter().any(|remark| remark.kind == kind);
        let is_of_type =
            |name: &str| self.remarks.iter().any(|remark| remark.type_name.as_deref() == Some(name));
        let ours = self.facts.outcome();
        if has(Kind::Error) {
            let is_open = ours == Some(TestOutcome::Inconclusive) || is_of_type("inconclusive");
            return if is_open && !has(Kind::Failure) {
                TestOutcome::Inconclusive
            } else {
                TestOutcome::Error
            };
        }
        if has(Kind::Failure) {
            return TestOutcome::Failed;
        }
        if has(Kind::Skipped) {
            let is_expected = ours == Some(TestOutcome::XFailed) || is_of_type("pytest.xfail");
            return if is_expected { TestOutcome::XFailed } else { TestOutcome::Skipped };
        }
        let status = self.status.as_deref().unwrap_or_default().to_ascii_lowercase();
        match status.as_str() {
            "notrun" | "skipped" | "disabled" | "suppressed" | "filtered" | "ignored" | "pending" => {
                TestOutcome::Skipped
            }
            "failed" | "failure" | "fail" => TestOutcome::Failed,
            "error" | "errored" | "interrupted" | "cancelled" | "timeout" | "crashed" => TestOutcome::Error,
            // No element says so, and our own word is the only one there is: it may be worse, and never better.
            _ => ours.unwrap_or(TestOutcome::Passed),
        }
    }
}

impl Remark {
    /// What went wrong. A skipped test has only what its text says beyond the reason.
    fn failure(&self, is_skip: bool) -> Option<TestFailure> {
        let message = self.message.clone().unwrap_or_default();
        if self.text.is_empty() && (is_skip || self.message.is_none()) {
            return None;
        }
        // Without a message, the last line of a traceback says what was wrong; pytest's begin with `E`.
        let said = || {
            let lines = self.text.lines().map(str::trim).filter(|line| !line.is_empty());
            let wrong = lines.clone().find_map(|line| line.strip_prefix("E  ")).map(str::trim);
            wrong.or_else(|| lines.clone().next()).unwrap_or_default().to_owned()
        };
        let message = if self.message.is_none() || is_skip { said() } else { message };
        let phase = self.type_name.as_deref().and_then(of_word).unwrap_or(Phase::Call);
        Some(TestFailure { phase, message, text: self.text.clone(), report: None, broken: Vec::new() })
    }
}
