//! Expectations that need no judge: an `expect` that is plainly mechanical can be offered as a `check`.
//!
//! Nothing is ever reinterpreted silently. [`propose`] says what it would write and why, and only where every word of the
//! expectation is understood; [`rewrite`] makes the new text of the file, and whoever calls it shows the difference and asks.

mod proposing;
mod rewriting;
mod wording;

pub use proposing::{Proposal, propose};
pub use rewriting::{Rewritten, rewrite};
