//! The end of what a process wrote: enough to understand why it failed, and never more.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is kept, in bytes.
const KEPT: usize = 4096;

/// The last bytes of a stream. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail(Arc<Mutex<Vec<u8>>>);

impl Tail {
    /// Adds to it, and forgets what is too old.
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT)..]);
        let excess = kept.len().saturating_sub(KEPT);
        kept.drain(..excess);
    }

    /// What is kept, as text; a line whose beginning is lost is left out, or marked where it is all there is.
    pub(super) fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = kept.len() == KEPT;
        match kept.iter().position(|byte| *byte == b'\n') {
            Some(end) if is_full && end + 1 < KEPT => {
                String::from_utf8_lossy(&kept[end + 1..]).trim().to_owned()
            }
            // Redaction takes what stands behind the mark for what may be left of a secret.
            _ if is_full => format!("…{}", String::from_utf8_lossy(&kept).trim_end()),
            _ => String::from_utf8_lossy(&kept).trim().to_owned(),
        }
    }

    /// Reads a stream to its end, so that its writer is never blocked.
    pub(super) async fn follow(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; KEPT];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..read]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_begins_with_a_whole_line() {
        let tail = Tail::default();
        for number in 0..2000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        let text = tail.text();
        assert!(text.len() <= KEPT);
        assert!(text.starts_with("line "), "{}", &text[..20]);
        assert!(text.ends_with("line 1999"));
    }

    #[test]
    fn a_line_longer_than_the_tail_is_cut_at_its_beginning() {
        let tail = Tail::default();
        tail.push(&vec![b'x'; 10_000]);
        assert_eq!(tail.text(), format!("…{}", "x".repeat(KEPT)));
    }
}
