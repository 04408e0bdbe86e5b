//! Images, documents and audio in a request: base64 that a secret must not be taken out of piece by piece. What is left of
//! two documents that differ in their secret alone would be one, and both would have one recording.

use std::borrow::Cow;

use serde_json::Value;

use crate::digest_bytes;
use crate::redact::{MARK, Secrets};

/// Members that hold data in base64, in some dialect,
const MEMBERS: [&str; 2] = ["bytes", "file_data"];
/// and one that holds any, unless a member beside it says what kind of medium it is.
const DATA: &str = "data";
const KINDS: [&str; 4] = ["media_type", "mimeType", "mime_type", "format"];
/// Members that hold a list of it.
const LISTS: [&str; 1] = ["images"];
/// Shorter base64 may be a key.
const SHORTEST: usize = 64;

/// Puts its digest in the place of each medium that holds a secret, and gives the pointers to them. Any other stays as it is, so
/// that its request keeps its key.
pub(super) fn hide(secrets: &Secrets, body: &mut Value) -> Vec<String> {
    let mut places = Vec::new();
    visit(secrets, body, false, &mut String::new(), &mut places);
    places
}

/// Whether a text is the medium that a digest was put in the place of.
pub(super) fn is_hidden_form_of(hidden: &str, text: &str) -> bool {
    hidden.contains(MARK) && parts(text, true).is_some_and(|(head, data)| hidden == digested(head, data))
}

fn visit(
    secrets: &Secrets,
    value: &mut Value,
    is_data: bool,
    pointer: &mut String,
    places: &mut Vec<String>,
) {
    let mut below = |name: &str, item: &mut Value, is_data: bool| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        visit(secrets, item, is_data, pointer, places);
        pointer.truncate(length);
    };
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                below(&at.to_string(), item, is_data);
            }
        }
        Value::Object(members) => {
            let is_medium = KINDS.iter().any(|kind| members.contains_key(*kind));
            for (name, item) in members {
                let is_data = match item {
                    Value::String(_) => MEMBERS.contains(&name.as_str()) || (is_medium && name == DATA),
                    Value::Array(_) => LISTS.contains(&name.as_str()),
                    _ => false,
                };
                below(name, item, is_data);
            }
        }
        Value::String(text) => {
            if let Some((head, data)) = parts(text, is_data)
                && let Cow::Owned(cleaned) = secrets.clean(data)
                // What is a secret from its beginning to its end is no medium.
                && cleaned != MARK
            {
                *text = digested(head, data);
                places.push(pointer.clone());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What stands before the data of a medium, `data:image/png;base64,` or nothing, and the data.
fn parts(text: &str, is_data: bool) -> Option<(&str, &str)> {
    const SIGN: &str = ";base64,";
    let (head, data) = match text.find(SIGN).filter(|_| text.starts_with("data:")) {
        Some(at) => text.split_at(at + SIGN.len()),
        None if is_data => ("", text),
        None => return None,
    };
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=\r\n".contains(&byte);
    (data.len() >= SHORTEST && data.bytes().all(is_base64)).then_some((head, data))
}

fn digested(head: &str, data: &str) -> String {
    format!("{head}{MARK} sha256:{}", digest_bytes(data.as_bytes()))
}
