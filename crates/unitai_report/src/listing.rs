//! The tests of a run as lines for a person, and what went wrong in them.

use unitai_model::event::{TestFailure, TestOutcome};
use unitai_model::value::{plain, plain_lines};

use crate::ansi::without_escapes;
use crate::words::{self, word};
use crate::{Run, Style, Test};

/// A name is never cut to less.
const MIN_NAME: usize = 24;

/// How a listing looks.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// How wide the terminal is. Without one, nothing is cut.
    pub width: Option<usize>,
    /// Whether everything is told that is known of a failure.
    pub verbose: bool,
    /// Its colours.
    pub style: Style,
}

/// The tests of a run: outcome, name, pass rate with its interval, cost and time; then what went wrong.
///
/// ```
/// use unitai_report::{Look, Run, Style, listing};
/// let run = Run::read(concat!(
///     r#"{"event":"test_finished","at":1,"test":"test_a.py::test_x","outcome":"failed","duration_seconds":1.5,"#,
///     r#""failures":[{"phase":"call","message":"no refund","text":"E   no refund"}]}"#, "\n",
/// )).unwrap();
/// let look = Look { width: None, verbose: false, style: Style::plain() };
/// assert_eq!(listing(&run, look), "\
/// failed  test_a.py::test_x  1.5s
///
/// failed: test_a.py::test_x
///   no refund
/// ");
/// ```
pub fn listing(run: &Run, look: Look) -> String {
    let rows: Vec<Row> = run.tests.iter().map(Row::of).collect();
    let widest = |cell: fn(&Row) -> &str| rows.iter().map(|row| cell(row).chars().count()).max().unwrap_or(0);
    let widths = [
        widest(|row| &row.outcome),
        widest(|row| &row.rate),
        widest(|row| &row.cost),
        widest(|row| &row.time),
    ];
    let gaps = widths.iter().filter(|width| **width > 0).count() * 2;
    let room =
        look.width.map_or(usize::MAX, |width| width.saturating_sub(widths.iter().sum::<usize>() + gaps));
    let name_width = widest(|row| &row.name).min(room.max(MIN_NAME));
    let mut out = String::new();
    for row in &rows {
        out.push_str(&row.line(name_width, widths, look.style));
        out.push('\n');
    }
    for test in run.tests.iter().filter(|test| words::is_red(test.end.outcome)) {
        out.push('\n');
        let heading = format!("{}: {}", word(test.end.outcome), plain(&test.end.test));
        out.push_str(&look.style.offending(&heading));
        out.push('\n');
        for failure in &test.end.failures {
            push_failure(&mut out, failure, look.verbose);
        }
    }
    out
}

/// The cells of a test.
struct Row {
    kind: TestOutcome,
    outcome: String,
    name: String,
    rate: String,
    cost: String,
    time: String,
    note: Option<String>,
}

impl Row {
    fn of(test: &Test) -> Row {
        let end = &test.end;
        let rate = end
            .statistics
            .as_ref()
            .filter(|statistics| statistics.is_rate())
            .map(|statistics| format!("{}, {}", words::rate(statistics), words::interval(statistics)));
        let tries = match test.end.reruns {
            0 => None,
            1 => Some("tried twice".to_owned()),
            more => Some(format!("tried {} times", more.saturating_add(1))),
        };
        Row {
            kind: end.outcome,
            outcome: word(end.outcome),
            name: plain(&end.test),
            rate: rate.unwrap_or_default(),
            cost: end.spending.map(|spending| words::short_cost(spending.all())).unwrap_or_default(),
            time: words::duration(end.duration_seconds),
            note: end.reason.as_deref().map(plain).filter(|reason| !reason.is_empty()).or(tries),
        }
    }

    fn line(&self, name_width: usize, widths: [usize; 4], style: Style) -> String {
        let [outcome, rate, cost, time] = widths;
        let mark = |text: String| match self.kind {
            TestOutcome::Passed | TestOutcome::XPassed => style.expected(&text),
            TestOutcome::Skipped | TestOutcome::XFailed => style.faint(&text),
            _ => style.offending(&text),
        };
        let mut line = mark(format!("{:<outcome$}", self.outcome));
        line.push_str(&format!("  {:<name_width$}", cut_left(&self.name, name_width)));
        for (cell, width) in [(&self.rate, rate), (&self.cost, cost), (&self.time, time)] {
            if width > 0 {
                line.push_str(&format!("  {cell:>width$}"));
            }
        }
        if let Some(note) = &self.note {
            line.push_str(&format!("  {}", style.faint(&format!("({note})"))));
        }
        line.trim_end().to_owned()
    }
}

/// The end of a name that is too long: what tells it from others is there.
fn cut_left(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    std::iter::once('…').chain(name.chars().skip(length - width.saturating_sub(1))).collect()
}

/// What went wrong: in a line, and what UnitAI knows about it; if all is asked for, what pytest says too.
fn push_failure(out: &mut String, failure: &TestFailure, verbose: bool) {
    let mut push = |text: &str| {
        for line in plain_lines(text).lines() {
            out.push_str(if line.is_empty() { "" } else { "  " });
            out.push_str(line);
            out.push('\n');
        }
    };
    push(&plain(&without_escapes(&failure.message)));
    if verbose && !failure.text.trim().is_empty() {
        push("");
        push(&without_escapes(failure.text.trim_matches('\n')));
    }
    if let Some(report) = failure.report.as_deref().filter(|report| !report.trim().is_empty()) {
        push("\n");
        push(&without_escapes(report.trim_matches('\n')));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = concat!(
        r#"{"event":"test_finished","at":1,"test":"tests/test_refund.py::test_refund","outcome":"failed","duration_seconds":12.14,"failures":[{"phase":"call","message":"7 of 10\u001b[2J","text":"E   no\tgood","report":"  Pass rate: 7/10 \u202e"}],"spending":{"live":{"calls":9,"tokens":30,"cost":0.031}},"statistics":{"verdict":"failed","passed":7,"failed":3,"inconclusive":0,"planned":10,"pass_rate":0.7,"threshold":0.95,"interval":[0.397,0.892],"confidence":0.95,"claim":"","mode":"all","cost":0,"is_cost_known":true}}"#,
        "\n",
        r#"{"event":"test_finished","at":1,"test":"tests/test_a.py::test_b\u001b]0;x\u0007","outcome":"skipped","duration_seconds":0.001,"reason":"no key"}"#,
        "\n",
    );

    fn shown(width: Option<usize>, verbose: bool, style: Style) -> String {
        listing(&Run::read(LINES).unwrap(), Look { width, verbose, style })
    }

    #[test]
    fn everything_is_aligned_and_nothing_commands_the_terminal() {
        assert_eq!(
            shown(None, false, Style::plain()),
            "\
failed   tests/test_refund.py::test_refund    7/10 (70.0%), 39.7% to 89.2%  $0.031  12.1s
skipped  tests/test_a.py::test_b\\x1b]0;x\\x07                                        1.0ms  (no key)

failed: tests/test_refund.py::test_refund
  7 of 10

    Pass rate: 7/10 \\u202e
"
        );
        assert!(shown(None, true, Style::plain()).contains("\n  E   no\\tgood\n"));
    }

    #[test]
    fn a_narrow_terminal_cuts_names_from_the_left_and_colours_only_when_asked() {
        let narrow = shown(Some(80), false, Style::plain());
        assert!(narrow.starts_with("failed   …st_refund.py::test_refund  7/10"), "{narrow}");
        assert!(
            !narrow.contains('\u{1b}') && shown(None, false, Style::colour()).contains("\u{1b}[1;31mfailed")
        );
    }
}
