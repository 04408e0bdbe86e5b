//! JSON in what a model says: between words, in fences, or alone.

use serde_json::{Deserializer, Value};

/// How much of the end of a text is looked at. A report is short, and what is before it does not matter.
const LOOKED_AT: usize = 256 * 1024;

/// The last whole JSON object of a text that has this key. Objects within objects do not count: whoever quotes another
/// report in its own means its own.
pub(crate) fn last_object_with(text: &str, key: &str) -> Option<Value> {
    let mut rest = tail(text);
    let mut last = None;
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                rest = &rest[values.byte_offset()..];
                if value.get(key).is_some() {
                    last = Some(value);
                }
            }
            _ => rest = &rest[1..],
        }
    }
    last
}

/// What stands in the fenced blocks of a text, the last one first.
pub(crate) fn fenced(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = tail(text).split("```").collect();
    let inside = parts.iter().enumerate().filter(|(n, _)| n % 2 == 1).map(|(_, part)| *part);
    // The word after the fence names the language.
    let mut blocks: Vec<&str> =
        inside.map(|part| part.trim_start_matches(|it: char| it.is_ascii_alphanumeric()).trim()).collect();
    blocks.reverse();
    blocks
}

fn tail(text: &str) -> &str {
    let mut from = text.len().saturating_sub(LOOKED_AT);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_whole_object_with_the_key_counts() {
        for (text, found) in [
            ("", None),
            ("{\"verdict\": ", None),
            ("{\"other\": 1}", None),
            ("it is {\"verdict\": 1} or {\"verdict\": 2}, {\"x\": 3}", Some(json!({"verdict": 2}))),
            (
                "{\"verdict\": 1, \"page\": {\"verdict\": 2}, \"text\": \"{\\\"verdict\\\": 3}\"} }",
                Some(json!({"verdict": 1, "page": {"verdict": 2}, "text": "{\"verdict\": 3}"})),
            ),
            ("{ not json {\"verdict\": \"}\"} {", Some(json!({"verdict": "}"}))),
        ] {
            assert_eq!(last_object_with(text, "verdict"), found, "{text}");
        }
        let long = format!("{{\"verdict\": 1}} {}", "é{".repeat(200_000));
        assert_eq!(last_object_with(&long, "verdict"), None);
    }

    #[test]
    fn fenced_blocks_are_found_from_the_end() {
        assert_eq!(
            fenced("a\n```json\n{\"a\": 1}\n```\nb\n```\n{\"b\": 2}\n```"),
            ["{\"b\": 2}", "{\"a\": 1}"]
        );
        assert_eq!(fenced("none"), Vec::<&str>::new());
    }
}
