//! `output_contains`.

use unitai_model::Trajectory;
use unitai_model::value::quoted;

use crate::describe::{no_output, output_text, shown_output};

use crate::{Check, Judgement};

/// Holds when the final output contains the text.
pub struct OutputContains {
    /// The text.
    pub text: String,
}

impl Check for OutputContains {
    fn id(&self) -> &'static str {
        "output_contains"
    }

    fn assertion(&self) -> String {
        format!("output_contains({})", quoted(&self.text))
    }

    fn expected(&self) -> String {
        format!("the output to contain {}", quoted(&self.text))
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match output_text(trajectory) {
            Some(output) if output.contains(&self.text) => Judgement::Held(vec![]),
            Some(output) => Judgement::broken(format!("the output is {}", shown_output(&output)), []),
            None => Judgement::broken(no_output(trajectory), []),
        }
    }
}
