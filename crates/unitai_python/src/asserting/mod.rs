//! Assertions on a run: the result with its checks, and the findings that they return.

mod arguments;
mod expected;
mod finding;
mod patterns;
mod reference;
mod result;
mod words;

pub(crate) use finding::{Finding, last_broken, watch_findings};
pub(crate) use result::AgentRunResult;
