//! JSON in what a model says: between words, in fences, or alone.

use serde_json::Value;

/// How much of the end of a text is looked at. What a model says last counts, and is short.
const SEARCHED: usize = 256_000;

/// The deepest that anything we ask for is nested, and more. So no text takes long.
const DEPTH: usize = 16;

/// A whole object in a text.
pub(crate) struct Object<'a> {
    /// Its very words.
    pub(crate) text: &'a str,
    /// What stands after it.
    pub(crate) rest: &'a str,
    pub(crate) value: Value,
}

/// What a text holds, objects within objects left out: whoever quotes another's in its own means its own.
pub(crate) struct Found<'a> {
    pub(crate) whole: Vec<Object<'a>>,
    /// What stands after each brace that begins no object.
    pub(crate) broken: Vec<&'a str>,
}

/// Every object of a text, in its order.
pub(crate) fn objects(text: &str) -> Found<'_> {
    let mut rest = tail(text);
    let mut found = Found { whole: Vec::new(), broken: Vec::new() };
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let parsed = length(rest).and_then(|end| Some((end, serde_json::from_str(&rest[..end]).ok()?)));
        match parsed {
            Some((end, value)) => {
                let (text, after) = rest.split_at(end);
                found.whole.push(Object { text, rest: after, value });
                rest = after;
            }
            None => {
                rest = &rest[1..];
                found.broken.push(rest);
            }
        }
    }
    found
}

/// The last whole object of a text that has this key.
pub(crate) fn last_object_with(text: &str, key: &str) -> Option<Value> {
    objects(text).whole.into_iter().rev().map(|it| it.value).find(|it| it.get(key).is_some())
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

/// How long the object is that a text begins with.
fn length(text: &str) -> Option<usize> {
    let (mut depth, mut is_text, mut is_escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' if depth == DEPTH => return None,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Some(at + 1),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn tail(text: &str) -> &str {
    let mut from = text.len().saturating_sub(SEARCHED);
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
