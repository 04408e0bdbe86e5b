//! An answer while it is being recorded.

use std::time::Instant;

use unitai_model::ExchangeEnd;

use super::entry::is_an_error;
use super::{CassetteError, Chunk, Recording, Ticket};
use crate::encoding::{Decoder, MOST_BYTES};

/// An answer while it is being recorded. Dropped, it leaves nothing.
pub struct Tape {
    ticket: Ticket,
    began: Instant,
    last: Instant,
    status: u16,
    headers: Vec<(String, String)>,
    decoder: Option<Decoder>,
    chunks: Vec<Chunk>,
    bytes: usize,
    /// What came cannot be kept: it is too large, or could not be decoded.
    is_lost: bool,
}

impl Tape {
    /// The request goes out now.
    pub fn new(ticket: Ticket) -> Tape {
        let now = Instant::now();
        Tape {
            ticket,
            began: now,
            last: now,
            status: 0,
            headers: Vec::new(),
            decoder: None,
            chunks: Vec::new(),
            bytes: 0,
            is_lost: false,
        }
    }

    /// The head of the answer came.
    pub fn head(&mut self, status: u16, content_encoding: &str) {
        self.status = status;
        match Decoder::of(content_encoding) {
            Ok(decoder) => self.decoder = decoder,
            Err(_) => self.is_lost = true,
        }
    }

    /// A header of the answer. Only those are kept that a client may look at. A cookie is a secret from here on, also in the
    /// body of the answer that sets it: a replay sets none, so a session's id must not be part of any later request's key.
    pub fn header(&mut self, name: &str, value: &str) {
        if name.eq_ignore_ascii_case("set-cookie") {
            self.ticket.learn_set_cookie(value);
        }
        if Recording::keeps_header(name) {
            self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
    }

    /// The next bytes, as they came.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.is_lost || bytes.is_empty() {
            return;
        }
        let decoded = match self.decoder.as_mut().map(|decoder| decoder.feed(bytes)) {
            None => bytes.to_vec(),
            Some(Ok(decoded)) => decoded,
            Some(Err(_)) => {
                self.is_lost = true;
                return;
            }
        };
        self.bytes += decoded.len();
        self.is_lost = self.bytes > MOST_BYTES;
        if decoded.is_empty() {
            return;
        }
        let now = Instant::now();
        self.chunks.push(Chunk { after: (now - self.last).as_secs_f64(), bytes: decoded });
        self.last = now;
    }

    /// What was asked, in a few words, and with which status it was answered.
    pub fn summary(&self) -> String {
        format!("{}, answered with {}", self.ticket.summary(), self.status)
    }

    /// Whether the answer is one to keep: not an error.
    pub fn is_worth_keeping(&self) -> bool {
        (200..300).contains(&self.status) && !self.is_lost
    }

    /// Why the answer of a model that ended so is not kept; `None` of one that is, and of a refusal, which is no answer: a client
    /// asks again.
    pub fn unstored(&mut self, end: &ExchangeEnd) -> Option<String> {
        if !(200..300).contains(&self.status) {
            return None;
        }
        if self.is_lost {
            return Some("it is too large, or could not be decoded".to_owned());
        }
        match end {
            ExchangeEnd::Answered { .. } | ExchangeEnd::Unfinished => None,
            ExchangeEnd::Cut => Some(match self.is_json() {
                Ok(()) => "it does not have the form of a model's answer".to_owned(),
                Err(_) => "it was not read to its end".to_owned(),
            }),
            ExchangeEnd::Failed { message, .. } => Some(match self.is_json() {
                Err(why) if !self.is_event_stream() => why,
                _ => format!("it is an error: {message}"),
            }),
        }
    }

    /// Whether the body is JSON, and why it is not.
    fn is_json(&mut self) -> Result<(), String> {
        self.flush();
        let body: Vec<u8> = self.chunks.iter().flat_map(|chunk| chunk.bytes.iter().copied()).collect();
        serde_json::from_slice::<serde_json::Value>(&body).map(|_| ()).map_err(|error| {
            let kind = self.headers.iter().find(|(name, _)| name == "content-type");
            let kind = kind.map_or("", |(_, kind)| kind.split(';').next().unwrap_or_default().trim());
            match kind {
                "" | "application/json" => format!("its body is not valid JSON ({error})"),
                kind => format!("its body is {kind} and not valid JSON ({error})"),
            }
        })
    }

    /// Whether the answer says that it comes event by event.
    pub fn is_event_stream(&self) -> bool {
        let is_kind = |name: &str, kind: &str| name == "content-type" && kind.contains("event-stream");
        self.headers.iter().any(|(name, kind)| is_kind(name, kind))
    }

    /// Whether the body is a document that only says what went wrong, or none though it is said to be one.
    pub fn is_an_error(&mut self) -> bool {
        self.flush();
        let body: Vec<u8> = self.chunks.iter().flat_map(|chunk| chunk.bytes.iter().copied()).collect();
        let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(&body).is_ok();
        is_an_error(&body) || (!is_json && self.is_said_to_be_json() && !body.is_empty())
    }

    fn is_said_to_be_json(&self) -> bool {
        let content_type = self.headers.iter().find(|(name, _)| name == "content-type");
        content_type.is_some_and(|(_, value)| {
            let kind = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            kind == "application/json" || kind.ends_with("+json")
        })
    }

    /// Takes what the decoder still holds.
    fn flush(&mut self) {
        let Some(mut decoder) = self.decoder.take() else { return };
        let rest = decoder.rest();
        if !rest.is_empty() {
            self.chunks.push(Chunk { after: 0.0, bytes: rest });
        }
    }

    /// The answer came whole, and is kept. A plain answer is kept in one piece, however the network cut it.
    pub fn keep(
        mut self,
        is_streamed: bool,
        hides_usage: bool,
        usage: Option<serde_json::Value>,
    ) -> Result<(), CassetteError> {
        self.flush();
        if !is_streamed {
            let after = self.chunks.iter().map(|chunk| chunk.after).sum();
            let bytes = self.chunks.iter().flat_map(|chunk| chunk.bytes.iter().copied()).collect();
            self.chunks = vec![Chunk { after, bytes }];
        }
        let latency = self.began.elapsed().as_secs_f64();
        self.ticket.keep(Recording {
            status: self.status,
            headers: self.headers,
            chunks: self.chunks,
            latency,
            hides_usage,
            usage,
        })
    }
}
