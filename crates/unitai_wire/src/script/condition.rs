//! When a rule of a script answers.

use std::sync::Arc;

use crate::common::Request;

/// Holds when all of its tests do.
#[derive(Clone, Default)]
pub struct Condition(pub Vec<Test>);

/// One test of a request.
#[derive(Clone)]
pub enum Test {
    /// A text of the request matches.
    Text {
        /// Which text.
        subject: Subject,
        /// What it must be.
        matcher: Arc<dyn TextMatcher>,
    },
    /// It is the run's request of this number, from 1.
    Turn(u64),
}

/// A text of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// What the user said last.
    LastMessage,
    /// A result that a tool gave since the model last spoke; any of them.
    ToolResult,
    /// The name of a tool that gave a result since the model last spoke; any of them.
    ToolName,
    /// The system prompt.
    System,
    /// The model's name.
    Model,
}

/// Decides whether a text matches. It may be the user's code, which may fail.
pub trait TextMatcher: Send + Sync {
    /// Whether the text matches, or why that cannot be told.
    fn matches(&self, text: &str) -> Result<bool, String>;

    /// The matcher as one writes it.
    fn shown(&self) -> String;
}

impl Condition {
    /// Whether the condition holds for the `turn`-th request of a run.
    pub fn holds(&self, request: &Request, turn: u64) -> Result<bool, String> {
        for test in &self.0 {
            if !test.holds(request, turn)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The condition as one writes it.
    pub fn shown(&self) -> String {
        let tests: Vec<String> = self.0.iter().map(Test::shown).collect();
        tests.join(", ")
    }
}

impl Test {
    fn holds(&self, request: &Request, turn: u64) -> Result<bool, String> {
        let (subject, matcher) = match self {
            Test::Turn(wanted) => return Ok(*wanted == turn),
            Test::Text { subject, matcher } => (subject, matcher),
        };
        let any = |texts: Vec<&str>| -> Result<bool, String> {
            for text in texts {
                if matcher.matches(text)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        match subject {
            Subject::LastMessage => matcher.matches(&request.last_message()),
            Subject::System => matcher.matches(&request.system()),
            Subject::Model => matcher.matches(&request.model),
            Subject::ToolResult => any(request.tool_results().into_iter().map(|(_, text)| text).collect()),
            Subject::ToolName => {
                any(request.tool_results().into_iter().filter_map(|(name, _)| name).collect())
            }
        }
    }

    fn shown(&self) -> String {
        match self {
            Test::Turn(turn) => format!("turn={turn}"),
            Test::Text { subject, matcher } => format!("{}={}", subject.word(), matcher.shown()),
        }
    }
}

impl Subject {
    /// The word for it in a script.
    pub fn word(self) -> &'static str {
        match self {
            Subject::LastMessage => "last_message",
            Subject::ToolResult => "tool_result",
            Subject::ToolName => "tool",
            Subject::System => "system",
            Subject::Model => "model",
        }
    }

    /// The subject of this word.
    pub fn of_word(word: &str) -> Option<Subject> {
        use Subject::{LastMessage, Model, System, ToolName, ToolResult};
        [LastMessage, ToolResult, ToolName, System, Model].into_iter().find(|subject| subject.word() == word)
    }
}
