//! `tool_called_with_partial`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::{nearest, never_called};
use crate::ports::Arguments;

use crate::{Check, Judgement};

/// Holds when some call of the tool had these arguments, and perhaps others.
pub struct ToolCalledWithPartial {
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: Box<dyn Arguments>,
}

impl Check for ToolCalledWithPartial {
    fn id(&self) -> &'static str {
        "tool_called_with_partial"
    }

    fn assertion(&self) -> String {
        let (tool, args) = (quoted(&self.tool), self.args.shown());
        if args.is_empty() {
            format!("tool_called_with_partial({tool})")
        } else {
            format!("tool_called_with_partial({tool}, {args})")
        }
    }

    fn expected(&self) -> String {
        format!("a call {} with at least {}", plain(&self.tool), self.args.shown())
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match trajectory.calls_of(&self.tool).find(|call| self.args.are_among(*call)) {
            Some(call) => Judgement::Held(vec![call.step]),
            None => {
                let calls: Vec<_> = trajectory.calls_of(&self.tool).collect();
                if calls.is_empty() {
                    return Judgement::broken(never_called(trajectory, &self.tool), []);
                }
                let (actual, cites) = nearest(&calls, &*self.args, false);
                Judgement::broken(actual, cites)
            }
        }
    }
}
