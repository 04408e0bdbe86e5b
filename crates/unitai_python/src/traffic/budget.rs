//! A budget as Python sees it.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use unitai_config::Settings;
use unitai_model::Money;
use unitai_model::value::plain;
use unitai_wire::meter::{self, Balance, LedgerError, Unsettled, Whose};

use crate::attribute::Attribute;
use crate::errors::{Trouble, amount, invalid, unusable};
use crate::gate::without_interpreter;

/// An amount of US dollars that may be spent, shared by all who are given it.
///
/// >>> from unitai import Budget
/// >>> budget = Budget(0.50)
/// >>> budget.limit, budget.spent, budget.left
/// (0.5, 0.0, 0.5)
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Budget {
    ledger: meter::Budget,
}

impl Budget {
    /// The ledger, which clones share.
    pub(crate) fn ledger(&self) -> meter::Budget {
        self.ledger.clone()
    }

    fn balance(&self, py: Python<'_>) -> PyResult<Balance> {
        let balance = patiently(py, self.ledger.path().is_some(), || self.ledger.balance());
        balance.map_err(|error| ledger_error(py, &error))
    }
}

#[pymethods]
impl Budget {
    /// `name` says whose it is, for the message when it is used up. `is_default` says that nobody asked for it: a model
    /// without a price is let through then.
    #[new]
    #[pyo3(signature = (limit, name=None, is_default=false))]
    fn new(py: Python<'_>, limit: f64, name: Option<&str>, is_default: bool) -> PyResult<Budget> {
        Ok(Budget { ledger: named(meter::Budget::new(limit_of(py, limit)?), name, is_default) })
    }

    /// A budget that several processes share: its ledger is a file, which is made if there is none. A copy of it in
    /// another process is about the same money.
    #[staticmethod]
    #[pyo3(signature = (path, limit=None, name=None, is_default=false))]
    fn shared(
        py: Python<'_>,
        path: PathBuf,
        limit: Option<f64>,
        name: Option<&str>,
        is_default: bool,
    ) -> PyResult<Budget> {
        let limit = limit.map(|limit| limit_of(py, limit)).transpose()?;
        let ledger = patiently(py, true, || meter::Budget::shared(&path, limit));
        ledger
            .map(|ledger| Budget { ledger: named(ledger, name, is_default) })
            .map_err(|error| ledger_error(py, &error))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let budget = slf.get();
        let Some(path) = budget.ledger.path() else {
            return Err(Trouble::new(
                "InvalidArgumentError",
                "a Budget of one process cannot be copied into another",
            )
            .remedy("share it: Budget.shared(path, limit)")
            .into_err(py));
        };
        let restore = py.get_type::<Budget>().attribute("shared")?;
        (restore, (path, None::<f64>, budget.name(), budget.is_default())).into_pyobject(py)
    }

    /// Whose it is, if somebody said.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.ledger.whose().name()
    }

    /// The file of its ledger, where processes share it.
    #[getter]
    fn path(&self) -> Option<String> {
        self.ledger.path().map(|path| path.to_string_lossy().into_owned())
    }

    /// Whether nobody asked for it, so that it lets models without a price through.
    #[getter]
    fn is_default(&self) -> bool {
        self.ledger.is_by_default()
    }

    /// The first model without a price that it let through.
    #[getter]
    fn unpriced_model(&self) -> Option<&str> {
        self.ledger.unpriced_model()
    }

    /// What may be spent in all.
    #[getter]
    fn limit(&self) -> f64 {
        self.ledger.limit().dollars()
    }

    /// What has been spent.
    #[getter]
    fn spent(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.balance(py)?.spent.dollars())
    }

    /// What calls under way may still cost.
    #[getter]
    fn reserved(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.balance(py)?.reserved.dollars())
    }

    /// What is left for further calls.
    #[getter]
    fn left(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.balance(py)?.left().dollars())
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let balance = self.balance(py)?;
        let (spent, limit) = (balance.spent.shown(), balance.limit.shown());
        let left = balance.limit.minus(balance.spent);
        Ok(if left >= Money::ZERO {
            format!("{spent} spent of {limit}, {} left", left.shown())
        } else {
            format!("{spent} spent of {limit}, {} too much", Money::ZERO.minus(left).shown())
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let balance = self.balance(py)?;
        let of = self.name().map_or_else(String::new, |name| format!(" of {}", plain(name)));
        Ok(format!("<Budget{of}: {} spent of {}>", balance.spent.shown(), balance.limit.shown()))
    }
}

/// What tests may spend, for a folder: one by itself, and all together; `None` for no limit.
#[pyfunction]
pub(crate) fn budget_settings(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let settings = Settings::of(&folder).map_err(|trouble| unusable(py, trouble))?.budget();
    let found = PyDict::new(py);
    found.set_item("per_test", settings.per_test.map(Money::dollars))?;
    found.set_item("per_suite", settings.per_suite.map(Money::dollars))?;
    Ok(found)
}

fn named(budget: meter::Budget, name: Option<&str>, is_default: bool) -> meter::Budget {
    let budget = budget.of(name.map_or(Whose::Nobodys, Whose::of_name));
    if is_default { budget.by_default() } else { budget }
}

fn limit_of(py: Python<'_>, limit: f64) -> PyResult<Money> {
    if limit <= 0.0 {
        return Err(invalid(py, format!("a budget must be more than 0 dollars, not {limit}")));
    }
    amount(py, limit)
}

/// Does what may wait for another process without keeping this one waiting.
pub(crate) fn patiently<T: Send>(py: Python<'_>, may_wait: bool, work: impl FnOnce() -> T + Send) -> T {
    if may_wait { without_interpreter(py, work) } else { work() }
}

/// A ledger that cannot be used.
pub(crate) fn ledger_error(py: Python<'_>, error: &LedgerError) -> PyErr {
    Trouble::new("BrokenLedgerError", plain(&error.to_string()).to_string()).into_err(py)
}

/// What a call left in disorder. `remedy` is for one that cost more than was left.
pub(crate) fn unsettled(py: Python<'_>, error: &Unsettled, model: &str, remedy: &str) -> PyErr {
    match error {
        Unsettled::Ledger(error) => ledger_error(py, error),
        Unsettled::Overspent(over) => Trouble::new("CostLimitExceeded", over.message())
            .expected(format!("at most {}", over.limit.shown()))
            .found(format!("a call of {} that cost {}", plain(model), over.counted.shown()))
            .remedy(remedy)
            .whose(over.whose.name())
            .into_err(py),
    }
}
