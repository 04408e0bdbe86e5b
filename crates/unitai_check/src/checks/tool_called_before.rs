//! `tool_called_before`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::never_called;

use crate::{Check, Judgement};

/// Holds when the first call of `first` comes before the first call of `second`.
pub struct ToolCalledBefore {
    /// The tool that comes first.
    pub first: String,
    /// The tool that comes second.
    pub second: String,
}

impl Check for ToolCalledBefore {
    fn id(&self) -> &'static str {
        "tool_called_before"
    }

    fn assertion(&self) -> String {
        format!("tool_called_before({}, {})", quoted(&self.first), quoted(&self.second))
    }

    fn expected(&self) -> String {
        format!("{} before {}", plain(&self.first), plain(&self.second))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let calls = trajectory.calls();
        let (first, second) = match (calls.first(&self.first), calls.first(&self.second)) {
            (Some(first), Some(second)) => (calls.step(first), calls.step(second)),
            (None, _) => return Judgement::broken(never_called(trajectory, &self.first), []),
            (_, None) => return Judgement::broken(never_called(trajectory, &self.second), []),
        };
        if first < second {
            return Judgement::Held(vec![first, second]);
        }
        let (a, b) = (plain(&self.first), plain(&self.second));
        let actual = if first == second {
            format!("both are the same call, at step {}", first + 1)
        } else {
            format!("{b} was called at step {}, {a} at step {}", second + 1, first + 1)
        };
        Judgement::broken(actual, [second, first])
    }
}
