//! Money that somebody spends elsewhere, where the budgets of this process do not reach.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use unitai_model::Money;
use unitai_wire::meter::{Budgets, LedgerError, Reservation, Unreserved};

use super::budget::{Budget, ledger_error, patiently, unsettled};
use crate::errors::amount;

/// A part of what is left in some budgets, set aside in each of them until it is known what became of it. One that
/// is never settled counts as spent.
///
/// >>> from unitai import Budget
/// >>> from unitai._engine import Lease
/// >>> budget = Budget(1.00)
/// >>> lease = Lease.take([budget], 4)
/// >>> lease.amount, budget.left
/// (0.25, 0.75)
/// >>> lease.settle(0.05)
/// >>> budget.spent, budget.left
/// (0.05, 0.95)
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Lease {
    amount: Money,
    /// Whose budget had the least left.
    whose: Option<String>,
    reservation: Mutex<Option<Reservation>>,
}

#[pymethods]
impl Lease {
    /// Takes one of so many equal parts of what is left; nothing, where nothing is left.
    #[staticmethod]
    fn take(py: Python<'_>, budgets: Vec<Py<Budget>>, parts: u32) -> PyResult<Lease> {
        // The narrowest first, as everywhere; those that stand are given innermost last.
        let budgets: Budgets = budgets.iter().rev().map(|budget| budget.get().ledger()).collect();
        let taken = patiently(py, budgets.may_wait(), || take(&budgets, parts));
        let (whose, amount, reservation) = taken.map_err(|error| ledger_error(py, &error))?;
        Ok(Lease { amount, whose, reservation: Mutex::new(reservation) })
    }

    /// Dollars that may be spent.
    #[getter]
    fn amount(&self) -> f64 {
        self.amount.dollars()
    }

    /// Whose budget had the least left, where somebody said.
    #[getter]
    fn whose(&self) -> Option<&str> {
        self.whose.as_deref()
    }

    /// Puts what was spent in the place of what was set aside. Raises `CostLimitExceeded` where that is too much.
    fn settle(&self, py: Python<'_>, spent: f64) -> PyResult<()> {
        let spent = amount(py, spent)?;
        let reservation = self.reservation.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(reservation) = reservation else { return Ok(()) };
        patiently(py, reservation.may_wait(), || reservation.settle(spent)).map_err(|trouble| {
            unsettled(py, &trouble, "another process", "raise the budget, or let the agent ask less")
        })
    }
}

type Taken = (Option<String>, Money, Option<Reservation>);

fn take(budgets: &Budgets, parts: u32) -> Result<Taken, LedgerError> {
    loop {
        let mut least: Option<(Money, Option<String>)> = None;
        for budget in budgets.iter() {
            let left = budget.balance()?.left();
            if least.as_ref().is_none_or(|(other, _)| left < *other) {
                least = Some((left, budget.whose().name().map(str::to_owned)));
            }
        }
        let (left, whose) = least.unwrap_or_default();
        let part = left.max(Money::ZERO).part(parts);
        if part == Money::ZERO {
            return Ok((whose, part, None));
        }
        match budgets.reserve(part) {
            Ok(reservation) => return Ok((whose, part, Some(reservation))),
            // Somebody was faster: there is less left than a moment ago.
            Err(Unreserved::Over(_)) => {}
            Err(Unreserved::Ledger(error)) => return Err(error),
        }
    }
}
