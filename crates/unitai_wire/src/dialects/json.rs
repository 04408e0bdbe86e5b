//! Small readers of JSON that the dialects share.

use serde_json::{Map, Value};

/// The text at a key.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// The text at a key, owned; empty when there is none.
pub(super) fn string(value: &Value, key: &str) -> String {
    text(value, key).unwrap_or_default().to_owned()
}

/// The count at a key; 0 when there is none, or null. No provider counts further than JSON's numbers are
/// exact, and sums of what one says must not overflow.
pub(super) fn count(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(whole).unwrap_or(0)
}

/// Whether these are counts: the needed ones must be there, and what is there must be a whole number. What is
/// not says nothing: unknown is not zero.
pub(super) fn are_counts(value: &Value, needed: &[&str], others: &[&str]) -> bool {
    let is_count = |key: &&str| value.get(*key).and_then(whole).is_some();
    let is_absent = |key: &&str| value.get(*key).is_none_or(Value::is_null);
    needed.iter().all(is_count) && others.iter().all(|key| is_absent(key) || is_count(key))
}

fn whole(value: &Value) -> Option<u64> {
    let number = value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0)?;
    Some(value.as_u64().unwrap_or(number as u64).min(1 << 53))
}

/// The items of the list at a key; none when there is no list.
pub(super) fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The object without these keys.
pub(super) fn without(body: &Map<String, Value>, keys: &[&str]) -> Map<String, Value> {
    body.iter()
        .filter(|(key, _)| !keys.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// A JSON document that is held as text inside JSON; as the text itself when it is no JSON.
pub(super) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// A value as text: a string as it is, anything else as JSON.
pub(super) fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The message of an error, as most providers write it.
pub(super) fn error_message(body: &Value) -> Option<String> {
    let error = body.get("error").unwrap_or(body);
    let message = text(error, "message").or_else(|| error.as_str()).or_else(|| text(body, "detail"))?;
    Some(message.to_owned())
}
