//! Models that judge YAML tests and drive their tools, and code that trusts neither.
//!
//! The data's way: a test leaves questions and evidence; `asking` makes one request of them and reads the answers, of which
//! each must quote what it rests on; `panel` asks as often as is wanted; `answers` keeps what was said for the next run. A
//! [`Provider`] is whoever answers: a program on this machine, or a service. The verdict is computed from the answers by
//! `unitai_spec`.

pub mod about_run;
pub mod answers;
pub mod asking;
pub mod calibration;
mod canaries;
mod drafting;
mod driving;
mod judge;
mod metered;
mod nobody;
mod objects;
mod panel;
mod provider;
pub mod providers;
mod purse;
mod session;
#[cfg(test)]
mod support;

pub use drafting::ModelAuthor;
pub use driving::ModelDriver;
pub use judge::{Asking, ModelJudge};
pub use metered::Metered;
pub use nobody::Nobody;
pub use provider::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};
pub use purse::{Purse, Tally, Ticket};
pub use session::{Engaged, Session};
pub use unitai_spec::run::Spent;
