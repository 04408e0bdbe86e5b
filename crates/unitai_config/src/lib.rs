//! Options as written become settings as used.
//!
//! The order of those who may decide: an explicit argument, the command line, the environment, the
//! project's file, the default. [`CacheSettings`] are resolved once and passed on as a value.

mod cache;
mod project;
mod trouble;

pub use cache::{CacheSettings, Choice, Overrides};
pub use project::Project;
pub use trouble::Trouble;
