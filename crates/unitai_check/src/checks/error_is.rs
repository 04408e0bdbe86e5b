//! `error_is`.

use unitai_model::Trajectory;
use unitai_model::value::plain;

use crate::ports::ErrorClass;

use crate::{Check, Judgement};

/// Holds when the agent raised an error of this class.
pub struct ErrorIs {
    /// The class.
    pub class: Box<dyn ErrorClass>,
}

impl Check for ErrorIs {
    fn id(&self) -> &'static str {
        "error_is"
    }

    fn assertion(&self) -> String {
        format!("error_is({})", self.class.shown())
    }

    fn expected(&self) -> String {
        format!("the agent to raise {}", self.class.shown())
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match trajectory.error() {
            Some(error) if self.class.includes(error) => Judgement::Held(vec![]),
            Some(error) => Judgement::broken(format!("it raised {}", plain(&error.to_string())), []),
            None => Judgement::broken("it ended without an error", []),
        }
    }
}
