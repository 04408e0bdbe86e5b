//! The decision about one request: answer it, let it out, or refuse it.

use std::borrow::Cow;

use pyo3::prelude::*;
use unitai_model::value::plain;
use unitai_model::{Money, Source};
use unitai_wire::common::Refusal;
use unitai_wire::exchange::Asked;
use unitai_wire::meter::Reservation;
use unitai_wire::script::{Fail, Move, Play};
use unitai_wire::{Target, dialects, encoding};

use super::belonging::{Owner, is_network_blocked, owner, owner_of_request};
use super::matcher::is_asking;
use super::policy::Rules;
use super::reply::Content;
use super::watched::Watched;
use super::{Passage, Reply, Script};
use crate::errors::{Trouble, invalid};
use crate::gate::without_interpreter;
use crate::run::{Run, cancelled, unpriced};

/// Bodies above this are read without holding the interpreter.
const LARGE: usize = 1 << 16;

/// Whether a request may be one to a model that a run or a script here must know of. Its body has not
/// been read yet.
#[pyfunction]
pub(crate) fn claims(py: Python<'_>, method: &str, url: &str) -> PyResult<bool> {
    let Some(target) = Target::of(url) else { return Ok(false) };
    let speaks = method.eq_ignore_ascii_case("POST") && dialects::claiming(&target).is_some();
    let is_model_host = target.is_model_host();
    if !speaks && !is_model_host {
        return Ok(false);
    }
    match owner(py) {
        Ok(owner) => Ok(owner.is_some_and(|owner| speaks || owner.script().is_some())),
        // Only its body tells whether it is a model's at all.
        Err(_) if !is_model_host => Ok(true),
        Err(_) => owner_of_request(py).map(|_| true),
    }
}

/// What to do with a request: a `Reply` from memory, a `Passage` to the provider, or nothing at all.
#[pyfunction]
pub(crate) fn decide<'py>(
    py: Python<'py>,
    method: &str,
    url: &str,
    content_encoding: &str,
    body: &[u8],
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(target) = Target::of(url) else { return Ok(None) };
    let speaks = method.eq_ignore_ascii_case("POST") && dialects::claiming(&target).is_some();
    if !speaks && !target.is_model_host() {
        return Ok(None);
    }
    let decoded = match content_encoding {
        "" | "identity" => Cow::Borrowed(body),
        encoding => match encoding::decode(encoding, body) {
            Ok(decoded) => Cow::Owned(decoded),
            Err(_) => Cow::Borrowed(body),
        },
    };
    let asked = if decoded.len() > LARGE {
        let decoded: &[u8] = &decoded;
        without_interpreter(py, || Asked::read(&target, decoded))
    } else {
        Asked::read(&target, &decoded)
    };
    if asked.is_none() && !target.is_model_host() {
        return Ok(None);
    }
    let Some(owner) = owner_of_request(py)? else { return Ok(None) };
    match (asked, owner.script()) {
        (Some(asked), Some(script)) => {
            let script = script.clone_ref(py);
            answer(py, owner, script.get(), asked).map(|reply| Some(reply.into_any()))
        }
        (Some(asked), None) => {
            let_out(py, owner, asked, &target, url, &decoded).map(|passage| Some(passage.into_any()))
        }
        // A script is on, so nothing may leave for a model; but this is nothing that it can answer.
        (None, Some(script)) => {
            let error = Trouble::new(
                "UnexpectedModelCallError",
                "no script can answer this request to a model's host",
            )
            .expected("a request that makes a model speak, in a dialect that UnitAI knows")
            .found(format!("{} {}", method.to_ascii_uppercase(), plain(url)))
            .remedy("mock the tool that sends it, or take it out of the scripted part of the test")
            .into_err(py);
            let script = script.clone_ref(py);
            refuse(py, &owner, Some(script.get()), None, error).map(|reply| Some(reply.into_any()))
        }
        (None, None) => Ok(None),
    }
}

