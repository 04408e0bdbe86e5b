//! Secrets: no known value is left in any text, in any cut; cleaning again changes nothing, and a document stays one.
//!
//! The first line of an input is a value to be learned, the rest is the text; the value is also put into
//! the text, where it is halved.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unitai_fuzz::ways_to_cut;
use unitai_wire::redact::Secrets;

fuzz_target!(|input: &[u8]| {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (value, text) = (&input[..end], input.get(end + 1..).unwrap_or_default());
    let Ok(value) = str::from_utf8(value) else { return };
    let secrets = Secrets::none();
    secrets.learn(value);
    let middle = text.len() / 2;
    let text = [&text[..middle], value.as_bytes(), &text[middle..]].concat();
    let cleaned = secrets.clean_bytes(&text).into_owned();
    assert_eq!(secrets.clean_bytes(&cleaned), &cleaned[..], "cleaning again changes something");
    // Over the punctuation of a document no value is looked for.
    if secrets.clean(value) == "[redacted]" && !value.contains(['"', '\\']) {
        let is_value = |window: &[u8]| window == value.as_bytes();
        assert!(!cleaned.windows(value.len()).any(is_value), "the value is still there");
    }
    if serde_json::from_slice::<serde_json::Value>(&text).is_ok() {
        assert!(serde_json::from_slice::<serde_json::Value>(&cleaned).is_ok(), "it is no document any more");
    }
    for pieces in ways_to_cut(&text) {
        let mut chunks: Vec<Vec<u8>> = pieces.into_iter().map(<[u8]>::to_vec).collect();
        let count = chunks.len();
        secrets.clean_chunks(&mut chunks);
        assert_eq!(chunks.len(), count);
        assert_eq!(chunks.concat(), cleaned, "the cut shows");
    }
    if let Ok(text) = str::from_utf8(&text) {
        assert_eq!(secrets.clean(text).as_bytes(), cleaned, "text is cleaned as its bytes are");
        secrets.unknown(text);
    }
});
