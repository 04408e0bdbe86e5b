//! The decision about one request: answer it, let it out, or refuse it.

use std::borrow::Cow;

use pyo3::prelude::*;
use unitai_model::value::plain;
use unitai_wire::exchange::Asked;
use unitai_wire::{Target, counting, dialects, embedding, encoding};

use super::answering::{answer, answer_again, fail_on_purpose};
use super::belonging::{is_declared_api, owner, owner_of_request};
use super::faulting::Outlook;
use super::letting_out::{let_out, rewrite};
use super::live_models::{live_limit, refuse_live};
use super::refusing::refuse;
use super::replaying::{from_recordings, from_recordings_of_api};
use super::reply::Content;
use super::sent::Sent;
use super::{Reply, Voice};
use crate::errors::Trouble;
use crate::gate::without_interpreter;

/// Bodies above this are read without holding the interpreter.
const LARGE: usize = 1 << 16;

/// Whether a request may be one to a model that a run or a script here must know of. Its body has not
/// been read yet.
#[pyfunction]
pub(crate) fn claims(py: Python<'_>, method: &str, url: &str) -> PyResult<bool> {
    let Some(target) = Target::of(url) else { return Ok(false) };
    let speaks = method.eq_ignore_ascii_case("POST") && dialects::claiming(&target).is_some();
    let is_model_host = target.is_model_host();
    let is_other =
        || counting::is_count(&target) || embedding::is_embedding(&target) || is_declared_api(py, url);
    if !speaks && !is_model_host && !is_other() {
        return Ok(false);
    }
    match owner(py) {
        Ok(owner) => {
            Ok(owner.is_some_and(|owner| speaks || owner.voice().is_some()) || live_limit().is_some())
        }
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
    let is_count = counting::is_count(&target) && !is_declared;
    let is_embedding = embedding::is_embedding(&target) && !is_declared;
    if !speaks && !is_declared && !is_count && !is_embedding && !target.is_model_host() {
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
    if asked.is_none() && !is_declared && !is_count && !is_embedding && !target.is_model_host() {
        return Ok(None);
    }
    if is_embedding {
        match embedded(py, &target, &decoded)? {
            Some(reply) => return Ok(Some(reply.into_any())),
            // An address like this may be anybody's.
            None if !target.is_model_host() => return Ok(None),
            None => {}
        }
    }
    let Some(owner) = owner_of_request(py)? else {
        let is_model = asked.is_some() || (target.is_model_host() && !is_declared);
        return match live_limit().filter(|_| is_model) {
            Some(limit) => refuse_live(py, limit, None, &target, asked).map(|reply| Some(reply.into_any())),
            None => Ok(None),
        };
    };
    if let (true, Some(_)) = (is_count, owner.voice()) {
        // Also while recordings are made: a replay must count as they did.
        return Ok(counted(py, &target, &decoded)?.map(Bound::into_any));
    }
    if let (Some(run), Some(read)) = (owner.run(), &asked)
        && let Some(error) = run.check_results(py, &read.request)?
    {
        return refuse(py, &owner, None, asked, error).map(|reply| Some(reply.into_any()));
    }
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
            Ok(rewritten) => let_out(py, owner, asked, rewritten, &sent, None, &outlook).map(Some),
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
            .remedy(if is_embedding {
                "add embed() to the script, which answers requests for embeddings, or mock the tool that sends them"
            } else {
                "mock the tool that sends it, or take it out of the scripted part of the test"
            })
            .into_err(py);
            refuse(py, &owner, Some(&Voice::Script(script)), None, error).map(|reply| Some(reply.into_any()))
        }
        // What it asks of the model's host nobody knows: it may cost money.
        (None, None) => match live_limit().filter(|_| !is_declared && sent.target.is_model_host()) {
            Some(limit) => {
                refuse_live(py, limit, Some(&owner), &sent.target, None).map(|reply| Some(reply.into_any()))
            }
            None => Ok(None),
        },
    }
}

/// The answer of a script to a request for embeddings. It is no call of a model that speaks, so it is no step of the run.
fn embedded<'py>(py: Python<'py>, target: &Target<'_>, body: &[u8]) -> PyResult<Option<Bound<'py, Reply>>> {
    // Whose it is matters only where somebody would answer.
    let Ok(Some(owner)) = owner(py) else { return Ok(None) };
    let Some(Voice::Script(script)) = owner.voice() else { return Ok(None) };
    let answer = script.get().embeddings().and_then(|said| embedding::embed(target, body, said.dimensions));
    answer.map(|answer| json_reply(py, answer)).transpose()
}

fn counted<'py>(py: Python<'py>, target: &Target<'_>, body: &[u8]) -> PyResult<Option<Bound<'py, Reply>>> {
    let Some(answer) = counting::count(target, body) else { return Ok(None) };
    json_reply(py, answer).map(Some)
}

fn json_reply(py: Python<'_>, body: String) -> PyResult<Bound<'_, Reply>> {
    let headers = vec![(Cow::Borrowed("content-type"), "application/json".to_owned())];
    Bound::new(py, Reply::new(200, headers, Content::Whole(body.into_bytes())))
}
