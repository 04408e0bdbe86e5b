//! What reports of a run say in the same words.

use serde::Serialize;
use serde::de::DeserializeOwned;
use unitai_model::Money;
use unitai_model::event::{Part, RunEnding, Spending, Statistics, TestOutcome};
use unitai_model::value::plain;

use crate::{Counts, Run};

/// `12 passed, 3 failed (1 inconclusive), 2 skipped`; what is 0 is left out. For pytest a test that decided nothing has
/// failed, and its line is read beside this one.
pub(crate) fn counts(counts: Counts) -> String {
    let errors = if counts.errors == 1 { "error" } else { "errors" };
    let failed = match counts.inconclusive {
        0 => "failed".to_owned(),
        some => format!("failed ({some} inconclusive)"),
    };
    let all = [
        (counts.passed, "passed"),
        (counts.failed + counts.inconclusive, &failed),
        (counts.errors, errors),
        (counts.skipped, "skipped"),
        (counts.xfailed, "xfailed"),
        (counts.xpassed, "xpassed"),
    ];
    let parts: Vec<String> =
        all.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if parts.is_empty() { "no tests ran".to_owned() } else { parts.join(", ") }
}

/// The word for it, as in the events.
pub(crate) fn word<T: Serialize>(of: T) -> String {
    serde_json::to_value(of).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What the word stands for.
pub(crate) fn of_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(word.into()).ok()
}

/// Whether somebody has to look.
pub(crate) fn is_red(outcome: TestOutcome) -> bool {
    matches!(outcome, TestOutcome::Failed | TestOutcome::Error | TestOutcome::Inconclusive)
}

/// `1.2s`, `3.4ms`.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.1}ms", seconds * 1000.0) } else { format!("{seconds:.1}s") }
}

/// `52,340`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `$0.47`.
pub(crate) fn dollars(dollars: f64) -> String {
    Money::from_dollars(dollars).map_or_else(|| format!("${dollars:e}"), Money::shown)
}

/// `$0.47`, and what is not known about it.
pub(crate) fn cost(part: Part) -> String {
    let calls = if part.unpriced == 1 { "call" } else { "calls" };
    match part.unpriced {
        0 => dollars(part.cost),
        unpriced if unpriced >= part.calls => format!("unknown ({unpriced} {calls} of unknown price)"),
        unpriced => format!("{} and {unpriced} {calls} of unknown price", dollars(part.cost)),
    }
}

/// US dollars, if anything is known of them.
pub(crate) fn known_cost(part: Part) -> Option<f64> {
    let is_unknown = part.calls > 0 && part.unpriced >= part.calls;
    (!is_unknown).then_some(part.cost)
}

/// What is known of the cost in a word: for a table.
pub(crate) fn short_cost(part: Part) -> String {
    match part.unpriced {
        0 => dollars(part.cost),
        unpriced if unpriced >= part.calls => "unknown".to_owned(),
        _ => format!("{}+", dollars(part.cost)),
    }
}

/// `3 live, $0.0012 paid; 2 scripted, 1 replayed`: who answered model calls, and what was paid for it.
pub(crate) fn sources(spending: &Spending) -> Option<String> {
    if spending.all().calls == 0 {
        return None;
    }
    let count =
        |part: Part, word: &str| (part.calls > 0).then(|| format!("{} {word}", thousands(part.calls)));
    let free: Vec<String> = [count(spending.scripted, "scripted"), count(spending.replayed, "replayed")]
        .into_iter()
        .flatten()
        .collect();
    let paid = match spending.live.unpriced {
        0 => format!("{} paid", dollars(spending.live.cost)),
        unpriced if unpriced >= spending.live.calls => "price unknown".to_owned(),
        _ => format!("at least {} paid", dollars(spending.live.cost)),
    };
    // A live call comes first: where a script was forgotten, nothing else tells it.
    Some(match (count(spending.live, "live"), free.is_empty()) {
        (Some(live), true) => format!("{live}, {paid}"),
        (Some(live), false) => format!("{live}, {paid}; {}", free.join(", ")),
        (None, _) => format!("{}, {paid}", free.join(", ")),
    })
}

/// `Budget remaining: $4.53 / $5.00`, of a run that has one.
pub(crate) fn budget(run: &Run) -> Option<String> {
    let budget = run.finished.as_ref()?.budget?;
    let left = budget.limit - budget.spent;
    Some(if left < 0.0 {
        format!(
            "Budget overspent by {}: {} of {}",
            dollars(-left),
            dollars(budget.spent),
            dollars(budget.limit)
        )
    } else {
        format!("Budget remaining: {} / {}", dollars(left), dollars(budget.limit))
    })
}

