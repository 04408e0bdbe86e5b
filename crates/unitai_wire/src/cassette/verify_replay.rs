//! Proof, before a recording is sealed, that a replay will find it and that it says what the provider said.
//!
//! The stored request must lead back to its key by the path that a replay takes. The stored answer must be the same but
//! for what redaction has hidden: the same members, numbers and events, texts that differ only at a mark, and for its
//! dialect the same usage, finish reason and tool calls.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use unitai_model::Source;

use super::{Entry, Inquiry, Recording, Slot, Volatile, telling};
use crate::dialects::Seen;
use crate::exchange::{Asked, Exchange};
use crate::frames::{Event, Frames, Framing};
use crate::redact::{MARK, Secrets};

/// A recording that a replay could not give back as it was, so that it is not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{request}: {why}")]
pub struct NotReplayable {
    /// The request, in a few words.
    pub request: String,
    /// What a replay would get wrong.
    pub why: ReplayDefect,
}

/// What a replay would get wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayDefect {
    /// The stored request has another key than the one it was sent with.
    #[error("a secret in the request became known only after it was sent, so a replay would look elsewhere")]
    Key,
    /// Redaction would change more of the answer than its secrets.
    #[error("with its secrets hidden, the answer would have another {0}")]
    Answer(String),
    /// The tokens of an answer stand beside its text one by one, with their probabilities, and none shows a secret by itself.
    #[error("its `logprobs` spell out a secret, token by token")]
    Logprobs,
    /// Redaction finds something in the file that it did not find in the answer.
    #[error("its file would hold a secret that cannot be taken out")]
    Secret,
    /// The file would not be read as it was written.
    #[error("its file could not be read again: {0}")]
    File(String),
}

/// Whether the request, as it would be stored, is found under its key.
pub(super) fn verify_request(
    inquiry: &Inquiry,
    secrets: &Secrets,
    volatile: &[Volatile],
) -> Result<(), ReplayDefect> {
    let stored = Inquiry::from_document(&inquiry.document());
    let is_found = stored.is_some_and(|stored| stored.cleaned(secrets, volatile).key() == inquiry.key());
    if is_found { Ok(()) } else { Err(ReplayDefect::Key) }
}

/// Whether the answer, as it would be stored, says what the original says.
pub(super) fn verify_answer(
    inquiry: &Inquiry,
    secrets: &Secrets,
    original: &Recording,
    stored: &Recording,
) -> Result<(), ReplayDefect> {
    let was = original.body();
    if spells_a_secret(secrets, original.content_type(), &was) {
        return Err(ReplayDefect::Logprobs);
    }
    if original.chunks == stored.chunks {
        return Ok(());
    }
    let is = stored.body();
    let differing = match telling::framing(original.content_type()) {
        Some(framing) => differing_events(events(framing, &was), events(framing, &is)),
        None => match serde_json::from_slice(&was) {
            Ok(was) => match serde_json::from_slice::<Value>(&is) {
                Ok(is) => differing_value(&was, &is, &mut String::new()),
                Err(_) => Some("form: it would not be JSON".to_owned()),
            },
            Err(_) => (!is_redacted(&was, &is)).then(|| "body".to_owned()),
        },
    };
    if let Some(field) = differing.or_else(|| differing_reading(inquiry, original, stored)) {
        return Err(ReplayDefect::Answer(field));
    }
    Ok(())
}

fn events(framing: Framing, body: &[u8]) -> (Vec<Event>, Vec<u8>) {
    let mut events = Vec::new();
    let mut frames = Frames::new(framing);
    frames.feed(body, &mut events);
    let rest = frames.finish(&mut events);
    (events, rest)
}

fn documents(events: &[Event]) -> Vec<Option<Value>> {
    events.iter().map(|event| serde_json::from_slice(&event.data).ok()).collect()
}

/// Whether the tokens that stand beside an answer's text make a secret together. Each would have to be hidden with its bytes
/// and its alternatives, in every dialect's way; such an answer is left out instead.
fn spells_a_secret(secrets: &Secrets, content_type: &str, body: &[u8]) -> bool {
    // Most answers have none, and are not read for this.
    let has_tokens = || memchr::memmem::find(body, b"\"token").is_some();
    if memchr::memmem::find(body, b"logprobs").is_none() || !has_tokens() {
        return false;
    }
    let documents = match telling::framing(content_type) {
        Some(framing) => documents(&events(framing, body).0),
        None => vec![serde_json::from_slice(body).ok()],
    };
    let mut tokens = BTreeMap::new();
    for document in documents.iter().flatten() {
        add_tokens(document, String::new(), false, &mut tokens);
    }
    tokens.values().any(|text: &String| matches!(secrets.clean(text), Cow::Owned(_)))
}