/// Answers from the script.
fn answer<'py>(
    py: Python<'py>,
    owner: Owner,
    script: &Script,
    mut asked: Asked,
) -> PyResult<Bound<'py, Reply>> {
    let rules = owner.rules();
    if let Some(model) = rules.model() {
        asked.use_model(&model);
    }
    let run_id = owner.run().map_or("", |run| run.id()).to_owned();
    if is_asking() {
        let error =
            Trouble::new("UnexpectedModelCallError", "a condition of the script asks the model itself")
                .remedy("let the condition look at its text alone")
                .into_err(py);
        return refuse(py, &owner, Some(script), Some(asked), error);
    }
    let answers = asked.request.answers();
    if answers > 1 {
        let error =
            Trouble::new("UnexpectedModelCallError", format!("a request asks for {answers} answers at once"))
                .expected("a request for one answer: a script has one for each")
                .remedy("let the agent ask for one (n=1), or ask several times")
                .into_err(py);
        return refuse(py, &owner, Some(script), Some(asked), error);
    }
    let reservation = match reserve(py, &owner, &rules, &asked) {
        Ok(reservation) => reservation,
        // The budget's trouble is not the script's.
        Err(error) => return refuse(py, &owner, None, Some(asked), error),
    };
    let (next, stamp) = match script.play(py, &run_id, &asked) {
        Ok(next) => next,
        Err(error) => {
            if let Some(reservation) = reservation {
                reservation.settle(Money::ZERO);
            }
            return refuse(py, &owner, Some(script), Some(asked), error);
        }
    };
    let reply = match next {
        Move::Play(play) => played(play, &asked, stamp),
        Move::Fail(fail) => failed(fail, &asked),
    };
    let watched = Watched::begin(py, owner, asked, Source::Script, false, reservation, rules.prices.clone())?;
    Bound::new(py, Reply { watched: Some(watched), ..reply })
}

fn played(play: &Play, asked: &Asked, stamp: unitai_wire::common::Stamp) -> Reply {
    let answer = play.answer(&asked.request);
    let (kind, content, pace) = if asked.request.streamed {
        let events = asked.stream(&answer, stamp);
        let content =
            if play.pace.is_zero() { Content::Whole(events.concat()) } else { Content::Paced(events) };
        (asked.dialect.stream_content_type(), content, play.pace)
    } else {
        let body = asked.dialect.write_answer(&asked.request, &answer, stamp);
        ("application/json", Content::Whole(body.into_bytes()), std::time::Duration::ZERO)
    };
    Reply {
        status: 200,
        headers: vec![("content-type", kind.to_owned()), ("x-request-id", stamp.answer_id("req_"))],
        content,
        delay: play.delay.as_secs_f64(),
        pace: pace.as_secs_f64(),
        answer: Some(answer),
        watched: None,
    }
}

fn failed(fail: &Fail, asked: &Asked) -> Reply {
    let mut headers = vec![("content-type", "application/json".to_owned())];
    if let Some(seconds) = fail.retry_after {
        headers.push(("retry-after", seconds.to_string()));
    }
    headers.extend(asked.dialect.refusal_headers(fail.refusal.status));
    Reply {
        status: fail.refusal.status,
        headers,
        content: Content::Whole(asked.dialect.write_refusal(&fail.refusal).into_bytes()),
        delay: fail.delay.as_secs_f64(),
        pace: 0.0,
        answer: None,
        watched: None,
    }
}

/// Lets a request out to its provider.
fn let_out<'py>(
    py: Python<'py>,
    owner: Owner,
    mut asked: Asked,
    target: &Target<'_>,
    url: &str,
    body: &[u8],
) -> PyResult<Bound<'py, Passage>> {
    let rules = owner.rules();
    let is_other = rules.model().is_some_and(|model| *model != *asked.request.model);
    if is_other && asked.dialect.is_signed() && owner.run().is_some() {
        let error = invalid(
            py,
            format!("the model cannot be overridden: {} requests are signed", asked.dialect.name()),
        );
        return refuse(py, &owner, None, Some(asked), error).and(Err(cancelled(py)));
    }
    let rewritten = asked.rewrite(target.path, body, rules.model().as_deref(), rules.asks_for_usage);
    let reservation = match reserve(py, &owner, &rules, &asked) {
        Ok(reservation) => reservation,
        // Only a run has a budget, so only a run is refused here.
        Err(error) => return refuse(py, &owner, None, Some(asked), error).and(Err(cancelled(py))),
    };
    let (new_path, new_body, hides_usage) = match rewritten {
        Some(rewritten) => (rewritten.path, Some(rewritten.body), rewritten.asks_for_usage),
        None => (None, None, false),
    };
    let watched =
        Watched::begin(py, owner, asked, Source::Live, hides_usage, reservation, rules.prices.clone())?;
    let url = new_path.map(|path| url.replacen(target.path, &path, 1));
    Bound::new(py, Passage { watched, url, body: new_body, wants_identity: hides_usage })
}

