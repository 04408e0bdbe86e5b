//! What is known of requests that came before, so that the same bytes are not read twice.
//!
//! A recorded suite asks the same again and again. What a request asks, and what its recordings say, is read
//! when it first comes; after that it is found by its very bytes.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use unitai_model::{ExchangeEnd, ModelCall, Source};
use unitai_wire::cassette::{Chunk, Recording, Seat};
use unitai_wire::common::{FreshResult, Request};
use unitai_wire::dialects::{Called, Dialect};
use unitai_wire::exchange::{Asked, Exchange, How};
use unitai_wire::meter::PriceTable;

use crate::deciding::Incoming;
use crate::replay;

/// So many requests are remembered. When there are more, all are forgotten: what is asked again is soon back.
const MOST: usize = 50_000;

/// Requests that came before, by their bytes.
#[derive(Default)]
pub(crate) struct Memo {
    known: RefCell<HashMap<Box<[u8]>, Rc<Known>, FxBuildHasher>>,
    /// Room for the bytes of the one that is looked for.
    key: RefCell<Vec<u8>>,
    /// What many calls have in common is kept once: names of models, and why they stopped.
    words: RefCell<HashSet<Arc<str>, FxBuildHasher>>,
}

/// A request to a model that was read. The whole of it is not kept: it is as long as a conversation, and its
/// bytes come again with it.
pub(crate) struct Known {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) is_streamed: bool,
    /// The request, where it tells the model what tools gave.
    telling: Option<Arc<Request>>,
    /// Where its recordings are, once somebody looked.
    pub(crate) seat: OnceCell<Arc<Seat>>,
    /// What its recordings say, each at its place among them. Conversations may be recorded a thousand times.
    replays: OnceCell<Box<[OnceCell<Replay>]>>,
}

/// A recording that was read.
pub(crate) struct Replay {
    pub(crate) recording: Arc<Recording>,
    /// What the client gets, where that is not all that was recorded.
    pub(crate) shown: Option<Vec<Chunk>>,
    /// The record of the call, without what was seen on the wire.
    call: ModelCall,
    /// What was seen. It lies here, where it is at hand, and is boxed for each record.
    seen: Option<unitai_model::Exchange>,
    pub(crate) calls: Vec<Called>,
    /// The whole answer as it goes over the wire.
    pub(crate) sent: Vec<u8>,
}

impl Memo {
    /// What is known of a request, which is read by `read` when it is new.
    pub(crate) fn known(
        &self,
        incoming: &Incoming<'_>,
        read: impl FnOnce() -> Option<Known>,
    ) -> Option<Rc<Known>> {
        let mut key = self.key.borrow_mut();
        key.clear();
        let (upstream, rest) = (incoming.route.upstream.name(), incoming.route.rest);
        let encoding = incoming.head.encoding.only().unwrap_or_default();
        for part in [upstream.as_bytes(), &[0], rest.as_bytes(), &[0], encoding, &[0], incoming.body] {
            key.extend_from_slice(part);
        }
        if let Some(known) = self.known.borrow().get(key.as_slice()) {
            return Some(known.clone());
        }
        let known = Rc::new(read()?);
        let mut memo = self.known.borrow_mut();
        if memo.len() >= MOST {
            memo.clear();
            self.words.borrow_mut().clear();
        }
        memo.insert(key.as_slice().into(), known.clone());
        Some(known)
    }

    /// What the recording at a place of a known request says; `None` when the request cannot be read by `read`.
    pub(crate) fn replay<'k>(
        &self,
        known: &'k Known,
        place: usize,
        recording: &Arc<Recording>,
        prices: &PriceTable,
        read: impl FnOnce() -> Option<Asked>,
    ) -> Option<&'k Replay> {
        let count = || known.seat.get().map_or(0, |seat| seat.len());
        let replays = known.replays.get_or_init(|| (0..count()).map(|_| OnceCell::new()).collect());
        let replay = replays.get(place)?;
        if replay.get().is_none() {
            let mut new = Replay::read(read()?, recording, prices);
            self.share_words(&mut new);
            let _ = replay.set(new);
        }
        replay.get()
    }

    fn share_words(&self, replay: &mut Replay) {
        let mut words = self.words.borrow_mut();
        let mut share = |word: &mut Arc<str>| match words.get(word) {
            Some(same) => *word = same.clone(),
            None => {
                words.insert(word.clone());
            }
        };
        share(&mut replay.call.model);
        if let Some(seen) = &mut replay.seen {
            share(&mut seen.dialect);
            if let ExchangeEnd::Answered { finish_reason: Some(reason) } = &mut seen.end {
                share(reason);
            }
        }
    }
}

impl Known {
    pub(crate) fn of(asked: &Asked) -> Known {
        let tells_results = asked.request.fresh_results().next().is_some();
        Known {
            dialect: asked.dialect,
            is_streamed: asked.request.streamed,
            telling: tells_results.then(|| asked.request.clone()),
            seat: OnceCell::new(),
            replays: OnceCell::new(),
        }
    }

    /// What this request tells the model of its tools.
    pub(crate) fn fresh_results(&self) -> impl Iterator<Item = FreshResult<'_>> {
        self.telling.iter().flat_map(|request| request.fresh_results())
    }
}

impl Replay {
    fn read(asked: Asked, recording: &Arc<Recording>, prices: &PriceTable) -> Replay {
        let is_streamed = asked.request.streamed;
        let mut exchange =
            Exchange::begin(asked, Source::Replay, recording.hides_usage).recorded_in(recording.latency);
        let kind = recording.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        exchange.head(recording.status, kind.map_or("", |(_, kind)| kind), "");
        let mut shown = Vec::with_capacity(recording.chunks.len());
        for chunk in &recording.chunks {
            let bytes = exchange.feed(&chunk.bytes).unwrap_or_else(|| chunk.bytes.clone());
            shown.push(Chunk { after: chunk.after, bytes });
        }
        let rest = exchange.end();
        if !rest.is_empty() {
            shown.push(Chunk { after: 0.0, bytes: rest });
        }
        let mut call = exchange.ended(&How::Ended, prices);
        let seen = call.exchange.take().map(|seen| *seen);
        let shown = recording.hides_usage.then_some(shown);
        let mut sent = Vec::new();
        let chunks = shown.as_deref().unwrap_or(&recording.chunks);
        replay::write(&mut sent, recording, chunks, is_streamed, true);
        sent.shrink_to_fit();
        Replay { recording: recording.clone(), shown, call, seen, calls: exchange.calls().to_vec(), sent }
    }

    /// The record of a call that was answered so.
    pub(crate) fn call(&self) -> ModelCall {
        ModelCall { exchange: self.seen.clone().map(Box::new), ..self.call.clone() }
    }

    /// The pieces that the client gets.
    pub(crate) fn chunks(&self) -> &[Chunk] {
        self.shown.as_deref().unwrap_or(&self.recording.chunks)
    }
}
