//! Requests that go out to their provider: changed where they must be, paid for in advance, watched.

use pyo3::prelude::*;
use unitai_model::Source;
use unitai_model::value::plain;
use unitai_wire::cassette::Tape;
use unitai_wire::exchange::{Asked, Exchange, Rewritten};
use unitai_wire::meter::{Reservation, Unreserved};

use super::Passage;
use super::belonging::Owner;
use super::budget::{ledger_error, patiently};
use super::faulting::Outlook;
use super::live_models::{live_limit, refuse_live};
use super::passage::Traveller;
use super::policy::Rules;
use super::refusing::unpaid;
use super::sent::Sent;
use super::watched::Watched;
use crate::errors::{Trouble, invalid};
use crate::run::{Run, unpriced_with_budget};

/// Changes a request as it must be before it is sent: another model, and a question for usage.
pub(super) fn rewrite(
    py: Python<'_>,
    owner: &Owner,
    asked: &mut Asked,
    sent: &Sent<'_, '_>,
) -> PyResult<Option<Rewritten>> {
    let model = owner.model();
    let is_other = model.as_ref().is_some_and(|model| **model != *asked.request.model);
    if is_other && asked.dialect.is_signed() {
        let name = asked.dialect.name();
        return Err(invalid(py, format!("the model cannot be overridden: {name} requests are signed")));
    }
    Ok(asked.rewrite(sent.target.path, sent.body, model.as_deref(), owner.rules().asks_for_usage))
}

/// Lets a request out to its provider; onto a tape, if there is one. Gives a `Passage`, or the `Reply` of a refusal.
pub(super) fn let_out<'py>(
    py: Python<'py>,
    owner: Owner,
    asked: Asked,
    rewritten: Option<Rewritten>,
    sent: &Sent<'_, 'py>,
    tape: Option<Tape>,
    outlook: &Outlook,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(limit) = live_limit() {
        return refuse_live(py, limit, Some(&owner), &sent.target, Some(asked)).map(Bound::into_any);
    }
    let rules = owner.rules();
    let reservation = match reserve(py, &owner, &rules, &asked) {
        Ok(reservation) => reservation,
        Err(error) => return Err(unpaid(py, &owner, asked, error)),
    };
    let (new_path, new_body, hides_usage) = match rewritten {
        Some(rewritten) => (rewritten.path, Some(rewritten.body), rewritten.asks_for_usage),
        None => (None, None, false),
    };
    // A recording is decoded anyway, where a header that is signed cannot be changed.
    let framing = asked.request.streamed.then(|| asked.dialect.framing());
    let spoiled = outlook.met.as_ref().and_then(|met| met.spoiled(framing));
    let (delay, pace) = outlook.met.as_ref().map_or((0.0, 0.0), |met| met.lateness());
    let wants_identity = hides_usage || ((tape.is_some() || spoiled.is_some()) && !asked.dialect.is_signed());
    let exchange = Exchange::begin(asked, Source::Live, hides_usage);
    let watched = Watched::begin(py, owner, exchange, reservation, tape, rules.prices.clone())?;
    if let Some(met) = &outlook.met {
        watched.note_fault(met.recorded());
    }
    let url = new_path.map(|path| sent.url.replacen(sent.target.path, &path, 1));
    let traveller = Traveller::Model(watched);
    let passage = Passage { traveller, url, body: new_body, wants_identity, spoiled, delay, pace };
    Bound::new(py, passage).map(Bound::into_any)
}

/// Sets aside what the call can cost, where there is a budget.
pub(super) fn reserve(
    py: Python<'_>,
    owner: &Owner,
    rules: &Rules,
    asked: &Asked,
) -> PyResult<Option<Reservation>> {
    if rules.budgets.is_empty() {
        return Ok(None);
    }
    let Some(worst) = asked.worst_cost(&rules.prices, owner.run().map_or(0, Run::most_tokens)) else {
        // A script is paid by nobody. Who gives a budget together with it wants to see it spent; who gives one to a
        // whole suite must not be told to price the models that scripts invent.
        if owner.source() == Source::Script && !rules.has_own_budget {
            return Ok(None);
        }
        if rules.budgets.lets_unpriced_through(&asked.request.model) {
            return Ok(None);
        }
        let error = unpriced_with_budget(py, &asked.request.model, owner.run().is_some());
        rules.note(py, None, &error, true);
        return Err(error);
    };
    let reserved = patiently(py, rules.budgets.may_wait(), || rules.budgets.reserve(worst));
    reserved.map(Some).map_err(|refused| match refused {
        Unreserved::Ledger(error) => ledger_error(py, &error),
        Unreserved::Over(over) => {
            let cap = match asked.request.max_output {
                Some(tokens) => format!("with at most {tokens} tokens of output"),
                None => "with no limit of its output".to_owned(),
            };
            let (model, asked) = (plain(&asked.request.model), over.asked.shown());
            let error = Trouble::new("CostLimitExceeded", over.message())
                .expected(over.expected())
                .found(format!("a call of {model} that can cost {asked} {cap}"))
                .remedy(over.remedy())
                .whose(over.whose.name())
                .into_err(py);
            rules.note(py, Some(over.place), &error, true);
            error
        }
    })
}
