//! What can be wrong with an expression: when it is read, and when it is asked.

use thiserror::Error;

/// A text that is no expression, no reference or no pattern.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct SyntaxTrouble {
    /// What was expected and what was found.
    pub message: String,
    /// What to do; empty if the message says it.
    pub remedy: String,
    /// Where in the text, in bytes.
    pub at: usize,
    /// The part of a pattern or of arguments that holds the text, such as `users[0].email`; empty for the whole.
    pub path: String,
}

impl SyntaxTrouble {
    pub(crate) fn new(at: usize, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: remedy.into(), at, path: String::new() }
    }

    /// The same trouble inside a larger text, `by` bytes further on.
    pub(crate) fn shifted(mut self, by: usize) -> Self {
        self.at += by;
        self
    }

    /// The same trouble in a part of a value.
    pub(crate) fn inside(mut self, path: &str) -> Self {
        self.path = path.to_owned();
        self
    }
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EvalTrouble {
    /// It reads what a step should have saved that failed or was skipped. Whoever asks is skipped too.
    #[error("depends on `{name}`, which {by} has not saved")]
    DependsOn {
        /// The name that it reads.
        name: String,
        /// The step that should have saved it.
        by: String,
    },
    /// It makes no sense for these values.
    #[error("{message}")]
    Wrong {
        /// What was expected and what was found.
        message: String,
        /// What to do; empty if the message says it.
        remedy: String,
    },
}

impl EvalTrouble {
    pub(crate) fn wrong(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        EvalTrouble::Wrong { message: message.into(), remedy: remedy.into() }
    }
}
