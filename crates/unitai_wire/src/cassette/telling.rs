//! Secrets that a stream tells in pieces: a model speaks a few letters at a time, and a key that it repeats
//! lies over many events, none of which holds enough of it to be known.
//!
//! Texts that stand at the same place of successive events are one text, in every dialect. So they are read
//! as one, and what is hidden in it is hidden in its pieces.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::frames::{Event, Frames, Framing};
use crate::redact::Secrets;

/// Hides what successive events tell together. There are as many chunks afterwards. Says whether there was
/// something.
pub(super) fn clean(secrets: &Secrets, content_type: &str, chunks: &mut [Vec<u8>]) -> bool {
    let Some(framing) = framing(content_type) else { return false };
    let body = chunks.concat();
    let mut events = Vec::new();
    let mut frames = Frames::new(framing);
    frames.feed(&body, &mut events);
    let rest = frames.finish(&mut events);
    let documents: Vec<Option<Value>> =
        events.iter().map(|event| serde_json::from_slice(&event.data).ok()).collect();
    let mut changes = vec![Vec::new(); events.len()];
    for places in texts(&documents).into_values().filter(|places| places.len() > 1) {
        hide(secrets, &places, &documents, &mut changes);
    }
    if changes.iter().all(Vec::is_empty) {
        return false;
    }
    let written = events.iter().zip(&changes).map(|(event, changes)| {
        let raw = if changes.is_empty() { event.raw.clone() } else { rewritten(event, changes) };
        (event.raw.len(), raw)
    });
    let rest = (rest.len(), rest.clone());
    spread(chunks, written.chain([rest]));
    true
}

/// How the events are told apart. Binary ones are not read: their lengths and checksums stand beside them.
pub(super) fn framing(content_type: &str) -> Option<Framing> {
    let kind = content_type.to_ascii_lowercase();
    if kind.contains("event-stream") {
        return Some(Framing::Sse);
    }
    (kind.contains("ndjson") || kind.contains("jsonl")).then_some(Framing::Lines)
}

/// Where a text stands: in which event, and at which JSON pointer of it.
pub(super) type Place = (usize, String);

/// The places of all texts, those together that are pieces of one.
pub(super) fn texts(documents: &[Option<Value>]) -> BTreeMap<String, Vec<Place>> {
    let mut found = BTreeMap::new();
    for (event, document) in documents.iter().enumerate() {
        if let Some(document) = document {
            walk(event, document, String::new(), String::new(), &mut found);
        }
    }
    found
}

