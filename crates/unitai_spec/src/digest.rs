//! What tells texts apart that are too long to keep.

use sha2::{Digest, Sha256};

/// SHA-256 of a text, as hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