/// Adds the tokens below a member `logprobs` to the text that they are of: several answers take turns.
fn add_tokens(value: &Value, group: String, is_inside: bool, tokens: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            let group = telling::numbered(group, members);
            // The alternatives to a token are no text.
            let is_chosen = |name: &str| !matches!(name, "top_logprobs" | "topCandidates");
            for (name, item) in members.iter().filter(|(name, _)| is_chosen(name)) {
                match item {
                    Value::String(token) if is_inside && name == "token" => {
                        tokens.entry(group.clone()).or_default().push_str(token);
                    }
                    Value::Array(all) if is_inside && name == "tokens" => {
                        let text = all.iter().filter_map(Value::as_str).collect::<String>();
                        tokens.entry(group.clone()).or_default().push_str(&text);
                    }
                    _ => {
                        let is_inside = is_inside || name.starts_with("logprobs");
                        add_tokens(item, group.clone(), is_inside, tokens);
                    }
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let group = if is_inside { group.clone() } else { format!("{group}/{at}") };
                add_tokens(item, group, is_inside, tokens);
            }
        }
        _ => {}
    }
}

/// Whether the file gives back what is written to it.
pub(super) fn verify_file(path: &Path, key: &str, entry: &Entry, bytes: &[u8]) -> Result<(), ReplayDefect> {
    let read =
        Entry::read_slots(path, key, bytes).map_err(|damage| ReplayDefect::File(damage.to_string()))?;
    let is_same = |(read, slot): (&Slot, &Slot)| {
        read.scope == slot.scope && read.turn == slot.turn && read.recording == slot.recording
    };
    if read.len() == entry.slots.len() && read.iter().zip(&entry.slots).all(is_same) {
        Ok(())
    } else {
        Err(ReplayDefect::File("it holds other answers".to_owned()))
    }
}

/// Whether one text is the other with marks in the place of parts of it.
pub(super) fn is_redacted(original: &[u8], stored: &[u8]) -> bool {
    hidden_parts(original, stored).is_some()
}

/// What marks stand for in a text; `None` when it is not the other one with marks in the place of parts of it.
pub(super) fn hidden_parts<'a>(original: &'a [u8], stored: &[u8]) -> Option<Vec<&'a [u8]>> {
    let marks = memchr::memmem::find_iter(stored, MARK);
    let mut literals = Vec::new();
    let mut from = 0;
    for mark in marks {
        literals.push(&stored[from..mark]);
        from = mark + MARK.len();
    }
    let last = &stored[from..];
    let Some((first, between)) = literals.split_first() else {
        return (original == stored).then(Vec::new);
    };
    let mut rest = original.strip_prefix(*first)?;
    let mut parts = Vec::new();
    for literal in between {
        // A mark stands for a byte at least.
        let at = 1 + memchr::memmem::find(rest.get(1..)?, literal)?;
        parts.push(&rest[..at]);
        rest = &rest[at + literal.len()..];
    }
    let hidden = rest.strip_suffix(last).filter(|hidden| !hidden.is_empty())?;
    parts.push(hidden);
    Some(parts)
}

/// The same of a text of an answer, which must stay a document if it was one: a structured output, the arguments of a call.
fn is_same_text(original: &str, stored: &str) -> bool {
    original == stored
        || (is_redacted(original.as_bytes(), stored.as_bytes())
            && (!is_document(original) || is_document(stored)))
}

fn is_document(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Where two documents differ by more than hidden texts, as a JSON pointer.
fn differing_value(was: &Value, is: &Value, pointer: &mut String) -> Option<String> {
    let is_same = match (was, is) {
        (Value::String(was), Value::String(is)) => is_same_text(was, is),
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            return was.iter().zip(is).enumerate().find_map(|(at, (was, is))| {
                below(pointer, &at.to_string(), |pointer| differing_value(was, is, pointer))
            });
        }
        (Value::Object(was), Value::Object(is)) if was.len() == is.len() => {
            return differing_members(was, is, pointer);
        }
        // Two names that are the same without their secrets.
        (Value::Object(_), Value::Object(_)) => {
            return Some(format!("number of members at {}", named(pointer)));
        }
        _ => was == is,
    };
    (!is_same).then(|| named(pointer).to_owned())
}

