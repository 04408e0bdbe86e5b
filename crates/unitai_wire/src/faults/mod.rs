//! Faults that are put into model calls and tool calls on purpose.
//!
//! A [`Plan`] is what was written: a seed, and rules that say which calls meet which fault. A
//! [`Standing`] is where one run stands in it. The same seed and the same calls meet the same faults,
//! whatever other runs and threads do: chance is keyed by the seed, the rule and what the call says.

mod answer;
mod kinds;
mod plan;
mod standing;
mod value;

pub use answer::{Spoiled, garble, pieces, replace_schema};
pub use kinds::{Extent, ModelFault, ToolFault};
pub use plan::{ArgumentMatcher, Hit, Plan, Rule, When};
pub use standing::Standing;
pub use value::{contradict, corrupt, empty};
