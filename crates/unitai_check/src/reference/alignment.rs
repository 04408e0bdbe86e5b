//! The call-by-call difference between a trajectory and a reference in which order counts.

use unitai_model::calls::PlacedCall;

use super::ExpectedCall;
use crate::{Judgement, describe};

/// How many lines of difference are shown at the most.
pub(super) const MAX_LINES: usize = 40;

/// The largest table that is filled to align two sequences, in cells. What is left of longer
/// sequences after their common ends is compared place by place.
const MAX_CELLS: usize = 250_000;

enum Line<'a> {
    Same(PlacedCall<'a>),
    Missing(&'a ExpectedCall),
    Surplus(PlacedCall<'a>),
}

/// The judgement on two sequences that do not agree. Surplus calls count only if `whole`.
pub(super) fn broken(expected: &[ExpectedCall], actual: &[PlacedCall<'_>], whole: bool) -> Judgement {
    let lines = align(expected, actual);
    let missing = lines.iter().filter(|line| matches!(line, Line::Missing(_))).count();
    let surplus = lines.iter().filter(|line| matches!(line, Line::Surplus(_))).count();
    let mut cites = Vec::new();
    let mut shown = Vec::new();
    let mut missed: Vec<&ExpectedCall> = Vec::new();
    for line in &lines {
        match line {
            Line::Same(call) => {
                missed.clear();
                shown.push(format!("  {}", describe::call(call.call.tool.as_str(), &call.call.args)));
            }
            Line::Missing(expected) => {
                missed.push(expected);
                shown.push(format!("- {}", expected.shown()));
            }
            Line::Surplus(call) => {
                let text = describe::call(call.call.tool.as_str(), &call.call.args);
                shown.push(format!("{} {text} (step {})", if whole { "+" } else { " " }, call.step + 1));
                if whole {
                    cites.push(call.step);
                }
                if let Some(at) = missed.iter().position(|expected| expected.tool == call.call.tool) {
                    let differences = missed.remove(at).differences(*call);
                    if !differences.is_empty() {
                        shown.push(format!("    {}", differences.join("; ")));
                    }
                }
            }
        }
    }
    let shown = around_changes(shown);
    let summary = match (missing, if whole { surplus } else { 0 }) {
        (0, more) => format!("{} not in the reference", calls_are(more)),
        (less, 0) => format!("{} missing", calls_are(less)),
        (less, more) => format!("{} missing and {more} not in the reference", calls_are(less)),
    };
    Judgement::broken(format!("{summary}\n{}", shown.join("\n")), cites)
}

/// `1 call is`, `3 calls are`.
pub(super) fn calls_are(n: usize) -> String {
    if n == 1 { "1 call is".to_owned() } else { format!("{n} calls are") }
}

/// Keeps the changed lines and one line on either side, up to the limit.
fn around_changes(lines: Vec<String>) -> Vec<String> {
    let changed = |line: &String| line.starts_with(['-', '+']) || line.starts_with("    ");
    let near = |at: usize| {
        let (from, to) = (at.saturating_sub(1), (at + 2).min(lines.len()));
        lines[from..to].iter().any(changed)
    };
    let mut out: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if near(at) {
            out.push(line.clone());
        } else if out.last().is_none_or(|last| last != "  ...") {
            out.push("  ...".to_owned());
        }
        if out.len() >= MAX_LINES {
            out.push("  (more differences are not shown)".to_owned());
            break;
        }
    }
    out
}

fn align<'a>(expected: &'a [ExpectedCall], actual: &[PlacedCall<'a>]) -> Vec<Line<'a>> {
    let agree = |(expected, call): (&ExpectedCall, &PlacedCall<'a>)| expected.accepts(*call);
    let head = expected.iter().zip(actual).take_while(|pair| agree(*pair)).count();
    let (expected, rest) = (&expected[head..], &actual[head..]);
    let tail = expected.iter().rev().zip(rest.iter().rev()).take_while(|pair| agree(*pair)).count();
    let (expected, middle) = (&expected[..expected.len() - tail], &rest[..rest.len() - tail]);

    let mut lines: Vec<Line<'a>> = actual[..head].iter().map(|call| Line::Same(*call)).collect();
    if expected.len() * middle.len() <= MAX_CELLS {
        lines.extend(longest_common(expected, middle));
    } else {
        lines.extend(place_by_place(expected, middle));
    }
    lines.extend(rest[rest.len() - tail..].iter().map(|call| Line::Same(*call)));
    lines
}

/// The alignment that keeps the most calls: the longest common subsequence.
fn longest_common<'a>(expected: &'a [ExpectedCall], actual: &[PlacedCall<'a>]) -> Vec<Line<'a>> {
    let (rows, columns) = (expected.len(), actual.len());
    let agree: Vec<bool> =
        expected.iter().flat_map(|entry| actual.iter().map(|call| entry.accepts(*call))).collect();
    let mut length = vec![0u32; (rows + 1) * (columns + 1)];
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            length[at(row, column)] = if agree[row * columns + column] {
                length[at(row + 1, column + 1)] + 1
            } else {
                length[at(row + 1, column)].max(length[at(row, column + 1)])
            };
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    while row < rows || column < columns {
        if row < rows && column < columns && agree[row * columns + column] {
            lines.push(Line::Same(actual[column]));
            row += 1;
            column += 1;
        } else if row < rows
            && (column == columns || length[at(row + 1, column)] >= length[at(row, column + 1)])
        {
            lines.push(Line::Missing(&expected[row]));
            row += 1;
        } else {
            lines.push(Line::Surplus(actual[column]));
            column += 1;
        }
    }
    lines
}

fn place_by_place<'a>(expected: &'a [ExpectedCall], actual: &[PlacedCall<'a>]) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for n in 0..expected.len().max(actual.len()) {
        match (expected.get(n), actual.get(n)) {
            (Some(entry), Some(call)) if entry.accepts(*call) => lines.push(Line::Same(*call)),
            (entry, call) => {
                lines.extend(entry.map(Line::Missing));
                lines.extend(call.map(|call| Line::Surplus(*call)));
            }
        }
    }
    lines
}