/// A pointer as a message shows it: that of the whole document is empty.
fn named(pointer: &str) -> &str {
    if pointer.is_empty() { "the top level" } else { pointer }
}

fn differing_members(
    was: &Map<String, Value>,
    is: &Map<String, Value>,
    pointer: &mut String,
) -> Option<String> {
    let mut renamed: Vec<(&String, &Value)> =
        is.iter().filter(|(name, _)| !was.contains_key(*name)).collect();
    for (name, value) in was {
        let differing = below(pointer, name, |pointer| match is.get(name) {
            Some(stored) => differing_value(value, stored, pointer),
            // The name itself was hidden.
            None => {
                let fits = |(other, stored): &(&String, &Value)| {
                    other.contains(MARK) && differing_value(value, stored, &mut pointer.clone()).is_none()
                };
                let Some(at) = renamed.iter().position(fits) else { return Some(pointer.clone()) };
                renamed.swap_remove(at);
                None
            }
        });
        if differing.is_some() {
            return differing;
        }
    }
    None
}

fn below<T>(pointer: &mut String, name: &str, work: impl FnOnce(&mut String) -> T) -> T {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
    let done = work(pointer);
    pointer.truncate(length);
    done
}

/// Where two streams differ by more than hidden texts. What successive events say together is one text: where a secret
/// lies across them, the first holds its mark and the others hold nothing of it.
fn differing_events(was: (Vec<Event>, Vec<u8>), is: (Vec<Event>, Vec<u8>)) -> Option<String> {
    let ((was, was_rest), (is, is_rest)) = (was, is);
    if was.len() != is.len() || !is_redacted(&was_rest, &is_rest) {
        return Some("number of events".to_owned());
    }
    let (was_documents, is_documents) = (documents(&was), documents(&is));
    for at in 0..was.len() {
        let name = || format!("event {}", at + 1);
        let differing = match (&was_documents[at], &is_documents[at]) {
            _ if was[at].name != is[at].name => Some(name()),
            (Some(was), Some(is)) => {
                let (was, is) = (without_texts(was), without_texts(is));
                differing_value(&was, &is, &mut String::new()).map(|place| format!("{}: {place}", name()))
            }
            (None, None) => (!is_redacted(&was[at].data, &is[at].data)).then(name),
            _ => Some(name()),
        };
        if differing.is_some() {
            return differing;
        }
    }
    let texts = |documents: &[Option<Value>]| {
        telling::texts(documents)
            .into_iter()
            .map(|(group, places)| (group, telling::joined(documents, &places)))
            .collect::<Vec<_>>()
    };
    let (was, is) = (texts(&was_documents), texts(&is_documents));
    let same_groups = was.iter().map(|(group, _)| group).eq(is.iter().map(|(group, _)| group));
    // A hidden name of a member hides the group as well; its event was compared above.
    if !same_groups {
        return None;
    }
    let differing = was.iter().zip(&is).find(|((_, was), (_, is))| !is_same_text(was, is));
    differing.map(|((group, _), _)| format!("text at {group}"))
}

/// A document with its texts emptied: what stays must not change at all.
fn without_texts(value: &Value) -> Value {
    match value {
        Value::String(_) => Value::from(""),
        Value::Array(items) => items.iter().map(without_texts).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, item)| (name.clone(), without_texts(item))).collect())
        }
        other => other.clone(),
    }
}

/// What the dialect reads differently.
fn differing_reading(inquiry: &Inquiry, original: &Recording, stored: &Recording) -> Option<String> {
    let (was, is) = (reading(inquiry.asked()?, original), reading(inquiry.asked()?, stored));
    let mut fields = vec![
        ("finish reason", was.finish_reason == is.finish_reason),
        ("usage", was.usage == is.usage && was.service_tier == is.service_tier),
        ("end", was.is_whole == is.is_whole && was.error.is_some() == is.error.is_some()),
        ("number of tool calls", was.calls.len() == is.calls.len()),
    ];
    for (was, is) in was.calls.iter().zip(&is.calls) {
        fields.push(("tool call", is_redacted(was.name.as_bytes(), is.name.as_bytes())));
        fields.push(("tool call's id", is_redacted(was.id.as_bytes(), is.id.as_bytes())));
        fields.push(("tool call's arguments", is_same_text(&was.args, &is.args)));
    }
    fields.into_iter().find(|(_, is_same)| !is_same).map(|(name, _)| name.to_owned())
}

