//! A finding with its place for people: line, column, and the line itself.

use std::borrow::Cow;

use ruff_text_size::TextSize;

use crate::{Edit, Finding, Fix, Lines, Rule, Severity, rule};

/// A line and a column, both from 1, in characters.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A finding with its place for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The rule.
    pub rule: &'static Rule,
    /// How much it weighs.
    pub severity: Severity,
    /// Where it begins.
    pub start: Position,
    /// Where it ends, behind its last character.
    pub end: Position,
    /// What is wrong.
    pub message: String,
    /// What to do instead; may be empty.
    pub help: Cow<'static, str>,
    /// The line that it begins in; empty if there is no text.
    pub line: String,
    /// How many characters of a long line are left out before that.
    pub left_out: u32,
    /// What would repair it.
    pub fix: Option<Fix>,
}

/// Of a longer line, this much is kept around the place, and this much of it before the place.
const WIDEST: usize = 200;
const BEFORE: usize = 60;

impl Located {
    /// Finds the place of a finding in its text.
    pub(crate) fn of(finding: Finding, text: &str, lines: &Lines) -> Located {
        let Finding { rule, severity, range, message, help, fix } = finding;
        let position = |at: TextSize| {
            let (line, column) = lines.place(at.min(TextSize::of(text)), text);
            Position { line: line as u32, column: column as u32 }
        };
        let (start, end) = (position(range.start()), position(range.end()));
        let (line, left_out) = around(start, text, lines);
        let (line, left_out) = (line.to_owned(), left_out as u32);
        Located { rule, severity, start, end, message, help, line, left_out, fix }
    }

    /// The text that it is about, as far as that is one line and kept.
    pub(crate) fn text(&self) -> Option<&str> {
        let from = (self.start.column - 1).checked_sub(self.left_out)? as usize;
        let until = (self.end.column - 1).checked_sub(self.left_out)? as usize;
        let at = |index: usize| {
            let mut ends = self.line.char_indices().map(|(at, _)| at).chain([self.line.len()]);
            ends.nth(index)
        };
        if self.start.line != self.end.line || from == until {
            return None;
        }
        self.line.get(at(from)?..at(until)?)
    }

    /// Whether nothing of its line is left out.
    pub(crate) fn is_whole_line(&self) -> bool {
        self.left_out == 0 && self.line.chars().count() < WIDEST
    }
}

/// The line of a place; of a longer one, what is around the place, and how many characters are left out before it.
fn around<'t>(place: Position, text: &'t str, lines: &Lines) -> (&'t str, usize) {
    let (line, column) = (place.line as usize - 1, place.column as usize - 1);
    let whole = lines.range(line, text).map_or("", |range| &text[range]);
    if whole.len() <= WIDEST {
        return (whole, 0);
    }
    let from = column.saturating_sub(BEFORE);
    (&text[lines.offset(line, from, text)..lines.offset(line, from + WIDEST, text)], from)
}

/// The same, to be kept in a file.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct KeptLocated {
    rule: String,
    severity: Severity,
    start: Position,
    end: Position,
    message: String,
    help: String,
    line: String,
    left_out: u32,
    fix: Option<(String, Vec<Edit>)>,
}

impl KeptLocated {
    pub(crate) fn of(located: &Located) -> KeptLocated {
        KeptLocated {
            rule: located.rule.name.to_owned(),
            severity: located.severity,
            start: located.start,
            end: located.end,
            message: located.message.clone(),
            help: located.help.clone().into_owned(),
            line: located.line.clone(),
            left_out: located.left_out,
            fix: located.fix.as_ref().map(|fix| (fix.title.clone().into_owned(), fix.edits.clone())),
        }
    }

    /// None if it is of a rule that is not known.
    pub(crate) fn located(self) -> Option<Located> {
        Some(Located {
            rule: rule(&self.rule)?,
            severity: self.severity,
            start: self.start,
            end: self.end,
            message: self.message,
            help: Cow::Owned(self.help),
            line: self.line,
            left_out: self.left_out,
            fix: self.fix.map(|(title, edits)| Fix { title: Cow::Owned(title), edits }),
        })
    }
}
