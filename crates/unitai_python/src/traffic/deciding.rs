//! The decision about one request: answer it, let it out, or refuse it.

use std::borrow::Cow;

use pyo3::prelude::*;
use unitai_model::value::plain;
use unitai_model::{Money, Source};
use unitai_wire::cassette::{Inquiry, Look, Recording, Tape};
use unitai_wire::common::Refusal;
use unitai_wire::exchange::{Asked, Exchange, Rewritten};
use unitai_wire::meter::Reservation;
use unitai_wire::script::{Fail, Move, Play};
use unitai_wire::{Target, dialects, encoding};

use super::belonging::{Owner, is_declared_api, is_network_blocked, owner, owner_of_request};
use super::faulting::{Outlook, Remembered};
use super::headers::pairs;
use super::matcher::is_asking;
use super::passage::{Taping, Traveller};
use super::policy::Rules;
use super::reply::Content;
use super::watched::Watched;
use super::{Cassette, Passage, Reply, Script, Voice};
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
    if !speaks && !is_model_host && !is_declared_api(py, url) {
        return Ok(false);
    }
    match owner(py) {
        Ok(owner) => Ok(owner.is_some_and(|owner| speaks || owner.voice().is_some())),
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
    headers: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(target) = Target::of(url) else { return Ok(None) };
    let speaks = method.eq_ignore_ascii_case("POST") && dialects::claiming(&target).is_some();
    let is_declared = !speaks && is_declared_api(py, url);
    if !speaks && !is_declared && !target.is_model_host() {
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
    if asked.is_none() && !is_declared && !target.is_model_host() {
        return Ok(None);
    }
    let Some(owner) = owner_of_request(py)? else { return Ok(None) };
    let sent = Sent { target, url, method, body: &decoded, headers };
    let outlook = match asked.as_ref().map(|asked| Outlook::of(py, &owner, asked)).transpose() {
        Ok(outlook) => outlook.unwrap_or_default(),
        Err(error) => return refuse(py, &owner, None, asked, error).map(|reply| Some(reply.into_any())),
    };
    match (asked, owner.voice().map(|voice| voice.clone_ref(py))) {
        (Some(asked), _) if outlook.is_instead() => fail_on_purpose(py, owner, asked, &outlook),
        (Some(asked), Some(voice)) if outlook.was_spoiled_before() => {
            answer_again(py, owner, &voice, asked, &outlook).map(|reply| Some(reply.into_any()))
        }
        (Some(asked), Some(Voice::Script(script))) => {
            answer(py, owner, script.get(), asked, &outlook).map(|reply| Some(reply.into_any()))
        }
        (Some(asked), Some(Voice::Cassette(cassette))) => {
            from_recordings(py, owner, cassette.get(), asked, &sent, &outlook).map(Some)
        }
        (Some(mut asked), None) => match rewrite(py, &owner, &mut asked, &sent) {
            Ok(rewritten) => let_out(py, owner, asked, rewritten, &sent, None, &outlook)
                .map(|passage| Some(passage.into_any())),
            Err(error) => refuse(py, &owner, None, Some(asked), error).map(|reply| Some(reply.into_any())),
        },
        (None, Some(Voice::Cassette(cassette))) => from_recordings_of_api(py, &owner, &cassette, &sent),
        // A script is on, so nothing may leave for a model; but this is nothing that it can answer. What is
        // declared to be recorded is no model's, and no concern of the script.
        (None, Some(Voice::Script(_))) if is_declared => Ok(None),
        (None, Some(Voice::Script(script))) => {
            let error = Trouble::new(
                "UnexpectedModelCallError",
                "no script can answer this request to a model's host",
            )
            .expected("a request that makes a model speak, in a dialect that UnitAI knows")
            .found(format!("{} {}", method.to_ascii_uppercase(), plain(url)))
            .remedy("mock the tool that sends it, or take it out of the scripted part of the test")
            .into_err(py);
            refuse(py, &owner, Some(&Voice::Script(script)), None, error).map(|reply| Some(reply.into_any()))
        }
        (None, None) => Ok(None),
    }
}

/// A request as its client sends it.
struct Sent<'a, 'py> {
    target: Target<'a>,
    url: &'a str,
    method: &'a str,
    body: &'a [u8],
    headers: &'a Bound<'py, PyAny>,
}

impl Sent<'_, '_> {
    /// What authorises it must never be written, wherever else it turns up.
    fn learn_secrets(&self, cassette: &Cassette) {
        if !cassette.is_replay() {
            // The environment may have changed since the cassette was opened, and something may be written.
            let _ = crate::secrets::here(self.headers.py());
        }
        let secrets = cassette.tapes.secrets();
        secrets.learn_url(self.url);
        pairs(self.headers, |name, value| secrets.learn_header(name, value));
    }
}

/// Answers from the recordings, or lets the request out to be recorded.
fn from_recordings<'py>(
    py: Python<'py>,
    owner: Owner,
    cassette: &Cassette,
    mut asked: Asked,
    sent: &Sent<'_, 'py>,
    outlook: &Outlook,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = owner.rules();
    let rewritten = if cassette.is_replay() {
        if let Some(model) = rules.model().filter(|model| **model != *asked.request.model) {
            asked.use_model(&model);
        }
        None
    } else {
        match rewrite(py, &owner, &mut asked, sent) {
            Ok(rewritten) => rewritten,
            Err(error) => return refuse(py, &owner, None, Some(asked), error).map(Bound::into_any),
        }
    };
    sent.learn_secrets(cassette);
    let recording = match cassette.look(py, Inquiry::of_model(&asked, sent.target.path)) {
        Ok(Look::Hit(recording)) => recording,
        Ok(Look::Record(ticket)) => {
            let tape = Some(Tape::new(ticket));
            return let_out(py, owner, asked, rewritten, sent, tape, outlook).map(Bound::into_any);
        }
        Err(error) => return refuse(py, &owner, owner.voice(), Some(asked), error).map(Bound::into_any),
    };
    let remembered = Remembered {
        reply: replayed(&recording, asked.request.streamed, cassette.is_paced),
        source: Source::Replay,
        hides_usage: recording.hides_usage,
        recorded_in: Some(recording.latency),
    };
    give(py, owner, asked, remembered, None, outlook).map(Bound::into_any)
}

