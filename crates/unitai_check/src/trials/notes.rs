//! What is worth knowing about a plan before anything is run.

use super::claim::Percent;
use super::{Plan, clopper_pearson, required, runs_needed};

/// What a plan cannot show, in sentences: an `n` that is too small for its threshold, with the one that is needed and
/// what `n` can show.
///
/// ```
/// use unitai_check::trials::{Plan, notes};
/// assert_eq!(
///     notes(10, 0.95, 0.95, &Plan::All),
///     [concat!(
///         "n=10 is too small to claim a pass rate of 95% at 95% confidence: that takes 72 runs that all pass; ",
///         "10 can claim 69% at most"
///     )]
/// );
/// assert!(notes(72, 0.95, 0.95, &Plan::All).is_empty());
/// ```
pub fn notes(n: u64, threshold: f64, confidence: f64, plan: &Plan) -> Vec<String> {
    let too_small = || {
        let (rate, confidence) = (Percent(threshold), Percent(confidence));
        format!("n={n} is too small to claim a pass rate of {rate} at {confidence} confidence")
    };
    let note = match plan {
        Plan::Sequential(test) => Some(test.least_cap_to_pass()).filter(|needed| *needed > n).map(|needed| {
            format!("n={n} is too small to settle a pass: that takes {needed} runs, if all of them pass")
        }),
        Plan::All => runs_needed(threshold, confidence).filter(|needed| *needed > n).map(|needed| {
            format!(
                "{}: that takes {needed} runs that all pass; {n} can claim {}% at most",
                too_small(),
                claimable(n, confidence)
            )
        }),
        // Of a clean sweep only the runs are made that settle it.
        Plan::Early => runs_needed(threshold, confidence).filter(|needed| *needed > sweep(n, threshold)).map(
            |needed| {
                let passes = sweep(n, threshold);
                format!(
                    "{} with mode=\"early\": that takes n={}; with n={n} it stops after {passes} passes, which can claim {}% at most",
                    too_small(),
                    least_early(needed, threshold),
                    claimable(passes, confidence)
                )
            },
        ),
    };
    note.into_iter().collect()
}

/// The whole percents that so many runs can claim if all of them pass.
fn claimable(runs: u64, confidence: f64) -> u64 {
    (clopper_pearson(runs, runs, confidence).low * 100.0) as u64
}

/// After how many runs that all pass an early test stops.
fn sweep(n: u64, threshold: f64) -> u64 {
    required(n, threshold).max(1)
}

/// The least `n` of an early test that goes on to so many passes.
fn least_early(passes: u64, threshold: f64) -> u64 {
    // One less than division says, which may have been rounded up.
    let mut n = ((passes as f64 - 1.0) / threshold - 1.0).max(1.0) as u64;
    while sweep(n, threshold) < passes {
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trials::{Evidence, Outcome, Series};

    #[test]
    fn a_clean_sweep_claims_the_threshold_exactly_where_nothing_is_noted() {
        for plan in [Plan::All, Plan::Early] {
            for threshold in [0.3, 0.5, 0.8, 0.9, 0.95] {
                for n in 1..=80 {
                    let mut series = Series::new(n, threshold, plan.clone(), None);
                    while let Some(run) = series.take() {
                        series.settle(run, Outcome::Passed);
                    }
                    let is_proven = series.claim(series.tally(), 0.95).evidence == Evidence::Proven;
                    assert_eq!(
                        notes(n, threshold, 0.95, &plan).is_empty(),
                        is_proven,
                        "{plan:?} {n} {threshold}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_early_test_is_told_the_n_that_would_do() {
        let [note] = &notes(20, 0.8, 0.95, &Plan::Early)[..] else { panic!() };
        assert_eq!(
            note,
            "n=20 is too small to claim a pass rate of 80% at 95% confidence with mode=\"early\": that takes n=21; \
             with n=20 it stops after 16 passes, which can claim 79% at most"
        );
        assert!(notes(21, 0.8, 0.95, &Plan::Early).is_empty());
    }
}
