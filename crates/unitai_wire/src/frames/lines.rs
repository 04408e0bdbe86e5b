//! One JSON document a line.

use super::Event;

/// Reads lines.
#[derive(Debug, Default)]
pub struct Lines {
    buffer: Vec<u8>,
    searched: usize,
}

impl Lines {
    pub(super) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.buffer.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched.max(from)..]) {
            let end = self.searched.max(from) + found + 1;
            push(&self.buffer[from..end], events);
            from = end;
            self.searched = end;
        }
        self.buffer.drain(..from);
        self.searched = self.buffer.len();
    }

    pub(super) fn held(&self) -> usize {
        self.buffer.len()
    }

    pub(super) fn finish(&mut self, events: &mut Vec<Event>) -> Vec<u8> {
        self.searched = 0;
        let rest = std::mem::take(&mut self.buffer);
        push(&rest, events);
        Vec::new()
    }
}

fn push(raw: &[u8], events: &mut Vec<Event>) {
    if !raw.is_empty() {
        events.push(Event { name: String::new(), data: raw.trim_ascii().to_vec(), raw: raw.to_vec() });
    }
}