/// Answers a request that makes no model speak from the recordings, or lets it out to be recorded.
fn from_recordings_of_api<'py>(
    py: Python<'py>,
    owner: &Owner,
    cassette: &Py<Cassette>,
    sent: &Sent<'_, 'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    sent.learn_secrets(cassette.get());
    match cassette.get().look(py, Inquiry::of_api(sent.method, sent.url, sent.body)) {
        Ok(Look::Hit(recording)) => {
            let reply = replayed(&recording, recording.chunks.len() > 1, cassette.get().is_paced);
            Bound::new(py, reply).map(|reply| Some(reply.into_any()))
        }
        Ok(Look::Record(ticket)) => {
            let tape = std::sync::Mutex::new(Some(Tape::new(ticket)));
            let traveller = Traveller::Api(Box::new(Taping { tape, cassette: cassette.clone_ref(py) }));
            let passage = Passage {
                traveller,
                url: None,
                body: None,
                wants_identity: true,
                spoiled: None,
                delay: 0.0,
                pace: 0.0,
            };
            Bound::new(py, passage).map(|passage| Some(passage.into_any()))
        }
        Err(error) => {
            let voice = Voice::Cassette(cassette.clone_ref(py));
            refuse(py, owner, Some(&voice), None, error).map(|reply| Some(reply.into_any()))
        }
    }
}

fn replayed(recording: &std::sync::Arc<Recording>, is_streamed: bool, is_paced: bool) -> Reply {
    let first = recording.chunks.first().map_or(0.0, |chunk| chunk.after);
    let (content, delay) = if is_streamed {
        (Content::Recorded { recording: recording.clone(), is_paced }, 0.0)
    } else {
        (Content::Whole(recording.body()), if is_paced { first } else { 0.0 })
    };
    let headers = recording.headers.iter().map(|(name, value)| (Cow::Owned(name.clone()), value.clone()));
    Reply { delay, ..Reply::new(recording.status, headers.collect(), content) }
}

