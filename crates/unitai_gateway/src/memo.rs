//! What is known of requests that came before, so that the same bytes are not read twice.
//!
//! A recorded suite asks the same again and again. What a request asks, and what its recordings say, is read
//! when it first comes; after that it is found by its very bytes.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use unitai_model::{ModelCall, Source};
use unitai_wire::cassette::{Chunk, Inquiry, Recording};
use unitai_wire::common::FreshResult;
use unitai_wire::dialects::Called;
use unitai_wire::exchange::{Asked, Exchange, How};
use unitai_wire::meter::PriceTable;

use crate::replay;
use crate::upstreams::Upstream;

/// So many requests are remembered. When there are more, all are forgotten: what is asked again is soon back.
const MOST: usize = 50_000;

/// Requests that came before, by their bytes.
#[derive(Default)]
pub(crate) struct Memo {
    known: RefCell<HashMap<Box<[u8]>, Rc<Known>, FxBuildHasher>>,
    /// Room for the bytes of the one that is looked for.
    key: RefCell<Vec<u8>>,
}

/// A request to a model that was read.
pub(crate) struct Known {
    pub(crate) asked: Asked,
    /// The path at the provider.
    pub(crate) path: String,
    /// Whether it tells the model what tools gave.
    tells_results: bool,
    /// What its recordings are found by, once somebody looked.
    pub(crate) inquiry: OnceCell<Inquiry>,
    replays: RefCell<Vec<Rc<Replay>>>,
}

/// A recording that was read.
pub(crate) struct Replay {
    pub(crate) recording: Arc<Recording>,
    /// What the client gets, where that is not all that was recorded.
    pub(crate) shown: Option<Vec<Chunk>>,
    pub(crate) call: ModelCall,
    pub(crate) calls: Vec<Called>,
    /// The whole answer as it goes over the wire.
    pub(crate) sent: Vec<u8>,
}

impl Memo {
    /// What is known of a request, which is read by `read` when it is new.
    pub(crate) fn known(
        &self,
        upstream: &Upstream,
        rest: &str,
        body: &[u8],
        read: impl FnOnce() -> Option<Known>,
    ) -> Option<Rc<Known>> {
        let mut key = self.key.borrow_mut();
        key.clear();
        for part in [upstream.name().as_bytes(), &[0], rest.as_bytes(), &[0], body] {
            key.extend_from_slice(part);
        }
        if let Some(known) = self.known.borrow().get(key.as_slice()) {
            return Some(known.clone());
        }
        let known = Rc::new(read()?);
        let mut memo = self.known.borrow_mut();
        if memo.len() >= MOST {
            memo.clear();
        }
        memo.insert(key.as_slice().into(), known.clone());
        Some(known)
    }
}

impl Known {
    pub(crate) fn new(asked: Asked, path: String) -> Known {
        let tells_results = asked.request.fresh_results().next().is_some();
        Known { asked, path, tells_results, inquiry: OnceCell::new(), replays: RefCell::default() }
    }

    /// What this request tells the model of its tools.
    pub(crate) fn fresh_results(&self) -> impl Iterator<Item = FreshResult<'_>> {
        let results = self.tells_results.then(|| self.asked.request.fresh_results());
        results.into_iter().flatten()
    }

    /// The request, for somebody who keeps it.
    pub(crate) fn asked(&self) -> Asked {
        let Asked { dialect, request, canonical, digest, is_local } = &self.asked;
        Asked {
            dialect: *dialect,
            request: request.clone(),
            canonical: canonical.clone(),
            digest: digest.clone(),
            is_local: *is_local,
        }
    }

    /// What a recording of it says.
    pub(crate) fn replay(&self, recording: &Arc<Recording>, prices: &PriceTable) -> Rc<Replay> {
        let is_same = |replay: &&Rc<Replay>| Arc::ptr_eq(&replay.recording, recording);
        if let Some(replay) = self.replays.borrow().iter().find(is_same) {
            return replay.clone();
        }
        let replay = Rc::new(self.read(recording, prices));
        self.replays.borrow_mut().push(replay.clone());
        replay
    }

    fn read(&self, recording: &Arc<Recording>, prices: &PriceTable) -> Replay {
        let mut exchange = Exchange::begin(self.asked(), Source::Replay, recording.hides_usage)
            .recorded_in(recording.latency);
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
        let call = exchange.ended(&How::Ended, prices);
        let shown = recording.hides_usage.then_some(shown);
        let mut sent = Vec::new();
        let chunks = shown.as_deref().unwrap_or(&recording.chunks);
        replay::write(&mut sent, recording, chunks, self.asked.request.streamed, true);
        Replay { recording: recording.clone(), shown, call, calls: exchange.calls().to_vec(), sent }
    }
}

impl Replay {
    /// The pieces that the client gets.
    pub(crate) fn chunks(&self) -> &[Chunk] {
        self.shown.as_deref().unwrap_or(&self.recording.chunks)
    }
}
