//! One test of a run.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Spending, Statistics};
use crate::Layer;
use crate::format::v1;

/// A test begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestStarted {
    /// Seconds since the epoch.
    pub at: f64,
    /// The test's id, as in `tests/test_refund.py::test_refund`.
    pub test: String,
    /// Its file, relative to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its first line there, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// An agent ran in a test, or the steps of a YAML test did. Comes before the end of its test.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentRan {
    /// The test's id.
    pub test: String,
    /// What stands for others, in a repeated test: `passing`, or which way of failing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example_of: Option<String>,
    /// Whether these are the steps of a YAML test, and no agent's.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_yaml: bool,
    /// What it did: a document of the format `unitai.trajectory`.
    pub trajectory: Document,
}

impl PartialEq for AgentRan {
    fn eq(&self, other: &AgentRan) -> bool {
        (&self.test, &self.example_of, self.is_yaml, self.trajectory.text())
            == (&other.test, &other.example_of, other.is_yaml, other.trajectory.text())
    }
}

/// A trajectory as its JSON text, which is read by who needs it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Document(Box<RawValue>);

impl Document {
    /// The text. `None` when it is no JSON.
    pub fn of(text: String) -> Option<Document> {
        RawValue::from_string(text).ok().map(Document)
    }

    /// The JSON text.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl JsonSchema for Document {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Trajectory".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<v1::Document<'_>>()
    }
}

/// A test is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestFinished {
    /// Seconds since the epoch.
    pub at: f64,
    /// The test's id.
    pub test: String,
    /// Its file, relative to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its first line there, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What came of it.
    pub outcome: TestOutcome,
    /// How long it took, in seconds: with what was set up for it and taken down after it.
    pub duration_seconds: f64,
    /// The layer that it belongs to, if it is of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// The contract that it is a part of, and whose it looks at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Covered>,
    /// Why it was skipped, or was expected to fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What went wrong, in the order of events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<TestFailure>,
    /// What it printed and logged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captured: Vec<Captured>,
    /// How often it was tried before, by a plugin that repeats what fails. This is the last time, which counts.
    #[serde(default, skip_serializing_if = "is_none")]
    pub reruns: u64,
    /// How many runs of agents there were that are not told here.
    #[serde(default, skip_serializing_if = "is_none")]
    pub runs_left_out: u64,
    /// What its model calls came to; absent when it made none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spending: Option<Spending>,
    /// How its runs did, if it is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// The process that ran it, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

impl TestFinished {
    /// A test that began and did not end, as an error.
    ///
    /// ```
    /// use unitai_model::event::{TestFinished, TestOutcome, TestStarted};
    /// let started = TestStarted { at: 1.0, test: "test_a".into(), file: None, line: None };
    /// let end = TestFinished::without_end(&started, 5.0, "it was killed".into(), "it was killed, after 5 s".into());
    /// assert_eq!((end.outcome, end.failures[0].message.as_str()), (TestOutcome::Error, "it was killed"));
    /// ```
    pub fn without_end(
        started: &TestStarted,
        duration_seconds: f64,
        message: String,
        text: String,
    ) -> TestFinished {
        let failure = TestFailure { phase: Phase::Call, message, text, report: None, broken: Vec::new() };
        TestFinished {
            at: started.at,
            test: started.test.clone(),
            file: started.file.clone(),
            line: started.line,
            outcome: TestOutcome::Error,
            duration_seconds,
            layer: None,
            contract: None,
            reason: None,
            failures: vec![failure],
            captured: Vec::new(),
            reruns: 0,
            runs_left_out: 0,
            spending: None,
            statistics: None,
            worker: None,
        }
    }
}

/// An implementation, held to a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Covered {
    /// The class of the contract.
    pub contract: String,
    /// The base class whose implementations it is for, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The class of the implementation.
    pub implementation: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// What came of a test. Only `passed` is green.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TestOutcome {
    /// Everything that it asserts is so.
    Passed,
    /// Something is not.
    Failed,
    /// Something outside of its body went wrong: a fixture, or its file.
    Error,
    /// Too little is known to say: the provider failed, for one.
    Inconclusive,
    /// It did not run, as asked.
    Skipped,
    /// It failed, as expected.
    XFailed,
    /// It was expected to fail, and passed.
    XPassed,
}

/// What went wrong in a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestFailure {
    /// When.
    pub phase: Phase,
    /// In a line.
    pub message: String,
    /// As the terminal shows it, without colours.
    pub text: String,
    /// What UnitAI adds to it: the trajectory, what was expected and what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// The expectations that were broken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<BrokenExpectation>,
}

/// A part of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Its file was read.
    Collect,
    /// Its fixtures were set up.
    Setup,
    /// Its body ran.
    Call,
    /// Its fixtures were taken down.
    Teardown,
}

/// An expectation about a trajectory that was not met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenExpectation {
    /// The run that it is about: the `run_id` of a trajectory.
    pub run_id: String,
    /// The assertion as the test wrote it.
    pub assertion: String,
    /// What had to be true.
    pub expected: String,
    /// What was true instead.
    pub actual: String,
    /// The steps that decided it, from 0.
    pub cites: Vec<usize>,
}

/// What a test printed or logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Captured {
    /// What it is: `stdout`, `stderr`, `log`, with the phase.
    pub title: String,
    /// The text.
    pub text: String,
}
