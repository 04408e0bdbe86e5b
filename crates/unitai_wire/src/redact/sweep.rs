//! Taking parts out of bytes: which ones, how they are settled, and what becomes of the borders between
//! chunks.

use std::ops::Range;

use memchr::memmem;

use super::MARK;
use super::escapes;
use super::labels;
use super::matcher::Matcher;
use super::shapes;
use super::structure::{Segment, segments, strings};

/// Documents inside of strings of documents are read so deep; what is deeper is text.
const DEEPEST: usize = 4;

/// Hides everything there is to hide; says whether there was something. `ends` are the ends of the
/// chunks that the bytes are made of, and move with them.
pub(super) fn sweep(known: &Matcher, bytes: &mut Vec<u8>, ends: &mut [usize]) -> bool {
    let mut changed = false;
    // What was hidden can leave a neighbour standing alone that now shows its form. Each round hides at
    // least one byte that was not hidden before, so there is a last one.
    loop {
        let parts = parts(known, bytes);
        if parts.is_empty() {
            return changed;
        }
        replace(bytes, ends, &parts);
        changed = true;
    }
}

/// What must be hidden, in order and apart from each other.
pub(super) fn parts(known: &Matcher, bytes: &[u8]) -> Vec<Range<usize>> {
    parts_of(known, bytes, DEEPEST)
}

fn parts_of(known: &Matcher, bytes: &[u8], depth: usize) -> Vec<Range<usize>> {
    // Most texts hold nothing, in their strings either, and are not read as documents.
    let mut found = found(known, bytes);
    if found.is_empty() && !may_be_escaped(known, bytes) {
        return found;
    }
    let segments = if depth == 0 { Vec::new() } else { segments(bytes) };
    if let [] | [Segment::Text(_)] = segments.as_slice() {
        return finished(bytes, found);
    }
    found.sort_by_key(|part| part.start);
    let mut parts = Vec::new();
    for segment in segments {
        match segment {
            Segment::Text(range) => {
                let found = finished(&bytes[range.clone()], self::found(known, &bytes[range.clone()]));
                parts.extend(found.iter().map(|part| range.start + part.start..range.start + part.end));
            }
            Segment::Json(range) => {
                for string in strings(bytes, range) {
                    let inner = parts_of(known, &string.bytes, depth - 1);
                    parts.extend(inner.iter().map(|part| string.place(part)));
                    // Whoever shows the document as text shows its strings with their escapes.
                    let place = string.place(&(0..string.bytes.len()));
                    let first = found.partition_point(|part| part.start < place.start);
                    let near = found[first..].iter().take_while(|part| part.start < place.end);
                    let as_written = near
                        .filter(|part| part.end <= place.end)
                        .filter(|it| settled(bytes, (*it).clone()) == **it);
                    parts.extend(as_written.cloned());
                }
            }
        }
    }
    finished(bytes, parts)
}

/// Whether a form, a label or a value of several lines may be there that only shows without the escapes of JSON: `\/`,
/// `\u002d`, `\n`.
fn may_be_escaped(known: &Matcher, bytes: &[u8]) -> bool {
    let is_one = |at: usize| match bytes.get(at + 1) {
        Some(b'/') => true,
        Some(b'u') => bytes[at..].starts_with(br"\u00"),
        Some(b'n') => known.holds(b'\n'),
        Some(b'r') => known.holds(b'\r'),
        Some(b't') => known.holds(b'\t'),
        _ => false,
    };
    memchr::memchr_iter(b'\\', bytes).any(is_one)
}

/// What is found in a text as it is written.
fn found(known: &Matcher, bytes: &[u8]) -> Vec<Range<usize>> {
    let mut parts = known_parts(known, bytes);
    parts.extend(shapes::find(bytes).into_iter().map(|found| found.range));
    parts.extend(labels::find(bytes));
    parts
}

/// The parts in order, apart from each other, and without what is hidden already.
fn finished(bytes: &[u8], parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if parts.is_empty() {
        return parts;
    }
    let marks: Vec<Range<usize>> = memmem::find_iter(bytes, MARK).map(|at| at..at + MARK.len()).collect();
    let mut parts: Vec<Range<usize>> = parts
        .into_iter()
        .map(|part| settled(bytes, part))
        .map(|part| with_marks(part, &marks))
        .filter(|part| part.start < part.end && !is_marks(part, &marks))
        .collect();
    join(&mut parts);
    parts
}

