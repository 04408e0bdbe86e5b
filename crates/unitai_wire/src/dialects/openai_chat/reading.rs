//! Reading answers.

use serde_json::Value;
use unitai_model::Usage;

use super::super::Seen;
use super::super::json::{are_counts, as_text, count, error_message, items, text};
use crate::frames::Event;

pub(super) fn answer(body: &Value, seen: &mut Seen) {
    common(body, seen);
    let choices = items(body, "choices");
    for choice in choices {
        let message = choice.get("message").unwrap_or(&Value::Null);
        said(message, seen);
        for call in items(message, "tool_calls") {
            let (name, args) = named(call);
            seen.called(text(call, "id"), name, args.as_deref());
        }
        if let Some(call) = function_call(message) {
            let (name, args) = function(call);
            seen.called(None, name, args.as_deref());
        }
        finished(choice, seen);
    }
    seen.is_whole = !choices.is_empty() && seen.error.is_none();
}

pub(super) fn event(event: &Event, seen: &mut Seen) {
    if event.data == b"[DONE]" {
        seen.is_whole = seen.error.is_none();
        return;
    }
    let Ok(chunk) = serde_json::from_slice::<Value>(&event.data) else { return };
    common(&chunk, seen);
    for choice in items(&chunk, "choices") {
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        said(delta, seen);
        items(delta, "tool_calls").iter().for_each(|piece| called(choice, piece, seen));
        if let Some(piece) = function_call(delta) {
            // There is one in an answer, which is at no place of a list.
            let place = (count(choice, "index") << 32) | u64::from(u32::MAX);
            let (name, args) = function(piece);
            if seen.call_at(place).is_some() {
                seen.call_goes_on(place, args.as_deref());
            } else {
                seen.call_begins(place, None, name, args.as_deref());
            }
        }
        finished(choice, seen);
    }
}

/// A chunk without choices holds nothing but usage.
pub(super) fn is_usage_alone(event: &Event) -> bool {
    // Most chunks are not even parsed for this.
    if memchr::memmem::find(&event.data, b"\"usage\"").is_none() {
        return false;
    }
    let Ok(chunk) = serde_json::from_slice::<Value>(&event.data) else { return false };
    items(&chunk, "choices").is_empty() && chunk.get("usage").is_some_and(Value::is_object)
}

fn common(body: &Value, seen: &mut Seen) {
    seen.model(text(body, "model"));
    if let Some(tier) = text(body, "service_tier") {
        seen.service_tier = Some(tier.to_owned());
    }
    let counts = |usage: &&Value| are_counts(usage, &["prompt_tokens", "completion_tokens"], &[]);
    // In streams, Groq says it in a field of its own, whether it is asked for or not.
    let of_groq = || body.get("x_groq").and_then(|own| own.get("usage")).filter(counts);
    if let Some(raw) = body.get("usage").filter(counts).or_else(of_groq) {
        seen.used(usage(raw), raw);
    }
    if body.get("error").is_some_and(|error| !error.is_null()) {
        seen.error = error_message(body).or_else(|| Some("the provider gave no message".to_owned()));
    }
}

fn said(message: &Value, seen: &mut Seen) {
    for key in ["content", "refusal", "reasoning_content", "reasoning"] {
        seen.content(text(message, key));
    }
    for call in items(message, "tool_calls") {
        let function = call.get("function").unwrap_or(&Value::Null);
        seen.content(text(function, "name"));
        seen.content(text(function, "arguments"));
    }
    if let Some(call) = function_call(message) {
        seen.content(text(call, "name"));
        seen.content(text(call, "arguments"));
    }
}

/// The call of a client that offers `functions`.
fn function_call(message: &Value) -> Option<&Value> {
    message.get("function_call").filter(|call| call.is_object())
}

/// A piece of a tool call. Its place is the answer's and its own; some servers count all calls as the first,
/// and then only a new id tells that another begins.
fn called(choice: &Value, piece: &Value, seen: &mut Seen) {
    let place = (count(choice, "index") << 32) | count(piece, "index");
    let (name, args) = named(piece);
    let id = text(piece, "id").filter(|id| !id.is_empty());
    let is_known = seen.call_at(place).is_some_and(|call| id.is_none_or(|id| id == call.id));
    if is_known {
        seen.call_goes_on(place, args.as_deref());
    } else {
        seen.call_begins(place, id, name, args.as_deref());
    }
}

/// The tool's name and its arguments, which some servers send as an object.
fn named(call: &Value) -> (Option<&str>, Option<String>) {
    function(call.get("function").or_else(|| call.get("custom")).unwrap_or(&Value::Null))
}

fn function(function: &Value) -> (Option<&str>, Option<String>) {
    let args = function.get("arguments").or_else(|| function.get("input"));
    (text(function, "name"), args.filter(|args| !args.is_null()).map(as_text))
}

fn finished(choice: &Value, seen: &mut Seen) {
    if let Some(reason) = text(choice, "finish_reason") {
        seen.finish_reason = Some(reason.to_owned());
    }
}

/// The prompt's count has the cached tokens in it, and the answer's count the reasoning.
fn usage(raw: &Value) -> Usage {
    let prompt = raw.get("prompt_tokens_details").unwrap_or(&Value::Null);
    let completion = raw.get("completion_tokens_details").unwrap_or(&Value::Null);
    // DeepSeek names it beside the total.
    let cache_read = count(prompt, "cached_tokens").max(count(raw, "prompt_cache_hit_tokens"));
    let cache_write = count(prompt, "cache_write_tokens");
    Usage {
        fresh: count(raw, "prompt_tokens").saturating_sub(cache_read).saturating_sub(cache_write),
        cache_read,
        cache_write,
        cache_write_long: 0,
        output: count(raw, "completion_tokens"),
        reasoning: count(completion, "reasoning_tokens"),
    }
}
