//! A call that has begun and not yet ended.

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use unitai_model::Outcome;

use crate::errors::{failure, is_misuse};
use crate::faults::Spoil;
use crate::run::{Run, Slot};
use crate::values::encode;

/// A call under way: whoever awaits its answer says through this how it ended.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Ticket {
    run: Py<Run>,
    step: usize,
    /// What a fault makes of the answer.
    spoil: Option<Spoil>,
}

#[pymethods]
impl Ticket {
    /// The call returned `value`; gives it back.
    fn returned<'py>(&self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.write_returned(value)
    }

    /// The call raised `error`.
    fn raised(&self, py: Python<'_>, error: &Bound<'_, PyBaseException>) -> PyResult<()> {
        let error = PyErr::from_value(error.clone().into_any());
        self.write_raised(py, &error)?;
        if is_misuse(py, &error) {
            self.run.get().doom(py, error);
        }
        Ok(())
    }
}

impl Ticket {
    pub(super) fn new(run: Py<Run>, step: usize) -> Ticket {
        Ticket { run, step, spoil: None }
    }

    /// The same call, with an answer that a fault changes.
    pub(super) fn spoiled_by(self, spoil: Spoil) -> Ticket {
        Ticket { spoil: Some(spoil), ..self }
    }

    pub(super) fn run<'py>(&self, py: Python<'py>) -> &Bound<'py, Run> {
        self.run.bind(py)
    }

    pub(super) fn write_returned<'py>(&self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let run = self.run.get();
        let value = match self.spoil.as_ref().map(|spoil| spoil.apply(&value)) {
            None => value,
            Some(Ok((spoiled, fault))) => {
                run.note_fault(self.step, fault);
                spoiled
            }
            Some(Err(error)) => {
                self.write_raised(value.py(), &error)?;
                run.doom(value.py(), error.clone_ref(value.py()));
                return Err(error);
            }
        };
        let encoded = encode(&value)?;
        run.settle(value.py(), self.step, Outcome::Returned(encoded.packed))?;
        if let Some(kept) = encoded.kept {
            run.keep(self.step, Slot::Result, kept);
        }
        Ok(value)
    }

    pub(super) fn write_raised(&self, py: Python<'_>, error: &PyErr) -> PyResult<()> {
        let value = error.value(py);
        let run = self.run.get();
        run.settle(py, self.step, Outcome::Raised(Box::new(failure(value))))?;
        run.keep(self.step, Slot::Error, value.clone().into_any().unbind());
        Ok(())
    }
}
