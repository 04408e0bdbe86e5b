//! What a fault makes of a model's answer.

use super::{Extent, ModelFault};
use crate::chance::fraction;
use crate::frames::{Event, Frames, Framing, write_event_stream, write_sse};

/// Valid JSON with nothing in it that any provider promises.
const UNEXPECTED: &str = r#"{"unexpected":true}"#;

/// An answer that comes through a fault: its bytes as they come, and where it ends.
#[derive(Debug)]
pub struct Spoiled {
    fault: ModelFault,
    framing: Option<Framing>,
    frames: Option<Frames>,
    drawn: u64,
    /// What is held back until the answer is whole, because only then it can be changed.
    held: Vec<u8>,
    chunks: usize,
    bytes: usize,
    is_over: bool,
}

impl Spoiled {
    /// An answer that meets this fault. A streamed one has a framing.
    pub fn new(fault: ModelFault, framing: Option<Framing>, drawn: u64) -> Spoiled {
        let frames = framing.map(Frames::new);
        Spoiled { fault, framing, frames, drawn, held: Vec::new(), chunks: 0, bytes: 0, is_over: false }
    }

    /// The next bytes; gives what the client gets of them.
    pub fn feed(&mut self, chunk: Vec<u8>) -> Vec<u8> {
        match self.fault {
            ModelFault::Cut { after: Extent::Chunks(most) } => {
                let Some(frames) = &mut self.frames else {
                    self.held.extend(chunk);
                    return Vec::new();
                };
                let mut events = Vec::new();
                frames.feed(&chunk, &mut events);
                let given = events.len().min(most - self.chunks.min(most));
                self.chunks += events.len();
                events.into_iter().take(given).flat_map(|event| event.raw).collect()
            }
            ModelFault::Cut { after: Extent::Bytes(most) } => {
                let given = chunk.len().min(most - self.bytes.min(most));
                self.bytes += chunk.len();
                let mut chunk = chunk;
                chunk.truncate(given);
                chunk
            }
            ModelFault::Malformed | ModelFault::WrongSchema => {
                self.held.extend(chunk);
                Vec::new()
            }
            _ => chunk,
        }
    }

    /// Whether the connection ends before the answer does.
    pub fn cuts(&self) -> bool {
        matches!(self.fault, ModelFault::Cut { .. })
    }

    /// Whether the client has got all that it will get, and the connection is to end: at the latest where the
    /// answer does.
    pub fn is_cut(&self) -> bool {
        match self.fault {
            ModelFault::Cut { after: Extent::Chunks(most) } => self.is_over || self.chunks >= most,
            ModelFault::Cut { after: Extent::Bytes(most) } => self.is_over || self.bytes >= most,
            _ => false,
        }
    }

    /// The answer is whole; gives what the client still gets.
    pub fn end(&mut self) -> Vec<u8> {
        self.is_over = true;
        let held = std::mem::take(&mut self.held);
        match self.fault {
            ModelFault::Cut { after: Extent::Chunks(0) } => Vec::new(),
            ModelFault::Cut { after: Extent::Chunks(_) } => held[..held.len() / 2].to_vec(),
            ModelFault::Malformed => garble(&held, self.framing, self.drawn),
            ModelFault::WrongSchema => replace_schema(&held, self.framing),
            _ => held,
        }
    }
}

/// The answer with a part that is no JSON: its end is missing. In a stream it is one event.
pub fn garble(body: &[u8], framing: Option<Framing>, drawn: u64) -> Vec<u8> {
    let Some(framing) = framing else { return beginning(body, drawn) };
    let events = cut(body, framing);
    let documents: Vec<usize> = (0..events.len()).filter(|at| is_document(&events[*at])).collect();
    let Some(chosen) = documents.get(drawn as usize % documents.len().max(1)) else {
        return beginning(body, drawn);
    };
    let mut out = Vec::new();
    for (at, event) in events.iter().enumerate() {
        if at == *chosen {
            let data = beginning(&event.data, drawn);
            write(&mut out, framing, &event.name, &String::from_utf8_lossy(&data));
        } else {
            out.extend_from_slice(&event.raw);
        }
    }
    out
}

/// An answer of the same form that says nothing of what was asked for.
pub fn replace_schema(body: &[u8], framing: Option<Framing>) -> Vec<u8> {
    let Some(framing) = framing else { return UNEXPECTED.as_bytes().to_vec() };
    let mut out = Vec::new();
    for event in cut(body, framing) {
        if is_document(&event) {
            write(&mut out, framing, &event.name, UNEXPECTED);
        } else {
            out.extend_from_slice(&event.raw);
        }
    }
    out
}

/// An answer in parts: the events of a stream, the halves of a document.
pub fn pieces(body: &[u8], framing: Option<Framing>) -> Vec<Vec<u8>> {
    match framing {
        Some(framing) => cut(body, framing).into_iter().map(|event| event.raw).collect(),
        None => {
            let (first, second) = body.split_at(body.len() / 2);
            vec![first.to_vec(), second.to_vec()]
        }
    }
}

fn cut(body: &[u8], framing: Framing) -> Vec<Event> {
    let (mut frames, mut events) = (Frames::new(framing), Vec::new());
    frames.feed(body, &mut events);
    frames.finish(&mut events);
    events
}

fn is_document(event: &Event) -> bool {
    event.data.trim_ascii_start().starts_with(b"{")
}

/// A part of a document that is none: no beginning of an object is one.
fn beginning(document: &[u8], drawn: u64) -> Vec<u8> {
    let document = document.trim_ascii_end();
    let most = document.len().saturating_sub(1);
    let length = (document.len() as f64 * (0.25 + fraction(drawn) / 2.0)) as usize;
    let mut out = document[..length.clamp(most.min(1), most)].to_vec();
    if out.is_empty() {
        out.push(b'{');
    }
    out
}

fn write(out: &mut Vec<u8>, framing: Framing, name: &str, data: &str) {
    match framing {
        Framing::Sse => write_sse(out, name, data),
        Framing::EventStream => write_event_stream(out, name, data),
        Framing::Lines => {
            out.extend_from_slice(data.as_bytes());
            out.push(b'\n');
        }
    }
}
