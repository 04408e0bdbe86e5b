//! `tool_not_called`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::{steps, times};

use crate::{Check, Judgement};

/// Holds when the tool was never called, not even by a call that was rejected before it reached the tool.
pub struct ToolNotCalled {
    /// The tool.
    pub tool: String,
}

impl Check for ToolNotCalled {
    fn id(&self) -> &'static str {
        "tool_not_called"
    }

    fn assertion(&self) -> String {
        format!("tool_not_called({})", quoted(&self.tool))
    }

    fn expected(&self) -> String {
        format!("{} never to be called", plain(&self.tool))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let cites: Vec<usize> =
            trajectory.attempts_of(&self.tool).iter().map(|attempt| attempt.step).collect();
        if cites.is_empty() {
            return Judgement::Held(cites);
        }
        let rejected = match trajectory.calls().rejected(&self.tool).len() {
            0 => "",
            all if all == cites.len() => ", and rejected before it ran",
            _ => ", some of them rejected before it ran",
        };
        let actual = format!(
            "{} was called {}, at {}{rejected}",
            plain(&self.tool),
            times(cites.len()),
            steps(&cites)
        );
        Judgement::broken(actual, cites)
    }

    fn absent_tool(&self) -> Option<&str> {
        Some(&self.tool)
    }
}
