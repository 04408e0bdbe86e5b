//! What came of a test.

use unitai_model::Trajectory;
use unitai_model::value::Value;

use super::{Driving, Evidence, Judged, Question, Reply};
use crate::document::Place;

/// The word of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// Nobody can say.
    Unclear,
}

impl Word {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Word::Pass => "PASS",
            Word::Fail => "FAIL",
            Word::Unclear => "UNCLEAR",
        }
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It was not run.
    Skip,
}

impl Status {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Skip => "skip",
        }
    }
}

/// What came of one step, or of one iteration of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// Its name, or `setup[0]: tool`.
    pub name: String,
    /// Its place in the test, such as `steps[2]#1.steps[0]`; no two are the same.
    pub path: String,
    /// How it ended.
    pub status: Status,
    /// Why, for people.
    pub details: String,
    /// What its tool gave, if it answered.
    pub tool_output: Option<Value>,
    /// The numbers of its evidence.
    pub evidence: Vec<usize>,
    /// How long it took.
    pub ms: f64,
    /// Where it is written.
    pub place: Place,
}

/// The verdict on a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The word.
    pub word: Word,
    /// Why.
    pub reason: String,
    /// Each step and iteration, in the order in which they ended.
    pub steps: Vec<StepResult>,
    /// What is wrong, one line each.
    pub issues: Vec<String>,
}

/// How a test ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With a verdict.
    Decided(Verdict),
    /// Something around the test is not as needed: no verdict, and never a pass. Steps that ran are there to look at.
    Error {
        /// What.
        message: String,
        /// What to do.
        remedy: String,
        /// What had run.
        steps: Vec<StepResult>,
    },
    /// Somebody stopped it. Teardown has run.
    Stopped {
        /// What had run.
        steps: Vec<StepResult>,
    },
}

/// A test that has run.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub ending: Ending,
    /// Every call.
    pub evidence: Vec<Evidence>,
    /// The same as a trajectory, for checks and reports.
    pub trajectory: Trajectory,
    /// What should be looked at though it decided nothing.
    pub warnings: Vec<String>,
    /// Seconds, teardown included.
    pub seconds: f64,
    /// What a judge was asked, and what it answered; nothing where checks alone decided.
    pub answers: Vec<(Question, Reply)>,
    /// How many questions a judge was asked.
    pub questions: usize,
    /// Who answered them, if somebody did.
    pub judged: Option<Judged>,
    /// How its steps were driven, if the engine did not call their tools itself.
    pub driving: Option<Driving>,
}
