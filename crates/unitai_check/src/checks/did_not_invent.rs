//! `did_not_invent`.

use unitai_model::value::quoted;
use unitai_model::{Action, Outcome, Trajectory};

use crate::describe::output_text;
use crate::ports::Pattern;
use crate::telling::{Sources, telling_words};
use crate::trouble::{callee, trouble};
use crate::{Check, Judgement};

/// Holds when every value in the output was given to the agent: by its input, by a tool, or by what it knows.
pub struct DidNotInvent {
    /// What counts as a value; numbers, ids, dates, amounts and addresses, unless given.
    pub pattern: Option<Box<dyn Pattern>>,
    /// What the agent may say without having been told in the run.
    pub known: Vec<String>,
}

impl Check for DidNotInvent {
    fn id(&self) -> &'static str {
        "did_not_invent"
    }

    fn assertion(&self) -> String {
        let pattern = self.pattern.as_ref().map(|pattern| pattern.shown());
        let known = (!self.known.is_empty()).then(|| {
            let known: Vec<String> = self.known.iter().map(|text| quoted(text)).collect();
            format!("known=[{}]", known.join(", "))
        });
        let given: Vec<String> = pattern.into_iter().chain(known).collect();
        format!("did_not_invent({})", given.join(", "))
    }

    fn expected(&self) -> String {
        "every value in the output to be from the input or a tool".to_owned()
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        // Who says nothing invents nothing.
        let Some(output) = output_text(trajectory) else { return Judgement::Held(vec![]) };
        let values: Vec<String> = match &self.pattern {
            Some(pattern) => pattern.all_in(&output),
            None => telling_words(&output).into_iter().map(str::to_owned).collect(),
        };
        let sources = self.sources(trajectory);
        let mut invented: Vec<String> = Vec::new();
        for value in values.iter().filter(|value| !sources.have(value)) {
            if !invented.contains(value) {
                invented.push(value.clone());
            }
        }
        if invented.is_empty() {
            return Judgement::Held(vec![]);
        }
        let shown: Vec<String> = invented.iter().take(5).map(|value| quoted(value)).collect();
        let more =
            if invented.len() > 5 { format!(" and {} more", invented.len() - 5) } else { String::new() };
        let verb = if invented.len() == 1 { "is" } else { "are" };
        // What went wrong before is the likely reason.
        let steps = trajectory.steps().iter().enumerate();
        let cites = steps.filter(|(_, step)| trouble(step).is_some() && callee(step).is_some());
        Judgement::broken(
            format!("{}{more} {verb} in no tool result and not in the input", shown.join(", ")),
            cites.map(|(at, _)| at).collect::<Vec<_>>(),
        )
    }
}

impl DidNotInvent {
    /// What the agent was given. What it gave to tools is its own, and what a fault kept from it is not there.
    fn sources(&self, trajectory: &Trajectory) -> Sources {
        let mut sources = Sources::default();
        sources.add(&trajectory.input().value());
        self.known.iter().for_each(|text| sources.add_text(text));
        for step in trajectory.steps() {
            match &step.action {
                Action::ToolCall(call) => match &call.outcome {
                    Outcome::Returned(result) | Outcome::Unseen(result) => sources.add(&result.value()),
                    Outcome::Raised(error) | Outcome::Rejected(error) => sources.add_text(&error.message),
                    Outcome::Unfinished => {}
                },
                Action::ModelCall(_) | Action::StateChange(_) => {}
            }
        }
        sources
    }
}
