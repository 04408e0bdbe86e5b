//! The rules for a run's model traffic.

use std::sync::{Arc, Weak};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_wire::meter::{Budgets, Price, PriceTable, Whose};

use super::purse::{Notes, Purse};
use super::{Budget, prices};
use crate::settings::{standing, standing_quietly};

/// The rules for the model traffic of one toolkit. They never change; another model for one run is
/// given when the run is opened.
#[pyclass(frozen, module = "unitai._engine")]
pub(crate) struct Policy {
    pub(super) rules: Rules,
}

/// The rules, as the engine uses them.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(super) model: Option<Arc<str>>,
    /// The budgets in force, the narrowest first.
    pub(super) budgets: Budgets,
    /// Whether one of them was given together with the toolkit, and not with what stands around.
    pub(super) has_own_budget: bool,
    /// Who learns of it when one that stands around refuses. Not kept alive: an error knows its frames, and these
    /// may know the run.
    notes: Weak<Notes>,
    pub(super) prices: Arc<PriceTable>,
    pub(super) blocks_network: bool,
    pub(super) asks_for_usage: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            model: None,
            budgets: Budgets::default(),
            has_own_budget: false,
            notes: Weak::new(),
            prices: standing_quietly().prices.clone(),
            blocks_network: false,
            asks_for_usage: true,
        }
    }
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (*, budget=None, prices=None, block_network=false, ask_for_usage=true))]
    fn new(
        py: Python<'_>,
        budget: Option<&Bound<'_, Budget>>,
        prices: Option<&Bound<'_, PyDict>>,
        block_network: bool,
        ask_for_usage: bool,
    ) -> PyResult<Policy> {
        let prices = Policy::prices(py, prices)?;
        let own = budget.map(|budget| budget.get().ledger().or_of(Whose::Toolkit));
        let rules = Rules {
            model: None,
            has_own_budget: own.is_some(),
            budgets: own.into_iter().collect(),
            notes: Weak::new(),
            prices,
            blocks_network: block_network,
            asks_for_usage: ask_for_usage,
        };
        Ok(Policy { rules })
    }
}

impl Policy {
    /// The prices of the release and the project, with somebody's own on top.
    pub(crate) fn prices(py: Python<'_>, own: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<PriceTable>> {
        own.map_or_else(|| Ok(standing(py)?.prices.clone()), |own| prices::read(own).map(Arc::new))
    }
}

impl Rules {
    /// The model to use instead of what a request asks for.
    pub(super) fn model(&self) -> Option<Arc<str>> {
        self.model.clone().or_else(|| standing_quietly().model.clone())
    }

    /// The price of a model that is not on this machine.
    pub(crate) fn price(&self, model: &str) -> Option<&Price> {
        self.prices.price_of(model)
    }

    /// The budgets in force, the narrowest first.
    pub(crate) fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// The rules of a policy, with another model if one is given, and with the budgets that stand around.
    pub(crate) fn of(
        policy: Option<&Bound<'_, Policy>>,
        model: Option<&str>,
        purse: Option<&Purse>,
    ) -> Rules {
        let rules = policy.map(|policy| policy.get().rules.clone()).unwrap_or_default();
        Rules { model: model.map(Arc::from).or(rules.model.clone()), ..rules.paid_from(purse) }
    }

    /// The same rules, with the budgets that stand around.
    pub(super) fn paid_from(self, purse: Option<&Purse>) -> Rules {
        let Some(purse) = purse else { return self };
        let budgets = self.budgets.iter().chain(purse.budgets().iter()).cloned().collect();
        Rules { budgets, notes: Arc::downgrade(purse.notes()), ..self }
    }

    /// Writes down that a budget refused a call or is overspent, where it is one that stands around; `None` when it
    /// could have been any.
    pub(crate) fn note(&self, py: Python<'_>, place: Option<usize>, error: &PyErr, is_told: bool) {
        if let Some(notes) = self.notes.upgrade() {
            notes.note(py, place.and_then(|place| self.budgets.iter().nth(place)), error, is_told);
        }
    }

    /// The rules of calls outside any run, with the budgets that stand around.
    pub(super) fn outside_runs(purse: Option<&Purse>) -> Rules {
        let rules = Rules::default().paid_from(purse);
        match purse.and_then(Purse::prices) {
            Some(prices) => Rules { prices: prices.clone(), ..rules },
            None => rules,
        }
    }
}
