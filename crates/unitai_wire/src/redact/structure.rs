//! Where a text holds JSON: the whole of it, lines of it, or events of a stream. There only strings are searched, as they
//! read without their escapes, so that numbers and punctuation stay and a document stays a document.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::escapes::View;

/// A part of a text.
pub(super) enum Segment {
    /// A document.
    Json(Range<usize>),
    /// Anything else.
    Text(Range<usize>),
}

/// The text in parts, in order and without gaps.
pub(super) fn segments(text: &[u8]) -> Vec<Segment> {
    if is_document(text) {
        return vec![Segment::Json(0..text.len())];
    }
    let mut segments = Vec::new();
    let (mut from, mut at) = (0, 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let begin = if line.starts_with(b"data:") { "data:".len() } else { 0 };
        if is_document(&line[begin..]) {
            if from < at + begin {
                segments.push(Segment::Text(from..at + begin));
            }
            from = at + line.len();
            segments.push(Segment::Json(at + begin..from));
        }
        at += line.len();
    }
    if from < text.len() {
        segments.push(Segment::Text(from..text.len()));
    }
    segments
}

/// Whether a text is one object, list or string of JSON.
fn is_document(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let has_ends = matches!(
        (text.first(), text.last()),
        (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')) | (Some(b'"'), Some(b'"'))
    );
    has_ends && serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// The strings of a document, keys included: each as it reads without its escapes, with where it stands.
pub(super) fn strings(text: &[u8], document: Range<usize>) -> Vec<View> {
    let mut strings = Vec::new();
    let mut at = document.start;
    while let Some(found) = memchr::memchr(b'"', &text[at..document.end]) {
        let start = at + found + 1;
        let mut end = start;
        while text[end] != b'"' {
            end += if text[end] == b'\\' { 2 } else { 1 };
        }
        strings.push(View::of_json(text, start..end));
        at = end + 1;
    }
    strings
}