/// What the run came to beyond its tests, line by line: how it ended, its cost, what was paid for, what is left.
pub(crate) fn totals(run: &Run) -> Vec<String> {
    let mut lines: Vec<String> = ending(run).into_iter().collect();
    if is_spending_known(run) {
        let spending = run.spending();
        let all = spending.all();
        let (tokens, calls) = (thousands(all.tokens), thousands(all.calls));
        let about = if is_spending_whole(run) { "" } else { "at least " };
        lines.push(format!("Total cost: {about}{} | Total tokens: {tokens} | LLM calls: {calls}", cost(all)));
        lines.extend(sources(&spending).map(|sources| format!("Model calls: {sources}")));
    }
    lines.extend(budget(run));
    lines
}

/// `7/10 (70.0%)`; without runs that decided anything, there is no rate.
pub(crate) fn rate(statistics: &Statistics) -> String {
    let decided = statistics.passed.saturating_add(statistics.failed);
    if decided == 0 {
        return "0/0".to_owned();
    }
    format!("{}/{decided} ({:.1}%)", statistics.passed, statistics.pass_rate * 100.0)
}

/// How the runs of a repeated test did, in a line: of one that passed, nothing else says it.
///
/// ```
/// use unitai_model::event::RunEvent;
/// let line = concat!(
///     r#"{"event":"test_finished","at":1,"test":"test_a","outcome":"passed","duration_seconds":1,"statistics":{"#,
///     r#""verdict":"passed","passed":18,"failed":2,"inconclusive":1,"planned":21,"pass_rate":0.9,"threshold":0.8,"#,
///     r#""interval":[0.683,0.988],"confidence":0.95,"mode":"all","cost":0,"is_cost_known":true,"#,
///     r#""claim":"18/20, 95% interval 68.3% to 98.8%: not enough to claim 80%"}}"#,
/// );
/// let Ok(Some(RunEvent::TestFinished(end))) = RunEvent::read(line) else { panic!() };
/// assert_eq!(
///     unitai_report::rate_line(&end.test, &end.statistics.unwrap()),
///     "test_a: 18/20 passed (90.0%), 80.0% required, 1 inconclusive; 95% interval 68.3% to 98.8%: not enough to claim 80%"
/// );
/// ```
pub fn rate_line(test: &str, statistics: &Statistics) -> String {
    let lost = match statistics.inconclusive {
        0 => String::new(),
        count => format!(", {count} inconclusive"),
    };
    let test = plain(test);
    let decided = statistics.passed.saturating_add(statistics.failed);
    if decided == 0 {
        return format!("{test}: no run counts{lost}");
    }
    if !statistics.is_rate() {
        return format!("{test}: {}{lost}", plain(&statistics.claim));
    }
    let [rate, required] = [statistics.pass_rate, statistics.threshold].map(|share| share * 100.0);
    format!(
        "{test}: {}/{decided} passed ({rate:.1}%), {required:.1}% required{lost}; {}{}",
        statistics.passed,
        proven(statistics),
        statistics.stopped.as_deref().map_or_else(String::new, |why| format!(". {}", plain(why)))
    )
}

/// What the runs prove: the claim without its counts; of reports that have none, the interval.
fn proven(statistics: &Statistics) -> String {
    match statistics.claim.split_once(", ") {
        Some((_, proven)) => plain(proven),
        None => format!("{:.0}% interval {}", statistics.confidence * 100.0, interval(statistics)),
    }
}

/// `39.7% to 89.2%`, with what it allows for where the number of runs was not fixed.
pub(crate) fn interval(statistics: &Statistics) -> String {
    let [low, high] = statistics.interval;
    let note = statistics.interval_basis.note().map_or_else(String::new, |note| format!(" ({note})"));
    format!("{:.1}% to {:.1}%{note}", low * 100.0, high * 100.0)
}

/// How the run ended, if not with the last of its tests.
pub(crate) fn ending(run: &Run) -> Option<String> {
    let finished = run.finished.as_ref();
    let what = match finished.map(|finished| finished.ending) {
        Some(RunEnding::Completed) if run.tests.is_empty() => return Some(NOTHING.to_owned()),
        Some(RunEnding::Completed) => return completed(run),
        // Whom it would have kept from their turn had it.
        Some(RunEnding::Stopped) if run.found == Some(run.tests.len() as u64) => return completed(run),
        Some(RunEnding::Stopped) => {
            "The run was stopped after a failure (`unitai test --keep-going` runs the rest)"
        }
        Some(RunEnding::Interrupted) => "The run was interrupted",
        Some(RunEnding::Broken) => {
            "The run broke off: tests could not be looked for, or pytest itself failed"
        }
        Some(RunEnding::Crashed) => "The run did not come to its end: its process died",
        None => "The run did not come to its end: its process was killed",
    };
    // That it stopped after one failure is said.
    let is_new = |text: &String| !text.is_empty() && text != "stopping after 1 failures";
    let reason = finished.and_then(|finished| finished.reason.as_deref()).map(plain).filter(is_new);
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    let had = match run.found {
        Some(found) if found > run.tests.len() as u64 => {
            format!("; {} of {found} tests were not run", found - run.tests.len() as u64)
        }
        _ => String::new(),
    };
    Some(format!("{what}{reason}{had}."))
}

