//! `tool_call_attempted`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::never_called;
use crate::{Check, Judgement};

/// Holds when a call of the tool was attempted at least once, even if it was rejected before it reached the tool.
pub struct ToolCallAttempted {
    /// The tool.
    pub tool: String,
}

impl Check for ToolCallAttempted {
    fn id(&self) -> &'static str {
        "tool_call_attempted"
    }

    fn assertion(&self) -> String {
        format!("tool_call_attempted({})", quoted(&self.tool))
    }

    fn expected(&self) -> String {
        format!("a call of {} to be attempted", plain(&self.tool))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match trajectory.attempts_of(&self.tool).first() {
            Some(attempt) => Judgement::Held(vec![attempt.step]),
            None => Judgement::broken(never_called(trajectory, &self.tool), []),
        }
    }
}
