//! The interval of a rate after runs that were stopped.
//!
//! Who stops a sequential test at a good moment finds a rate that is too good: the interval of a fixed number of runs,
//! at 95%, then holds the true rate in as few as 90% of tests. Where the rule of stopping is known, the intervals here
//! count every course that the test could have taken, ordered by what it says for the rate: the sooner it passes the
//! more, the sooner it fails the less. Where it is not, they allow for whatever the missing runs would have been.

use super::interval::{Interval, clopper_pearson, within_unit};
use super::lattice::{Boundaries, Course, course, reaching};
use super::plan::Standing;

/// The exact interval of the true rate, given where a test with these boundaries ended.
pub(super) fn interval(boundaries: &Boundaries, passed: i64, failed: i64, confidence: f64) -> Interval {
    let weight = 0.5 * (1.0 - within_unit(confidence));
    if passed + failed == 0 || weight <= 0.0 {
        return Interval::EVERYTHING;
    }
    let end = End { boundaries, passed, failed };
    Interval {
        low: crossing(|rate| end.at_least_as_good(rate) >= weight),
        high: crossing(|rate| end.at_most_as_good(rate) < weight),
    }
}

/// The exact interval after a test that stops at its `required`-th pass or when that cannot be reached any more
/// ([`Plan::Early`](super::Plan)), given where it ended.
///
/// Such a test passes by its k-th run if k runs hold `required` passes, and fails by it if they hold one failure too
/// many. So both probabilities are tails of a binomial distribution, of which the one beyond the end does without the
/// last run: that it was the deciding one is known.
pub(super) fn early_interval(n: u64, required: u64, passed: u64, failed: u64, confidence: f64) -> Interval {
    let runs = passed.saturating_add(failed);
    let interval = clopper_pearson(passed, runs, confidence);
    if runs == 0 {
        interval
    } else if passed > 0 && passed == required && runs <= n {
        Interval { high: clopper_pearson(passed - 1, runs - 1, confidence).high, ..interval }
    } else if passed < required && failed == n - required + 1 {
        Interval { low: clopper_pearson(passed, runs - 1, confidence).low, ..interval }
    } else {
        // Not where it stops: the number of its runs was given, or some of them decided nothing.
        interval
    }
}

/// An interval after runs that something else ended before their number: it holds every interval that all of them
/// could have come to, so that it is true whatever made them stop.
pub(super) fn unfinished_interval(passed: u64, failed: u64, missing: u64, confidence: f64) -> Interval {
    let all = passed.saturating_add(failed).saturating_add(missing);
    Interval {
        low: clopper_pearson(passed, all, confidence).low,
        high: clopper_pearson(passed.saturating_add(missing), all, confidence).high,
    }
}

/// The rate from which on this is so; 0 if it always is, 1 if it never is.
fn crossing(is_reached: impl Fn(f64) -> bool) -> f64 {
    if is_reached(0.0) {
        return 0.0;
    }
    if !is_reached(1.0) {
        return 1.0;
    }
    let (mut below, mut above) = (0.0, 1.0);
    // Forty halvings leave an error of 1e-12.
    for _ in 0..40 {
        let middle = 0.5 * (below + above);
        if is_reached(middle) {
            above = middle;
        } else {
            below = middle;
        }
    }
    0.5 * (below + above)
}

/// How a test ended, or was ended by somebody else.
struct End<'a> {
    boundaries: &'a Boundaries,
    passed: i64,
    failed: i64,
}

impl End<'_> {
    /// The probability that a test says as much for the rate or more.
    fn at_least_as_good(&self, rate: f64) -> f64 {
        match self.standing() {
            Standing::Passed => {
                let (before, same) = self.reached(rate, self.passed..i64::MAX);
                before.passed + same
            }
            Standing::Unsettled => 1.0 - course(self.boundaries, rate).failed,
            Standing::Failed | Standing::Open => {
                let (before, worse) = self.reached(rate, i64::MIN..self.passed);
                1.0 - before.failed - worse
            }
        }
    }

    /// The probability that a test says as much against the rate or more.
    fn at_most_as_good(&self, rate: f64) -> f64 {
        match self.standing() {
            Standing::Failed => {
                let (before, same) = self.reached(rate, i64::MIN..self.passed + 1);
                before.failed + same
            }
            Standing::Unsettled => 1.0 - course(self.boundaries, rate).passed,
            Standing::Passed | Standing::Open => {
                let (before, better) = self.reached(rate, self.passed + 1..i64::MAX);
                1.0 - before.passed - better
            }
        }
    }

    fn standing(&self) -> Standing {
        self.boundaries.standing(self.passed + self.failed, self.passed)
    }

    /// What was settled with fewer runs, and the weight of these numbers of passes after as many.
    fn reached(&self, rate: f64, passes: std::ops::Range<i64>) -> (Course, f64) {
        let (before, mut open) = reaching(self.boundaries, rate, self.passed + self.failed);
        let weight = open.take(passes);
        (before, weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trials::rates::required;

    #[test]
    fn the_short_way_to_the_early_interval_gives_that_of_the_programme() {
        for (n, threshold) in [(1, 0.5), (5, 0.8), (10, 1.0), (20, 0.9), (40, 0.3)] {
            let needed = required(n, threshold);
            // An early test has no lines, only a last word, and what that will be in any case is said at once.
            let boundaries = Boundaries {
                slope: 0.0,
                pass_line: f64::INFINITY,
                fail_line: f64::NEG_INFINITY,
                cap: n as i64,
                last_pass: needed as i64,
                last_fail: needed as i64 - 1,
            };
            let passes = (0..=n - needed).map(|failed| (needed, failed));
            let fails = (0..needed).map(|passed| (passed, n - needed + 1));
            for (passed, failed) in passes.chain(fails) {
                let short = early_interval(n, needed, passed, failed, 0.95);
                let long = interval(&boundaries, passed as i64, failed as i64, 0.95);
                assert!(
                    (short.low - long.low).abs() < 1e-9,
                    "{n} {threshold} {passed} {failed}: {short:?} {long:?}"
                );
                assert!(
                    (short.high - long.high).abs() < 1e-9,
                    "{n} {threshold} {passed} {failed}: {short:?} {long:?}"
                );
            }
        }
    }
}
