//! What a file of judge cases says: evidence, questions about it, and what people answer.

use unitai_model::value::Value;

use super::{Arguments, Place};

/// Evidence with questions that people have answered.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeCase {
    /// Its name in reports.
    pub name: String,
    /// Where it comes from; may be empty.
    pub source: String,
    /// The calls that a judge is shown, in their order.
    pub evidence: Vec<CaseCall>,
    /// What it is asked.
    pub questions: Vec<CaseQuestion>,
    /// Where it stands.
    pub place: Place,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseCall {
    /// The step that made it; empty if nobody says.
    pub step: String,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Arguments,
    /// What came of it.
    pub outcome: CaseOutcome,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseOutcome {
    /// The tool answered. One of the two is there at least.
    Returned {
        /// Its result.
        result: Option<Value>,
        /// The text of its answer.
        text: Option<String>,
    },
    /// The tool failed.
    Failed {
        /// What it said.
        error: String,
        /// What is known besides; may be empty.
        details: String,
    },
    /// It never answered.
    Unfinished,
}

/// A question, and what people answer.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseQuestion {
    /// Its words.
    pub ask: String,
    /// Whether people say yes.
    pub is_yes: bool,
    /// What kind of question it is.
    pub kind: CaseKind,
    /// For an expectation: the step that it is about; empty if nobody says.
    pub step: String,
    /// Why people say so; may be empty.
    pub note: String,
    /// Where it stands.
    pub place: Place,
}

/// What a question would be in a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseKind {
    /// What a step expects.
    Expect,
    /// What a test passes by.
    PassIf,
    /// What a test fails by.
    FailIf,
}

impl CaseKind {
    /// Every kind with its word in files.
    pub const WORDS: &'static [(&'static str, CaseKind)] =
        &[("expect", CaseKind::Expect), ("pass_if", CaseKind::PassIf), ("fail_if", CaseKind::FailIf)];
}
