//! What a check found.

use std::borrow::Cow;

/// The answer of one check about one trajectory, as data. Text for people is made from it last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check's stable name, e.g. `tool_called_before`.
    pub check: Cow<'static, str>,
    /// The assertion as the test wrote it, e.g. `tool_called_before("a", "b")`.
    pub assertion: String,
    /// What had to be true.
    pub expected: String,
    /// Whether it was.
    pub verdict: Verdict,
    /// Indices of the steps that decided it.
    pub cites: Vec<usize>,
}

/// Whether an expectation was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was.
    Held,
    /// It was not.
    Broken {
        /// What was true instead.
        actual: String,
    },
}

impl Finding {
    /// Whether the expectation was met.
    pub fn held(&self) -> bool {
        self.verdict == Verdict::Held
    }

    /// The finding on one line, for where the assertion itself is in sight.
    pub fn line(&self) -> String {
        match &self.verdict {
            Verdict::Held => format!("held: {}", self.expected),
            Verdict::Broken { actual } => {
                format!(
                    "broken: expected {}, but {}",
                    self.expected,
                    actual.lines().next().unwrap_or_default()
                )
            }
        }
    }
}
