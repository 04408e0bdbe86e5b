//! The path, which has the model in it and says whether the answer is streamed.

use std::fmt::Write;

const PLAIN: &str = ":generateContent";
const STREAMED: &str = ":streamGenerateContent";

/// Whether the path is of a method that makes the model speak.
pub(super) fn is_speaking(path: &str) -> bool {
    without_query(path).ends_with(PLAIN) || is_streamed(path)
}

/// Whether the answer is streamed.
pub(super) fn is_streamed(path: &str) -> bool {
    without_query(path).ends_with(STREAMED)
}

/// The model's name.
pub(super) fn model(path: &str) -> Option<String> {
    let name = decoded(span(path)?.1);
    // Some clients put the whole name of the resource there, its slashes encoded.
    let short = name.rsplit('/').next().unwrap_or_default();
    (!short.is_empty()).then(|| short.to_owned())
}

/// The path with another model in it.
pub(super) fn set_model(path: &str, model: &str) -> Option<String> {
    let (before, _, after) = span(path)?;
    let short = model.rsplit('/').next().unwrap_or_default();
    Some(format!("{before}{}{after}", encoded(short)))
}

/// What is before the model's name, the name, and what is after it.
fn span(path: &str) -> Option<(&str, &str, &str)> {
    let bare = without_query(path);
    let start = bare.rfind('/')? + 1;
    let end = bare.rfind(':').filter(|end| *end >= start)?;
    Some((&path[..start], &path[start..end], &path[end..]))
}

fn without_query(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'@') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
