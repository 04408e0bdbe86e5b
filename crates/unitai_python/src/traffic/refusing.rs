//! Requests that are refused, and connections that must not be opened.

use pyo3::prelude::*;
use unitai_model::value::plain;
use unitai_wire::common::Refusal;
use unitai_wire::exchange::Asked;
use unitai_wire::grpc;

use super::answering::named;
use super::belonging::{Owner, is_network_blocked, owner, owner_of_request};
use super::live_models::refuse_live_connection;
use super::reply::Content;
use super::{Reply, Voice};
use crate::errors::Trouble;
use crate::run::cancelled;

/// Refuses a request. A run is ended by it; outside a run the client gets an error that it does not
/// try again after, and the script remembers.
pub(super) fn refuse<'py>(
    py: Python<'py>,
    owner: &Owner,
    voice: Option<&Voice>,
    asked: Option<Asked>,
    error: PyErr,
) -> PyResult<Bound<'py, Reply>> {
    if let Some(voice) = voice {
        voice.note_trouble(py, &error);
    }
    if let Some(run) = owner.run() {
        if let Some(asked) = asked {
            let message = text(py, &error);
            let first_line = message.lines().next().unwrap_or_default();
            run.note_refused_call(py, asked, owner.source(), first_line)?;
        }
        run.doom(py, error);
        return Err(cancelled(py));
    }
    refusal(py, asked.as_ref(), &error)
}

/// What the client of a refused request gets: an error that it does not try again after.
pub(super) fn refusal<'py>(
    py: Python<'py>,
    asked: Option<&Asked>,
    error: &PyErr,
) -> PyResult<Bound<'py, Reply>> {
    let refusal = Refusal { status: 400, message: text(py, error) };
    let (body, mut headers) = match asked {
        Some(asked) => (asked.dialect.write_refusal(&refusal), asked.dialect.refusal_headers(400)),
        None => (serde_json::json!({"error": {"message": refusal.message}}).to_string(), Vec::new()),
    };
    headers.extend([("content-type", "application/json".to_owned()), ("x-should-retry", "false".to_owned())]);
    let (headers, content) = (named(headers), Content::Whole(body.into_bytes()));
    Bound::new(py, Reply::new(400, headers, content))
}

fn text(py: Python<'_>, error: &PyErr) -> String {
    error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned())
}

/// Refuses a request that no budget pays for; gives what its sender gets. A run is ended by it; whoever is in none
/// is told at once, and no script is to blame.
pub(super) fn unpaid(py: Python<'_>, owner: &Owner, asked: Asked, error: PyErr) -> PyErr {
    if owner.run().is_none() {
        return error;
    }
    match refuse(py, owner, None, Some(asked), error) {
        Ok(_) => cancelled(py),
        Err(error) => error,
    }
}

/// Why a connection must not be opened; `None` when it may.
#[pyfunction]
#[pyo3(signature = (host, port, family))]
pub(crate) fn refuse_connection(
    py: Python<'_>,
    host: &str,
    port: Option<u16>,
    family: &str,
) -> PyResult<Option<Py<PyAny>>> {
    if family == "AF_UNIX" || unitai_wire::is_local(host) || host.is_empty() {
        return Ok(None);
    }
    let is_model = unitai_wire::is_model_host(host);
    judge(py, &Contact { by: By::Socket, place: place(host, port), is_model })
}

/// Why a gRPC call must not be made; `None` when it may. Its connection is opened outside Python, where no guard on sockets
/// sees it, so each call is judged as a connection would be. `target` is what its channel was made with; `None` for a
/// channel that was made where nobody saw it.
#[pyfunction]
#[pyo3(signature = (target, method))]
pub(crate) fn refuse_grpc_call(
    py: Python<'_>,
    target: Option<&str>,
    method: &str,
) -> PyResult<Option<Py<PyAny>>> {
    let is_model = grpc::is_model_method(method);
    let Some(target) = target else {
        let place = "a server that is not known, for the channel was made before the test".to_owned();
        return judge(py, &Contact { by: By::Grpc, place, is_model });
    };
    for (host, port) in grpc::servers(target) {
        if unitai_wire::is_local(host) || host.is_empty() {
            continue;
        }
        let is_model = is_model || unitai_wire::is_model_host(host);
        if let Some(error) = judge(py, &Contact { by: By::Grpc, place: place(host, port), is_model })? {
            return Ok(Some(error));
        }
    }
    Ok(None)
}

