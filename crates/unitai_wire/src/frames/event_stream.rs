//! Amazon's binary event stream: a length, headers, a payload and two checksums for each message.

use super::Event;

/// The two lengths and their checksum.
const PRELUDE: usize = 12;
/// The checksum after the payload.
const TAIL: usize = 4;
/// What the format allows: 16 MiB and its frame. A longer message is no message.
const MOST: usize = (16 << 20) + (128 << 10) + PRELUDE + TAIL;

/// Reads messages. What is no message is given back at the end as it came.
#[derive(Debug, Default)]
pub struct EventStream {
    buffer: Vec<u8>,
    /// Set when a message could not be read: where the next begins is unknown from there on.
    is_lost: bool,
}

impl EventStream {
    pub(super) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.buffer.extend_from_slice(bytes);
        let mut from = 0;
        while !self.is_lost {
            let rest = &self.buffer[from..];
            let Some(length) = length(rest) else { break };
            if !(PRELUDE + TAIL..=MOST).contains(&length) {
                self.is_lost = true;
            } else if rest.len() < length {
                break;
            } else if let Some(event) = read_message(&rest[..length]) {
                events.push(event);
                from += length;
            } else {
                self.is_lost = true;
            }
        }
        self.buffer.drain(..from);
    }

    pub(super) fn held(&self) -> usize {
        self.buffer.len()
    }

    pub(super) fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.buffer)
    }
}

fn length(bytes: &[u8]) -> Option<usize> {
    number(bytes, 0).map(|length| length as usize)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn read_message(message: &[u8]) -> Option<Event> {
    let headers_length = number(message, 4)? as usize;
    let end = message.len() - TAIL;
    let prelude_holds = crc32fast::hash(&message[..8]) == number(message, 8)?;
    let message_holds = crc32fast::hash(&message[..end]) == number(message, end)?;
    let payload_at = PRELUDE.checked_add(headers_length).filter(|at| *at <= end)?;
    if !prelude_holds || !message_holds {
        return None;
    }
    let name = event_type(&message[PRELUDE..payload_at]).unwrap_or_default();
    Some(Event { name, data: message[payload_at..end].to_vec(), raw: message.to_vec() })
}

/// The value of `:event-type`, or of `:exception-type`, among the headers.
fn event_type(mut headers: &[u8]) -> Option<String> {
    let mut found = None;
    while let Some((&name_length, rest)) = headers.split_first() {
        let (name, rest) = rest.split_at_checked(name_length as usize)?;
        let (&kind, rest) = rest.split_first()?;
        let fixed = match kind {
            0 | 1 => Some(0),
            2 => Some(1),
            3 => Some(2),
            4 => Some(4),
            5 | 8 => Some(8),
            9 => Some(16),
            6 | 7 => None,
            _ => return found,
        };
        let (value, rest) = match fixed {
            Some(length) => rest.split_at_checked(length)?,
            None => {
                let (length, rest) = rest.split_at_checked(2)?;
                rest.split_at_checked(usize::from(u16::from_be_bytes([length[0], length[1]])))?
            }
        };
        if kind == 7 && (name == b":event-type" || name == b":exception-type") {
            found = Some(String::from_utf8_lossy(value).into_owned());
        }
        headers = rest;
    }
    found
}

/// Adds one event to a stream.
pub fn write_event(out: &mut Vec<u8>, name: &str, data: &str) {
    let mut headers = Vec::new();
    for (key, value) in
        [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")]
    {
        headers.push(key.len() as u8);
        headers.extend_from_slice(key.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&(value.len() as u16).to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let start = out.len();
    let length = PRELUDE + headers.len() + data.len() + TAIL;
    out.extend_from_slice(&(length as u32).to_be_bytes());
    out.extend_from_slice(&(headers.len() as u32).to_be_bytes());
    out.extend_from_slice(&crc32fast::hash(&out[start..]).to_be_bytes());
    out.extend_from_slice(&headers);
    out.extend_from_slice(data.as_bytes());
    out.extend_from_slice(&crc32fast::hash(&out[start..]).to_be_bytes());
}
