//! The mathematics of repeated tests, function by function.

use pyo3::prelude::*;
use pyo3::types::PyString;
use unitai_check::trials;

use crate::run::Trajectory;
use crate::secrets::shown;

/// Wilson's interval.
#[pyfunction]
pub(crate) fn wilson(passed: u64, n: u64, confidence: f64) -> (f64, f64) {
    let interval = trials::wilson(passed, n, confidence);
    (interval.low, interval.high)
}

/// How likely at least one of `k` runs passes; `None` where the runs say nothing about it.
#[pyfunction]
pub(crate) fn pass_at_k(passed: u64, n: u64, k: u64) -> Option<f64> {
    trials::pass_at_k(passed, n, k)
}

/// How likely all of `k` runs pass.
#[pyfunction]
pub(crate) fn pass_hat_k(passed: u64, n: u64, k: u64) -> Option<f64> {
    trials::pass_hat_k(passed, n, k)
}

/// A message without what differs each time.
#[pyfunction]
pub(crate) fn normalised_message(message: &Bound<'_, PyString>) -> String {
    trials::normalised(&message.to_string_lossy())
}

/// What an HTTP status says about the provider; `None` where it is not to blame.
#[pyfunction]
pub(crate) fn status_trouble(status: u16) -> Option<String> {
    trials::status_trouble(status)
}

/// Why the last word of the model is none; `None` where it is one.
#[pyfunction]
pub(crate) fn lost_answer(trajectory: &Bound<'_, Trajectory>) -> Option<String> {
    trials::lost_answer(trajectory.get().model())
}

/// Step, what failing runs do there, what passing runs do, and the p value.
type Parted = (usize, Option<String>, Option<String>, f64);

/// The first step at which failing runs part from passing ones.
#[pyfunction]
pub(crate) fn parting(
    py: Python<'_>,
    failing: Vec<Py<Trajectory>>,
    passing: Vec<Py<Trajectory>>,
) -> Option<Parted> {
    let models =
        |runs: &[Py<Trajectory>]| runs.iter().map(|run| run.get().model().clone()).collect::<Vec<_>>();
    let (failing, passing) = (models(&failing), models(&passing));
    let parted = trials::parting(&failing.iter().collect::<Vec<_>>(), &passing.iter().collect::<Vec<_>>())?;
    let words = |what: Option<String>| what.map(|what| shown(py, what));
    Some((parted.step, words(parted.failing), words(parted.passing), parted.p_value))
}

/// Passed and failed runs, before and after.
type Pair = ((u64, u64), (u64, u64));

/// Verdict, p value and adjusted p value of each pair of counts.
#[pyfunction]
pub(crate) fn compare_counts(pairs: Vec<Pair>, alpha: f64) -> Vec<(&'static str, f64, f64)> {
    let counts = |(passed, failed)| trials::Counts { passed, failed };
    let pairs: Vec<_> = pairs.into_iter().map(|(before, after)| (counts(before), counts(after))).collect();
    trials::judge_all(&pairs, alpha)
        .into_iter()
        .map(|change| {
            let verdict = match change.verdict {
                trials::Movement::Regressed => "regressed",
                trials::Movement::Improved => "improved",
                trials::Movement::NoEvidence => "no evidence",
            };
            (verdict, change.p_value, change.adjusted)
        })
        .collect()
}