/// How a server is about to be asked.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// Through a socket of Python. It may be that of a client whose requests are seen and paid for.
    Socket,
    /// By gRPC, whose requests are never seen.
    Grpc,
}

/// A server that is about to be asked.
struct Contact {
    by: By,
    place: String,
    is_model: bool,
}

fn place(host: &str, port: Option<u16>) -> String {
    port.map_or_else(|| plain(host).to_string(), |port| format!("{}:{port}", plain(host)))
}

/// Why somebody must not be asked; `None` when there is nothing against it.
fn judge(py: Python<'_>, contact: &Contact) -> PyResult<Option<Py<PyAny>>> {
    let Contact { by, place, is_model } = contact;
    let owner = match owner(py) {
        Ok(owner) => owner,
        // Whose it is matters only for a model: other connections are no concern of an ended run.
        Err(_) if *is_model => owner_of_request(py)?,
        Err(_) => None,
    };
    let is_blocked = is_network_blocked() || owner.as_ref().is_some_and(Owner::blocks_network);
    let voice = owner.as_ref().and_then(Owner::voice).filter(|voice| voice.keeps_models_in());
    let rules = owner.as_ref().map(Owner::rules).filter(|_| *by == By::Grpc);
    let unpaid = rules.filter(|rules| rules.budgets().iter().next().is_some());
    let what = if *by == By::Grpc { "gRPC call" } else { "connection" };
    let refused = format!("a {what} to {place} was refused");
    let class = "NetworkBlockedError";
    let trouble = if is_blocked {
        Trouble::new(class, format!("{refused}: the test blocks the network"))
    } else if let (Some(voice), true) = (voice, is_model) {
        let how = if matches!(voice, Voice::Script(_)) { "scripted" } else { "replayed" };
        Trouble::new(class, format!("{refused}: the model is {how}")).remedy(remedy(*by))
    } else if let (Some(_), true) = (&unpaid, is_model) {
        let why = "there is a budget, and what such a call costs cannot be known";
        Trouble::new(class, format!("{refused}: {why}")).remedy(remedy(*by))
    } else if let Some(trouble) =
        is_model.then(|| refuse_live_connection(py, owner.as_ref(), place)).flatten()
    {
        trouble
    } else {
        return Ok(None);
    };
    let trouble = match caller(py) {
        Some(caller) => trouble.found(caller),
        None => trouble,
    };
    let error = trouble.into_err(py);
    if let (false, Some(voice)) = (is_blocked, owner.as_ref().and_then(Owner::voice)) {
        voice.note_trouble(py, &error);
    }
    if let (true, Some(rules)) = (is_model, &unpaid) {
        rules.note(py, None, &error, true);
    }
    Ok(Some(error.into_value(py).into_any()))
}

fn remedy(by: By) -> &'static str {
    match by {
        By::Grpc => {
            "use the provider's HTTP API, whose requests can be seen: transport=\"rest\" for Vertex AI, the OpenAI client with \
             base_url=\"https://api.x.ai/v1\" for xAI"
        }
        By::Socket => {
            "use a client on httpx, httpx2, urllib3 or aiohttp, whose requests can be answered from memory"
        }
    }
}

/// The innermost frame that is no library's: who wants the connection.
fn caller(py: Python<'_>) -> Option<String> {
    let module = py.import("unitai.traffic.sockets").ok()?;
    module.getattr("offender").ok()?.call0().ok()?.extract().ok()?
}
