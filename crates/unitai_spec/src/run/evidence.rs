//! The record of one call: what every verdict rests on.

use unitai_model::value::Value;

use super::Called;
use crate::digest::digest;

/// One call of a tool, as it happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Its number in the test, from 1; judges cite it as `E1`.
    pub number: usize,
    /// The step, such as `steps[2]#1.steps[0]`.
    pub path: String,
    /// Which attempt of the step it was, from 1.
    pub attempt: u32,
    /// The server, or `built-in`.
    pub server: String,
    /// The tool, as the test calls it.
    pub tool: String,
    /// The arguments, with every reference filled in.
    pub args: Vec<(String, Value)>,
    /// Seconds since the epoch.
    pub started: f64,
    /// How long it took.
    pub ms: f64,
    /// What came of it.
    pub outcome: Outcome,
    /// SHA-256 of the tool's answer, as hexadecimal digits.
    pub sha256: String,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The tool answered.
    Returned {
        /// Its result.
        value: Value,
        /// The text of its answer.
        text: String,
    },
    /// The tool failed.
    Failed {
        /// What it said.
        message: String,
        /// What is known besides.
        details: String,
    },
    /// It had not answered when its time was up, or when the test was ended.
    Unfinished,
}

impl From<Called> for Outcome {
    fn from(called: Called) -> Outcome {
        match called {
            Called::Returned { value, text } => Outcome::Returned { value, text },
            Called::Failed { message, details } => Outcome::Failed { message, details },
        }
    }
}

impl Outcome {
    /// SHA-256 of what the tool said, as hexadecimal digits.
    pub fn sha256(&self) -> String {
        let text = match self {
            Outcome::Returned { text, .. } => text,
            Outcome::Failed { message, .. } => message,
            Outcome::Unfinished => "",
        };
        digest(text)
    }
}

impl Evidence {
    /// How judges and reports cite it.
    pub fn reference(&self) -> String {
        format!("E{}", self.number)
    }
}
