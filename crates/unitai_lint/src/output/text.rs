//! Findings for people: where, what, the line with a mark under it, and what to do.
//!
//! By hand, as for YAML tests: the first line must be `file:line:column: ...`, which editors and terminals make a link of,
//! what comes from a file must not reach a terminal as it is, and thousands of findings are told in no time.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::UnicodeWidthChar;
use unitai_model::value::plain;

use super::counted;
use crate::run::{Located, Outcome};
use crate::{RULES, Severity};

/// Colour, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// No escape sequence at all.
    Plain,
    /// For a terminal.
    Colour,
}

impl Palette {
    fn paint<'a>(self, code: &str, text: &'a str) -> Cow<'a, str> {
        match self {
            Palette::Plain => Cow::Borrowed(text),
            Palette::Colour => Cow::Owned(format!("\u{1b}[{code}m{text}\u{1b}[0m")),
        }
    }

    fn weight(self, severity: Severity) -> &'static str {
        match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
        }
    }
}

/// Every finding of a run, one below the other.
pub fn text(outcome: &Outcome, palette: Palette) -> String {
    let count: usize = outcome.files.iter().map(|file| file.findings.len()).sum();
    let mut out = String::with_capacity(count * 240);
    for file in &outcome.files {
        let path = shown(&file.path);
        for finding in &file.findings {
            one(&mut out, &path, finding, palette);
        }
    }
    out
}

fn one(out: &mut String, path: &str, finding: &Located, palette: Palette) {
    let Located { rule, severity, start, message, help, .. } = finding;
    let (line, column) = (start.line, start.column);
    let place = palette.paint("1", path);
    let kind = palette.paint(palette.weight(*severity), severity.word());
    let _ = writeln!(out, "{place}:{line}:{column}: {kind}[{}]: {}", rule.name, shown(message));
    let gutter = if finding.line.is_empty() { 0 } else { excerpt(out, finding, palette) };
    if !help.is_empty() {
        let bar = palette.paint("1;34", "=");
        let fixable = if finding.fix.is_some() { " (`--fix` does it)" } else { "" };
        let _ = writeln!(out, "  {:gutter$} {bar} help: {}{fixable}", "", shown(help));
    }
}

/// The line with a mark under what it is about. Gives the width of its number.
fn excerpt(out: &mut String, finding: &Located, palette: Palette) -> usize {
    let number = finding.start.line.to_string();
    let from = (finding.start.column - 1).saturating_sub(finding.left_out) as usize;
    let until = match finding.end.line == finding.start.line {
        true => finding.end.column.saturating_sub(1 + finding.left_out) as usize,
        false => usize::MAX,
    };
    let (indent, width, code) = marked(finding.line.trim_end(), from, until);
    let bar = palette.paint("1;34", "|");
    let gutter = number.len();
    let mark = "^".repeat(width.max(1));
    let mark = palette.paint(palette.weight(finding.severity), &mark);
    let _ = writeln!(out, "  {} {bar} {code}", palette.paint("1;34", &number));
    let _ = writeln!(out, "  {:gutter$} {bar} {:indent$}{mark}", "", "");
    gutter
}

/// The line as it is shown, and which of its columns the characters from here to there take.
fn marked(line: &str, from: usize, until: usize) -> (usize, usize, Cow<'_, str>) {
    if is_plain(line) {
        let until = until.min(line.len());
        return (from.min(line.len()), until.saturating_sub(from), Cow::Borrowed(line));
    }
    let (mut indent, mut end, mut code) = (None, None, String::with_capacity(line.len()));
    let mut at = 0;
    for (index, c) in line.chars().enumerate() {
        if index == from {
            indent = Some(at);
        }
        if index == until {
            end = Some(at);
        }
        let before = code.len();
        match c {
            '\t' => code.push_str("    "),
            c => code.push_str(&plain(c.encode_utf8(&mut [0; 4]))),
        }
        at += code[before..].chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    }
    let indent = indent.unwrap_or(at);
    (indent, end.unwrap_or(at).saturating_sub(indent), Cow::Owned(code))
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// Text that a terminal only shows.
fn shown(text: &str) -> Cow<'_, str> {
    if is_plain(text) { Cow::Borrowed(text) } else { Cow::Owned(plain(text)) }
}

/// How it ended, in a line. `repaired` is how many findings `--fix` has repaired.
pub fn summary(outcome: &Outcome, repaired: usize) -> String {
    let files = counted(outcome.files.len(), "file");
    let (errors, warnings) = (outcome.count(Severity::Error), outcome.count(Severity::Warning));
    let repaired = if repaired == 0 { String::new() } else { format!("{repaired} repaired, ") };
    if outcome.files.is_empty() {
        return "there are no tests here: nothing was looked at".to_owned();
    }
    if errors + warnings == 0 {
        let rules = counted(RULES.len(), "rule");
        return format!("{repaired}{files} looked at with {rules}: nothing was found");
    }
    let files = match outcome.files.iter().filter(|file| !file.findings.is_empty()).count() {
        all if all == outcome.files.len() => files,
        some => format!("{some} of {files}"),
    };
    let fixable = outcome.findings().filter(|(_, finding)| finding.fix.is_some()).count();
    let fixable = match fixable {
        0 => String::new(),
        count => format!("; `--fix` repairs {count} of them"),
    };
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    format!("{repaired}{errors}, {warnings} in {files}{fixable}")
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn the_mark_stands_under_what_it_is_about() {
        assert_eq!(marked("assert True", 7, 11), (7, 4, "assert True".into()));
        assert_eq!(marked("assert True", 7, usize::MAX), (7, 4, "assert True".into()));
        assert_eq!(marked("\tassert x", 1, 9), (4, 8, "    assert x".into()));
        assert_eq!(marked("名 = x", 4, 5), (5, 1, "名 = x".into()));
        assert_eq!(marked("a\u{1b}[31m", 1, 2), (1, 4, "a\\x1b[31m".into()));
        assert_eq!(marked("abc", 9, 12), (3, 0, "abc".into()));
    }
}