/// Answers from the script.
fn answer<'py>(
    py: Python<'py>,
    owner: Owner,
    script: &Script,
    mut asked: Asked,
    outlook: &Outlook,
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
        return refuse(py, &owner, owner.voice(), Some(asked), error);
    }
    let answers = asked.request.answers();
    if answers > 1 {
        let error =
            Trouble::new("UnexpectedModelCallError", format!("a request asks for {answers} answers at once"))
                .expected("a request for one answer: a script has one for each")
                .remedy("let the agent ask for one (n=1), or ask several times")
                .into_err(py);
        return refuse(py, &owner, owner.voice(), Some(asked), error);
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
            return refuse(py, &owner, owner.voice(), Some(asked), error);
        }
    };
    let reply = match next {
        Move::Play(play) => played(play, &asked, stamp),
        Move::Fail(fail) => failed(fail, &asked),
    };
    let remembered = Remembered { reply, source: Source::Script, hides_usage: false, recorded_in: None };
    give(py, owner, asked, remembered, reservation, outlook)
}

/// Gives an answer from memory, through the fault that the request meets.
fn give<'py>(
    py: Python<'py>,
    owner: Owner,
    asked: Asked,
    remembered: Remembered,
    reservation: Option<Reservation>,
    outlook: &Outlook,
) -> PyResult<Bound<'py, Reply>> {
    let prices = owner.rules().prices.clone();
    let framing = (asked.request.streamed && remembered.reply.status == 200).then(|| asked.dialect.framing());
    let reply = outlook.through(&remembered, framing);
    let watched = Watched::begin(py, owner, remembered.exchange(asked), reservation, None, prices)?;
    if let Some(met) = &outlook.met {
        watched.note_fault(met.recorded());
    }
    Bound::new(py, Reply { watched: Some(watched), ..reply })
}

/// Gives the answer that a fault spoiled when the same was asked before.
fn answer_again<'py>(
    py: Python<'py>,
    owner: Owner,
    voice: &Voice,
    mut asked: Asked,
    outlook: &Outlook,
) -> PyResult<Bound<'py, Reply>> {
    let rules = owner.rules();
    if let Some(model) = rules.model() {
        asked.use_model(&model);
    }
    let Some(remembered) = outlook.spoiled_before() else { return Err(cancelled(py)) };
    let reservation = match (voice, reserve(py, &owner, &rules, &asked)) {
        (Voice::Script(script), Ok(reservation)) => {
            script.get().see(py, &asked);
            reservation
        }
        // A recording costs nothing.
        (Voice::Cassette(_), _) => None,
        (Voice::Script(_), Err(error)) => return refuse(py, &owner, None, Some(asked), error),
    };
    give(py, owner, asked, remembered, reservation, outlook)
}

/// Lets a request fail before anybody is asked for an answer.
fn fail_on_purpose<'py>(
    py: Python<'py>,
    owner: Owner,
    asked: Asked,
    outlook: &Outlook,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some((met, reply)) = outlook.met.as_ref().and_then(|met| Some((met, met.instead(&asked)?))) else {
        return Ok(None);
    };
    let (source, prices) = (owner.source(), owner.rules().prices.clone());
    let exchange = Exchange::begin(asked, source, false).unsent();
    let watched = Watched::begin(py, owner, exchange, None, None, prices)?;
    watched.note_fault(met.recorded());
    Bound::new(py, Reply { watched: Some(watched), ..reply }).map(|reply| Some(reply.into_any()))
}

fn played(play: &Play, asked: &Asked, stamp: unitai_wire::common::Stamp) -> Reply {
    let answer = play.answer(&asked.request);
    let (kind, content) = if asked.request.streamed {
        let pieces = asked.stream(&answer, stamp);
        let content = if play.pace.is_zero() {
            Content::Whole(pieces.concat())
        } else {
            Content::Paced { pieces, pace: play.pace.as_secs_f64() }
        };
        (asked.dialect.stream_content_type(), content)
    } else {
        let body = asked.dialect.write_answer(&asked.request, &answer, stamp);
        ("application/json", Content::Whole(body.into_bytes()))
    };
    let headers = vec![
        (Cow::Borrowed("content-type"), kind.to_owned()),
        (Cow::Borrowed("x-request-id"), stamp.answer_id("req_")),
    ];
    Reply { delay: play.delay.as_secs_f64(), answer: Some(answer), ..Reply::new(200, headers, content) }
}

