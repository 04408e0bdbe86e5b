//! A run in numbers, for programs: what `unitai results --json` prints.

use schemars::JsonSchema;
use serde::Serialize;
use unitai_model::Layer;
use unitai_model::event::{Covered, Limit, Spending, Statistics, TestOutcome};

use crate::{Counts, Run, Test, words};

/// The results of a run. Within a version, fields may be added.
///
/// ```
/// use unitai_report::{Run, Summary};
/// let run = Run::read(concat!(
///     r#"{"event":"test_finished","at":1,"test":"t","outcome":"failed","duration_seconds":1}"#, "\n",
///     r#"{"event":"run_finished","at":2,"duration_seconds":2,"ending":"completed"}"#, "\n",
/// )).unwrap();
/// let summary = Summary::of(&run);
/// assert_eq!((summary.counts.failed, summary.is_green, summary.ending.as_str()), (1, false, "completed"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "UnitAI results, version 1")]
pub struct Summary {
    /// Always `unitai.results`.
    #[schemars(extend("const" = "unitai.results"))]
    pub format: &'static str,
    /// Always 1.
    #[schemars(extend("const" = 1))]
    pub version: u64,
    /// Whether all went well: there were tests, nothing went wrong, the run came to its end, and pytest ended with 0.
    pub is_green: bool,
    /// How the run ended: `completed`, `stopped` (after a failure, as asked), `interrupted`, `broken`, `crashed` or
    /// `killed`.
    pub ending: String,
    /// How many tests came to what.
    #[serde(flatten)]
    pub counts: Counts,
    /// Tests that were found and that the run did not come to.
    pub not_run: u64,
    /// How long the run took.
    pub duration_seconds: f64,
    /// What model calls came to.
    #[serde(flatten)]
    pub spent: Spent,
    /// Whether everybody has told what they spent: a process that died has not, and the cost is at least what is said.
    pub is_spending_whole: bool,
    /// What all tests together may spend, and what they have spent.
    pub budget: Option<Limit>,
    /// The tests, in the order in which they began.
    pub tests: Vec<TestSummary>,
}

/// What model calls came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Spent {
    /// US dollars of the calls whose price is known, also of those that nobody paid for because they were scripted or
    /// replayed. Null when nothing is known.
    pub cost: Option<f64>,
    /// US dollars of the calls that went to a provider. Null when nothing is known.
    pub paid: Option<f64>,
    /// Calls whose price is not known. They are not in the cost.
    pub unpriced_calls: u64,
    /// Tokens of all calls.
    pub tokens: u64,
    /// How many calls there were.
    pub model_calls: u64,
    /// How many of them a model answered, and neither a script nor a recording.
    pub live_calls: u64,
}

/// A test of the run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TestSummary {
    /// The test's id, as in `tests/test_refund.py::test_refund`.
    pub test: String,
    /// Its file, relative to the project.
    pub file: Option<String>,
    /// Its first line there, from 1.
    pub line: Option<u64>,
    /// What came of it.
    pub outcome: TestOutcome,
    /// How long it took.
    pub duration_seconds: f64,
    /// The layer that it belongs to, if it is of one.
    pub layer: Option<Layer>,
    /// The contract that it is a part of, and whose it looks at.
    pub contract: Option<Covered>,
    /// How often it was tried before, by a plugin that repeats what fails.
    pub reruns: u64,
    /// Why it was skipped, or was expected to fail.
    pub reason: Option<String>,
    /// What went wrong, in a line for each thing.
    pub messages: Vec<String>,
    /// What its model calls came to.
    #[serde(flatten)]
    pub spent: Spent,
    /// How its runs did, if it is repeated.
    pub statistics: Option<Statistics>,
}

impl Summary {
    /// The results of a run.
    pub fn of(run: &Run) -> Summary {
        let is_known = words::is_spending_known(run);
        Summary {
            format: "unitai.results",
            version: 1,
            is_green: run.is_green(),
            ending: words::ending_word(run),
            counts: run.counts(),
            not_run: run.found.unwrap_or(0).saturating_sub(run.tests.len() as u64),
            duration_seconds: run.duration_seconds(),
            spent: Spent::of(is_known.then(|| run.spending())),
            is_spending_whole: words::is_spending_whole(run),
            budget: run.finished.as_ref().and_then(|finished| finished.budget),
            tests: run.tests.iter().map(|test| TestSummary::of(test, is_known)).collect(),
        }
    }

    /// The results as JSON, for a person's eyes too.
    pub fn json(&self) -> String {
        // No map in it has keys that are not text.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl TestSummary {
    fn of(test: &Test, is_known: bool) -> TestSummary {
        let end = &test.end;
        TestSummary {
            test: end.test.clone(),
            file: end.file.clone(),
            line: end.line,
            outcome: end.outcome,
            duration_seconds: end.duration_seconds,
            layer: end.layer,
            contract: end.contract.clone(),
            reruns: test.end.reruns,
            reason: end.reason.clone(),
            messages: end.failures.iter().map(|failure| failure.message.clone()).collect(),
            spent: Spent::of(end.spending.or(is_known.then(Spending::default))),
            statistics: end.statistics.clone(),
        }
    }
}

impl Spent {
    fn of(spending: Option<Spending>) -> Spent {
        let all = spending.unwrap_or_default().all();
        Spent {
            cost: spending.and_then(|spending| words::known_cost(spending.all())),
            paid: spending.and_then(|spending| words::known_cost(spending.live)),
            unpriced_calls: all.unpriced,
            tokens: all.tokens,
            model_calls: all.calls,
            live_calls: spending.unwrap_or_default().live.calls,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_null_and_never_nothing() {
        let of = |lines: &[&str]| Summary::of(&Run::read(&lines.join("\n")).unwrap()).spent;
        let started = r#"{"event":"run_started","format":"unitai.events","version":1,"at":0,"run_id":"1","unitai":"0","python":"3","pytest":"9"}"#;
        let quiet = r#"{"event":"test_finished","at":1,"test":"t","outcome":"passed","duration_seconds":1}"#;
        assert_eq!((of(&[quiet]).cost, of(&[started, quiet]).cost), (None, Some(0.0)));
        let unpriced = r#"{"event":"test_finished","at":1,"test":"t","outcome":"passed","duration_seconds":1,"spending":{"live":{"calls":2,"tokens":9,"unpriced":2}}}"#;
        let spent = of(&[started, unpriced]);
        assert_eq!((spent.cost, spent.paid, spent.unpriced_calls, spent.tokens), (None, None, 2, 9));
        assert_eq!((spent.model_calls, spent.live_calls), (2, 2));
    }

    #[test]
    fn the_numbers_stand_in_one_object() {
        let run = Run::read(r#"{"event":"test_started","at":1.0,"test":"a"}"#).unwrap();
        let json: serde_json::Value = serde_json::from_str(&Summary::of(&run).json()).unwrap();
        assert_eq!(
            (&json["ending"], &json["errors"], &json["cost"]),
            (&"killed".into(), &1.into(), &serde_json::Value::Null)
        );
        assert_eq!(
            (&json["tests"][0]["outcome"], &json["tests"][0]["model_calls"]),
            (&"error".into(), &0.into())
        );
    }
}
