//! `tool_called_last`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::{Check, Judgement};

/// Holds when the tool received the last tool call of the run.
pub struct ToolCalledLast {
    /// The tool.
    pub tool: String,
}

impl Check for ToolCalledLast {
    fn id(&self) -> &'static str {
        "tool_called_last"
    }

    fn assertion(&self) -> String {
        format!("tool_called_last({})", quoted(&self.tool))
    }

    fn expected(&self) -> String {
        format!("{} to be called last", plain(&self.tool))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match trajectory.tool_calls().last() {
            Some(last) if last.call.tool.as_str() == self.tool => Judgement::Held(vec![last.step]),
            Some(last) => Judgement::broken(
                format!("the last call was {}", plain(last.call.tool.as_str())),
                [last.step],
            ),
            None => Judgement::broken("no tool was called", []),
        }
    }
}
