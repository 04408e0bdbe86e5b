//! `step_called_before`.

use unitai_model::Trajectory;
use unitai_model::value::{plain, quoted};

use crate::describe::never_called;
use crate::{Check, Judgement};

/// Holds when the step comes before the first call of `second`.
pub struct StepCalledBefore {
    /// The index of the step.
    pub step: usize,
    /// The tool that comes second.
    pub second: String,
}

impl Check for StepCalledBefore {
    fn id(&self) -> &'static str {
        "step_called_before"
    }

    fn assertion(&self) -> String {
        format!("step_called_before({}, {})", self.step, quoted(&self.second))
    }

    fn expected(&self) -> String {
        format!("step {} before {}", self.step + 1, plain(&self.second))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let calls = trajectory.calls();
        match calls.first(&self.second).map(|position| calls.step(position)) {
            Some(second) if self.step < second => Judgement::Held(vec![self.step, second]),
            Some(second) => {
                let actual = format!("{} was called at step {}", plain(&self.second), second + 1);
                Judgement::broken(actual, [second, self.step])
            }
            None => Judgement::broken(never_called(trajectory, &self.second), []),
        }
    }
}
