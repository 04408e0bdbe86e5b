//! Which plans hold for a call: those of its toolkit, and those around it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use super::FaultPlan;
use crate::attribute::Attribute;
use crate::run::Run;

/// The plans that are open in this process. No Python code may run while this is held.
fn open() -> MutexGuard<'static, Vec<Py<FaultPlan>>> {
    static OPEN: Mutex<Vec<Py<FaultPlan>>> = Mutex::new(Vec::new());
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many plans are open. Every call of every tool asks, so it must not wait for others.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The plans that the current context is in, as a tuple, innermost last.
fn context_plans(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static PLANS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    PLANS
        .get_or_try_init(py, || {
            let defaults = PyDict::new(py);
            defaults.set_item("default", PyTuple::empty(py))?;
            let var = py.import("contextvars")?.attribute("ContextVar")?;
            Ok(var.call(("unitai_faults",), Some(&defaults))?.unbind())
        })
        .map(|var| var.bind(py))
}

fn in_context<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
    Ok(context_plans(py)?.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?)
}

/// From here on, calls of this context meet the faults of the plan.
#[pyfunction]
pub(crate) fn open_faults(plan: &Bound<'_, FaultPlan>) -> PyResult<()> {
    let py = plan.py();
    let plans: Vec<Bound<'_, PyAny>> = in_context(py)?.iter().chain([plan.clone().into_any()]).collect();
    context_plans(py)?.call_method1(pyo3::intern!(py, "set"), (PyTuple::new(py, plans)?,))?;
    open().push(plan.clone().unbind());
    COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// The plan holds no more, but for runs that began under it.
#[pyfunction]
pub(crate) fn close_faults(plan: &Bound<'_, FaultPlan>) -> PyResult<()> {
    let py = plan.py();
    let closed = {
        let mut open = open();
        let at = open.iter().position(|other| other.is(plan));
        at.map(|at| open.remove(at))
    };
    if closed.is_some() {
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
    drop(closed);
    // The context may be another one by now: a fixture is torn down where it likes.
    let rest: Vec<Bound<'_, PyAny>> = in_context(py)?.iter().filter(|other| !other.is(plan)).collect();
    context_plans(py)?.call_method1(pyo3::intern!(py, "set"), (PyTuple::new(py, rest)?,))?;
    Ok(())
}

/// The plans of a run that begins here: that of its toolkit, then those around it, innermost first.
pub(crate) fn plans_of_run(py: Python<'_>, own: Option<&Py<FaultPlan>>) -> PyResult<Vec<Py<FaultPlan>>> {
    let mut plans: Vec<Py<FaultPlan>> = own.iter().map(|plan| plan.clone_ref(py)).collect();
    plans.extend(around(py)?);
    Ok(plans)
}

/// The plans for a call from here. What was opened inside of its run comes first.
pub(crate) fn plans_for(
    py: Python<'_>,
    run: Option<&Run>,
    own: Option<&Py<FaultPlan>>,
) -> PyResult<Vec<Py<FaultPlan>>> {
    let known: &[Py<FaultPlan>] = run.map_or(&[], |run| run.fault_plans());
    let is_open = COUNT.load(Ordering::Relaxed) > 0;
    if known.is_empty() && own.is_none() && !is_open {
        return Ok(Vec::new());
    }
    let mut plans: Vec<Py<FaultPlan>> = if is_open { around(py)? } else { Vec::new() };
    plans.retain(|plan| !known.iter().any(|known| known.is(plan)));
    plans.extend(known.iter().map(|plan| plan.clone_ref(py)));
    if let Some(own) = own
        && !plans.iter().any(|plan| plan.is(own))
    {
        plans.insert(0, own.clone_ref(py));
    }
    Ok(plans)
}

/// The plans around a place, innermost first. A thread without context is in the only one there is.
fn around(py: Python<'_>) -> PyResult<Vec<Py<FaultPlan>>> {
    let context = in_context(py)?;
    if context.is_empty() {
        let open = open();
        let only = if let [only] = open.as_slice() { Some(only.clone_ref(py)) } else { None };
        return Ok(only.into_iter().collect());
    }
    let plans = context.iter().rev();
    plans.map(|plan| Ok(plan.cast_into::<FaultPlan>()?.unbind())).collect()
}
