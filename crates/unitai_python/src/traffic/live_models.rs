//! Whether a model may be called live: the setting `live_models`, and the tests that it lets.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use unitai_config::{LiveModels, Name};
use unitai_model::value::plain;
use unitai_wire::Target;
use unitai_wire::exchange::Asked;

use super::Reply;
use super::belonging::Owner;
use super::refusing::{refusal, refuse};
use crate::errors::Trouble;
use crate::settings::standing_quietly;

/// How many tests and runs of repeated tests are under way that may call models live. It holds for the whole process: a
/// thread without context that such a test started is meant, too.
static LET: AtomicUsize = AtomicUsize::new(0);

/// The first call that was refused, where no recordings note it.
static UNTOLD: Mutex<Option<Py<PyBaseException>>> = Mutex::new(None);

fn untold() -> MutexGuard<'static, Option<Py<PyBaseException>>> {
    UNTOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A test that may call models live begins, or a run of a repeated one.
#[pyfunction]
pub(crate) fn permit_live_models() {
    LET.fetch_add(1, Ordering::Relaxed);
}

/// Takes back one `permit_live_models`.
#[pyfunction]
pub(crate) fn revoke_live_models() {
    LET.fetch_sub(1, Ordering::Relaxed);
}

/// Whether the setting keeps some test from calling models live.
#[pyfunction]
pub(crate) fn limits_live_models() -> bool {
    standing_quietly().settings.live_models() != LiveModels::Allow
}

/// The first live call that was refused since somebody last asked.
#[pyfunction]
pub(crate) fn refused_live_call() -> Option<Py<PyBaseException>> {
    untold().take()
}

/// What keeps a model from being called live here, if something does.
pub(super) fn live_limit() -> Option<LiveModels> {
    match standing_quietly().settings.live_models() {
        LiveModels::Allow => None,
        LiveModels::Marked if LET.load(Ordering::Relaxed) > 0 => None,
        limit => Some(limit),
    }
}

/// Refuses a request that would go out to a model. A run is ended by it; outside of a run its client gets an error that
/// it does not try again after. Either may be swallowed, so it is noted with the recordings that were to take it, or else
/// for whoever runs the test, who asks with `refused_live_call`.
pub(super) fn refuse_live<'py>(
    py: Python<'py>,
    limit: LiveModels,
    owner: Option<&Owner>,
    target: &Target<'_>,
    asked: Option<Asked>,
) -> PyResult<Bound<'py, Reply>> {
    let model = asked.as_ref().map(|asked| asked.request.model.as_str()).filter(|model| !model.is_empty());
    let model = model.map_or_else(|| "a model".to_owned(), |model| format!("the model {}", plain(model)));
    let place = format!("{}{}", plain(target.host), plain(target.path));
    let error = trouble(limit, &model).found(format!("a request to {place}, and {}", said())).into_err(py);
    let voice = owner.and_then(Owner::voice);
    if voice.is_none() {
        note(py, &error);
    }
    match owner {
        Some(owner) => refuse(py, owner, voice, asked, error),
        None => refusal(py, asked.as_ref(), &error),
    }
}

/// Refuses a connection to a model's host, by a client whose requests nobody sees; `None` when it may be opened.
pub(super) fn refuse_live_connection(py: Python<'_>, owner: Option<&Owner>, place: &str) -> Option<Trouble> {
    let limit = live_limit()?;
    let trouble = trouble(limit, "a model");
    let error = trouble.found(format!("a connection to {place}, and {}", said()));
    let told = error.into_err(py);
    note(py, &told);
    if let Some(run) = owner.and_then(Owner::run) {
        run.doom(py, told);
    }
    let message = format!("a connection to {place} was refused: the test may not call models live");
    Some(Trouble::new("NetworkBlockedError", message).expected(said()).remedy(remedy(limit)))
}

fn note(py: Python<'_>, error: &PyErr) {
    let mut untold = untold();
    if untold.is_none() {
        *untold = Some(error.value(py).clone().unbind());
    }
}

fn trouble(limit: LiveModels, model: &str) -> Trouble {
    let why = match limit {
        LiveModels::Never => "no test may do that",
        LiveModels::Allow | LiveModels::Marked => "this test is not marked for that",
    };
    Trouble::new("UnexpectedModelCallError", format!("{model} would have been called live, and {why}"))
        .expected("a script or a recording that answers")
        .remedy(remedy(limit))
}

fn remedy(limit: LiveModels) -> &'static str {
    match limit {
        LiveModels::Never => {
            "script the model, or replay a recording; `--live-models=marked` lets the tests that are marked with \
             @pytest.mark.unitai_live"
        }
        LiveModels::Allow | LiveModels::Marked => {
            "script the model, or replay a recording; or mark the test with @pytest.mark.unitai_live (repeated tests need no \
             mark); `--live-models=allow` lets every test"
        }
    }
}

/// The setting and who said it.
fn said() -> String {
    let standing = standing_quietly();
    let setting = standing.settings.get(Name::LiveModels);
    format!("live_models is {} ({})", setting.value, setting.source)
}
