//! The digest of a request: equal requests have equal digests, whatever the order of their keys. It is
//! also the name of a recording of it.

use sha2::{Digest, Sha256};

/// The digest of some parts, in this order. Headers are never among them: no key, and nothing that differs
/// from one client to the next.
///
/// ```
/// use unitai_wire::digest;
/// let one = digest(&["anthropic", "claude", r#"{"a":1}"#]);
/// assert_eq!(one.len(), 64);
/// assert_ne!(one, digest(&["anthropic", "claude", r#"{"a":2}"#]));
/// assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
/// ```
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            hash.update([0]);
        }
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

/// The SHA-256 digest of what a file holds, as hexadecimal digits.
pub fn digest_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = b"0123456789abcdef";
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles.map(|nibble| char::from(digits[usize::from(nibble)])).collect()
}