pub(super) fn failed(fail: &Fail, asked: &Asked) -> Reply {
    let mut headers = vec![("content-type", "application/json".to_owned())];
    if let Some(seconds) = fail.retry_after {
        headers.push(("retry-after", seconds.to_string()));
    }
    headers.extend(asked.dialect.refusal_headers(fail.refusal.status));
    let content = Content::Whole(asked.dialect.write_refusal(&fail.refusal).into_bytes());
    Reply { delay: fail.delay.as_secs_f64(), ..Reply::new(fail.refusal.status, named(headers), content) }
}

fn named(headers: Vec<(&'static str, String)>) -> Vec<(Cow<'static, str>, String)> {
    headers.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect()
}

/// Changes a request as it must be before it is sent: another model, and a question for usage.
fn rewrite(
    py: Python<'_>,
    owner: &Owner,
    asked: &mut Asked,
    sent: &Sent<'_, '_>,
) -> PyResult<Option<Rewritten>> {
    let rules = owner.rules();
    let is_other = rules.model().is_some_and(|model| *model != *asked.request.model);
    if is_other && asked.dialect.is_signed() {
        let name = asked.dialect.name();
        return Err(invalid(py, format!("the model cannot be overridden: {name} requests are signed")));
    }
    Ok(asked.rewrite(sent.target.path, sent.body, rules.model().as_deref(), rules.asks_for_usage))
}

/// Lets a request out to its provider; onto a tape, if there is one.
fn let_out<'py>(
    py: Python<'py>,
    owner: Owner,
    asked: Asked,
    rewritten: Option<Rewritten>,
    sent: &Sent<'_, 'py>,
    tape: Option<Tape>,
    outlook: &Outlook,
) -> PyResult<Bound<'py, Passage>> {
    let rules = owner.rules();
    let reservation = match reserve(py, &owner, &rules, &asked) {
        Ok(reservation) => reservation,
        // Only a run has a budget, so only a run is refused here.
        Err(error) => return refuse(py, &owner, None, Some(asked), error).and(Err(cancelled(py))),
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
    Bound::new(py, Passage { traveller, url, body: new_body, wants_identity, spoiled, delay, pace })
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
    voice: Option<&Voice>,
    asked: Option<Asked>,
    error: PyErr,
) -> PyResult<Bound<'py, Reply>> {
    if let Some(voice) = voice {
        voice.note_trouble(py, &error);
    }
    let message =
        error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned());
    if let Some(run) = owner.run() {
        if let Some(asked) = asked {
            let first_line = message.lines().next().unwrap_or_default();
            run.note_refused_call(py, asked, owner.source(), first_line)?;
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
    let (headers, content) = (named(headers), Content::Whole(body.into_bytes()));
    Bound::new(py, Reply::new(400, headers, content))
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
    let voice = owner.as_ref().and_then(Owner::voice).filter(|voice| voice.keeps_models_in());
    let place = port.map_or_else(|| plain(host).to_string(), |port| format!("{}:{port}", plain(host)));
    let class = "NetworkBlockedError";
    let trouble = if is_blocked {
        Trouble::new(class, format!("a connection to {place} was refused: the test blocks the network"))
    } else if let Some(voice) = voice.filter(|_| unitai_wire::is_model_host(host)) {
        let how = if matches!(voice, Voice::Script(_)) { "scripted" } else { "replayed" };
        Trouble::new(class, format!("a connection to {place} was refused: the model is {how}")).remedy(
            "use a client on httpx, httpx2, urllib3 or aiohttp, whose requests can be answered from memory",
        )
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
    Ok(Some(error.into_value(py).into_any()))
}

/// The innermost frame that is no library's: who wants the connection.
fn caller(py: Python<'_>) -> Option<String> {
    let module = py.import("unitai.traffic.sockets").ok()?;
    module.getattr("offender").ok()?.call0().ok()?.extract().ok()?
}
