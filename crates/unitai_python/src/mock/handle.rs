//! A tool by name: bound to one run, or not mocked, or let through.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::{Asked, Toolbox, gather};
use crate::run::Run;

/// What an agent calls where there is no mock to hand over, or where a tool belongs to one run.
/// Each call is decided by the toolbox: mocked, let through, or refused.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct ToolHandle {
    name: String,
    toolbox: Py<Toolbox>,
    run: Option<Py<Run>>,
}

#[pymethods]
impl ToolHandle {
    #[new]
    #[pyo3(signature = (name, toolbox, run=None))]
    fn new(name: String, toolbox: Py<Toolbox>, run: Option<Py<Run>>) -> ToolHandle {
        ToolHandle { name, toolbox, run }
    }

    /// The tool's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.name
    }

    /// Calls the tool.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let toolbox = self.toolbox.get();
        let run = match &self.run {
            Some(run) => run.clone_ref(py),
            None => toolbox.current_run(py)?,
        };
        if let Some(tool) = toolbox.tool(py, &self.name) {
            let arguments = gather(&self.name, tool.get().parameters(), args, kwargs)?;
            return tool.get().answer(run.bind(py), &arguments, None);
        }
        let arguments = gather(&self.name, None, args, kwargs)?;
        let real = toolbox.real_call(py, &self.name, args, kwargs)?;
        toolbox.answer(run.bind(py), &Asked::plain(&self.name, arguments), real.as_ref())
    }

    /// An agent that copies its tools still calls the same ones.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("<ToolHandle {}>", unitai_model::value::plain(&self.name))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.toolbox)?;
        visit.call(&self.run)
    }
}
