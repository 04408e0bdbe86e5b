//! What is wrong with a setting.

/// A setting that cannot be used: where it stands, what is wrong, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Trouble {
    /// The file and line, or the environment variable.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
    /// What would be right.
    pub expected: String,
}

impl Trouble {
    /// A variable of the environment that cannot be used.
    pub(crate) fn of_variable(name: &str, text: &str, expected: &str) -> Trouble {
        Trouble {
            place: format!("the environment variable {name}"),
            message: format!("it is `{text}`"),
            expected: expected.to_owned(),
        }
    }
}
