//! Which agent speaks here, where several take part in a run.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::attribute::Attribute;

/// The variable that holds its name: tasks and copied contexts see who spoke where they began.
fn var(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static VAR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let var = VAR.get_or_try_init(py, || {
        let defaults = PyDict::new(py);
        defaults.set_item("default", py.None())?;
        let class = py.import("contextvars")?.attribute("ContextVar")?;
        PyResult::Ok(class.call(("unitai_agent",), Some(&defaults))?.unbind())
    })?;
    Ok(var.bind(py))
}

/// From here on, what the current context does is done by this agent. Gives what `leave_agent` takes.
#[pyfunction]
pub(crate) fn enter_agent<'py>(py: Python<'py>, agent_id: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    var(py)?.call_method1(pyo3::intern!(py, "set"), (agent_id,))
}

/// Whoever spoke before speaks again.
#[pyfunction]
pub(crate) fn leave_agent(py: Python<'_>, token: &Bound<'_, PyAny>) -> PyResult<()> {
    var(py)?.call_method1(pyo3::intern!(py, "reset"), (token,)).map(|_| ())
}

/// The agent that speaks here, if somebody said so.
pub(crate) fn agent_here(py: Python<'_>) -> PyResult<Option<String>> {
    var(py)?.call_method0(pyo3::intern!(py, "get"))?.extract()
}
