//! Reading answers.

use serde_json::Value;
use unitai_model::Usage;

use super::super::Seen;
use super::super::json::{are_counts, count, items, text};
use crate::frames::Event;

pub(super) fn answer(body: &Value, seen: &mut Seen) {
    let message = body.get("message").unwrap_or(&Value::Null);
    for block in items(message, "content") {
        said(block, seen);
    }
    seen.content(text(message, "tool_plan"));
    for call in items(message, "tool_calls") {
        let function = call.get("function").unwrap_or(&Value::Null);
        let (name, args) = (text(function, "name"), text(function, "arguments"));
        seen.content(name);
        seen.content(args);
        seen.called(text(call, "id"), name, args);
    }
    ended(body, seen);
    seen.is_whole = message.is_object() && seen.error.is_none();
}

pub(super) fn event(event: &Event, seen: &mut Seen) {
    let Ok(data) = serde_json::from_slice::<Value>(&event.data) else { return };
    let delta = data.get("delta").unwrap_or(&Value::Null);
    let message = delta.get("message").unwrap_or(&Value::Null);
    let place = count(&data, "index");
    let call = message.get("tool_calls").unwrap_or(&Value::Null);
    let function = call.get("function").unwrap_or(&Value::Null);
    let args = text(function, "arguments");
    match text(&data, "type").unwrap_or(&event.name) {
        "content-start" | "content-delta" => said(message.get("content").unwrap_or(&Value::Null), seen),
        "tool-plan-delta" => seen.content(text(message, "tool_plan")),
        "tool-call-start" => {
            let name = text(function, "name");
            seen.content(name);
            seen.content(args);
            seen.call_begins(place, text(call, "id"), name, args);
        }
        "tool-call-delta" => {
            seen.content(args);
            seen.call_goes_on(place, args);
        }
        "message-end" => {
            ended(delta, seen);
            if let Some(error) = text(delta, "error") {
                seen.error = Some(error.to_owned());
            }
            seen.is_whole = seen.error.is_none();
        }
        _ => {}
    }
}

fn said(block: &Value, seen: &mut Seen) {
    for key in ["text", "thinking"] {
        seen.content(text(block, key));
    }
}

fn ended(body: &Value, seen: &mut Seen) {
    if let Some(reason) = text(body, "finish_reason") {
        seen.finish_reason = Some(reason.to_owned());
        if let "ERROR" | "ERROR_TOXIC" | "TIMEOUT" = reason {
            seen.error = Some(reason.to_owned());
        }
    }
    let Some(raw) = body.get("usage").filter(|raw| raw.is_object()) else { return };
    // What is billed is what costs; the other count has tokens in it that the provider adds for itself.
    let counts = ["billed_units", "tokens"].iter().filter_map(|key| raw.get(*key));
    let told = counts.into_iter().find(|counts| are_counts(counts, &["input_tokens", "output_tokens"], &[]));
    if let Some(told) = told {
        let prompt = count(told, "input_tokens");
        let cache_read = count(raw, "cached_tokens").min(prompt);
        let usage =
            Usage { fresh: prompt - cache_read, cache_read, ..Usage::of(0, count(told, "output_tokens")) };
        seen.used(usage, raw);
    }
}
