//! The scripted model: what it answers, in which order, and when.
//!
//! A [`Script`] is what was written; a [`Playback`] is where one run stands in it. Plain steps are
//! played in order. A rule answers when its condition holds, before the plain steps are asked.

mod condition;
mod offered;
mod playback;
mod step;

pub use condition::{Condition, Subject, Test, TextMatcher};
pub use playback::{Move, Playback, Trouble};
pub use step::{Choice, Fail, Play, Step};

/// What the model will answer.
#[derive(Default)]
pub struct Script {
    lines: Vec<Line>,
    embeddings: Option<Embeddings>,
}

/// What a script says of embeddings: that it answers requests for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embeddings {
    /// How many numbers a vector has where the request does not say so; what is usual for the model, unless given.
    pub dimensions: Option<usize>,
}

/// One line of a script.
pub enum Line {
    /// Played once, in its turn.
    Step(Step),
    /// Played when a condition holds.
    Rule(Rule),
}

/// Answers for when a condition holds.
pub struct Rule {
    /// When.
    pub condition: Condition,
    /// One for each time, in order.
    pub steps: Vec<Step>,
    /// Whether the last step answers again and again, and need not be met at all.
    pub is_standing: bool,
}

impl Script {
    /// A script of these lines.
    pub fn new(lines: Vec<Line>) -> Script {
        Script { lines, embeddings: None }
    }

    /// The same script, which answers requests for embeddings, too.
    pub fn with_embeddings(self, embeddings: Option<Embeddings>) -> Script {
        Script { embeddings, ..self }
    }

    /// What it says of embeddings; `None` when it does not answer requests for them.
    pub fn embeddings(&self) -> Option<Embeddings> {
        self.embeddings
    }

    /// The script's lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}

impl Rule {
    fn shown(&self, step: &Step) -> String {
        let word = if self.is_standing { "always" } else { "then" };
        format!("when({}).{word}({})", self.condition.shown(), step.shown())
    }
}
