//! When a series of runs may stop.

use super::claim::{Claim, claim};
use super::rates::required;
use super::sequential::Sequential;

/// How many runs a verdict takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// All that were asked for, whatever comes.
    All,
    /// Until the outcome of all cannot change any more.
    Early,
    /// Until pass or fail is settled at stated error rates.
    Sequential(Sequential),
}

/// Where a series of runs stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Another run is needed.
    Open,
    /// It has passed.
    Passed,
    /// It has failed.
    Failed,
    /// It can be settled neither way within the runs that are left.
    Unsettled,
}

impl Plan {
    /// Where a series stands after the first `passed + failed` of `n` planned runs.
    ///
    /// The counts are those of the runs **in run order**, and the question is asked after each one: to
    /// stop on whatever finishes first is biased, because runs that fail are often the quick ones (or the
    /// slow ones). A sequential plan has its own threshold and its own cap in place of `n`.
    ///
    /// ```
    /// use unitai_check::trials::{Plan, Standing};
    /// assert_eq!(Plan::Early.standing(10, 0.9, 3, 1), Standing::Open);
    /// assert_eq!(Plan::Early.standing(10, 0.9, 3, 2), Standing::Failed);
    /// assert_eq!(Plan::All.standing(10, 0.9, 3, 2), Standing::Open);
    /// ```
    pub fn standing(&self, n: u64, threshold: f64, passed: u64, failed: u64) -> Standing {
        match self {
            Plan::All if passed.saturating_add(failed) < n => Standing::Open,
            Plan::All | Plan::Early => early(n, threshold, passed, failed),
            Plan::Sequential(sequential) => sequential.standing(passed, failed),
        }
    }

    /// What the runs prove about the threshold, by an interval that stays true although they were stopped.
    pub fn claim(&self, passed: u64, failed: u64, threshold: f64, confidence: f64) -> Claim {
        let n = passed.saturating_add(failed);
        match self {
            Plan::All | Plan::Early => claim(passed, n, threshold, confidence),
            Plan::Sequential(sequential) => {
                let interval = sequential.interval(passed, failed, confidence);
                Claim::by(interval, passed, n, threshold, confidence)
            }
        }
    }
}

/// What is already decided about `n` runs by the first `passed + failed` of them.
pub fn early(n: u64, threshold: f64, passed: u64, failed: u64) -> Standing {
    let required = required(n, threshold);
    if passed >= required {
        Standing::Passed
    } else if failed > n - required {
        Standing::Failed
    } else {
        Standing::Open
    }
}
