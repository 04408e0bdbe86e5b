//! `output_matches`.

use crate::describe::{no_output, output_text, shown_output};
use crate::ports::Pattern;
use unitai_model::Trajectory;

use crate::{Check, Judgement};

/// Holds when the pattern is found in the final output.
pub struct OutputMatches {
    /// The pattern.
    pub pattern: Box<dyn Pattern>,
}

impl Check for OutputMatches {
    fn id(&self) -> &'static str {
        "output_matches"
    }

    fn assertion(&self) -> String {
        format!("output_matches({})", self.pattern.shown())
    }

    fn expected(&self) -> String {
        format!("the output to match {}", self.pattern.shown())
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        match output_text(trajectory) {
            Some(output) if self.pattern.found_in(&output) => Judgement::Held(vec![]),
            Some(output) => Judgement::broken(format!("the output is {}", shown_output(&output)), []),
            None => Judgement::broken(no_output(trajectory), []),
        }
    }
}
