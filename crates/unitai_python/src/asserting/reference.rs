//! A reference as a test writes it: another run, or a list of calls.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use unitai_check::ports::{Arguments, DataArguments, ExpectedArguments};
use unitai_check::reference::ExpectedCall;
use unitai_model::calls::PlacedCall;
use unitai_model::{Action, ToolName};

use super::AgentRunResult;
use super::arguments::{PythonArguments, WholeMatcher};
use super::words::shown;
use crate::errors::invalid;
use crate::run::{Slot, Trajectory, TrajectoryStep};

/// Reads a reference. A call is a tool's name (any arguments), a pair of name and arguments, or a
/// step of a trajectory.
pub(super) fn expected_calls(
    reference: &Bound<'_, PyAny>,
    judged: &Py<Trajectory>,
) -> PyResult<Vec<ExpectedCall>> {
    let py = reference.py();
    if let Ok(result) = reference.cast::<AgentRunResult>() {
        return of_trajectory(py, result.get().trajectory_ref(), judged);
    }
    if let Ok(trajectory) = reference.cast::<Trajectory>() {
        return of_trajectory(py, &trajectory.clone().unbind(), judged);
    }
    if reference.is_instance_of::<PyString>() {
        return Err(invalid(
            py,
            format!("a reference is a list of calls, not a string; write [{}]", shown(reference)),
        ));
    }
    let mut calls = Vec::new();
    for entry in reference.try_iter()? {
        calls.push(expected_call(&entry?, judged)?);
    }
    Ok(calls)
}

fn of_trajectory(
    py: Python<'_>,
    reference: &Py<Trajectory>,
    judged: &Py<Trajectory>,
) -> PyResult<Vec<ExpectedCall>> {
    reference.get().model().tool_calls().map(|placed| of_call(py, reference, placed, judged)).collect()
}

fn of_call(
    py: Python<'_>,
    reference: &Py<Trajectory>,
    placed: PlacedCall<'_>,
    judged: &Py<Trajectory>,
) -> PyResult<ExpectedCall> {
    let args = match reference.get().kept().get(py, placed.step, Slot::Args) {
        Some(kept) => {
            let kept = kept.into_bound(py).cast_into::<PyDict>()?;
            ExpectedArguments::Ask(Box::new(PythonArguments::new(&kept, judged.clone_ref(py))))
        }
        None => ExpectedArguments::Data(DataArguments::new(placed.call.args.clone())),
    };
    Ok(ExpectedCall { tool: placed.call.tool.clone(), args })
}

fn expected_call(entry: &Bound<'_, PyAny>, judged: &Py<Trajectory>) -> PyResult<ExpectedCall> {
    let py = entry.py();
    if let Ok(name) = entry.cast::<PyString>() {
        return Ok(ExpectedCall { tool: ToolName::new(name.to_str()?), args: ExpectedArguments::Any });
    }
    if let Ok(step) = entry.cast::<TrajectoryStep>() {
        let (trajectory, at) = step.get().place();
        if let Action::ToolCall(call) = &trajectory.get().model().steps()[at].action {
            return of_call(py, trajectory, PlacedCall { step: at, call }, judged);
        }
    }
    if let Ok(pair) = entry.cast::<PyTuple>()
        && let Ok((name, args)) = pair.extract::<(Bound<'_, PyString>, Bound<'_, PyAny>)>()
    {
        let args: Box<dyn Arguments> = match args.cast::<PyDict>() {
            Ok(args) => Box::new(PythonArguments::new(args, judged.clone_ref(py))),
            // No dictionary: a matcher that takes the arguments as a whole.
            Err(_) => Box::new(WholeMatcher::new(args.unbind(), judged.clone_ref(py))),
        };
        let args = ExpectedArguments::Ask(args);
        return Ok(ExpectedCall { tool: ToolName::new(name.to_str()?), args });
    }
    Err(invalid(
        py,
        format!(
            "a reference is a list of calls: \"name\", (\"name\", {{arguments}}) or a tool_call step; found {}",
            shown(entry)
        ),
    ))
}
