//! `tool_called_immediately_before`.

use unitai_model::value::{plain, quoted};
use unitai_model::{CallIndex, Trajectory};

use crate::describe::never_called;

use crate::{Check, Judgement};

/// Holds when a call of `second` directly follows a call of `first` among tool calls. Model calls and changes of state
/// may lie between them.
pub struct ToolCalledImmediatelyBefore {
    /// The tool that comes first.
    pub first: String,
    /// The tool that comes second.
    pub second: String,
    /// Whether only the first call of each counts.
    pub is_of_first_calls: bool,
}

impl Check for ToolCalledImmediatelyBefore {
    fn id(&self) -> &'static str {
        "tool_called_immediately_before"
    }

    fn assertion(&self) -> String {
        let (first, second) = (quoted(&self.first), quoted(&self.second));
        let option = if self.is_of_first_calls { ", first=True" } else { "" };
        format!("tool_called_immediately_before({first}, {second}{option})")
    }

    fn expected(&self) -> String {
        let (first, second) = (plain(&self.first), plain(&self.second));
        if self.is_of_first_calls {
            format!("the first call of {first} directly before the first of {second}")
        } else {
            format!("{first} directly before {second}")
        }
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let calls = trajectory.calls();
        let (first, second) = match (calls.first(&self.first), calls.first(&self.second)) {
            (None, _) => return Judgement::broken(never_called(trajectory, &self.first), []),
            (_, None) => return Judgement::broken(never_called(trajectory, &self.second), []),
            (Some(first), Some(second)) if self.is_of_first_calls => (first, second),
            (Some(first), Some(second)) => self.closest(calls).unwrap_or((first, second)),
        };
        let (a, b) = (calls.step(first), calls.step(second));
        if second == first + 1 {
            return Judgement::Held(vec![a, b]);
        }
        let actual = if first < second {
            match second - first - 1 {
                1 => "1 tool call lies between them".to_owned(),
                between => format!("{between} tool calls lie between them"),
            }
        } else if first == second {
            format!("both are the same call, at step {}", a + 1)
        } else {
            format!(
                "{} was called at step {}, {} at step {}",
                plain(&self.second),
                b + 1,
                plain(&self.first),
                a + 1
            )
        };
        Judgement::broken(actual, [a, b])
    }
}

impl ToolCalledImmediatelyBefore {
    /// The calls of the two, in this order, with the fewest others between them; the first such pair.
    fn closest(&self, calls: &CallIndex) -> Option<(usize, usize)> {
        let firsts = calls.positions(&self.first).iter().map(|position| *position as usize);
        firsts
            .filter_map(|first| Some((first, calls.next(&self.second, first + 1)?)))
            .min_by_key(|(first, second)| second - first)
    }
}
