//! The top of the page: what came of the run, and what it took.

use unitai_model::event::{Limit, RunStarted, TestOutcome};

use super::outcome::{ALL, word};
use super::words::{counted, duration, moment};
use super::write::Html;
use crate::words::{
    dollars, ending, ending_word, is_spending_known, is_spending_whole, short_cost, sources, thousands,
};
use crate::{Counts, Run};

/// How many tests came to this.
pub(super) fn count(counts: &Counts, outcome: TestOutcome) -> u64 {
    match outcome {
        TestOutcome::Passed => counts.passed,
        TestOutcome::Failed => counts.failed,
        TestOutcome::Error => counts.errors,
        TestOutcome::Inconclusive => counts.inconclusive,
        TestOutcome::Skipped => counts.skipped,
        TestOutcome::XFailed => counts.xfailed,
        TestOutcome::XPassed => counts.xpassed,
    }
}

/// The run in a sentence: `3 of 42 tests failed`.
pub(super) fn headline(run: &Run) -> String {
    let counts = run.counts();
    let all = run.tests.len() as u64;
    let red = counts.failed + counts.errors + counts.inconclusive;
    if all == 0 {
        return "No test ran".to_owned();
    }
    if red > 0 {
        let what = if red == counts.failed { "failed" } else { "did not pass" };
        return format!("{} of {} {what}", thousands(red), counted(all, "test", "tests"));
    }
    if counts.passed == 0 {
        return format!("None of {} passed", counted(all, "test", "tests"));
    }
    if counts.passed == all && run.is_green() {
        return match all {
            1 => "The test passed".to_owned(),
            _ => format!("All {} tests passed", thousands(all)),
        };
    }
    format!("{} of {} passed", thousands(counts.passed), counted(all, "test", "tests"))
}

/// The top of the page.
pub(super) fn overview(html: &mut Html, run: &Run) {
    unfinished(html, run);
    html.raw("<section class=\"overview\" aria-label=\"Overview\"><h1 class=\"");
    html.raw(if run.is_green() { "green" } else { "red" }).raw("\">").text(&headline(run)).raw("</h1>");
    outcomes(html, run);
    tiles(html, run);
    facts(html, run);
    html.raw("</section>");
}

/// A run that did not come to its end says so before anything else.
fn unfinished(html: &mut Html, run: &Run) {
    if let Some(ending) = ending(run) {
        html.raw("<div class=\"alarm\" role=\"alert\"><strong>").text(&ending).raw("</strong></div>");
    }
}

/// A bar of all outcomes.
fn outcomes(html: &mut Html, run: &Run) {
    let counts = run.counts();
    let all = run.tests.len().max(1) as f64;
    let told: Vec<String> = ALL
        .into_iter()
        .filter(|outcome| count(&counts, *outcome) > 0)
        .map(|outcome| format!("{} {}", thousands(count(&counts, outcome)), word(outcome)))
        .collect();
    html.raw("<svg class=\"outcomes\" role=\"img\" width=\"100%\" height=\"8\" aria-label=\"")
        .text(&told.join(", "));
    html.raw("\"><rect class=\"track\" width=\"100%\" height=\"8\"/>");
    let mut from = 0.0;
    for outcome in ALL {
        let share = count(&counts, outcome) as f64 / all * 100.0;
        if share > 0.0 {
            html.raw("<rect class=\"")
                .raw(word(outcome))
                .raw("\" height=\"8\" x=\"")
                .number(from)
                .raw("%\" width=\"");
            html.number(share).raw("%\"/>");
        }
        from += share;
    }
    html.raw("</svg>");
}

fn tiles(html: &mut Html, run: &Run) {
    html.raw("<dl class=\"tiles\">");
    tile(html, "Duration", &duration(run.duration_seconds()), "");
    if is_spending_known(run) {
        spending_tiles(html, run);
    }
    if let Some(budget) = run.finished.as_ref().and_then(|finished| finished.budget.as_ref()) {
        budget_tile(html, budget);
    }
    html.raw("</dl>");
}

fn spending_tiles(html: &mut Html, run: &Run) {
    let spending = &run.spending();
    let all = spending.all();
    let unpriced = match all.unpriced {
        0 => String::new(),
        n => format!("; {} of unknown price", counted(n, "call", "calls")),
    };
    let paid = format!("{} paid{unpriced}", short_cost(spending.live));
    let about = if is_spending_whole(run) { "" } else { "at least " };
    tile(html, "Cost", &format!("{about}{}", short_cost(all)), if all.calls > 0 { &paid } else { "" });
    tile(html, "Tokens", &thousands(all.tokens), "");
    tile(html, "Model calls", &thousands(all.calls), &sources(spending).unwrap_or_default());
}

fn tile(html: &mut Html, name: &'static str, value: &str, more: &str) {
    html.raw("<div><dt>").raw(name).raw("</dt><dd>").text(value);
    if !more.is_empty() {
        html.raw("<small>").text(more).raw("</small>");
    }
    html.raw("</dd></div>");
}

fn budget_tile(html: &mut Html, budget: &Limit) {
    let share = if budget.limit > 0.0 { (budget.spent / budget.limit).clamp(0.0, 1.0) } else { 1.0 };
    html.raw("<div><dt>Budget</dt><dd>")
        .text(&dollars(budget.spent))
        .raw("<small>of ")
        .text(&dollars(budget.limit));
    html.raw("</small><svg class=\"budget\" role=\"img\" width=\"100%\" height=\"4\" aria-label=\"");
    html.text(&super::words::percent(share)).raw(" of the budget is spent\"><rect class=\"track\" width=\"100%\" height=\"4\" rx=\"2\"/><rect class=\"");
    html.raw(if share >= 1.0 { "fill full" } else { "fill" }).raw("\" height=\"4\" rx=\"2\" width=\"");
    html.number(share * 100.0).raw("%\"/></svg></dd></div>");
}

fn facts(html: &mut Html, run: &Run) {
    let Some(started) = &run.started else { return };
    let RunStarted { at, run_id, unitai, python, pytest, arguments, model_override, cache_mode, .. } =
        started;
    html.raw("<dl class=\"grid about\">");
    if let Some(moment) = moment(*at) {
        html.fact("Began", &moment);
    }
    if let Some(model) = model_override {
        html.fact("Model for every agent", model);
    }
    if let Some(mode) = cache_mode {
        html.fact("Recordings", mode);
    }
    let ended = ending_word(run);
    match run.finished.as_ref().and_then(|finished| finished.exit_code) {
        Some(code) => html.fact("Ended", &format!("{ended}, exit code {code}")),
        None => html.fact("Ended", &ended),
    };
    let versions = [("UnitAI", unitai), ("pytest", pytest), ("Python", python)];
    let known = versions.iter().filter(|(_, version)| !version.is_empty());
    let known: Vec<String> = known.map(|(name, version)| format!("{name} {version}")).collect();
    html.fact("Versions", &known.join(", "));
    if !arguments.is_empty() {
        html.fact("Arguments", &arguments.join(" "));
    }
    html.fact("Run", run_id);
    html.raw("</dl>");
}