/// Sets aside what the call can cost, where there is a budget.
fn reserve(py: Python<'_>, owner: &Owner, rules: &Rules, asked: &Asked) -> PyResult<Option<Reservation>> {
    let Some(budget) = &rules.budget else { return Ok(None) };
    let Some(worst) = asked.worst_cost(&rules.prices, owner.run().map_or(0, Run::most_tokens)) else {
        return Err(unpriced(py, &asked.request.model));
    };
    budget.reserve(worst).map(Some).map_err(|over| {
        let left = over.limit.minus(over.spent).minus(over.reserved);
        let cap = match asked.request.max_output {
            Some(tokens) => format!("with at most {tokens} tokens of output"),
            None => "with no limit of its output".to_owned(),
        };
        Trouble::new("CostLimitExceeded", "the budget does not allow another model call")
            .expected(format!(
                "a call of at most {} (limit {}, spent {}, under way {})",
                left.shown(),
                over.limit.shown(),
                over.spent.shown(),
                over.reserved.shown()
            ))
            .found(format!(
                "a call of {} that can cost {} {cap}",
                plain(&asked.request.model),
                over.asked.shown()
            ))
            .into_err(py)
    })
}

/// Refuses a request. A run is ended by it; outside a run the client gets an error that it does not
/// try again after, and the script remembers.
fn refuse<'py>(
    py: Python<'py>,
    owner: &Owner,
    script: Option<&Script>,
    asked: Option<Asked>,
    error: PyErr,
) -> PyResult<Bound<'py, Reply>> {
    if let Some(script) = script {
        script.note_trouble(py, &error);
    }
    let message =
        error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned());
    if let Some(run) = owner.run() {
        if let Some(asked) = asked {
            let source = if owner.script().is_some() { Source::Script } else { Source::Live };
            let first_line = message.lines().next().unwrap_or_default();
            run.note_refused_call(py, asked, source, first_line)?;
        }
        run.doom(py, error);
        return Err(cancelled(py));
    }
    let refusal = Refusal { status: 400, message };
    let (body, mut headers) = match &asked {
        Some(asked) => (asked.dialect.write_refusal(&refusal), asked.dialect.refusal_headers(400)),
        None => (serde_json::json!({"error": {"message": refusal.message}}).to_string(), Vec::new()),
    };
    headers.extend([("content-type", "application/json".to_owned()), ("x-should-retry", "false".to_owned())]);
    let content = Content::Whole(body.into_bytes());
    Bound::new(
        py,
        Reply { status: 400, headers, content, delay: 0.0, pace: 0.0, answer: None, watched: None },
    )
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
    let owner = match owner(py) {
        Ok(owner) => owner,
        // Whose it is matters only for a model's host: other connections are no concern of an ended run.
        Err(_) if unitai_wire::is_model_host(host) => owner_of_request(py)?,
        Err(_) => None,
    };
    let is_blocked = is_network_blocked() || owner.as_ref().is_some_and(Owner::blocks_network);
    let is_scripted = owner.as_ref().is_some_and(|owner| owner.script().is_some());
    let place = port.map_or_else(|| plain(host).to_string(), |port| format!("{}:{port}", plain(host)));
    let class = "NetworkBlockedError";
    let trouble = if is_blocked {
        Trouble::new(class, format!("a connection to {place} was refused: the test blocks the network"))
    } else if is_scripted && unitai_wire::is_model_host(host) {
        Trouble::new(class, format!("a connection to {place} was refused: the model is scripted"))
            .remedy("use a client on httpx, httpx2, urllib3 or aiohttp, whose requests the script can answer")
    } else {
        return Ok(None);
    };
    let trouble = match caller(py) {
        Some(caller) => trouble.found(caller),
        None => trouble,
    };
    let error = trouble.into_err(py);
    if let (false, Some(script)) = (is_blocked, owner.as_ref().and_then(Owner::script)) {
        script.get().note_trouble(py, &error);
    }
    Ok(Some(error.into_value(py).into_any()))
}

/// The innermost frame that is no library's: who wants the connection.
fn caller(py: Python<'_>) -> Option<String> {
    let module = py.import("unitai.traffic.sockets").ok()?;
    module.getattr("offender").ok()?.call0().ok()?.extract().ok()?
}
