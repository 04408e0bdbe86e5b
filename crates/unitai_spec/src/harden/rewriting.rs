//! Puts checks into the text of a file, line by line: every other byte stays as it is.

use super::Proposal;
use crate::document::Place;

/// A text with checks put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The new text.
    pub text: String,
    /// The places of steps that no line could be put into: those in braces, those without a line `expect:` of their own, and those
    /// whose `check:` is no list of lines. Somebody has to write these.
    pub left_out: Vec<Place>,
}

/// Puts the checks of proposals after the line `expect:` of their steps, each of which begins at its place. A step that has a list
/// of checks gets one more.
///
/// ```
/// use unitai_spec::document::Place;
/// use unitai_spec::harden::{Proposal, rewrite};
/// let text = "steps:\n  - tool: http_get\n    expect: Status should be 200\n";
/// let proposal = Proposal { check: "status_code == 200".into(), why: String::new() };
/// let place = Place { line: 2, column: 5, ..Place::default() };
/// assert_eq!(
///     rewrite(text, &[(place, proposal)]).text,
///     "steps:\n  - tool: http_get\n    expect: Status should be 200\n    check: status_code == 200\n"
/// );
/// ```
pub fn rewrite(text: &str, proposals: &[(Place, Proposal)]) -> Rewritten {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let ending = if lines.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut insertions: Vec<(usize, String)> = Vec::new();
    let mut left_out = Vec::new();
    let mut done: Vec<&Place> = Vec::new();
    for (place, _) in proposals {
        if done.contains(&place) {
            continue;
        }
        done.push(place);
        let checks: Vec<String> = proposals
            .iter()
            .filter(|(it, _)| it == place)
            .map(|(_, proposal)| scalar(&proposal.check))
            .collect();
        match Step::at(&lines, place).and_then(|step| step.insertion(&checks, ending)) {
            Some(insertion) => insertions.push(insertion),
            None => left_out.push(place.clone()),
        }
    }
    insertions.sort_by_key(|(line, _)| *line);
    let mut new = String::with_capacity(text.len() + 100);
    let mut pending = insertions.into_iter().peekable();
    for (n, line) in lines.iter().enumerate() {
        new.push_str(line);
        while let Some((_, inserted)) = pending.next_if(|(after, _)| *after == n) {
            if !new.ends_with('\n') {
                new.push_str(ending);
            }
            new.push_str(&inserted);
        }
    }
    // A file that did not end with a line break does not end with one now.
    if !text.ends_with('\n') && new.ends_with('\n') {
        new.truncate(new.len() - ending.len());
    }
    Rewritten { text: new, left_out }
}

/// The lines of one step.
struct Step<'a> {
    lines: &'a [&'a str],
    first: usize,
    /// Where its keys begin, in characters.
    indent: usize,
}

impl<'a> Step<'a> {
    fn at(lines: &'a [&'a str], place: &Place) -> Option<Self> {
        let first = place.line.checked_sub(1)?;
        let line: Vec<char> = lines.get(first)?.chars().collect();
        let mut indent = place.column.checked_sub(1)?;
        if line.get(indent) == Some(&'-') {
            indent += 1;
            while line.get(indent) == Some(&' ') {
                indent += 1;
            }
        }
        let begins_a_key =
            line.get(indent).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '"' | '\'' | '<'));
        begins_a_key.then_some(Self { lines, first, indent })
    }

    /// The text of a line from the step's keys on, if a key begins there.
    fn key_line(&self, n: usize) -> Option<&'a str> {
        let line = self.lines.get(n)?;
        let from = line.char_indices().nth(self.indent).map_or(line.len(), |(at, _)| at);
        let is_key = n == self.first || (indent(line) == self.indent && !is_item(line));
        (is_key && !is_empty(line)).then(|| &line[from..])
    }

    /// The line after the last one of the step.
    fn end(&self) -> usize {
        let after = self.lines.iter().enumerate().skip(self.first + 1);
        let mut ending = after.filter(|(_, line)| !is_empty(line) && indent(line) < self.indent);
        ending.next().map_or(self.lines.len(), |(n, _)| n)
    }

    /// The line of a key, what stands after it, and the last line of its value.
    fn find(&self, key: &str) -> Option<(usize, &'a str, usize)> {
        let end = self.end();
        let (line, value) = (self.first..end).find_map(|n| {
            let (name, value) = self.key_line(n)?.split_once(':')?;
            (name.trim().trim_matches(['"', '\'']) == key).then(|| (n, value.trim()))
        })?;
        let next = (line + 1..end).find(|n| self.key_line(*n).is_some()).unwrap_or(end);
        // What looks like a comment further in may be a line of a text.
        let belongs = |line: &str| !line.trim().is_empty() && (indent(line) > self.indent || !is_empty(line));
        let last = (line..next).rev().find(|n| belongs(self.lines[*n])).unwrap_or(line);
        Some((line, value, last))
    }

    /// The line after which to put the checks, and what to put there.
    fn insertion(&self, checks: &[String], ending: &str) -> Option<(usize, String)> {
        let (_, expect, last) = self.find("expect")?;
        let spaces = " ".repeat(self.indent);
        if let Some((line, value, last)) = self.find("check") {
            let item = self.lines.get(line + 1..=last)?.iter().find(|line| !is_empty(line))?;
            if !(value.is_empty() || value.starts_with('#')) || !is_item(item) {
                return None;
            }
            let dash = " ".repeat(indent(item));
            return Some((last, checks.iter().map(|check| format!("{dash}- {check}{ending}")).collect()));
        }
        if is_open(expect) {
            return None;
        }
        Some((
            last,
            match checks {
                [check] => format!("{spaces}check: {check}{ending}"),
                several => {
                    let items = several.iter().map(|check| format!("{spaces}  - {check}{ending}"));
                    format!("{spaces}check:{ending}{}", items.collect::<String>())
                }
            },
        ))
    }
}

/// Whether a value does not end on its line in a way that indentation shows: a text in quotes goes on wherever it likes, and
/// `|+` keeps empty lines that would be cut off.
fn is_open(value: &str) -> bool {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote {
        Some(quote) => !value[1..].contains(quote),
        None => value.starts_with(['|', '>']) && value.chars().take(3).any(|c| c == '+'),
    }
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| *c == ' ').count()
}

/// Whether a line holds nothing, or only a comment.
fn is_empty(line: &str) -> bool {
    let text = line.trim();
    text.is_empty() || text.starts_with('#')
}

fn is_item(line: &str) -> bool {
    let text = line.trim();
    text == "-" || text.starts_with("- ")
}

/// A check as a YAML scalar, in quotes where it would be read as something else.
fn scalar(check: &str) -> String {
    let plain = check.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && !check.contains(": ")
        && !check.contains(" #")
        && !check.ends_with([':', ' '])
        && !check.contains(char::is_control);
    if plain { check.to_owned() } else { format!("'{}'", check.replace('\'', "''")) }
}
