//! `succeeded`.

use unitai_model::Trajectory;
use unitai_model::value::plain;

use crate::{Check, Judgement};

/// Holds when the agent ended without raising.
pub struct Succeeded;

impl Check for Succeeded {
    fn id(&self) -> &'static str {
        "succeeded"
    }

    fn assertion(&self) -> String {
        "succeeded".to_owned()
    }

    fn expected(&self) -> String {
        "the agent to end without an error".to_owned()
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match trajectory.error() {
            None => Judgement::Held(vec![]),
            Some(error) => Judgement::broken(format!("it raised {}", plain(&error.to_string())), []),
        }
    }
}
