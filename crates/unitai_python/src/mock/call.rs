//! One recorded call of a tool, by itself.

use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use unitai_model::calls::PlacedCall;
use unitai_model::{Outcome, Packed, Step, ToolCall};

use crate::errors::failure;
use crate::run::{Kept, Slot, recorded_error};
use crate::secrets;
use crate::values::{Reduced, encode, snapshot, to_python};

/// One call of a mocked tool: what it was given and how it ended.
///
/// >>> from unitai import MockToolCall
/// >>> MockToolCall(args={"order_id": "123"}, result=True).args
/// {'order_id': '123'}
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct MockToolCall {
    args: Packed,
    outcome: Outcome,
    /// When it began, in seconds since the epoch.
    #[pyo3(get)]
    timestamp: f64,
    kept_args: Option<Py<PyAny>>,
    kept_result: Option<Py<PyAny>>,
    kept_error: Option<Py<PyAny>>,
}

/// The parts of a call that travel: args, result, error, timestamp.
type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, f64);

#[pymethods]
impl MockToolCall {
    #[new]
    #[pyo3(signature = (args, result=None, error=None, timestamp=0.0))]
    fn new(
        args: &Bound<'_, PyAny>,
        result: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyBaseException>>,
        timestamp: f64,
    ) -> PyResult<MockToolCall> {
        let args = encode(args)?;
        let mut call = MockToolCall {
            args: args.packed,
            outcome: Outcome::Returned(Packed::null()),
            timestamp,
            kept_args: args.kept,
            kept_result: None,
            kept_error: None,
        };
        if let Some(error) = error {
            call.outcome = Outcome::Raised(Box::new(failure(error)));
            call.kept_error = Some(error.clone().into_any().unbind());
        } else if let Some(result) = result {
            let result = encode(result)?;
            call.outcome = Outcome::Returned(result.packed);
            call.kept_result = result.kept;
        }
        Ok(call)
    }

    /// The arguments by name.
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.kept_args {
            Some(kept) => snapshot(kept.bind(py)),
            None => to_python(py, &self.args),
        }
    }

    /// What it returned; `None` when it raised.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match (&self.kept_result, &self.outcome) {
            (Some(kept), _) => snapshot(kept.bind(py)),
            (None, outcome) => match outcome.result() {
                Some(result) => to_python(py, result),
                None => Ok(py.None().into_bound(py)),
            },
        }
    }

    /// What it raised; `None` when it returned.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match (&self.kept_error, &self.outcome) {
            (Some(kept), _) => Ok(kept.bind(py).clone()),
            (None, outcome) => match outcome.failure() {
                Some(failure) => recorded_error(py, failure),
                None => Ok(py.None().into_bound(py)),
            },
        }
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, MockToolCall>) -> PyResult<bool> {
        let other = other.get();
        Ok(self.timestamp == other.timestamp
            && self.args(py)?.eq(other.args(py)?)?
            && self.result(py)?.eq(other.result(py)?)?
            && self.error(py)?.eq(other.error(py)?)?)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let args = self.args.value().shown(200);
        let text = match &self.outcome {
            Outcome::Returned(result) | Outcome::Unseen(result) => {
                format!("MockToolCall(args={args}, result={})", result.value().shown(200))
            }
            Outcome::Raised(error) | Outcome::Rejected(error) => {
                format!(
                    "MockToolCall(args={args}, error={})",
                    unitai_model::value::quoted(&error.to_string())
                )
            }
            Outcome::Unfinished => format!("MockToolCall(args={args}, unfinished)"),
        };
        secrets::shown(py, text)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Parts<'py>> {
        let (py, this) = (slf.py(), slf.get());
        Ok((slf.get_type().into_any(), (this.args(py)?, this.result(py)?, this.error(py)?, this.timestamp)))
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.kept_args)?;
        visit.call(&self.kept_result)?;
        visit.call(&self.kept_error)
    }
}

impl MockToolCall {
    /// A call of a record, with the objects that were kept for it.
    pub(crate) fn recorded(py: Python<'_>, step: &Step, placed: PlacedCall<'_>, kept: &Kept) -> MockToolCall {
        MockToolCall::of(py, step.timestamp, placed.step, placed.call, kept)
    }

    pub(crate) fn of(
        py: Python<'_>,
        timestamp: f64,
        at: usize,
        call: &ToolCall,
        kept: &Kept,
    ) -> MockToolCall {
        MockToolCall {
            args: call.args.clone(),
            outcome: call.outcome.clone(),
            timestamp,
            kept_args: kept.get(py, at, Slot::Args),
            kept_result: kept.get(py, at, Slot::Result),
            kept_error: kept.get(py, at, Slot::Error),
        }
    }
}
