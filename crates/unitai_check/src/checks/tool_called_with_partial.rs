//! `tool_called_with_partial`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::called;
use crate::ports::{Arguments, ExpectedArguments};

use super::ToolWasCalled;
use crate::{Check, Judgement};

/// Holds when some call of the tool had these arguments, and perhaps others.
pub struct ToolCalledWithPartial {
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: ExpectedArguments,
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
        match self.args.port() {
            Some(args) => self.judge_by(args, trajectory),
            None => ToolWasCalled { tool: self.tool.clone() }.judge(trajectory),
        }
    }
}

impl ToolCalledWithPartial {
    /// Judges by a port that stays with the caller; `args` then only gives the words.
    pub fn judge_by(&self, args: &dyn Arguments, trajectory: &Trajectory) -> Judgement {
        called(trajectory, &self.tool, args, false)
    }
}
