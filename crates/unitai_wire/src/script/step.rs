//! One step of a script.

use std::time::Duration;

use serde_json::Value;
use unitai_model::Usage;
use unitai_model::value::plain;

use crate::chance::{draw, fraction};
use crate::common::{Answer, Finish, Refusal, Request, Said};

/// What happens at one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The model answers.
    Play(Play),
    /// The provider fails.
    Fail(Fail),
    /// One of several, by a seeded choice.
    Choice(Choice),
}

/// The model answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Play {
    /// What it says.
    pub parts: Vec<Said>,
    /// Places in `parts` of calls that may be impossible: of a tool that is not offered, or with arguments that its
    /// schema refuses.
    pub unchecked: Vec<usize>,
    /// What it took; estimated from the texts unless given.
    pub usage: Option<Usage>,
    /// Why it ends; by what it says unless given.
    pub finish: Option<Finish>,
    /// How long the answer lets wait.
    pub delay: Duration,
    /// How long each part of a stream lets wait.
    pub pace: Duration,
}

/// The provider fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Fail {
    /// How.
    pub refusal: Refusal,
    /// Seconds after which the client may try again, if it is told.
    pub retry_after: Option<f64>,
    /// How long the failure lets wait.
    pub delay: Duration,
}

/// A seeded choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What may happen, and how likely each is compared to the others.
    pub options: Vec<(Step, f64)>,
    /// The seed.
    pub seed: u64,
}

impl Play {
    /// The whole answer to a request.
    pub fn answer(&self, request: &Request) -> Answer {
        let mut answer = Answer { parts: self.parts.clone(), usage: Usage::default(), finish: self.finish };
        answer.usage =
            self.usage.unwrap_or_else(|| Usage::of(request.likely_prompt_tokens(), answer.likely_tokens()));
        answer
    }
}

impl Choice {
    /// The step that is chosen in the `ordinal`-th run at its `turn`-th request. The same seed always
    /// chooses alike; runs choose independently of each other.
    pub fn choose(&self, ordinal: u64, turn: u64) -> Option<&Step> {
        let total: f64 = self.options.iter().map(|(_, weight)| weight).sum();
        let mut point = fraction(draw(self.seed, &[ordinal, turn])) * total;
        for (step, weight) in &self.options {
            point -= weight;
            if point < 0.0 {
                return Some(step);
            }
        }
        self.options.last().map(|(step, _)| step)
    }
}

impl Step {
    /// The step as one writes it in a script.
    pub fn shown(&self) -> String {
        match self {
            Step::Play(play) => play.shown(),
            Step::Fail(fail) => format!("fail({})", fail.refusal.status),
            Step::Choice(choice) => {
                let options: Vec<String> = choice.options.iter().map(|(step, _)| step.shown()).collect();
                format!("choose({})", options.join(", "))
            }
        }
    }
}

impl Play {
    fn shown(&self) -> String {
        let shown = |(at, part)| {
            let text = shown_part(part);
            if self.unchecked.contains(&at) { format!("{text}.unchecked()") } else { text }
        };
        let parts: Vec<String> = self.parts.iter().enumerate().map(shown).collect();
        match parts.as_slice() {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        }
    }
}

pub(super) fn shown_part(part: &Said) -> String {
    match part {
        Said::Text(text) => format!("say({})", quoted(text)),
        Said::Refusal(text) => format!("refuse({})", quoted(text)),
        Said::Reasoning(text) => format!("think({})", quoted(text)),
        Said::ToolCall { name, args } => {
            let args: Value = serde_json::from_str(args).unwrap_or_default();
            let args = args.as_object().into_iter().flatten().map(|(key, value)| format!(", {key}={value}"));
            format!("call({}{})", quoted(name), plain(&args.collect::<String>()))
        }
    }
}

/// A text as a person would quote it, cut.
pub(crate) fn quoted(text: &str) -> String {
    let cut = match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    plain(&Value::from(cut).to_string()).to_string()
}
