//! What the current context is in: runs, scripts and recordings, budgets, faults. Each is a tuple in a context variable
//! of Python's, innermost last, so that tasks and copied contexts see what stood where they began.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::attribute::Attribute;

/// One such tuple.
pub(crate) struct ContextStack {
    name: &'static str,
    var: PyOnceLock<Py<PyAny>>,
}

impl ContextStack {
    /// A stack whose variable has this name.
    pub(crate) const fn new(name: &'static str) -> ContextStack {
        ContextStack { name, var: PyOnceLock::new() }
    }

    /// What the current context is in, innermost last.
    pub(crate) fn here<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        Ok(self.var(py)?.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?)
    }

    /// From here on, the current context is in this, too. Gives how many others it was in already.
    pub(crate) fn enter(&self, entered: &Bound<'_, PyAny>) -> PyResult<usize> {
        let outer = self.here(entered.py())?;
        self.set(entered.py(), outer.iter().chain([entered.clone()]))?;
        Ok(outer.len())
    }

    /// The current context is in this no more. It may be another one by now: a fixture is torn down where it likes.
    pub(crate) fn leave(&self, left: &Bound<'_, PyAny>) -> PyResult<()> {
        let inside = self.here(left.py())?;
        self.set(left.py(), inside.iter().filter(|other| !other.is(left)))
    }

    fn set<'py>(&self, py: Python<'py>, all: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<()> {
        let all = PyTuple::new(py, all.collect::<Vec<_>>())?;
        self.var(py)?.call_method1(pyo3::intern!(py, "set"), (all,))?;
        Ok(())
    }

    fn var<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let var = self.var.get_or_try_init(py, || {
            let defaults = PyDict::new(py);
            defaults.set_item("default", PyTuple::empty(py))?;
            let class = py.import("contextvars")?.attribute("ContextVar")?;
            PyResult::Ok(class.call((self.name,), Some(&defaults))?.unbind())
        })?;
        Ok(var.bind(py))
    }
}
