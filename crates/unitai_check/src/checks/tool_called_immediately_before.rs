//! `tool_called_immediately_before`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::never_called;

use crate::{Check, Judgement};

/// Holds when the first call of `second` directly follows the first call of `first` among tool calls.
/// Model calls and changes of state may lie between them.
pub struct ToolCalledImmediatelyBefore {
    /// The tool that comes first.
    pub first: String,
    /// The tool that comes second.
    pub second: String,
}

impl Check for ToolCalledImmediatelyBefore {
    fn id(&self) -> &'static str {
        "tool_called_immediately_before"
    }

    fn assertion(&self) -> String {
        format!("tool_called_immediately_before({}, {})", quoted(&self.first), quoted(&self.second))
    }

    fn expected(&self) -> String {
        format!("{} directly before {}", plain(&self.first), plain(&self.second))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let calls = trajectory.calls();
        let (first, second) = match (calls.first(&self.first), calls.first(&self.second)) {
            (Some(first), Some(second)) => (first, second),
            (None, _) => return Judgement::broken(never_called(trajectory, &self.first), []),
            (_, None) => return Judgement::broken(never_called(trajectory, &self.second), []),
        };
        let cites = vec![calls.step(first), calls.step(second)];
        if second == first + 1 {
            return Judgement::Held(cites);
        }
        let (a, b) = (plain(&self.first), plain(&self.second));
        let actual = if first < second {
            let between = second - first - 1;
            format!(
                "{} between them",
                if between == 1 {
                    "1 tool call lies".to_owned()
                } else {
                    format!("{between} tool calls lie")
                }
            )
        } else {
            format!("{b} was called at step {}, {a} at step {}", cites[1] + 1, cites[0] + 1)
        };
        Judgement::broken(actual, cites)
    }
}
