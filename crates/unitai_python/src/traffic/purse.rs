//! Budgets that stand around a block of code: they pay for every run that begins in it, and for model calls that
//! belong to no run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use unitai_wire::meter::{self, Budgets, PriceTable};

use super::policy::Rules;
use super::{Budget, prices};
use crate::attribute::Attribute;
use crate::context::ContextStack;
use crate::errors::Trouble;
use crate::gate;
use crate::settings::standing;

/// A budget that stands, with those that stood when it was opened.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Purse {
    /// The budgets in Python, innermost last.
    standing: Vec<Py<Budget>>,
    /// The same as the engine uses them, the narrowest first.
    budgets: Budgets,
    prices: Option<Arc<PriceTable>>,
    notes: Arc<Notes>,
    is_closed: AtomicBool,
    /// Whether the main thread opened it: then a thread without context was most likely started inside of it.
    of_main_thread: bool,
}

/// What was refused or overspent while a budget stood.
pub(crate) struct Notes {
    budget: meter::Budget,
    around: Option<Arc<Notes>>,
    troubles: Mutex<Troubles>,
}

#[derive(Default)]
struct Troubles {
    /// The first of all.
    first: Option<Py<PyBaseException>>,
    /// The first that nobody could be told of: a call outside any run cost more than was left.
    untold: Option<Py<PyBaseException>>,
}

#[pymethods]
impl Purse {
    /// Opens a budget around the current context. `prices` are those of calls outside any run. One that stands
    /// alone is not added to those that are open: it was taken from them. One that is private pays for its context
    /// only, and not for threads that have none.
    #[staticmethod]
    #[pyo3(signature = (budget, prices=None, alone=false, private=false))]
    fn open<'py>(
        budget: &Bound<'py, Budget>,
        prices: Option<&Bound<'py, PyDict>>,
        alone: bool,
        private: bool,
    ) -> PyResult<Bound<'py, Purse>> {
        let py = budget.py();
        // What is wrong with the settings is told where it can be.
        standing(py)?;
        let own = prices.map(|prices| prices::read(prices).map(Arc::new)).transpose()?;
        let outer = match of_context(py)? {
            _ if alone => None,
            Some(purse) => Some(purse),
            None => innermost(py, |purse| purse.of_main_thread),
        };
        let mut standing: Vec<Py<Budget>> = Vec::new();
        if let Some(outer) = &outer {
            standing.extend(outer.get().standing.iter().map(|budget| budget.clone_ref(py)));
        }
        standing.push(budget.clone().unbind());
        let notes = Notes {
            budget: budget.get().ledger(),
            around: outer.as_ref().map(|outer| outer.get().notes.clone()),
            troubles: Mutex::default(),
        };
        let purse = Purse {
            budgets: standing.iter().rev().map(|budget| budget.get().ledger()).collect(),
            prices: own.or_else(|| outer.as_ref().and_then(|outer| outer.get().prices.clone())),
            standing,
            notes: Arc::new(notes),
            is_closed: AtomicBool::new(false),
            of_main_thread: is_main_thread(py)?,
        };
        let purse = Bound::new(py, purse)?;
        CONTEXT_PURSES.enter(purse.as_any())?;
        if !private {
            live().push(purse.clone().unbind());
            COUNT.fetch_add(1, Ordering::Relaxed);
        }
        Ok(purse)
    }

    /// What was refused or overspent first while the budget stood: by itself, or by one around it.
    #[getter]
    fn trouble(&self, py: Python<'_>) -> Option<Py<PyBaseException>> {
        self.notes.troubles().first.as_ref().map(|error| error.clone_ref(py))
    }

    /// Whether nothing was refused, and nothing paid beyond so many dollars: what is mostly so, in one question.
    fn is_quiet(&self, spent: f64) -> bool {
        self.notes.troubles().first.is_none()
            && self.notes.budget.balance().is_ok_and(|b| b.spent.dollars() == spent)
    }

    /// The budget stands no more. Gives what is wrong with it, if nobody could be told before.
    fn close(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyBaseException>>> {
        slf.get().is_closed.store(true, Ordering::Relaxed);
        let closed = {
            let mut live = live();
            let at = live.iter().position(|other| other.is(slf));
            at.map(|at| live.swap_remove(at))
        };
        if closed.is_some() {
            COUNT.fetch_sub(1, Ordering::Relaxed);
        }
        drop(closed);
        CONTEXT_PURSES.leave(slf.as_any())?;
        Ok(slf.get().notes.troubles().untold.take())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.notes.troubles.try_lock() {
            Ok(troubles) => {
                visit.call(&troubles.first)?;
                visit.call(&troubles.untold)
            }
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let cleared = std::mem::take(&mut *self.notes.troubles());
        drop(cleared);
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

    pub(super) fn notes(&self) -> &Arc<Notes> {
        &self.notes
    }
}

impl Notes {
    /// Writes down that a budget refused a call, or is overspent; `None` when it could have been any. Whoever stands
    /// around that budget is not concerned.
    pub(super) fn note(&self, py: Python<'_>, budget: Option<&meter::Budget>, error: &PyErr, is_told: bool) {
        let concerned: Vec<&Notes> = self.outwards().collect();
        let owner = match budget {
            Some(budget) => concerned.iter().position(|notes| notes.budget.is(budget)),
            None => concerned.len().checked_sub(1),
        };
        for notes in concerned.iter().take(owner.map_or(0, |owner| owner + 1)) {
            let mut troubles = notes.troubles();
            troubles.first.get_or_insert_with(|| error.value(py).clone().unbind());
        }
        if !is_told && owner.is_some() {
            self.troubles().untold.get_or_insert_with(|| error.value(py).clone().unbind());
        }
    }

    fn outwards(&self) -> impl Iterator<Item = &Notes> {
        std::iter::successors(Some(self), |notes| notes.around.as_deref())
    }

    fn troubles(&self) -> MutexGuard<'_, Troubles> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many purses are open. Nobody asks further while there is none.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Those that are open in this process, for who has no context. No Python code may run while this is held.
fn live() -> MutexGuard<'static, Vec<Py<Purse>>> {
    static LIVE: Mutex<Vec<Py<Purse>>> = Mutex::new(Vec::new());
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets those that are open without closing them: they belong to the process that this one was forked from.
pub(super) fn forget_live_purses() {
    std::mem::forget(std::mem::take(&mut *live()));
    COUNT.store(0, Ordering::Relaxed);
}

/// The purses that the current context is in.
static CONTEXT_PURSES: ContextStack = ContextStack::new("unitai_purses");

/// The innermost purse of the current context that is still open: a context may be of an earlier test.
pub(super) fn of_context(py: Python<'_>) -> PyResult<Option<Py<Purse>>> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return Ok(None);
    }
    for purse in CONTEXT_PURSES.here(py)?.iter().rev() {
        let purse = purse.cast_into::<Purse>()?;
        if !purse.get().is_closed.load(Ordering::Relaxed) {
            return Ok(Some(purse.unbind()));
        }
    }
    Ok(None)
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

/// The rules of a run, with what stands around the current context.
pub(crate) fn rules_here(py: Python<'_>, rules: &Rules) -> PyResult<Rules> {
    let purse = of_context(py)?;
    Ok(rules.clone().paid_from(purse.as_ref().map(|purse| purse.get())))
}

/// The budgets that stand here, innermost last.
#[pyfunction]
pub(crate) fn standing_budgets(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let purse = purse_here(py)?;
    let standing = purse.iter().flat_map(|purse| purse.get().standing.iter());
    PyTuple::new(py, standing.map(|budget| budget.bind(py)).collect::<Vec<_>>())
}
