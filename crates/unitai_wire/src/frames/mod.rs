//! How a stream is cut into events. Each framing takes bytes as they come, in pieces of any size,
//! and gives the same events for every way of cutting them.

mod event_stream;
mod lines;
mod sse;

pub use event_stream::{EventStream, write_event as write_event_stream};
pub use lines::Lines;
pub(crate) use sse::without_line_ends;
pub use sse::{Sse, write_event as write_sse};

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its name, where the framing has one; empty otherwise.
    pub name: String,
    /// Its data; JSON in every dialect known.
    pub data: Vec<u8>,
    /// The bytes that it came as, so that it can be handed on unchanged.
    pub raw: Vec<u8>,
}

/// Which framing a dialect's streams have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON document a line.
    Lines,
    /// Amazon's binary event stream.
    EventStream,
}

/// A framing at work.
#[derive(Debug)]
pub enum Frames {
    /// Server-sent events.
    Sse(Sse),
    /// One JSON document a line.
    Lines(Lines),
    /// Amazon's binary event stream.
    EventStream(EventStream),
}

impl Frames {
    /// A reader of this framing.
    pub fn new(framing: Framing) -> Frames {
        match framing {
            Framing::Sse => Frames::Sse(Sse::default()),
            Framing::Lines => Frames::Lines(Lines::default()),
            Framing::EventStream => Frames::EventStream(EventStream::default()),
        }
    }

    /// Takes the next bytes and adds the events that are whole now.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        match self {
            Frames::Sse(frames) => frames.feed(bytes, events),
            Frames::Lines(frames) => frames.feed(bytes, events),
            Frames::EventStream(frames) => frames.feed(bytes, events),
        }
    }

    /// How many bytes wait for the end of their event.
    pub fn held(&self) -> usize {
        match self {
            Frames::Sse(frames) => frames.held(),
            Frames::Lines(frames) => frames.held(),
            Frames::EventStream(frames) => frames.held(),
        }
    }

    /// The stream is over: adds what can be read of the rest, and gives back what cannot.
    pub fn finish(&mut self, events: &mut Vec<Event>) -> Vec<u8> {
        match self {
            Frames::Sse(frames) => frames.finish(events),
            Frames::Lines(frames) => frames.finish(events),
            Frames::EventStream(frames) => frames.finish(),
        }
    }
}
