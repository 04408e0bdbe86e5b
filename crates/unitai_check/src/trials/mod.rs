//! What repeated runs prove: intervals, rates, when to stop, and whether a change is a change.
//!
//! Pure functions of counts. Who runs, and in which order, is the caller's business; every decision
//! here is about runs **in run order**. A caller that feeds results as they finish stops on what is
//! quick, and quick runs are not a fair sample.
//!
//! ```
//! use unitai_check::trials::{claim, required, runs_needed};
//!
//! assert_eq!(required(20, 0.9), 18);
//! assert_eq!(
//!     claim(18, 20, 0.95, 0.95).to_string(),
//!     "18/20, 95% interval 68.3% to 98.8%: not enough to claim 95%"
//! );
//! assert_eq!(runs_needed(0.95, 0.95), Some(72));
//! ```

mod baseline;
mod claim;
mod design;
mod fisher;
mod hiding;
mod interval;
mod lattice;
mod modes;
mod notes;
mod parting;
mod plan;
mod rates;
mod sequential;
mod series;
mod settings;
mod stopped;
mod tail;
mod weather;

pub use baseline::{Change, Counts, Movement, compare, judge_all};
pub use claim::{Claim, Evidence, claim, runs_needed};
pub use fisher::{fisher, holm};
pub use interval::{Interval, clopper_pearson, deviations, wilson};
pub use lattice::Course;
pub use modes::normalised;
pub use notes::notes;
pub use parting::{Parting, parting};
pub use plan::{Plan, Standing, early};
pub use rates::{pass_at_k, pass_hat_k, required};
pub use sequential::{ErrorRates, Sequential};
pub use series::{Outcome, Series, Tally, Verdict};
pub use settings::{DEFAULT_HALF_WIDTH, Indifference, SequentialError};
pub use weather::{lost_answer, status_trouble};
