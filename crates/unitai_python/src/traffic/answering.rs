//! Answers from memory: those of a script, and those that go through a fault.

use std::borrow::Cow;

use pyo3::prelude::*;
use unitai_model::{Money, Source};
use unitai_wire::exchange::{Asked, Exchange};
use unitai_wire::meter::Reservation;
use unitai_wire::script::{Fail, Move, Play};

use super::belonging::Owner;
use super::budget::patiently;
use super::faulting::{Outlook, Remembered};
use super::letting_out::reserve;
use super::matcher::is_asking;
use super::refusing::{refuse, unpaid};
use super::reply::Content;
use super::watched::Watched;
use super::{Reply, Script, Voice};
use crate::errors::Trouble;
use crate::run::cancelled;

/// Answers from the script.
pub(super) fn answer<'py>(
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
        Err(error) => return Err(unpaid(py, &owner, asked, error)),
    };
    let (next, stamp) = match script.play(py, &run_id, &asked) {
        Ok(next) => next,
        Err(error) => {
            if let Some(reservation) = reservation {
                // What went wrong is told of already.
                let _ = patiently(py, reservation.may_wait(), || reservation.settle(Money::ZERO));
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
pub(super) fn give<'py>(
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
pub(super) fn answer_again<'py>(
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
    let reservation = match voice {
        // A recording costs nothing.
        Voice::Cassette(_) => None,
        Voice::Script(script) => match reserve(py, &owner, &rules, &asked) {
            Ok(reservation) => {
                script.get().see(py, &asked);
                reservation
            }
            Err(error) => return Err(unpaid(py, &owner, asked, error)),
        },
    };
    give(py, owner, asked, remembered, reservation, outlook)
}

/// Lets a request fail before anybody is asked for an answer.
pub(super) fn fail_on_purpose<'py>(
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
    Reply {
        delay: play.delay.as_secs_f64(),
        answer: Some((answer, stamp)),
        ..Reply::new(200, headers, content)
    }
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

pub(super) fn named(headers: Vec<(&'static str, String)>) -> Vec<(Cow<'static, str>, String)> {
    headers.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect()
}
