//! JSON is YAML, nearly: it may hold characters that YAML wants to be escaped.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// Whether a text is JSON, an object as a whole.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// JSON in which every character may stand in YAML. They are in quotes, because JSON has them nowhere else.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_plain(c) {
            out.push(c);
        } else {
            out.push_str(&format!("\\U{:08x}", c as u32));
        }
    }
    Cow::Owned(out)
}

fn is_plain(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{fefe}')
        || matches!(c, '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
}
