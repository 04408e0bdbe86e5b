//! Server-sent events. By hand: an event must keep the bytes that it came as, so that it can be handed
//! on unchanged, which the readers of the field do not do.

use super::Event;

/// Reads server-sent events. Bytes are decoded only when an event is whole, so a character that is
/// split over two pieces is never damaged.
#[derive(Debug, Default)]
pub struct Sse {
    buffer: Vec<u8>,
    /// Up to here the buffer was searched for the end of an event.
    searched: usize,
}

impl Sse {
    pub(super) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.buffer.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(end) = self.end_of_event(from) {
            events.push(read_event(&self.buffer[from..end]));
            from = end;
            self.searched = end;
        }
        if from > 0 {
            self.buffer.drain(..from);
            self.searched -= from;
        }
    }

    pub(super) fn held(&self) -> usize {
        self.buffer.len()
    }

    pub(super) fn finish(&mut self, events: &mut Vec<Event>) -> Vec<u8> {
        let rest = std::mem::take(&mut self.buffer);
        self.searched = 0;
        if is_blank(&rest) {
            return rest;
        }
        // Some servers leave out the blank line after the last event.
        if rest.ends_with(b"\n") || rest.ends_with(b"\r") {
            events.push(read_event(&rest));
            return Vec::new();
        }
        rest
    }

    /// Where the event that begins at `from` ends: after its blank line.
    fn end_of_event(&mut self, from: usize) -> Option<usize> {
        let buffer = &self.buffer;
        let mut at = self.searched.max(from);
        while let Some(found) = memchr::memchr2(b'\n', b'\r', &buffer[at..]) {
            let line_end = at + found;
            let after = match (buffer[line_end], buffer.get(line_end + 1)) {
                (b'\r', Some(b'\n')) => line_end + 2,
                // The line feed may be on its way: wait, or the event would end between the two.
                (b'\r', None) => break,
                _ => line_end + 1,
            };
            let is_blank_line = line_end == from || matches!(buffer[line_end - 1], b'\n' | b'\r');
            if is_blank_line {
                return Some(after);
            }
            at = after;
            self.searched = at;
        }
        None
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\n' | b'\r'))
}

fn read_event(raw: &[u8]) -> Event {
    let mut event = Event { name: String::new(), data: Vec::new(), raw: raw.to_vec() };
    let mut has_data = false;
    for line in raw.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => {
                (&line[..colon], line[colon + 1..].strip_prefix(b" ").unwrap_or(&line[colon + 1..]))
            }
            None => (line, &b""[..]),
        };
        match field {
            b"data" => {
                if has_data {
                    event.data.push(b'\n');
                }
                event.data.extend_from_slice(value);
                has_data = true;
            }
            b"event" => event.name = String::from_utf8_lossy(value).into_owned(),
            _ => {}
        }
    }
    event
}

/// Writes characters that some clients take for the end of a line as escapes, which JSON allows in any
/// text.
pub(crate) fn without_line_ends(json: Vec<u8>) -> Vec<u8> {
    const ODD: [(&str, &str); 3] = [("\u{85}", "\\u0085"), ("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029")];
    if !ODD.iter().any(|(odd, _)| memchr::memmem::find(&json, odd.as_bytes()).is_some()) {
        return json;
    }
    let mut text = String::from_utf8_lossy(&json).into_owned();
    for (odd, escape) in ODD {
        text = text.replace(odd, escape);
    }
    text.into_bytes()
}

/// Adds one event to a stream. The name is left out when empty; the data must be one line.
pub fn write_event(out: &mut Vec<u8>, name: &str, data: &str) {
    if !name.is_empty() {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(data.as_bytes());
    out.extend_from_slice(b"\n\n");
}
