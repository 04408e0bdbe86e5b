//! Whether a result is worse or better than an earlier one.

use super::fisher::{fisher, holm};

/// How many runs passed, and how many failed. Runs without a verdict are in neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// The runs that passed.
    pub passed: u64,
    /// The runs that failed.
    pub failed: u64,
}

impl Counts {
    /// The share of runs that passed; `None` of no runs.
    pub fn rate(&self) -> Option<f64> {
        let n = self.passed.saturating_add(self.failed);
        (n > 0).then(|| self.passed as f64 / n as f64)
    }
}

/// Which way a rate has moved, as far as there is evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// Fewer pass than before.
    Regressed,
    /// More pass than before.
    Improved,
    /// The difference may be chance.
    NoEvidence,
}

/// One test before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Which way it has moved.
    pub verdict: Movement,
    /// How often chance alone makes a difference as unlikely as this one.
    pub p_value: f64,
    /// The same, corrected for the number of tests compared.
    pub adjusted: f64,
}

/// The two-sided exact p value of a difference between two results.
pub fn compare(before: Counts, after: Counts) -> f64 {
    fisher(before.passed, before.failed, after.passed, after.failed)
}

/// Judges many tests at once. Of all tests that have not changed, with a probability of at most `alpha`
/// even one is said to have.
///
/// ```
/// use unitai_check::trials::{Counts, Movement, judge_all};
/// let pair = (Counts { passed: 20, failed: 0 }, Counts { passed: 9, failed: 11 });
/// assert_eq!(judge_all(&[pair], 0.05)[0].verdict, Movement::Regressed);
/// ```
pub fn judge_all(pairs: &[(Counts, Counts)], alpha: f64) -> Vec<Change> {
    let p_values: Vec<f64> = pairs.iter().map(|(before, after)| compare(*before, *after)).collect();
    let judged = pairs.iter().zip(&p_values).zip(holm(&p_values));
    judged
        .map(|(((before, after), p_value), adjusted)| {
            let verdict = match (before.rate(), after.rate()) {
                (Some(before), Some(after)) if adjusted <= alpha && after < before => Movement::Regressed,
                (Some(before), Some(after)) if adjusted <= alpha && after > before => Movement::Improved,
                _ => Movement::NoEvidence,
            };
            Change { verdict, p_value: *p_value, adjusted }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64) -> Counts {
        Counts { passed, failed }
    }

    #[test]
    fn a_change_has_a_direction() {
        let (good, bad) = (counts(20, 0), counts(9, 11));
        let changes = judge_all(&[(good, bad), (bad, good), (good, good)], 0.05);
        let verdicts: Vec<_> = changes.iter().map(|change| change.verdict).collect();
        assert_eq!(verdicts, [Movement::Regressed, Movement::Improved, Movement::NoEvidence]);
        assert_eq!(changes[2].p_value, 1.0);
    }

    #[test]
    fn many_tests_ask_for_more_evidence() {
        let pair = (counts(10, 0), counts(5, 5));
        assert_eq!(judge_all(&[pair], 0.05)[0].verdict, Movement::Regressed);
        let quiet = (counts(10, 0), counts(10, 0));
        let among = judge_all(&[pair, quiet, quiet, quiet], 0.05)[0];
        assert_eq!(among.verdict, Movement::NoEvidence);
        assert!((among.adjusted - 4.0 * among.p_value).abs() < 1e-15);
    }

    #[test]
    fn nothing_run_is_no_evidence() {
        let none = Counts::default();
        assert_eq!(judge_all(&[(none, counts(3, 0)), (none, none)], 1.0)[1].verdict, Movement::NoEvidence);
        assert_eq!(none.rate(), None);
    }
}
