//! What is worth knowing about a plan before anything is run.

use super::{Plan, runs_needed};

/// What a plan cannot show, in sentences: an `n` that is too small for its threshold, with the one that is needed.
///
/// ```
/// use unitai_check::trials::{Plan, notes};
/// assert_eq!(
///     notes(10, 0.95, 0.95, &Plan::Early),
///     ["n=10 is too small to claim a pass rate of 95% at 95% confidence: that takes 72 runs that all pass"]
/// );
/// assert!(notes(72, 0.95, 0.95, &Plan::Early).is_empty());
/// ```
pub fn notes(n: u64, threshold: f64, confidence: f64, plan: &Plan) -> Vec<String> {
    let percent = |rate: f64| format!("{}%", (rate * 1000.0).round() / 10.0);
    let note = match plan {
        Plan::Sequential(test) => Some(test.least_cap_to_pass()).filter(|needed| *needed > n).map(|needed| {
            format!("n={n} is too small to settle a pass: that takes {needed} runs, if all of them pass")
        }),
        Plan::All | Plan::Early => {
            runs_needed(threshold, confidence).filter(|needed| *needed > n).map(|needed| {
                format!(
                    "n={n} is too small to claim a pass rate of {} at {} confidence: that takes {needed} runs that all pass",
                    percent(threshold),
                    percent(confidence)
                )
            })
        }
    };
    note.into_iter().collect()
}
