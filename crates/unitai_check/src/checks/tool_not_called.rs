//! `tool_not_called`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::{steps, times};

use crate::{Check, Judgement};

/// Holds when the tool was never called.
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
        let cites: Vec<usize> = trajectory.calls_of(&self.tool).map(|call| call.step).collect();
        if cites.is_empty() {
            return Judgement::Held(cites);
        }
        let actual = format!("{} was called {}, at {}", plain(&self.tool), times(cites.len()), steps(&cites));
        Judgement::broken(actual, cites)
    }
}
