//! A sequential test: pass or fail as soon as either is settled, at stated error rates.

use super::design::Wanted;
use super::interval::{Interval, within_unit};
use super::lattice::{Boundaries, Course, course};
use super::plan::Standing;
use super::rates::required;
use super::settings::{Indifference, SequentialError, checked};
use super::stopped;

/// The probabilities of the two wrong verdicts, at the ends of the indifference region; outside of it
/// they are smaller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRates {
    /// Of a pass at `p0`.
    pub false_pass: f64,
    /// Of a failure at `p1`.
    pub false_fail: f64,
}

/// A sequential test of "the true rate is at most p0" against "it is at least p1".
///
/// The boundaries are Wald's, two parallel lines over the number of runs. A programme over all courses of
/// at most `cap` runs computes the real error rates, and where they exceed `alpha` or `beta` the line goes
/// outwards until they do not. What the lines leave of both is spent at the cap, on the courses that are
/// still open: with a cap that is large enough all of them are decided, else the middle stays unsettled.
/// Where the programme would be too long (caps of tens of thousands, or of thousands with a narrow
/// region), the lines are those at `ln(1/alpha)` and `ln(beta)`, which by Ville's inequality keep their
/// error rates at any number of runs.
///
/// Ask [`standing`](Sequential::standing) after each run **in run order**: a test that stops on whatever
/// finishes first is biased.
///
/// ```
/// use unitai_check::trials::{Indifference, Sequential, Standing};
/// let test = Sequential::new(0.8, 0.05, 0.05, Indifference::default(), 50)?;
/// assert!(test.expected_runs(0.9) < 25.0 && test.expected_runs(0.6) < 25.0);
/// assert_eq!(test.standing(3, 1), Standing::Open);
/// assert_eq!(test.standing(0, 5), Standing::Failed);
/// # Ok::<(), unitai_check::trials::SequentialError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sequential {
    p0: f64,
    p1: f64,
    alpha: f64,
    beta: f64,
    proven: bool,
    boundaries: Boundaries,
}

impl Sequential {
    /// A test that passes with a probability of at most `alpha` when the true rate is at or below the
    /// indifference region, fails with at most `beta` when it is at or above, and takes at most `cap` runs.
    pub fn new(
        threshold: f64,
        alpha: f64,
        beta: f64,
        indifference: Indifference,
        cap: u64,
    ) -> Result<Sequential, SequentialError> {
        let (p0, p1) = checked(threshold, alpha, beta, indifference, cap)?;
        let cap = count(cap);
        let wanted = Wanted { p0, p1, alpha, beta, cap, required: required(cap as u64, threshold) as i64 };
        let (boundaries, proven) = wanted.boundaries();
        Ok(Sequential { p0, p1, alpha, beta, proven, boundaries })
    }

    /// Where the test stands after the first `passed + failed` runs.
    pub fn standing(&self, passed: u64, failed: u64) -> Standing {
        self.boundaries.standing(count(passed) + count(failed), count(passed))
    }

    /// The exact interval of the true rate after a test that ended here. That of a fixed number of runs would
    /// be too narrow: who stops at a good moment finds a rate that is too good.
    pub fn interval(&self, passed: u64, failed: u64, confidence: f64) -> Interval {
        stopped::interval(&self.boundaries, count(passed), count(failed), confidence)
    }

    /// The least passes that pass after so many runs; `None` while there is no such number.
    pub fn pass_at(&self, runs: u64) -> Option<u64> {
        let (_, pass) = self.boundaries.at(runs.min(self.cap()) as i64);
        u64::try_from(pass).ok().filter(|pass| *pass <= runs)
    }

    /// The most passes that fail after so many runs; `None` while there is no such number.
    pub fn fail_at(&self, runs: u64) -> Option<u64> {
        let (fail, _) = self.boundaries.at(runs.min(self.cap()) as i64);
        u64::try_from(fail).ok()
    }

