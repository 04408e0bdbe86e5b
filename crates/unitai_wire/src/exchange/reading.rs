//! Reading the bytes of an answer.

use super::Asked;
use crate::dialects::{Dialect, Seen};
use crate::encoding::{Decoder, MOST_BYTES};
use crate::frames::{Event, Frames, Framing};

/// How the bytes of an answer are read.
pub(super) enum Reading {
    /// Not at all: the head has not come, or nobody could read what comes.
    Nothing,
    /// As one document.
    Whole(Document),
    /// As one document that says why there is no answer.
    Refusal(Document),
    /// As a stream of events.
    Stream { frames: Frames, decoder: Option<Decoder> },
    /// As whatever its first byte says it is.
    Sniff(Framing),
}

/// A document that comes in pieces.
pub(super) struct Document {
    bytes: Vec<u8>,
    decoder: Option<Decoder>,
    /// Too large to be kept.
    is_lost: bool,
    /// What follows cannot be decoded.
    is_broken: bool,
    /// Whole, and no JSON.
    is_unreadable: bool,
}

impl Document {
    fn new(decoder: Option<Decoder>) -> Document {
        Document { bytes: Vec::new(), decoder, is_lost: false, is_broken: false, is_unreadable: false }
    }

    fn feed(&mut self, bytes: &[u8]) {
        if self.is_lost || self.is_broken {
            return;
        }
        match self.decoder.as_mut().map(|decoder| decoder.feed(bytes)) {
            None => self.bytes.extend_from_slice(bytes),
            Some(Ok(decoded)) => self.bytes.extend_from_slice(&decoded),
            Some(Err(_)) => {
                // What came before may be a whole document with rubbish after it.
                let rest = self.decoder.take().map(|mut decoder| decoder.rest()).unwrap_or_default();
                self.bytes.extend_from_slice(&rest);
                self.is_broken = true;
            }
        }
        if self.bytes.len() > MOST_BYTES {
            self.is_lost = true;
            self.bytes = Vec::new();
        }
    }

    fn value(&mut self) -> Option<serde_json::Value> {
        if self.is_lost { None } else { serde_json::from_slice(&std::mem::take(&mut self.bytes)).ok() }
    }
}

impl Reading {
    /// Whether a document came to its end and was none.
    pub(super) fn is_unreadable(&self) -> bool {
        matches!(self, Reading::Whole(document) if document.is_unreadable)
    }

    pub(super) fn of(status: u16, content_type: &str, content_encoding: &str, asked: &Asked) -> Reading {
        let Ok(decoder) = Decoder::of(content_encoding) else { return Reading::Nothing };
        if status >= 400 {
            return Reading::Refusal(Document::new(decoder));
        }
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let framing = asked.dialect.framing();
        let stream = |decoder| Reading::Stream { frames: Frames::new(framing), decoder };
        match (asked.request.streamed, kind.as_str()) {
            (_, "text/event-stream" | "application/x-ndjson" | "application/vnd.amazon.eventstream") => {
                stream(decoder)
            }
            (true, "application/json") if decoder.is_none() && framing == Framing::Sse => {
                Reading::Sniff(framing)
            }
            (true, _) => stream(decoder),
            (false, _) => Reading::Whole(Document::new(decoder)),
        }
    }

    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        dialect: &dyn Dialect,
        seen: &mut Seen,
        hides_usage: bool,
    ) -> Option<Vec<u8>> {
        if let Reading::Sniff(framing) = self {
            let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
            *self = match bytes[start] {
                b'{' | b'[' => Reading::Whole(Document::new(None)),
                _ => Reading::Stream { frames: Frames::new(*framing), decoder: None },
            };
            // White space before the first byte is no part of an event, however it was cut.
            let shown = self.feed(&bytes[start..], dialect, seen, hides_usage)?;
            return Some([&bytes[..start], &shown].concat());
        }
        match self {
            Reading::Nothing | Reading::Sniff(_) => None,
            Reading::Whole(document) | Reading::Refusal(document) => {
                document.feed(bytes);
                None
            }
            Reading::Stream { frames, decoder: Some(decoder) } => {
                let mut events = Vec::new();
                let (decoded, is_whole) = match decoder.feed(bytes) {
                    Ok(decoded) => (decoded, true),
                    Err(_) => (decoder.rest(), false),
                };
                frames.feed(&decoded, &mut events);
                let is_readable = is_whole && frames.held() <= MOST_BYTES;
                take(&events, dialect, seen, false);
                if !is_readable {
                    *self = Reading::Nothing;
                }
                None
            }
            Reading::Stream { frames, decoder: None } => {
                let mut events = Vec::new();
                frames.feed(bytes, &mut events);
                let mut shown = take(&events, dialect, seen, hides_usage);
                if frames.held() > MOST_BYTES {
                    // No event is that long. It is handed on, and nobody reads what follows.
                    shown.extend(frames.finish(&mut Vec::new()));
                    *self = Reading::Nothing;
                }
                hides_usage.then_some(shown)
            }
        }
    }

    pub(super) fn end(&mut self, dialect: &dyn Dialect, seen: &mut Seen, hides_usage: bool) -> Vec<u8> {
        match self {
            Reading::Nothing | Reading::Sniff(_) => Vec::new(),
            Reading::Whole(document) => {
                match document.value() {
                    Some(body) => dialect.read_answer(&body, seen),
                    None => document.is_unreadable = true,
                }
                Vec::new()
            }
            Reading::Refusal(document) => {
                seen.error = document.value().and_then(|body| dialect.read_refusal(&body));
                Vec::new()
            }
            Reading::Stream { frames, decoder } => {
                let hides_usage = hides_usage && decoder.is_none();
                let mut events = Vec::new();
                let rest = frames.finish(&mut events);
                let mut shown = take(&events, dialect, seen, hides_usage);
                shown.extend_from_slice(&rest);
                if hides_usage { shown } else { Vec::new() }
            }
        }
    }
}

/// Reads events. Gives the bytes of those that the client may see.
fn take(events: &[Event], dialect: &dyn Dialect, seen: &mut Seen, hides_usage: bool) -> Vec<u8> {
    let mut shown = Vec::new();
    for event in events {
        dialect.read_event(event, seen);
        if hides_usage && !dialect.is_usage_alone(event) {
            shown.extend_from_slice(&event.raw);
        }
    }
    shown
}
