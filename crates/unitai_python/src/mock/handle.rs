//! A tool by name: bound to one run, or not mocked, or let through.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use unitai_model::ToolName;

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

    /// Calls the tool with these arguments by name.
    fn invoke<'py>(&self, args: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let real = self.toolbox.get().real_call(py, &self.name, &PyTuple::empty(py), Some(args))?;
        let asked = Asked::plain(&self.name, args.clone());
        self.toolbox.get().answer(self.current_run(py)?.bind(py), &asked, real.as_ref())
    }

    /// Its calls in the run that it is bound to, else in all, in order.
    #[getter]
    fn calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let name = ToolName::new(&self.name);
        let Some(run) = &self.run else { return self.toolbox.get().calls_of(py, &name) };
        let mut calls = Vec::new();
        run.get().calls_of(py, &name, &mut calls);
        PyList::new(py, calls.into_iter().map(|(_, call)| Py::new(py, call)).collect::<PyResult<Vec<_>>>()?)
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
        let run = self.current_run(py)?;
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

impl ToolHandle {
    /// A tool as one run answers it.
    pub(crate) fn of_run(name: String, toolbox: Py<Toolbox>, run: Py<Run>) -> ToolHandle {
        ToolHandle { name, toolbox, run: Some(run) }
    }

    fn current_run(&self, py: Python<'_>) -> PyResult<Py<Run>> {
        match &self.run {
            Some(run) => Ok(run.clone_ref(py)),
            None => self.toolbox.get().current_run(py),
        }
    }
}