/// Where known values are, as they are and without escapes.
pub(super) fn known_parts(known: &Matcher, bytes: &[u8]) -> Vec<Range<usize>> {
    let mut parts = known.find(bytes);
    if !known.is_empty() {
        for view in escapes::views(bytes, known.longest(), |byte| known.holds(byte)) {
            parts.extend(known.find(&view.bytes).iter().map(|part| view.place(part)));
            // An address inside of an address: every character is escaped, those of escapes as well.
            for inner in escapes::views(&view.bytes, known.longest(), |byte| known.holds(byte)) {
                let found = known.find(&inner.bytes);
                parts.extend(found.iter().map(|part| view.place(&inner.place(part))));
            }
        }
    }
    parts
}

/// The part without half a character or half an escape, so that text stays text and JSON stays JSON.
fn settled(bytes: &[u8], part: Range<usize>) -> Range<usize> {
    let is_inside = |byte: Option<&u8>| byte.is_some_and(|byte| byte & 0xc0 == 0x80);
    let (mut start, mut end) = (part.start, part.end);
    // Bytes that are no text at all are not searched for the beginning of a character.
    for _ in 0..3 {
        start -= usize::from(start > 0 && is_inside(bytes.get(start)));
        end += usize::from(is_inside(bytes.get(end)));
    }
    let is_escape = |sign: usize| {
        let meant = bytes.get(sign + 1).is_some_and(|byte| b"\"\\/bfnrtu".contains(byte));
        bytes[sign] == b'\\' && meant && signs_before(bytes, sign + 1) % 2 == 1
    };
    for back in 1..=start.min(5) {
        let sign = start - back;
        if is_escape(sign) && back < escape_length(bytes, sign) {
            start = (sign + escape_length(bytes, sign)).min(end);
            break;
        }
    }
    if end > start && is_escape(end - 1) {
        end -= 1;
    }
    start..end
}

/// `\n` has two characters, `\u00e9` six.
fn escape_length(bytes: &[u8], sign: usize) -> usize {
    let digits = bytes.get(sign + 2..sign + 6);
    let is_unicode =
        bytes.get(sign + 1) == Some(&b'u') && digits.is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    if is_unicode { 6 } else { 2 }
}

/// How many backslashes end here.
fn signs_before(bytes: &[u8], end: usize) -> usize {
    bytes[..end].iter().rev().take_while(|byte| **byte == b'\\').count()
}

/// The part, and the whole of every mark that it touches.
fn with_marks(part: Range<usize>, marks: &[Range<usize>]) -> Range<usize> {
    let near = near(&part, marks);
    let start = near.first().map_or(part.start, |mark| part.start.min(mark.start));
    start..near.last().map_or(part.end, |mark| part.end.max(mark.end))
}

/// Whether there is nothing in the part but marks.
fn is_marks(part: &Range<usize>, marks: &[Range<usize>]) -> bool {
    let inside = near(part, marks).iter().filter(|mark| part.start <= mark.start && mark.end <= part.end);
    inside.map(|mark| mark.len()).sum::<usize>() == part.len()
}

/// The marks that touch a part. They are in order, and apart from each other.
fn near<'a>(part: &Range<usize>, marks: &'a [Range<usize>]) -> &'a [Range<usize>] {
    let first = marks.partition_point(|mark| mark.end < part.start);
    let end = marks.partition_point(|mark| mark.start <= part.end);
    &marks[first..end]
}

fn join(parts: &mut Vec<Range<usize>>) {
    parts.sort_by_key(|part| part.start);
    parts.dedup_by(|next, part| {
        let joined = next.start <= part.end;
        if joined {
            part.end = part.end.max(next.end);
        }
        joined
    });
}

fn replace(bytes: &mut Vec<u8>, ends: &mut [usize], parts: &[Range<usize>]) {
    let mut out = Vec::with_capacity(bytes.len());
    let mut ends = ends.iter_mut().peekable();
    let mut from = 0;
    for part in parts {
        while let Some(end) = ends.next_if(|end| **end <= part.start) {
            *end = out.len() + *end - from;
        }
        out.extend_from_slice(&bytes[from..part.start]);
        out.extend_from_slice(MARK.as_bytes());
        // The mark stands in the chunk in which the part begins.
        while let Some(end) = ends.next_if(|end| **end < part.end) {
            *end = out.len();
        }
        from = part.end;
    }
    for end in ends {
        *end = out.len() + *end - from;
    }
    out.extend_from_slice(&bytes[from..]);
    *bytes = out;
}
