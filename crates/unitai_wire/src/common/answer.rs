//! What a model answers, whoever the provider is.

use unitai_model::Usage;

use super::request::likely_tokens;

/// A whole answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What the model says, in order.
    pub parts: Vec<Said>,
    /// What it took.
    pub usage: Usage,
    /// Why it ends; derived from what was said unless given.
    pub finish: Option<Finish>,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// Text.
    Text(String),
    /// A call of a tool; several in one answer are parallel calls.
    ToolCall {
        /// The tool.
        name: String,
        /// Its arguments as a JSON object.
        args: String,
    },
    /// Reasoning, where the dialect can show it.
    Reasoning(String),
    /// The model declines, in the provider's own way.
    Refusal(String),
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model had said what it wanted.
    Stop,
    /// The model waits for its tools.
    ToolCalls,
    /// The limit of the answer's length was reached.
    Length,
    /// The model or its provider declined.
    Refusal,
}

/// What the provider says instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// What it says.
    pub message: String,
}

/// What makes one scripted answer different from the next: ids are counted, so that they repeat
/// from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Which answer of the run, from 1.
    pub turn: u64,
}

impl Stamp {
    /// A scripted answer says that it was made at this time, so that answers repeat exactly:
    /// 2026-01-01, in seconds since the epoch.
    pub const CREATED: u64 = 1_767_225_600;

    /// An id for the answer.
    pub fn answer_id(self, prefix: &str) -> String {
        format!("{prefix}unitai{:06}", self.turn)
    }

    /// An id for a tool call of the answer.
    pub fn call_id(self, prefix: &str, position: usize) -> String {
        format!("{prefix}{:06}{position:03}", self.turn)
    }
}

impl Answer {
    /// Why the answer ends.
    pub fn finish(&self) -> Finish {
        self.finish.unwrap_or_else(|| {
            if self.parts.iter().any(|part| matches!(part, Said::ToolCall { .. })) {
                Finish::ToolCalls
            } else if self.parts.iter().any(|part| matches!(part, Said::Refusal(_))) {
                Finish::Refusal
            } else {
                Finish::Stop
            }
        })
    }

    /// All text that is no reasoning and no refusal.
    pub fn text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| if let Said::Text(text) = part { Some(text.as_str()) } else { None })
            .collect()
    }

    /// About how many tokens the answer has, where the script does not say: four bytes each.
    pub fn likely_tokens(&self) -> u64 {
        let bytes: usize = self
            .parts
            .iter()
            .map(|part| match part {
                Said::Text(text) | Said::Reasoning(text) | Said::Refusal(text) => text.len(),
                Said::ToolCall { name, args } => name.len() + args.len(),
            })
            .sum();
        likely_tokens(bytes as u64).max(1)
    }

    /// The text in pieces as a stream would bring it: a word and the space after it each.
    pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
        text.split_inclusive(char::is_whitespace)
    }
}
