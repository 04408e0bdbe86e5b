//! `failed`.

use unitai_model::Trajectory;

use crate::{Check, Judgement};

/// Holds when the agent raised, or was stopped.
pub struct Failed;

impl Check for Failed {
    fn id(&self) -> &'static str {
        "failed"
    }

    fn assertion(&self) -> String {
        "failed".to_owned()
    }

    fn expected(&self) -> String {
        "the agent to raise".to_owned()
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match trajectory.error() {
            Some(_) => Judgement::Held(vec![]),
            None => Judgement::broken("it ended without an error", []),
        }
    }
}
