//! A trajectory that an adapter returns, in the place of what the run recorded itself.

use pyo3::prelude::*;
use unitai_model::value::plain;
use unitai_model::{Trajectory as Model, Unreported};

use super::{Kept, Run, Slot, Trajectory};
use crate::errors::Trouble;

/// The record as the adapter reports it, with the objects that were kept for either. What is refused leaves the record.
pub(super) fn reported(
    py: Python<'_>,
    recorded: (Model, Kept),
    report: &Trajectory,
) -> (Model, Kept, Option<PyErr>) {
    let (model, kept) = recorded;
    let has_steps = !report.model().steps().is_empty();
    match model.clone().reported(report.model()) {
        Ok(taken) => {
            let is_of_ending = |step: usize, slot: Slot| step == Run::WHOLE && slot != Slot::Input;
            let from_report =
                |step, slot| if step == Run::WHOLE { is_of_ending(step, slot) } else { has_steps };
            let mut all = Kept::default();
            for (step, slot, object) in kept.entries().filter(|(step, slot, _)| !from_report(*step, *slot)) {
                all.insert(step, slot, object.clone_ref(py));
            }
            let of_report = report.kept().entries();
            for (step, slot, object) in of_report.filter(|(step, slot, _)| from_report(*step, *slot)) {
                all.insert(step, slot, object.clone_ref(py));
            }
            (taken, all, None)
        }
        Err(unreported) => (model, kept, Some(refusal(&unreported).into_err(py))),
    }
}

fn refusal(unreported: &Unreported) -> Trouble {
    let found = match unreported {
        Unreported::ToolCalls { tool, count } => format!("{} of {}", calls(*count), plain(tool)),
        Unreported::ModelCalls { count } => format!("{} of a model", calls(*count)),
    };
    Trouble::new("InvalidArgumentError", "the trajectory that the adapter returned lacks calls of the run")
        .expected("every call that the run recorded")
        .found(format!("{found} that it does not have"))
        .remedy("add a step for each; or return a Trajectory without steps, whose steps are those that were recorded")
}

fn calls(count: usize) -> String {
    if count == 1 { "a call".to_owned() } else { format!("{count} calls") }
}
