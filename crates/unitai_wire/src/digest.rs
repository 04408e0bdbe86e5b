//! The digest of a request: equal requests have equal digests, whatever the order of their keys.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The digest of what was asked. Headers are no part of it: no key, and nothing that differs from
/// one client to the next.
///
/// ```
/// use unitai_wire::request_digest;
/// let body = |text| serde_json::from_str(text).unwrap();
/// let one = request_digest("anthropic", "claude", &body(r#"{"a":1,"b":2}"#));
/// assert_eq!(one, request_digest("anthropic", "claude", &body(r#"{"b":2,"a":1}"#)));
/// assert_ne!(one, request_digest("anthropic", "claude", &body(r#"{"a":1,"b":3}"#)));
/// ```
pub fn request_digest(dialect: &str, model: &str, body: &Map<String, Value>) -> String {
    let mut hash = Sha256::new();
    for part in [dialect, model] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    // Objects are kept in the order of their keys, so this text is canonical.
    hash.update(serde_json::to_vec(body).unwrap_or_default());
    let digits = b"0123456789abcdef";
    let nibbles = hash.finalize().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles.map(|nibble| char::from(digits[usize::from(nibble)])).collect()
}