fn reading(asked: Asked, recording: &Recording) -> Seen {
    let mut exchange = Exchange::begin(asked, Source::Replay, false);
    exchange.head(recording.status, recording.content_type(), "");
    for chunk in &recording.chunks {
        exchange.feed(&chunk.bytes);
    }
    exchange.end();
    exchange.into_seen()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mark_stands_for_a_part_and_for_nothing_else() {
        for (original, stored) in [
            ("plain", "plain"),
            ("a secret b", "a [redacted] b"),
            ("secret", "[redacted]"),
            ("secret, secret", "[redacted], [redacted]"),
            ("[redacted]", "[redacted]"),
            ("x secret y [redacted] z", "x [redacted] y [redacted] z"),
        ] {
            assert!(is_redacted(original.as_bytes(), stored.as_bytes()), "{original} {stored}");
        }
        for (original, stored) in [
            ("plain", "plan"),
            ("a b", "a [redacted]b"),
            ("a secret b", "a [redacted] c"),
            ("a secret b", "b [redacted] b"),
            ("secret", "[redacted][redacted][redacted][redacted][redacted][redacted][redacted]"),
            ("", "[redacted]"),
        ] {
            assert!(!is_redacted(original.as_bytes(), stored.as_bytes()), "{original} {stored}");
        }
    }

    #[test]
    fn a_text_that_was_a_document_must_stay_one() {
        let was = json!({"content": r#"{"a": "secret", "n": 1}"#, "said": r#"so {"a": "secret"}"#});
        for (is, differing) in [
            (json!({"content": r#"{"a": "[redacted]", "n": 1}"#, "said": r#"so {"a": "[redacted]"}"#}), None),
            (json!({"content": r#"{"a": "[redacted]", "n": 1}"#, "said": r#"so {"a": [redacted]}"#}), None),
            (json!({"content": r#"{"a": [redacted], "n": 1}"#, "said": was["said"]}), Some("/content")),
            (json!({"content": r#"{"a": "[redacted] 1}"#, "said": was["said"]}), Some("/content")),
        ] {
            assert_eq!(differing_value(&was, &is, &mut String::new()).as_deref(), differing, "{is}");
        }
        let event = |content: &str| {
            let raw =
                format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": content}}]}));
            let (events, _) = events(Framing::Sse, raw.as_bytes());
            events
        };
        let stream = |pieces: [&str; 2]| (pieces.into_iter().flat_map(event).collect::<Vec<_>>(), Vec::new());
        let was = || stream([r#"{"a": "sec"#, r#"ret"}"#]);
        assert_eq!(differing_events(was(), stream([r#"{"a": "[redacted]"#, r#""}"#])), None);
        let differing = differing_events(was(), stream([r#"{"a": [redacted]"#, "}"]));
        assert!(differing.is_some_and(|text| text.ends_with("/delta/content")));
    }

    #[test]
    fn what_is_no_text_must_stay() {
        let was =
            json!({"id": "a-secret", "n": 1794970227, "list": [true, {"k": "secret"}], "a secret name": 1});
        let hidden = json!({"id": "a-[redacted]", "n": 1794970227, "list": [true, {"k": "[redacted]"}], "a [redacted] name": 1});
        let differing = |is: &Value| differing_value(&was, is, &mut String::new());
        assert_eq!(differing(&hidden), None);
        for (pointer, value, what) in [
            ("/n", json!("[redacted]"), "/n"),
            ("/n", json!(1), "/n"),
            ("/list/0", json!(false), "/list/0"),
            ("/list/1/k", json!("other"), "/list/1/k"),
            ("/list/1", json!({}), "number of members at /list/1"),
        ] {
            let mut changed = hidden.clone();
            *changed.pointer_mut(pointer).unwrap() = value;
            assert_eq!(differing(&changed).as_deref(), Some(what));
        }
    }
}
