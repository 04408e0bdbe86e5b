//! A tool call that meets a fault.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use unitai_model::{Fault, Packed};
use unitai_wire::faults::ToolFault;

use super::tool::settle;
use super::{Ticket, Toolbox};
use crate::attribute::Attribute;
use crate::faults::{Spoil, plans_for};
use crate::gate;
use crate::run::Run;

/// A fault that a call meets.
pub(super) struct Met {
    fault: ToolFault,
    recorded: Fault,
    drawn: u64,
    /// The exception to raise, or the value to give, where the test gave one.
    object: Option<Py<PyAny>>,
}

impl Toolbox {
    /// The fault that a call of a tool meets, if any.
    pub(super) fn fault_for(
        &self,
        py: Python<'_>,
        run: &Run,
        tool: &str,
        arguments: &Packed,
    ) -> PyResult<Option<Met>> {
        let mut met = None;
        for plan in plans_for(py, Some(run), self.faults())? {
            let plan = plan.get();
            // Every plan counts every call, whoever has it.
            let hit = plan.for_tool(py, run.id(), tool, arguments).inspect_err(|error| {
                run.doom(py, error.clone_ref(py));
            })?;
            if let (Some(hit), true) = (hit, met.is_none()) {
                met = Some(Met {
                    fault: hit.fault.clone(),
                    recorded: hit.fault.recorded(plan.seed()),
                    drawn: hit.drawn,
                    object: plan.object(py, hit.rule).map(Bound::unbind),
                });
            }
        }
        Ok(met)
    }
}

impl Met {
    /// Lets the call at `step` meet the fault. `call` takes nothing and calls the tool.
    pub(super) fn carry_out<'py>(
        self,
        run: &Bound<'py, Run>,
        step: usize,
        call: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = run.py();
        run.get().note_fault(step, self.recorded.clone());
        let ticket = Ticket::new(run.clone().unbind(), step);
        match self.fault {
            ToolFault::Error { message } => {
                let error = match self.object {
                    Some(object) => raised(object.into_bound(py)),
                    None => PyRuntimeError::new_err(message),
                };
                settle(py, ticket, Err(error))
            }
            ToolFault::Delay(time) => {
                let late = py.import("unitai.mock.awaiting")?.attribute("late")?;
                settle(py, ticket, gate::call(&late, (time.as_secs_f64(), call), None))
            }
            ToolFault::Empty | ToolFault::Corrupt | ToolFault::Contradict => {
                let spoil = Spoil { fault: self.recorded, drawn: self.drawn, given: self.object };
                settle(py, ticket.spoiled_by(spoil), gate::call(call, (), None))
            }
        }
    }
}

/// An exception, or a class of them, as an error.
fn raised(object: Bound<'_, PyAny>) -> PyErr {
    // An instance is copied where that works, because each call adds its own traceback.
    let py = object.py();
    let copied = py.import("copy").and_then(|copy| gate::call(&copy.attribute("copy")?, (&object,), None));
    PyErr::from_value(copied.unwrap_or(object))
}