/// `group` is the pointer with what the objects on the way say about which of several they are: answers and
/// tool calls that are told at the same time take turns.
fn walk(
    event: usize,
    value: &Value,
    pointer: String,
    group: String,
    found: &mut BTreeMap<String, Vec<Place>>,
) {
    match value {
        Value::String(_) => found.entry(group).or_default().push((event, pointer)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(event, item, format!("{pointer}/{at}"), format!("{group}/{at}"), found);
            }
        }
        Value::Object(members) => {
            let group = numbered(group, members);
            for (name, item) in members {
                let step = name.replace('~', "~0").replace('/', "~1");
                walk(event, item, format!("{pointer}/{step}"), format!("{group}/{step}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The group with what an object says about which of several it is.
pub(super) fn numbered(group: String, members: &Map<String, Value>) -> String {
    let numbers = members.iter().filter(|(name, _)| name.ends_with("index"));
    numbers.fold(group, |group, (_, number)| format!("{group}#{number}"))
}

/// The text that stands at these places, in one.
pub(super) fn joined(documents: &[Option<Value>], places: &[Place]) -> String {
    places.iter().map(|place| text(documents, place)).collect()
}

fn text<'a>(documents: &'a [Option<Value>], (event, pointer): &Place) -> &'a str {
    let found = documents[*event].as_ref().and_then(|document| document.pointer(pointer));
    found.and_then(Value::as_str).unwrap_or_default()
}

/// A text that stands at a JSON pointer from now on.
type Change = (String, String);

fn hide(secrets: &Secrets, places: &[Place], documents: &[Option<Value>], changes: &mut [Vec<Change>]) {
    let before: Vec<String> = places.iter().map(|place| text(documents, place).to_owned()).collect();
    // What every event repeats, as its id, is no text in pieces.
    if before.iter().all(|piece| *piece == before[0]) {
        return;
    }
    let mut pieces: Vec<Vec<u8>> = before.iter().map(|piece| piece.clone().into_bytes()).collect();
    if !secrets.clean_chunks(&mut pieces) {
        return;
    }
    for (((event, pointer), before), piece) in places.iter().zip(&before).zip(pieces) {
        let piece = String::from_utf8_lossy(&piece).into_owned();
        if piece != *before {
            changes[*event].push((pointer.clone(), piece));
        }
    }
}

/// The bytes of an event with other texts. Nothing else changes, as numbers would that are read and written again.
fn rewritten(event: &Event, changes: &[Change]) -> Vec<u8> {
    let mut places: Vec<(Range<usize>, &str)> = changes
        .iter()
        .filter_map(|(pointer, text)| Some((place_of(&event.data, pointer)?, text.as_str())))
        .collect();
    places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut document = event.data.clone();
    for (place, text) in places {
        document.splice(place, Value::from(text).to_string().into_bytes());
    }
    match memchr::memmem::find(&event.raw, &event.data) {
        Some(at) => {
            let after = &event.raw[at + event.data.len()..];
            [&event.raw[..at], &document, after].concat()
        }
        // Its data stood on several lines.
        None => {
            let mut raw = Vec::new();
            let document: Value = serde_json::from_slice(&document).unwrap_or_default();
            crate::frames::write_sse(&mut raw, &event.name, &document.to_string());
            raw
        }
    }
}

/// Where the value at a JSON pointer is written in a document.
fn place_of(document: &[u8], pointer: &str) -> Option<Range<usize>> {
    let document = std::str::from_utf8(document).ok()?;
    let mut value: &RawValue = serde_json::from_str(document).ok()?;
    for step in pointer.split('/').skip(1) {
        value = if value.get().starts_with('[') {
            *serde_json::from_str::<Vec<&RawValue>>(value.get()).ok()?.get(step.parse::<usize>().ok()?)?
        } else {
            let name = step.replace("~1", "/").replace("~0", "~");
            serde_json::from_str::<BTreeMap<String, &RawValue>>(value.get()).ok()?.remove(&name)?
        };
    }
    // A raw value is a part of the text that it was read from.
    let start = value.get().as_ptr().addr() - document.as_ptr().addr();
    Some(start..start + value.get().len())
}

/// Puts parts back into the chunks: each border stays where it was, or at the end of what it cut.
fn spread(chunks: &mut [Vec<u8>], parts: impl Iterator<Item = (usize, Vec<u8>)>) {
    let mut left: Vec<usize> = chunks.iter().map(Vec::len).collect();
    let mut at = 0;
    chunks.iter_mut().for_each(Vec::clear);
    for (mut length, bytes) in parts {
        let mut bytes = &bytes[..];
        loop {
            while at + 1 < left.len() && left[at] == 0 {
                at += 1;
            }
            let Some(chunk) = chunks.get_mut(at) else { return };
            if length <= left[at] || at + 1 == left.len() {
                left[at] = left[at].saturating_sub(length);
                chunk.extend_from_slice(bytes);
                break;
            }
            let here = left[at].min(bytes.len());
            chunk.extend_from_slice(&bytes[..here]);
            bytes = &bytes[here..];
            length -= left[at];
            left[at] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "Zk3vQ8xWn2LmR7tYbV5k";

    fn secrets() -> Secrets {
        let secrets = Secrets::none();
        secrets.learn(KEY);
        secrets
    }

    fn event(index: usize, text: &str) -> String {
        format!("data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    }

    fn said(chunks: &[Vec<u8>]) -> String {
        let body = String::from_utf8(chunks.concat()).unwrap();
        let document = |line: &str| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok();
        let documents = body.lines().filter_map(document);
        documents
            .map(|document| document["choices"][0]["delta"]["content"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn a_secret_in_pieces_of_any_size_is_hidden() {
        for size in 1..KEY.len() {
            let letters: Vec<char> = format!("It is {KEY}, yes.").chars().collect();
            let mut chunks: Vec<Vec<u8>> = letters
                .chunks(size)
                .map(|piece| event(0, &piece.iter().collect::<String>()).into_bytes())
                .collect();
            chunks.push(b"data: [DONE]\n\n".to_vec());
            let count = chunks.len();
            assert!(clean(&secrets(), "text/event-stream; charset=utf-8", &mut chunks), "{size}");
            assert_eq!(said(&chunks), "It is [redacted], yes.", "{size}");
            assert_eq!(chunks.len(), count);
            assert!(chunks.iter().all(|chunk| chunk.starts_with(b"data: ") && chunk.ends_with(b"\n\n")));
        }
    }

    #[test]
    fn only_the_text_of_an_event_is_written_anew() {
        let (one, two) = KEY.split_at(7);
        let event = |text: &str| {
            let rest = r#""z":1.50,"a":[1e5,-0.10,12345678901234567890123,null],"k":"\u00e9 \/""#;
            format!("event: x\ndata: {{{rest},\"a/b~\": {{\"content\" : \"{text}\"}} }}\nid: 3\n\n")
        };
        let mut chunks = vec![event(&format!("it is {one}")).into_bytes(), event(two).into_bytes()];
        assert!(clean(&secrets(), "text/event-stream", &mut chunks));
        assert_eq!(String::from_utf8_lossy(&chunks[0]), event("it is [redacted]"));
        assert_eq!(String::from_utf8_lossy(&chunks[1]), event(""));
    }

    #[test]
    fn answers_that_take_turns_are_read_each_for_itself() {
        let pieces: Vec<String> =
            KEY.chars().flat_map(|c| [event(0, &c.to_string()), event(1, "-")]).collect();
        let mut chunks = vec![pieces.concat().into_bytes()];
        assert!(clean(&secrets(), "text/event-stream", &mut chunks));
        assert_eq!(said(&chunks).replace('-', ""), "[redacted]");
    }

    #[test]
    fn what_holds_nothing_stays_the_very_same() {
        let body = [event(0, "Good"), event(0, " day"), "data: [DONE]\n\n".to_owned(), "data: x".to_owned()]
            .concat();
        for at in 0..body.len() {
            let (first, last) = body.as_bytes().split_at(at);
            let mut chunks = vec![first.to_vec(), last.to_vec()];
            assert!(!clean(&secrets(), "text/event-stream", &mut chunks));
            assert_eq!(chunks, [first, last]);
        }
    }

    #[test]
    fn borders_of_chunks_stay_in_number_wherever_they_are() {
        let (one, two) = KEY.split_at(7);
        let body =
            [event(0, "a"), event(0, one), event(0, two), event(0, "b"), "data: [DONE".to_owned()].concat();
        for at in 0..=body.len() {
            let (first, last) = body.as_bytes().split_at(at);
            let mut chunks = vec![first.to_vec(), last.to_vec()];
            assert!(clean(&secrets(), "text/event-stream", &mut chunks));
            assert_eq!(chunks.len(), 2);
            assert_eq!(said(&chunks), "a[redacted]b", "{at}");
            assert!(chunks.concat().ends_with(b"data: [DONE"));
        }
    }
}
