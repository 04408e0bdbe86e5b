//! A run as Markdown, for the summary of a CI job.
//!
//! Texts of tests and models stand in it as text: whatever they hold, they change nothing but themselves.

use unitai_model::event::{TestFailure, TestOutcome};
use unitai_model::value::{plain, plain_lines};

use crate::ansi::without_escapes;
use crate::words::{self, word};
use crate::{Run, Test};

/// GitHub shows 1 MiB and nothing of what is larger.
const MAX_BYTES: usize = 900_000;
/// So many tests have a row.
const MAX_ROWS: usize = 100;
/// Names and messages are not longer than this.
const MAX_NAME: usize = 300;
/// What is told of one failure.
const MAX_DETAILS: usize = 20_000;

/// The run as Markdown, for `$GITHUB_STEP_SUMMARY` and whatever else shows GitHub's Markdown.
///
/// ```
/// use unitai_report::{Run, markdown};
/// let run = Run::read(concat!(
///     r#"{"event":"test_finished","at":1,"test":"tests/test_a.py::test_x","outcome":"passed","duration_seconds":1.5}"#, "\n",
///     r#"{"event":"run_finished","at":2,"duration_seconds":2,"ending":"completed"}"#, "\n",
/// )).unwrap();
/// let text = markdown(&run);
/// assert!(text.starts_with("## ✅ UnitAI: 1 passed in 2.0s\n"));
/// assert!(text.contains("| ✅ passed | `tests/test_a.py::test_x` | 1.5s |"));
/// ```
pub fn markdown(run: &Run) -> String {
    let mark = if run.is_green() { "✅" } else { "❌" };
    let (counts, time) = (words::counts(run.counts()), words::duration(run.duration_seconds()));
    let mut out = format!("## {mark} UnitAI: {counts} in {time}\n\n");
    let totals = words::totals(run);
    if !totals.is_empty() {
        out.push_str(&fenced(&totals.join("\n")));
    }
    // Who looks at a summary looks for what went wrong.
    let (red, other): (Vec<&Test>, Vec<&Test>) =
        run.tests.iter().partition(|test| words::is_red(test.end.outcome));
    push_table(&mut out, run, red.iter().chain(&other).copied());
    push_failures(&mut out, &red);
    out
}

fn push_table<'a>(out: &mut String, run: &Run, tests: impl Iterator<Item = &'a Test>) {
    if run.tests.is_empty() {
        return;
    }
    let has_rate = run.tests.iter().any(|test| test.end.statistics.is_some());
    let has_cost = run.tests.iter().any(|test| test.end.spending.is_some());
    let mut heads = vec!["Outcome", "Test"];
    let mut rules = vec!["---", "---"];
    if has_rate {
        heads.extend(["Pass rate", "Interval"]);
        rules.extend(["---:", "---:"]);
    }
    if has_cost {
        heads.extend(["Cost", "Tokens"]);
        rules.extend(["---:", "---:"]);
    }
    heads.push("Time");
    rules.push("---:");
    out.push_str(&format!("| {} |\n| {} |\n", heads.join(" | "), rules.join(" | ")));
    for test in tests.take(MAX_ROWS) {
        let end = &test.end;
        let mut cells = vec![format!("{} {}", sign(end.outcome), word(end.outcome)), code(&end.test)];
        if has_rate {
            let statistics = end.statistics.as_ref().filter(|statistics| statistics.is_rate());
            cells.push(statistics.map(words::rate).unwrap_or_default());
            cells.push(statistics.map(words::interval).unwrap_or_default());
        }
        if has_cost {
            let spent = end.spending.map(|spending| spending.all());
            cells.push(spent.map(words::short_cost).unwrap_or_default());
            cells.push(spent.map(|spent| words::thousands(spent.tokens)).unwrap_or_default());
        }
        cells.push(words::duration(end.duration_seconds));
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    if run.tests.len() > MAX_ROWS {
        out.push_str(&format!("\n… and {} more tests.\n", run.tests.len() - MAX_ROWS));
    }
    out.push('\n');
}

fn push_failures(out: &mut String, red: &[&Test]) {
    let mut left = red.len();
    for test in red {
        let mut block = String::new();
        let failures = &test.end.failures;
        let first = failures.first().map(|failure| failure.message.as_str()).unwrap_or_default();
        let message = if first.is_empty() { String::new() } else { format!(": {}", html(&clip(first))) };
        block.push_str(&format!(
            "<details><summary>{} {} <code>{}</code>{message}</summary>\n\n",
            sign(test.end.outcome),
            word(test.end.outcome),
            html(&clip(&test.end.test))
        ));
        for failure in failures {
            block.push_str(&fenced(&details(failure)));
        }
        block.push_str("</details>\n\n");
        if out.len() + block.len() > MAX_BYTES {
            break;
        }
        out.push_str(&block);
        left -= 1;
    }
    if left > 0 {
        out.push_str(&format!("… and {left} more that did not pass.\n"));
    }
}

/// What UnitAI knows of a failure, or else what pytest says.
fn details(failure: &TestFailure) -> String {
    let text = failure.report.as_deref().filter(|report| !report.trim().is_empty()).unwrap_or(&failure.text);
    let text = if text.trim().is_empty() { &failure.message } else { text };
    plain_lines(without_escapes(text).trim_matches('\n'))
}

/// A block of text that ends where it ends: its fence is longer than any row of backticks in it.
fn fenced(text: &str) -> String {
    let text = middle_left_out(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}text\n{text}\n{fence}\n\n")
}

/// The beginning and the end of what is too long.
fn middle_left_out(text: &str) -> String {
    if text.len() <= MAX_DETAILS {
        return text.to_owned();
    }
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=MAX_DETAILS / 2).rfind(is_boundary).unwrap_or(0);
    let tail = (text.len() - MAX_DETAILS / 2..text.len()).find(is_boundary).unwrap_or(text.len());
    format!("{}\n… {} bytes left out …\n{}", &text[..head], tail - head, &text[tail..])
}

/// Text as code in a cell: nothing in it is a mention, a reference, a link or a formula.
fn code(text: &str) -> String {
    let text = clip(text);
    // Where a cell ends and where code ends is not one rule but two; what could confuse either is spelled in references,
    // which mean nothing to both.
    let is_tame = !text.is_empty() && !text.contains(['`', '|', '\\']);
    if is_tame { format!("`{text}`") } else { format!("<code>{}</code>", spelled(&text)) }
}

/// Text where Markdown is read: every sign of it is a character reference.
fn spelled(text: &str) -> String {
    let sign = |c: char| match c {
        c if c.is_ascii_punctuation() => format!("&#{};", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(sign).collect()
}

/// Text where HTML is read and Markdown is not.
fn html(text: &str) -> String {
    let sign = |c: char| match c {
        '&' | '<' | '>' | '"' | '\'' | '`' => format!("&#{};", u32::from(c)),
        // GitHub looks for names and numbers after these once everything else is done; a joiner hides them.
        '@' | '#' => format!("{c}\u{2060}"),
        c => c.to_string(),
    };
    text.chars().map(sign).collect()
}

/// Text on one line, and only the beginning of what is too long.
fn clip(text: &str) -> String {
    let text = plain(&without_escapes(text));
    match text.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn sign(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "✅",
        TestOutcome::Failed => "❌",
        TestOutcome::Error => "💥",
        TestOutcome::Inconclusive => "❔",
        TestOutcome::Skipped => "⏭️",
        TestOutcome::XFailed => "🔶",
        TestOutcome::XPassed => "🔷",
    }
}
