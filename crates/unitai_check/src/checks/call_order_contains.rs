//! `call_order_contains`.

use unitai_model::Trajectory;
use unitai_model::value::plain;

use crate::describe::{names, never_called};

use crate::{Check, Judgement, Names};

/// Holds when these tools were called in this order; other calls may lie between them.
pub struct CallOrderContains {
    /// The tools, in order.
    pub tools: Names,
}

impl Check for CallOrderContains {
    fn id(&self) -> &'static str {
        "call_order_contains"
    }

    fn assertion(&self) -> String {
        format!("call_order_contains({})", names(&self.tools))
    }

    fn expected(&self) -> String {
        format!("the calls {} in this order", names(&self.tools))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let calls = trajectory.calls();
        let mut cites = Vec::with_capacity(self.tools.len());
        let mut from = 0;
        for tool in self.tools.iter() {
            let Some(position) = calls.next(tool, from) else {
                let actual = match (calls.first(tool), cites.last()) {
                    (Some(_), Some(last)) => {
                        format!("{} was not called after step {}", plain(tool), last + 1)
                    }
                    _ => never_called(trajectory, tool),
                };
                return Judgement::broken(actual, cites);
            };
            cites.push(calls.step(position));
            from = position + 1;
        }
        Judgement::Held(cites)
    }
}
