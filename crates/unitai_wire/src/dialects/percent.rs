//! Names in a path: percent-encoded, because they may have colons and slashes in them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What a path may have in a name as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'@');

/// The name as a path writes it.
pub(super) fn encode(name: &str) -> String {
    utf8_percent_encode(name, KEPT).to_string()
}

/// The name that a path writes so.
pub(super) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
