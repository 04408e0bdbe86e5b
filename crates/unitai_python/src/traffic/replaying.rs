//! Answers from recordings, and requests that go out to be recorded.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use unitai_model::Source;
use unitai_wire::cassette::{Inquiry, Look, Recording, Tape};
use unitai_wire::exchange::Asked;

use super::answering::give;
use super::belonging::{Owner, is_declared_api};
use super::faulting::{Outlook, Remembered};
use super::letting_out::{let_out, rewrite};
use super::live_models::{live_limit, refuse_live};
use super::passage::{Taping, Traveller};
use super::refusing::refuse;
use super::reply::Content;
use super::sent::Sent;
use super::{Cassette, Passage, Reply, Voice};

/// Answers from the recordings, or lets the request out to be recorded.
pub(super) fn from_recordings<'py>(
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
        Ok(Look::Hit { recording, .. }) => recording,
        Ok(Look::Record(ticket)) => {
            let tape = Some(Tape::new(ticket));
            return let_out(py, owner, asked, rewritten, sent, tape, outlook);
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
pub(super) fn from_recordings_of_api<'py>(
    py: Python<'py>,
    owner: &Owner,
    cassette: &Py<Cassette>,
    sent: &Sent<'_, 'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    sent.learn_secrets(cassette.get());
    match cassette.get().look(py, Inquiry::of_api(sent.method, sent.url, sent.body)) {
        Ok(Look::Hit { recording, .. }) => {
            let reply = replayed(&recording, recording.chunks.len() > 1, cassette.get().is_paced);
            Bound::new(py, reply).map(|reply| Some(reply.into_any()))
        }
        Ok(Look::Record(ticket)) => {
            // On a model's host it may cost money, even if nobody knows what it is.
            if sent.target.is_model_host()
                && !is_declared_api(py, sent.url)
                && let Some(limit) = live_limit()
            {
                return refuse_live(py, limit, Some(owner), &sent.target, None)
                    .map(|reply| Some(reply.into_any()));
            }
            let tape = Mutex::new(Some(Tape::new(ticket)));
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

fn replayed(recording: &Arc<Recording>, is_streamed: bool, is_paced: bool) -> Reply {
    let first = recording.chunks.first().map_or(0.0, |chunk| chunk.after);
    let (content, delay) = if is_streamed {
        (Content::Recorded { recording: recording.clone(), is_paced }, 0.0)
    } else {
        (Content::Whole(recording.body()), if is_paced { first } else { 0.0 })
    };
    let headers = recording.headers.iter().map(|(name, value)| (Cow::Owned(name.clone()), value.clone()));
    Reply { delay, ..Reply::new(recording.status, headers.collect(), content) }
}
