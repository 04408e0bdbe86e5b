//! Budgets that stand around a block of code: they pay for every run that begins in it, and for model calls that
//! belong to no run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use unitai_wire::meter::{Budgets, PriceTable};

use super::{Budget, prices};
use crate::attribute::Attribute;
use crate::errors::Trouble;
use crate::gate;

/// A budget that stands, with those that stood when it was opened.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Purse {
    /// The budgets in Python, innermost last.
    standing: Vec<Py<Budget>>,
    /// The same as the engine uses them, the narrowest first.
    budgets: Budgets,
    prices: Option<Arc<PriceTable>>,
    /// Whether the main thread opened it: then a thread without context was most likely started inside of it.
    of_main_thread: bool,
    /// What is wrong though nobody could be told: a call outside any run cost more than was left.
    overspent: Mutex<Option<Py<PyBaseException>>>,
}

#[pymethods]
impl Purse {
    /// Opens a budget around the current context. `prices` are those of calls outside any run.
    #[staticmethod]
    #[pyo3(signature = (budget, prices=None))]
    fn open<'py>(
        budget: &Bound<'py, Budget>,
        prices: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Purse>> {
        let py = budget.py();
        let own = prices.map(|prices| prices::read(prices).map(Arc::new)).transpose()?;
        let var = context_purses(py)?;
        let outer = match of_context(py)? {
            Some(purse) => Some(purse),
            None => innermost(py, |purse| purse.of_main_thread),
        };
        let mut standing: Vec<Py<Budget>> = Vec::new();
        if let Some(outer) = &outer {
            standing.extend(outer.get().standing.iter().map(|budget| budget.clone_ref(py)));
        }
        standing.push(budget.clone().unbind());
        let purse = Purse {
            budgets: standing.iter().rev().map(|budget| budget.get().ledger()).collect(),
            prices: own.or_else(|| outer.as_ref().and_then(|outer| outer.get().prices.clone())),
            standing,
            of_main_thread: is_main_thread(py)?,
            overspent: Mutex::default(),
        };
        let purse = Bound::new(py, purse)?;
        let before = var.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?;
        let purses: Vec<Bound<'_, PyAny>> = before.iter().chain([purse.clone().into_any()]).collect();
        var.call_method1(pyo3::intern!(py, "set"), (PyTuple::new(py, purses)?,))?;
        live().push(purse.clone().unbind());
        COUNT.fetch_add(1, Ordering::Relaxed);
        Ok(purse)
    }

    /// The budget stands no more. Gives what is wrong with it, if nobody could be told before.
    fn close(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyBaseException>>> {
        let py = slf.py();
        let closed = {
            let mut live = live();
            let at = live.iter().position(|other| other.is(slf));
            at.map(|at| live.swap_remove(at))
        };
        if closed.is_some() {
            COUNT.fetch_sub(1, Ordering::Relaxed);
        }
        drop(closed);
        // The context may be another one by now: a fixture is torn down where it likes.
        let var = context_purses(py)?;
        let purses = var.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?;
        let rest: Vec<Bound<'_, PyAny>> = purses.iter().filter(|other| !other.is(slf)).collect();
        var.call_method1(pyo3::intern!(py, "set"), (PyTuple::new(py, rest)?,))?;
        Ok(slf.get().overspent.lock().unwrap_or_else(PoisonError::into_inner).take())
    }
}

impl Purse {
    pub(crate) fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// The prices of calls outside any run, where somebody said them.
    pub(super) fn prices(&self) -> Option<&Arc<PriceTable>> {
        self.prices.as_ref()
    }

    /// Remembers that a call outside any run cost more than was left. The first one is told of.
    pub(super) fn note_overspent(&self, py: Python<'_>, error: PyErr) {
        let error = error.into_value(py);
        let mut overspent = self.overspent.lock().unwrap_or_else(PoisonError::into_inner);
        let unused = if overspent.is_none() { overspent.replace(error) } else { Some(error) };
        drop(overspent);
        drop(unused);
    }
}

/// How many purses are open. Nobody asks further while there is none.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Those that are open in this process, for who has no context. No Python code may run while this is held.
fn live() -> MutexGuard<'static, Vec<Py<Purse>>> {
    static LIVE: Mutex<Vec<Py<Purse>>> = Mutex::new(Vec::new());
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The purses that the current context is in, as a tuple, innermost last.
fn context_purses(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static PURSES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    PURSES
        .get_or_try_init(py, || {
            let defaults = PyDict::new(py);
            defaults.set_item("default", PyTuple::empty(py))?;
            let var = py.import("contextvars")?.attribute("ContextVar")?;
            Ok(var.call(("unitai_purses",), Some(&defaults))?.unbind())
        })
        .map(|var| var.bind(py))
}

/// The innermost purse of the current context. One that was closed meanwhile still pays for what goes on in it.
pub(super) fn of_context(py: Python<'_>) -> PyResult<Option<Py<Purse>>> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return Ok(None);
    }
    let purses = context_purses(py)?.call_method0(pyo3::intern!(py, "get"))?.cast_into::<PyTuple>()?;
    match purses.iter().next_back() {
        Some(purse) => Ok(Some(purse.cast_into::<Purse>()?.unbind())),
        None => Ok(None),
    }
}

/// The innermost purse here: that of the context or, for who has none, of all that are open, if each was opened
/// inside of the one before. Money that could be anybody's is not spent.
pub(crate) fn purse_here(py: Python<'_>) -> PyResult<Option<Py<Purse>>> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return Ok(None);
    }
    if let Some(purse) = of_context(py)? {
        return Ok(Some(purse));
    }
    let count = live().len();
    match innermost(py, |_| true) {
        None if count > 0 => Err(Trouble::new(
            "AmbiguousRunError",
            format!("{count} budgets stand beside each other, and this could be paid from any"),
        )
        .expected("a call from within the context of one of them")
        .found("a call from a thread without that context")
        .remedy("start the thread with contextvars.copy_context().run")
        .into_err(py)),
        innermost => Ok(innermost),
    }
}

/// The innermost of those that are open and meant, if each was opened inside of the one before.
fn innermost(py: Python<'_>, is_meant: impl Fn(&Purse) -> bool) -> Option<Py<Purse>> {
    let live = live();
    let mut meant: Vec<&Py<Purse>> = live.iter().filter(|purse| is_meant(purse.get())).collect();
    meant.sort_by_key(|purse| purse.get().standing.len());
    let is_stack = meant.iter().enumerate().all(|(at, purse)| at + 1 == purse.get().standing.len());
    meant.last().filter(|_| is_stack).map(|purse| purse.clone_ref(py))
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let current = gate::call(&threading.attribute("get_ident")?, (), None)?;
    let main = gate::call(&threading.attribute("main_thread")?, (), None)?;
    main.attribute("ident")?.eq(current)
}

/// The budgets of somebody, and those that stand around the current context.
pub(crate) fn with_those_around(py: Python<'_>, own: &Budgets) -> PyResult<Budgets> {
    Ok(match of_context(py)? {
        Some(purse) => own.iter().chain(purse.get().budgets.iter()).cloned().collect(),
        None => own.clone(),
    })
}

/// The budgets that stand here, innermost last.
#[pyfunction]
pub(crate) fn standing_budgets(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let purse = purse_here(py)?;
    let standing = purse.iter().flat_map(|purse| purse.get().standing.iter());
    PyTuple::new(py, standing.map(|budget| budget.bind(py)).collect::<Vec<_>>())
}
