//! The interval of a rate after a test that stopped when it was settled.
//!
//! Who stops at a good moment finds a rate that is too good: the interval of a fixed number of runs, at 95%,
//! then holds the true rate in as few as 90% of tests. This one counts every course that the test could have
//! taken, ordered by what it says for the rate: the sooner it passes the more, the sooner it fails the less.

use super::interval::{Interval, within_unit};
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
