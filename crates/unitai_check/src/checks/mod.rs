//! One assertion per file. Each is named as the method of a result that makes it.

mod call_order;
mod call_order_contains;
mod error_is;
mod failed;
mod output_contains;
mod output_matches;
mod output_not_contains;
mod step_called_before;
mod succeeded;
mod tool_call_count;
mod tool_called_before;
mod tool_called_immediately_before;
mod tool_called_with;
mod tool_called_with_partial;
mod tool_not_called;
mod tool_was_called;
mod within;

pub use call_order::CallOrder;
pub use call_order_contains::CallOrderContains;
pub use error_is::ErrorIs;
pub use failed::Failed;
pub use output_contains::OutputContains;
pub use output_matches::OutputMatches;
pub use output_not_contains::OutputNotContains;
pub use step_called_before::StepCalledBefore;
pub use succeeded::Succeeded;
pub use tool_call_count::ToolCallCount;
pub use tool_called_before::ToolCalledBefore;
pub use tool_called_immediately_before::ToolCalledImmediatelyBefore;
pub use tool_called_with::ToolCalledWith;
pub use tool_called_with_partial::ToolCalledWithPartial;
pub use tool_not_called::ToolNotCalled;
pub use tool_was_called::ToolWasCalled;
pub use within::{Limit, Within};
