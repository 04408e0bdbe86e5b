//! Mocked tools: what stands in for a real one, and which run a call belongs to.

mod arguments;
mod asked;
mod belonging;
mod call;
mod deciding;
mod faulting;
mod handle;
mod ticket;
mod tool;
mod toolbox;

pub(crate) use arguments::gather;
pub(crate) use asked::Asked;
pub(crate) use belonging::CONTEXT_RUNS;
pub(crate) use call::MockToolCall;
pub(crate) use handle::ToolHandle;
pub(crate) use ticket::Ticket;
pub(crate) use tool::MockTool;
pub(crate) use toolbox::Toolbox;
