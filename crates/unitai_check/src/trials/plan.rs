//! When a series of runs may stop.

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

/// What is already decided about `n` runs by some of them.
///
/// ```
/// use unitai_check::trials::{Standing, early};
/// assert_eq!(early(10, 0.9, 3, 1), Standing::Open);
/// assert_eq!(early(10, 0.9, 3, 2), Standing::Failed);
/// ```
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
