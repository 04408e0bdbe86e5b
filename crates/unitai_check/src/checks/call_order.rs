//! `call_order`.

use crate::describe::names;
use unitai_model::Trajectory;

use crate::{Check, Judgement, Names};

/// Holds when these tools were called in this order, and no others.
pub struct CallOrder {
    /// The tools, in order.
    pub tools: Names,
}

impl Check for CallOrder {
    fn id(&self) -> &'static str {
        "call_order"
    }

    fn assertion(&self) -> String {
        format!("call_order() == {}", names(&self.tools))
    }

    fn expected(&self) -> String {
        format!("the calls {}", names(&self.tools))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let found: Names = trajectory.tool_calls().map(|call| call.call.tool.as_str()).collect();
        if found == self.tools {
            return Judgement::Held(trajectory.calls().order().iter().map(|step| *step as usize).collect());
        }
        let same = found.iter().zip(self.tools.iter()).take_while(|(a, b)| a == b).count();
        let cites: Vec<usize> =
            (same < found.len()).then(|| trajectory.calls().step(same)).into_iter().collect();
        Judgement::broken(format!("the calls were {}", names(&found)), cites)
    }
}
