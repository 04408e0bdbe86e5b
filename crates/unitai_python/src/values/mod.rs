//! Values across the language boundary.

mod decode;
mod encode;
mod snapshot;

use pyo3::prelude::*;
use pyo3::types::PyString;

pub(crate) use decode::to_python;
pub(crate) use encode::{Encoded, encode, encode_data, with_scratch};
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

/// Text from Python that is valid Unicode. A name with lone surrogates is refused by name, because
/// nothing recorded could ever bear it.
#[derive(Clone)]
pub(crate) struct Text(String);

impl Text {
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Text> {
        let text = object.cast::<PyString>()?;
        match text.to_str() {
            Ok(text) => Ok(Text(text.to_owned())),
            Err(_) => {
                let shown = unitai_model::value::quoted(&text.to_string_lossy());
                Err(crate::errors::invalid(
                    object.py(),
                    format!("{shown} holds lone surrogates, which no name can"),
                ))
            }
        }
    }
}

/// A copy that shares nothing changeable with the value. An object whose class defines no equality
/// of its own is handed on as itself: it could not be recognised otherwise.
#[pyfunction]
pub(crate) fn copy_value<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    snapshot(value)
}
