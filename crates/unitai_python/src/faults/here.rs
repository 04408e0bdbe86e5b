//! Which plans hold for a call: those of its toolkit, and those around it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use super::FaultPlan;
use crate::context::ContextStack;
use crate::run::Run;

/// The plans that are open in this process. No Python code may run while this is held.
fn open() -> MutexGuard<'static, Vec<Py<FaultPlan>>> {
    static OPEN: Mutex<Vec<Py<FaultPlan>>> = Mutex::new(Vec::new());
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many plans are open. Every call of every tool asks, so it must not wait for others.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The plans that the current context is in.
static CONTEXT_PLANS: ContextStack = ContextStack::new("unitai_faults");

/// From here on, calls of this context meet the faults of the plan.
#[pyfunction]
pub(crate) fn open_faults(plan: &Bound<'_, FaultPlan>) -> PyResult<()> {
    CONTEXT_PLANS.enter(plan.as_any())?;
    open().push(plan.clone().unbind());
    COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// The plan holds no more, but for runs that began under it.
#[pyfunction]
pub(crate) fn close_faults(plan: &Bound<'_, FaultPlan>) -> PyResult<()> {
    let closed = {
        let mut open = open();
        let at = open.iter().position(|other| other.is(plan));
        at.map(|at| open.remove(at))
    };
    if closed.is_some() {
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
    drop(closed);
    CONTEXT_PLANS.leave(plan.as_any())
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
    let context = CONTEXT_PLANS.here(py)?;
    if context.is_empty() {
        let open = open();
        let only = if let [only] = open.as_slice() { Some(only.clone_ref(py)) } else { None };
        return Ok(only.into_iter().collect());
    }
    let plans = context.iter().rev();
    plans.map(|plan| Ok(plan.cast_into::<FaultPlan>()?.unbind())).collect()
}