/// What is to be said of a run in which every test had its turn.
fn completed(run: &Run) -> Option<String> {
    let Counts { passed, failed, errors, inconclusive, xfailed, xpassed, .. } = run.counts();
    let code = run.finished.as_ref().and_then(|finished| finished.exit_code).unwrap_or(0);
    if failed + errors + inconclusive == 0 && code != 0 {
        return Some(format!(
            "No test failed, and pytest ended with exit code {code}: something beside the tests is not as it should be."
        ));
    }
    (passed + failed + errors + inconclusive + xfailed + xpassed == 0)
        .then(|| "Nothing was tested: every test was skipped.".to_owned())
}

const NOTHING: &str = "No test was found, or options such as -k and -m left none: pytest looks into test_*.py, and \
                       `unitai init` writes a first test.";

/// How the run ended, in the word of the events.
pub(crate) fn ending_word(run: &Run) -> String {
    run.finished.as_ref().map_or_else(|| KILLED.to_owned(), |finished| word(finished.ending))
}

/// The word for a run that has no end.
pub(crate) const KILLED: &str = "killed";

/// Whether the run stands for less than it seems: nobody may take it for a whole one.
pub(crate) fn is_cut_short(run: &Run) -> bool {
    !matches!(
        run.finished.as_ref().map(|finished| finished.ending),
        Some(RunEnding::Completed | RunEnding::Stopped)
    )
}

/// Whether everybody has told what they spent: a process that died has not, be it pytest's or a worker's.
pub(crate) fn is_spending_whole(run: &Run) -> bool {
    let is_ended = run.finished.as_ref().is_some_and(|finished| finished.ending != RunEnding::Crashed);
    let has_lost =
        |test: &crate::Test| test.end.statistics.as_ref().is_some_and(|found| !found.is_cost_known);
    is_ended && !run.tests.iter().any(has_lost)
}

/// Whether anything is known of what model calls cost: of other tools' files nothing is.
pub(crate) fn is_spending_known(run: &Run) -> bool {
    run.started.is_some() || run.tests.iter().any(|test| test.end.spending.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_commas() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (52_340, "52,340"), (1_234_567, "1,234,567")]
        {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn what_is_not_known_about_a_cost_is_said() {
        let part = |calls, cost, unpriced| Part { calls, tokens: 0, cost, unpriced };
        assert_eq!(cost(part(3, 0.47, 0)), "$0.47");
        assert_eq!(cost(part(9, 0.47, 3)), "$0.47 and 3 calls of unknown price");
        assert_eq!(cost(part(1, 0.0, 1)), "unknown (1 call of unknown price)");
        assert_eq!(
            (short_cost(part(9, 0.47, 3)), short_cost(part(1, 0.0, 1))),
            ("$0.47+".into(), "unknown".into())
        );
    }

    #[test]
    fn live_calls_are_told_first_and_with_what_was_paid() {
        let part = |calls| Part { calls, ..Part::default() };
        let live = Part { calls: 3, cost: 0.0012, ..Part::default() };
        let told = |live, scripted, replayed| sources(&Spending { live, scripted, replayed });
        assert_eq!(told(part(0), part(0), part(0)), None);
        assert_eq!(told(live, part(0), part(0)).unwrap(), "3 live, $0.0012 paid");
        assert_eq!(
            told(live, part(1200), part(2)).unwrap(),
            "3 live, $0.0012 paid; 1,200 scripted, 2 replayed"
        );
        assert_eq!(told(part(0), part(1), part(0)).unwrap(), "1 scripted, $0.00 paid");
        assert_eq!(told(part(0), part(1), part(2)).unwrap(), "1 scripted, 2 replayed, $0.00 paid");
        assert_eq!(told(Part { unpriced: 3, ..live }, part(0), part(0)).unwrap(), "3 live, price unknown");
        assert_eq!(
            told(Part { unpriced: 1, ..live }, part(0), part(0)).unwrap(),
            "3 live, at least $0.0012 paid"
        );
    }
}
