//! The gates between the engine and the interpreter: out of it for long work, into it for foreign code.

use pyo3::exceptions::PyRecursionError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::attribute::Attribute;

/// Runs engine work without holding the interpreter, so that other threads of the agent go on.
pub(crate) fn without_interpreter<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(work)
}

/// Calls Python code that may take its time: a mock's side effect, a real tool, a `repr`.
///
/// An agent that could not be stopped may be in such a call when the program ends. Up to version
/// 3.13, CPython then ends the thread by unwinding its stack, at the moment the thread wants the
/// interpreter back. To unwind through Rust frames would crash the process. So this frame, the
/// innermost of ours, parks the thread instead, which is what CPython does itself from 3.14 on.
#[expect(unsafe_code, reason = "the call must be declared as one that may unwind, which PyO3 does not")]
pub(crate) fn call<'py>(
    callable: &Bound<'py, PyAny>,
    args: impl pyo3::IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = callable.py();
    let args = args.into_pyobject(py).map_err(Into::into)?;
    let kwargs = kwargs.map_or(std::ptr::null_mut(), |kwargs| kwargs.as_ptr());
    // The optimiser must not know whom this calls: PyO3 declares the same function as one that never
    // unwinds, and the two would be taken for one.
    let may_unwind: Call = std::hint::black_box(PyObject_Call);
    let parked = ParkIfUnwound;
    // SAFETY: the interpreter is held, and all three are live references or null where null may be.
    let answer = unsafe { may_unwind(callable.as_ptr(), args.as_ptr(), kwargs) };
    std::mem::forget(parked);
    // SAFETY: the interpreter gives a new reference, or null with an error set.
    unsafe { Bound::from_owned_ptr_or_err(py, answer) }
}

type Call = unsafe extern "C-unwind" fn(
    *mut ffi::PyObject,
    *mut ffi::PyObject,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Whether two objects are equal by Python, through the gate: `__eq__` is foreign code.
pub(crate) fn equal(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    static EQUAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = a.py();
    let operator =
        EQUAL.get_or_try_init(py, || Ok::<_, PyErr>(py.import("operator")?.attribute("eq")?.unbind()))?;
    match call(operator.bind(py), (a, b), None) {
        Ok(answer) => answer.is_truthy(),
        // Values that contain themselves never come to an end; they are not known to be equal.
        Err(error) if error.is_instance_of::<PyRecursionError>(py) => Ok(false),
        Err(error) => Err(error),
    }
}

#[expect(unsafe_code, reason = "see `call`")]
unsafe extern "C-unwind" {
    fn PyObject_Call(
        callable: *mut ffi::PyObject,
        args: *mut ffi::PyObject,
        kwargs: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

struct ParkIfUnwound;

impl Drop for ParkIfUnwound {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}
