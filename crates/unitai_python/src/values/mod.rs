//! Values across the language boundary.

mod decode;
mod encode;
mod snapshot;

use pyo3::prelude::*;

pub(crate) use decode::to_python;
pub(crate) use encode::{Encoded, encode, encode_text};
pub(crate) use snapshot::snapshot;

/// What `__reduce__` gives to pickle: a callable and its arguments.
pub(crate) type Reduced<'py, Args> = PyResult<(Bound<'py, PyAny>, Args)>;

/// What stands in the record for an object that could not be serialised: its type and its repr.
///
/// >>> from unitai import Trajectory, TrajectoryStep
/// >>> step = TrajectoryStep(tool_name="draw", tool_args={"canvas": object()})
/// >>> saved = Trajectory(steps=[step]).to_json()
/// >>> type(Trajectory.from_json(saved).steps[0].tool_args["canvas"]).__name__
/// 'StoredRepr'
#[pyclass(frozen, eq, hash, module = "unitai._engine")]
#[derive(PartialEq, Eq, Hash, Clone)]
pub(crate) struct StoredRepr {
    /// The qualified name of the object's type.
    #[pyo3(get)]
    type_name: String,
    text: String,
}

#[pymethods]
impl StoredRepr {
    #[new]
    fn new(type_name: String, text: String) -> StoredRepr {
        StoredRepr { type_name, text }
    }

    fn __repr__(&self) -> &str {
        &self.text
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (String, String)> {
        let this = slf.get();
        Ok((slf.get_type().into_any(), (this.type_name.clone(), this.text.clone())))
    }
}

/// A copy that shares nothing changeable with the value. An object whose class defines no equality
/// of its own is handed on as itself: it could not be recognised otherwise.
#[pyfunction]
pub(crate) fn copy_value<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    snapshot(value)
}

/// Foreign text on one line, with every control and direction character spelled out.
#[pyfunction]
pub(crate) fn plain_text(text: &Bound<'_, pyo3::types::PyString>) -> String {
    unitai_model::value::plain(&text.to_string_lossy())
}