    /// The rate that must not pass, and the rate that must not fail.
    pub fn region(&self) -> (f64, f64) {
        (self.p0, self.p1)
    }

    /// The most runs.
    pub fn cap(&self) -> u64 {
        self.boundaries.cap as u64
    }

    /// Whether the error rates were computed; else they hold by Ville's inequality.
    pub fn is_proven_by_programme(&self) -> bool {
        self.proven
    }

    /// What becomes of the test when this is the true rate, exactly.
    pub fn course(&self, rate: f64) -> Course {
        course(&self.boundaries, within_unit(rate))
    }

    /// How many runs the test takes on average when this is the true rate, exactly.
    pub fn expected_runs(&self, rate: f64) -> f64 {
        self.course(rate).runs
    }

    /// The real error rates, exactly.
    pub fn error_rates(&self) -> ErrorRates {
        ErrorRates { false_pass: self.course(self.p0).passed, false_fail: self.course(self.p1).failed }
    }

    /// The least cap with which a pass can be settled at all: if every run passes. With a smaller one a
    /// test can only fail or stay unsettled.
    pub fn least_cap_to_pass(&self) -> u64 {
        least_cap(self.p0, self.alpha)
    }
}

/// Counts beyond this are no counts, and sums of two stay far from overflow.
fn count(n: u64) -> i64 {
    n.min(1 << 52) as i64
}

/// The least number of runs that all go one way with at most this probability.
fn least_cap(rate: f64, probability: f64) -> u64 {
    let mut runs = (probability.ln() / rate.ln()).floor().max(1.0) as u64;
    while rate.powf(runs as f64) > probability {
        runs += 1;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(threshold: f64, cap: u64) -> Sequential {
        Sequential::new(threshold, 0.05, 0.05, Indifference::default(), cap).unwrap()
    }

    #[test]
    fn half_of_fifty_runs_are_enough_where_the_rate_is_clear() {
        let fifty = test(0.8, 50);
        assert!(fifty.expected_runs(0.9) < 25.0, "{}", fifty.expected_runs(0.9));
        assert!(fifty.expected_runs(0.6) < 25.0, "{}", fifty.expected_runs(0.6));
        assert!(fifty.course(0.9).passed > 0.93 && fifty.course(0.6).failed > 0.99);
        assert_eq!(test(0.8, 100).course(0.8).unsettled, 0.0, "a hundred decide everything");
    }

    #[test]
    fn a_cap_that_is_too_small_is_known() {
        for threshold in [0.5, 0.8, 0.9, 0.95, 0.99] {
            let least = test(threshold, 10).least_cap_to_pass();
            assert_eq!(test(threshold, least).standing(least, 0), Standing::Passed, "{threshold}");
            assert_eq!(test(threshold, least - 1).standing(least - 1, 0), Standing::Unsettled, "{threshold}");
        }
        assert_eq!(test(0.95, 10).least_cap_to_pass(), 19);
    }

    #[test]
    fn what_can_be_settled_neither_way_is_told_at_once() {
        let small = test(0.95, 10);
        assert_eq!(small.pass_at(10), None);
        // It can still fail, but never pass; once it cannot fail either, the rest would be wasted.
        assert_eq!(small.standing(1, 0), Standing::Open);
        assert_eq!(small.standing(9, 0), Standing::Unsettled);
    }

    #[test]
    fn a_very_long_test_holds_by_villes_inequality() {
        let narrow = Indifference::Between { p0: 0.795, p1: 0.805 };
        let long = Sequential::new(0.8, 0.05, 0.05, narrow, 20_000).unwrap();
        assert!(!long.is_proven_by_programme());
        let ErrorRates { false_pass, false_fail } = long.error_rates();
        assert!(false_pass <= 0.05 && false_fail <= 0.05, "{false_pass} {false_fail}");
        assert!(false_pass > 0.02 && false_fail > 0.02, "{false_pass} {false_fail}");
    }
}
