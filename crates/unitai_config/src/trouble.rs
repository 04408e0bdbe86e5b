//! What is wrong with a setting.

use unitai_model::value::plain;

use crate::written::shortened;

/// A setting that cannot be used: where it stands, what is wrong, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Trouble {
    /// The file with line and column, the environment variable, or the option.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
    /// What would be right.
    pub expected: String,
}

impl Trouble {
    /// A text from outside of any file that cannot be used.
    pub(crate) fn of_text(place: String, text: &str, expected: String) -> Trouble {
        Trouble { place, message: format!("it is `{}`", plain(&shortened(text))), expected }
    }

    /// The whole of it on one line.
    pub fn told(&self) -> String {
        format!("{self}; expected {}", self.expected)
    }
}
