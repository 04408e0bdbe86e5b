//! Model calls in the record of a run.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, Weak};

use pyo3::prelude::*;
use unitai_model::{ModelCall, Money, Source, Usage};
use unitai_wire::exchange::{Asked, Exchange};

use super::session::shared;
use super::{Run, unpriced_with_budget};
use crate::agents::agent_here;
use crate::errors::amount;
use crate::traffic::{Watched, count_call, patiently, rules_here, unsettled};

impl Run {
    /// Writes down a call that the agent or its adapter reports.
    pub(super) fn note_model_call(
        &self,
        py: Python<'_>,
        model: &str,
        usage: Option<Usage>,
        cost: Option<f64>,
        agent_id: Option<&str>,
    ) -> PyResult<()> {
        let step = self.write_model_call(py, model, agent_id)?;
        self.end_model_call(py, step, model, usage, cost)
    }

    /// Writes down a call that a framework has begun, of which nothing is known so far; gives its step.
    pub(super) fn write_model_call(
        &self,
        py: Python<'_>,
        model: &str,
        agent_id: Option<&str>,
    ) -> PyResult<usize> {
        let call = ModelCall { model: Arc::from(model), usage: None, cost: None, exchange: None };
        let written = self.port.model_call(self.now(), shared(agent_id), call);
        self.accept(py, written, "a model call")
    }

    /// Writes down what such a call took, and pays for it.
    pub(super) fn end_model_call(
        &self,
        py: Python<'_>,
        step: usize,
        model: &str,
        usage: Option<Usage>,
        cost: Option<f64>,
    ) -> PyResult<()> {
        let cost = match cost {
            None => usage.and_then(|usage| self.rules().price(model)?.cost(&usage, None)),
            Some(dollars) => Some(amount(py, dollars)?),
        };
        let call = ModelCall { model: Arc::from(model), usage, cost, exchange: None };
        count_call(&call);
        let _ = self.port.settle_model_call(step, call);
        self.pay(py, model, cost).inspect_err(|error| self.doom(py, error.clone_ref(py)))
    }

    /// Pays for a call that was made without asking. If a budget does not hold any more, the run must end.
    fn pay(&self, py: Python<'_>, model: &str, cost: Option<Money>) -> PyResult<()> {
        let rules = rules_here(py, self.rules())?;
        let budgets = rules.budgets();
        if budgets.is_empty() {
            return Ok(());
        }
        let Some(cost) = cost else {
            if budgets.lets_unpriced_through(model) {
                return Ok(());
            }
            let error = unpriced_with_budget(py, model, true);
            rules.note(py, None, &error, true);
            return Err(error);
        };
        let remedy = "raise the budget, or let the agent ask less; what is reported is spent already";
        patiently(py, budgets.may_wait(), || budgets.spend(cost)).map_err(|trouble| {
            let error = unsettled(py, &trouble, model, remedy);
            rules.note(py, trouble.place(), &error, true);
            error
        })
    }

    /// Writes down a call that has only begun; gives its step.
    pub(crate) fn begin_model_call(&self, py: Python<'_>, call: ModelCall) -> PyResult<usize> {
        let agent_id = agent_here(py)?;
        let written = self.port.model_call(self.now(), shared(agent_id.as_deref()), call);
        let step = self.accept(py, written, "a model call")?;
        self.attribute_model_call(py)?;
        Ok(step)
    }

    /// The most tokens that one model call took: no conversation that a provider holds is longer.
    pub(crate) fn most_tokens(&self) -> u64 {
        self.most_tokens.load(Ordering::Relaxed)
    }

    /// Keeps an eye on a call under way.
    pub(crate) fn watch(&self, call: &Arc<Watched>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|call| call.strong_count() > 0);
        calls.push(Arc::downgrade(call));
    }

    /// Settles calls whose answer has begun, though the client never said that it was done with it.
    pub(super) fn settle_begun_calls(&self, py: Python<'_>) {
        let calls = std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner));
        for call in calls.iter().filter_map(Weak::upgrade) {
            call.settle_if_begun(py);
        }
    }

    /// Writes down how a call ended. One that outlives its run stays unfinished in its record.
    pub(crate) fn settle_model_call(&self, step: usize, call: ModelCall) {
        self.most_tokens.fetch_max(call.usage.map_or(0, |usage| usage.total()), Ordering::Relaxed);
        let _ = self.port.settle_model_call(step, call);
    }

    /// Writes down a call that was not let through.
    pub(crate) fn note_refused_call(
        &self,
        py: Python<'_>,
        asked: Asked,
        source: Source,
        reason: &str,
    ) -> PyResult<()> {
        self.begin_model_call(py, Exchange::refused(asked, source, reason)).map(|_| ())
    }
}
