//! What a rule found: where, what, what to do, and how to repair it.

use std::borrow::Cow;

use ruff_text_size::TextRange;

use crate::Rule;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Somebody should look; the command still succeeds.
    Warning,
    /// The command fails.
    Error,
}

impl Severity {
    /// Its name in settings and output.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One finding of one rule in one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Whose it is.
    pub rule: &'static Rule,
    /// As the settings say, or as the rule does.
    pub severity: Severity,
    /// Where, in bytes of the file's text.
    pub range: TextRange,
    /// What is wrong, with the names at hand.
    pub message: String,
    /// What to do instead; may be empty.
    pub help: Cow<'static, str>,
    /// What would repair it without changing what the test means.
    pub fix: Option<Fix>,
}

impl Finding {
    /// Says what to do instead.
    pub fn help(&mut self, help: impl Into<Cow<'static, str>>) -> &mut Finding {
        self.help = help.into();
        self
    }

    /// Offers a repair. Only what is safe: the file must mean the same, or what was obviously meant.
    pub fn fix(&mut self, fix: Fix) -> &mut Finding {
        self.fix = Some(fix);
        self
    }
}

/// A repair.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fix {
    /// What it does, such as `add the missing assert`.
    pub title: Cow<'static, str>,
    /// What it changes, all of it or nothing.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A repair that puts `text` in the place of one range.
    pub fn replace(title: impl Into<Cow<'static, str>>, range: TextRange, text: impl Into<String>) -> Fix {
        Fix { title: title.into(), edits: vec![Edit::replace(range, text)] }
    }

    /// A repair that puts `text` before what stands at this place.
    pub fn insert(
        title: impl Into<Cow<'static, str>>,
        at: ruff_text_size::TextSize,
        text: impl Into<String>,
    ) -> Fix {
        Fix::replace(title, TextRange::empty(at), text)
    }
}

/// One changed range.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Edit {
    /// The first byte that goes.
    pub start: u32,
    /// The first byte that stays again.
    pub end: u32,
    /// What comes; lines end with `\n`, and get the file's own ending.
    pub text: String,
}

impl Edit {
    /// Puts `text` in the place of a range.
    pub fn replace(range: TextRange, text: impl Into<String>) -> Edit {
        Edit { start: range.start().into(), end: range.end().into(), text: text.into() }
    }
}
