//! `output_not_contains`.

use unitai_model::Trajectory;
use unitai_model::value::quoted;

use crate::describe::{no_output, output_text, shown_output};

use crate::{Check, Judgement};

/// Holds when the final output does not contain the text. An agent that gave no output holds it too,
/// unless it raised: then nothing is known of what it would have said.
pub struct OutputNotContains {
    /// The text.
    pub text: String,
}

impl Check for OutputNotContains {
    fn id(&self) -> &'static str {
        "output_not_contains"
    }

    fn assertion(&self) -> String {
        format!("output_not_contains({})", quoted(&self.text))
    }

    fn expected(&self) -> String {
        format!("the output not to contain {}", quoted(&self.text))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match output_text(trajectory) {
            Some(output) if output.contains(&self.text) => {
                Judgement::broken(format!("the output is {}", shown_output(&output)), [])
            }
            None if trajectory.error().is_some() => Judgement::broken(no_output(trajectory), []),
            _ => Judgement::Held(vec![]),
        }
    }
}
