//! Models that judge YAML tests and drive their tools, and code that trusts neither.
//!
//! The data's way: a test leaves questions and evidence; `asking` makes one request of them and reads the answers, of which
//! each must quote what it rests on; `panel` asks as often as is wanted; `answers` keeps what was said for the next run. A
//! [`Provider`] is whoever answers: a program on this machine, or a service. The verdict is computed from the answers by
//! `unitai_spec`.

mod driving;
mod metered;
mod objects;
mod provider;
pub mod providers;

pub use driving::ModelDriver;
pub use metered::{Metered, Tally};
pub use provider::{Ask, Drive, Identity, Provider, Reach, Said, Spent, Trouble};
