//! `tool_was_called`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::never_called;

use crate::{Check, Judgement};

/// Holds when the tool was called at least once. A call that was rejected before it reached the tool does not count.
pub struct ToolWasCalled {
    /// The tool.
    pub tool: String,
}

impl Check for ToolWasCalled {
    fn id(&self) -> &'static str {
        "tool_was_called"
    }

    fn assertion(&self) -> String {
        format!("tool_was_called({})", quoted(&self.tool))
    }

    fn expected(&self) -> String {
        format!("{} to be called", plain(&self.tool))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match trajectory.calls().first(&self.tool) {
            Some(position) => Judgement::Held(vec![trajectory.calls().step(position)]),
            None => {
                let rejected = trajectory.rejected_calls_of(&self.tool).map(|attempt| attempt.step);
                Judgement::broken(never_called(trajectory, &self.tool), rejected.collect::<Vec<_>>())
            }
        }
    }
}
