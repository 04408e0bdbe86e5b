//! An answer as it may be written: without secrets, and with the places where there were some.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Slot, telling};
use crate::redact::Secrets;

/// The answer without secrets, wherever a border of two pieces cuts one.
pub(super) fn cleaned(secrets: &Secrets, slot: Slot) -> Slot {
    let scope = match secrets.clean(&slot.scope) {
        Cow::Borrowed(_) => slot.scope,
        Cow::Owned(cleaned) => Arc::from(cleaned),
    };
    let mut recording = Arc::unwrap_or_clone(slot.recording);
    let mut redacted = slot.redacted;
    // What was recorded earlier has been told already.
    let mut tell = |places: Vec<String>| {
        let new: Vec<String> = places.into_iter().filter(|place| !redacted.contains(place)).collect();
        redacted.extend(new);
    };
    let mut pieces: Vec<Vec<u8>> =
        recording.chunks.iter_mut().map(|chunk| std::mem::take(&mut chunk.bytes)).collect();
    let body = pieces.concat();
    // First: what is hidden in one event would leave the rest of it standing in the next.
    let is_told_in_pieces = telling::clean(secrets, recording.content_type(), &mut pieces);
    if secrets.clean_chunks(&mut pieces) || is_told_in_pieces {
        tell(places(secrets, &body));
    }
    for (chunk, bytes) in recording.chunks.iter_mut().zip(pieces) {
        chunk.bytes = bytes;
    }
    for (name, value) in &mut recording.headers {
        if let Cow::Owned(cleaned) = secrets.clean(value) {
            tell(vec![format!("header {name}")]);
            *value = cleaned;
        }
    }
    if let Some(usage) = &mut recording.usage {
        secrets.clean_json(usage);
    }
    Slot { scope, redacted, recording: Arc::new(recording), ..slot }
}

/// Where the secrets of a body are: in a document by pointer, in any other text by line.
fn places(secrets: &Secrets, body: &[u8]) -> Vec<String> {
    if let Ok(mut document) = serde_json::from_slice(body) {
        return secrets.clean_json(&mut document).iter().map(ToString::to_string).collect();
    }
    let unknown = secrets.unknown(&String::from_utf8_lossy(body));
    let mut places: Vec<String> =
        unknown.iter().map(|sighting| format!("body: looks like {sighting}")).collect();
    if places.is_empty() {
        places.push("body".to_owned());
    }
    places
}
