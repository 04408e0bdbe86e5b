//! Reading answers.

use serde_json::{Map, Value};
use unitai_model::Usage;

use super::super::Seen;
use super::super::json::{are_counts, count, error_message, items, text};
use crate::frames::Event;

/// What the last chunk counts, among other things.
const COUNTS: &[&str] = &[
    "prompt_eval_count",
    "eval_count",
    "total_duration",
    "load_duration",
    "prompt_eval_duration",
    "eval_duration",
];

pub(super) fn event(event: &Event, seen: &mut Seen) {
    if let Ok(body) = serde_json::from_slice::<Value>(&event.data) {
        chunk(&body, seen);
    }
}

/// Answers and the chunks of a stream have one shape.
pub(super) fn chunk(body: &Value, seen: &mut Seen) {
    seen.model(text(body, "model"));
    // After a single prompt what is said stands in the chunk itself.
    let said = body.get("message").unwrap_or(body);
    for key in ["thinking", "content", "response"] {
        seen.content(text(said, key));
    }
    for call in items(said, "tool_calls") {
        let function = call.get("function").unwrap_or(&Value::Null);
        let args = function.get("arguments").map(Value::to_string);
        seen.content(text(function, "name"));
        seen.content(args.as_deref());
        seen.called(text(call, "id"), text(function, "name"), args.as_deref());
    }
    if let Some(reason) = text(body, "done_reason").filter(|reason| !reason.is_empty()) {
        seen.finish_reason = Some(reason.to_owned());
    }
    // A prompt that was cached is not counted; an answer always is.
    if are_counts(body, &["eval_count"], &["prompt_eval_count"]) {
        seen.used(Usage::of(count(body, "prompt_eval_count"), count(body, "eval_count")), &counts(body));
    }
    if body.get("done").and_then(Value::as_bool).unwrap_or(false) {
        seen.is_whole = true;
    }
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        seen.error = Some(error_message(body).unwrap_or_else(|| error.to_string()));
    }
    if seen.error.is_some() {
        seen.is_whole = false;
    }
}

/// Usage as it was written. It has no object of its own.
fn counts(body: &Value) -> Value {
    let counts = COUNTS.iter().filter_map(|key| Some(((*key).to_owned(), body.get(*key)?.clone())));
    Value::Object(counts.collect::<Map<_, _>>())
}
