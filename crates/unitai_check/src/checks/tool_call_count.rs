//! `tool_call_count`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::{never_called, steps, times};

use super::ToolNotCalled;
use crate::{Check, Judgement};

/// Holds when the tool was called exactly so many times.
pub struct ToolCallCount {
    /// The tool.
    pub tool: String,
    /// How many calls.
    pub count: usize,
}

impl Check for ToolCallCount {
    fn id(&self) -> &'static str {
        "tool_call_count"
    }

    fn assertion(&self) -> String {
        format!("tool_call_count({}) == {}", quoted(&self.tool), self.count)
    }

    fn expected(&self) -> String {
        format!("{} to be called {}", plain(&self.tool), times(self.count))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        if self.count == 0 {
            // As strict as `tool_not_called`: an attempt counts, even a rejected one.
            return ToolNotCalled { tool: self.tool.clone() }.judge(trajectory);
        }
        let cites: Vec<usize> = trajectory.calls_of(&self.tool).map(|call| call.step).collect();
        if cites.len() == self.count {
            return Judgement::Held(cites);
        }
        if cites.is_empty() {
            return Judgement::broken(never_called(trajectory, &self.tool), []);
        }
        let actual = format!("{} was called {}, at {}", plain(&self.tool), times(cites.len()), steps(&cites));
        Judgement::broken(actual, cites)
    }

    fn absent_tool(&self) -> Option<&str> {
        (self.count == 0).then_some(&self.tool)
    }
}
