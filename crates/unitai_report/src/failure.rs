//! What a person reads when an assertion failed.

use unitai_model::value::{plain, plain_lines};
use unitai_model::{Failure, Finding, Trajectory, Unknown, Verdict};

use crate::words::duration;
use crate::{Style, trajectory_lines};

/// The report on a broken expectation, or on a run whose test failed for another reason.
pub fn failure_report(trajectory: &Trajectory, finding: Option<&Finding>, style: Style) -> String {
    let mut out = Vec::new();
    if let Some(finding) = finding {
        out.push(format!("  {} {}", style.heading("Assertion:"), plain_lines(&finding.assertion)));
        out.push(String::new());
    }
    out.push(format!("  {}", style.heading("Actual trajectory:")));
    let cites = finding.map_or(&[][..], |finding| &finding.cites);
    out.extend(trajectory_lines(trajectory, cites, style));
    out.push(String::new());
    if let Some(finding) = finding {
        let mark = |text: &str, good: bool| if good { style.expected(text) } else { style.actual(text) };
        out.push(format!("  {} {}", style.heading("Expected:"), mark(&plain_lines(&finding.expected), true)));
        if let Verdict::Broken { actual } = &finding.verdict {
            let actual = plain_lines(actual);
            let mut lines = actual.lines();
            let first = lines.next().unwrap_or_default();
            out.push(format!("  {}   {}", style.heading("Actual:"), mark(first, false)));
            out.extend(lines.map(|line| match line.chars().next() {
                Some('-') => format!("    {}", mark(line, true)),
                Some('+') => format!("    {}", mark(line, false)),
                _ => format!("    {line}"),
            }));
        }
        out.push(String::new());
    }
    out.extend(ending(trajectory, style));
    out.extend(faults(trajectory, style));
    out.push(format!("  {}", totals(trajectory)));
    out.join("\n")
}

fn ending(trajectory: &Trajectory, style: Style) -> Option<String> {
    let (heading, text) = match (trajectory.output(), trajectory.error()) {
        (_, Some(error)) => ("Agent raised:", raised(error)),
        (Some(output), None) if output.text() != "null" => ("Agent output:", output.value().shown(400)),
        _ => return None,
    };
    Some(format!("  {} {text}", style.heading(heading)))
}

fn raised(error: &Failure) -> String {
    let mut text = plain(&error.to_string());
    if let Some(place) = &error.place {
        text.push_str(&format!(" (at {})", plain(place)));
    }
    // What a newcomer with an async agent meets first.
    if error.message.contains("can't be used in 'await' expression") {
        text.push_str("\n  Hint: a tool that is awaited is mocked with awaitable=True, or all with MockToolkit(awaitable=True).");
    }
    text
}

/// How to see the same faults again: `2 injected; seed=7 repeats them`.
fn faults(trajectory: &Trajectory, style: Style) -> Option<String> {
    let mut seeds: Vec<u64> =
        trajectory.steps().iter().filter_map(|step| Some(step.fault.as_ref()?.seed)).collect();
    let count = seeds.len();
    seeds.dedup();
    let repeats = seeds.iter().map(|seed| format!("seed={seed}")).collect::<Vec<_>>().join(" and ");
    let verb = if seeds.len() == 1 { "repeats" } else { "repeat" };
    let them = if count == 1 { "it" } else { "them" };
    (count > 0).then(|| format!("  {} {count} injected; {repeats} {verb} {them}", style.heading("Faults:")))
}

/// `Cost: $0.003 | Tokens: 847 | Duration: 1.2s`.
fn totals(trajectory: &Trajectory) -> String {
    let cost = match trajectory.total_cost() {
        Ok(cost) => cost.shown(),
        Err(Unknown::Price { model }) => format!("unpriced ({})", plain(model)),
        Err(Unknown::Usage { model }) => format!("unknown ({})", plain(model)),
    };
    let tokens = trajectory.total_tokens().map_or_else(|_| "unknown".to_owned(), |tokens| tokens.to_string());
    format!("Cost: {cost} | Tokens: {tokens} | Duration: {}", duration(trajectory.duration_seconds()))
}
