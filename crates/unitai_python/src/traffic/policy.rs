//! The rules for a run's model traffic.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_wire::meter::{Price, PriceTable};

use super::{Budget, prices};

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
    pub(super) budget: Option<unitai_wire::meter::Budget>,
    pub(super) prices: Arc<PriceTable>,
    pub(super) blocks_network: bool,
    pub(super) asks_for_usage: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            model: None,
            budget: None,
            prices: release_prices(),
            blocks_network: false,
            asks_for_usage: true,
        }
    }
}

/// The model that every run uses, unless it says otherwise: the `--model` of the command line.
static DEFAULT_MODEL: Mutex<Option<Arc<str>>> = Mutex::new(None);

/// Sets the model that every run uses instead of its own.
#[pyfunction]
#[pyo3(signature = (model))]
pub(crate) fn set_default_model(model: Option<&str>) {
    *DEFAULT_MODEL.lock().unwrap_or_else(PoisonError::into_inner) = model.map(Arc::from);
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (*, budget=None, prices=None, block_network=false, ask_for_usage=true))]
    fn new(
        budget: Option<&Bound<'_, Budget>>,
        prices: Option<&Bound<'_, PyDict>>,
        block_network: bool,
        ask_for_usage: bool,
    ) -> PyResult<Policy> {
        let prices = match prices {
            Some(overrides) => Arc::new(prices::read(overrides)?),
            None => release_prices(),
        };
        let budget = budget.map(|budget| budget.get().ledger.clone());
        let rules = Rules {
            model: None,
            budget,
            prices,
            blocks_network: block_network,
            asks_for_usage: ask_for_usage,
        };
        Ok(Policy { rules })
    }
}

impl Rules {
    /// The model to use instead of what a request asks for.
    pub(super) fn model(&self) -> Option<Arc<str>> {
        self.model.clone().or_else(|| DEFAULT_MODEL.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// The price of a model that is not on this machine.
    pub(crate) fn price(&self, model: &str) -> Option<&Price> {
        self.prices.price_of(model)
    }

    /// The rules of a policy, with another model if one is given.
    pub(crate) fn of(policy: Option<&Bound<'_, Policy>>, model: Option<&str>) -> Rules {
        let rules = policy.map(|policy| policy.get().rules.clone()).unwrap_or_default();
        Rules { model: model.map(Arc::from).or(rules.model), ..rules }
    }
}

fn release_prices() -> Arc<PriceTable> {
    static RELEASE: LazyLock<Arc<PriceTable>> = LazyLock::new(|| Arc::new(PriceTable::release().clone()));
    RELEASE.clone()
}
