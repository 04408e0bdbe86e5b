//! Options as written become settings as used.
//!
//! The order of those who may decide: an explicit argument, the command line, the environment, the
//! project's file, the default. [`CacheSettings`], [`BudgetSettings`] and
//! [`StatisticsSettings`] are resolved once and passed on as values.

mod baseline;
mod budget;
mod cache;
mod project;
mod runs;
mod statistics;
mod trouble;
mod variables;

pub use baseline::BaselinePlace;
pub use budget::{BudgetOverrides, BudgetSettings};
pub use cache::{CacheSettings, Choice, Overrides, root_above};
pub use project::Project;
pub use runs::RunsPlace;
pub use statistics::{StatisticsOverrides, StatisticsSettings};
pub use trouble::Trouble;
