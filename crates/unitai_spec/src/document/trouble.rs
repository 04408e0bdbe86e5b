//! What is wrong with a file: where, what, and what to do.

use super::Place;

/// Whether a file can be used in spite of a trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It cannot.
    Error,
    /// It can; somebody should look.
    Warning,
}

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Whether the file can be used.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// The part of the file that it is about, such as `steps[2].args.url`; empty for the whole.
    pub path: String,
    /// What was expected and what was found.
    pub message: String,
    /// What to do; empty if the message says it.
    pub remedy: String,
}

impl Trouble {
    /// A trouble because of which the file cannot be used.
    pub fn error(
        place: Place,
        path: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Trouble {
        let (path, message, remedy) = (path.into(), message.into(), remedy.into());
        Trouble { severity: Severity::Error, place, path, message, remedy }
    }

    /// A trouble that somebody should look at.
    pub fn warning(
        place: Place,
        path: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Trouble {
        Trouble { severity: Severity::Warning, ..Trouble::error(place, path, message, remedy) }
    }

    /// Whether the file cannot be used because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
