//! A budget as Python sees it.

use pyo3::prelude::*;
use unitai_wire::meter;

use crate::errors::{amount, invalid};

/// An amount of US dollars that may be spent, shared by all who are given it.
///
/// >>> from unitai import Budget
/// >>> budget = Budget(0.50)
/// >>> budget.limit, budget.spent, budget.left
/// (0.5, 0.0, 0.5)
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Budget {
    pub(super) ledger: meter::Budget,
}

impl Budget {
    /// The ledger, which clones share.
    pub(crate) fn ledger(&self) -> meter::Budget {
        self.ledger.clone()
    }
}

#[pymethods]
impl Budget {
    #[new]
    fn new(py: Python<'_>, limit: f64) -> PyResult<Budget> {
        if limit <= 0.0 {
            return Err(invalid(py, format!("a budget must be more than 0 dollars, not {limit}")));
        }
        Ok(Budget { ledger: meter::Budget::new(amount(py, limit)?) })
    }

    /// What may be spent in all.
    #[getter]
    fn limit(&self) -> f64 {
        self.ledger.limit().dollars()
    }

    /// What has been spent.
    #[getter]
    fn spent(&self) -> f64 {
        self.ledger.spent().dollars()
    }

    /// What calls under way may still cost.
    #[getter]
    fn reserved(&self) -> f64 {
        self.ledger.reserved().dollars()
    }

    /// What is left for further calls.
    #[getter]
    fn left(&self) -> f64 {
        self.ledger.limit().minus(self.ledger.spent()).minus(self.ledger.reserved()).dollars()
    }

    fn __repr__(&self) -> String {
        format!("<Budget {} spent of {}>", self.ledger.spent().shown(), self.ledger.limit().shown())
    }
}
