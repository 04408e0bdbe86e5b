//! Assertions on a run: the result with its checks, and the findings that they return.

mod compare;
mod finding;
mod reference;
mod result;

pub(crate) use finding::Finding;
pub(crate) use result::AgentRunResult;
