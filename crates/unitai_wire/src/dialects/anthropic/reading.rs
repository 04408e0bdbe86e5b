//! Reading answers.

use serde_json::{Map, Value};
use unitai_model::Usage;

use super::super::Seen;
use super::super::json::{are_counts, count, error_message, items, text};
use crate::frames::Event;

pub(super) fn answer(body: &Value, seen: &mut Seen) {
    if text(body, "type") == Some("error") || body.get("error").is_some_and(|error| !error.is_null()) {
        failed(body, seen);
        return;
    }
    began(body, seen);
    items(body, "content").iter().for_each(|block| said(block, seen));
    finished(body, seen);
    seen.is_whole = body.get("content").is_some_and(Value::is_array) && seen.error.is_none();
}

pub(super) fn event(event: &Event, seen: &mut Seen) {
    let Ok(data) = serde_json::from_slice::<Value>(&event.data) else {
        if event.name == "error" {
            seen.error = Some(String::from_utf8_lossy(&event.data).into_owned());
        }
        return;
    };
    match text(&data, "type").unwrap_or(&event.name) {
        "message_start" => began(data.get("message").unwrap_or(&Value::Null), seen),
        "content_block_start" => {
            let block = data.get("content_block").unwrap_or(&Value::Null);
            seen.content(text(block, "text"));
            seen.content(text(block, "name"));
            if is_tool_use(block) {
                // The input comes in pieces; where it is there already, it is whole.
                let input = block.get("input").and_then(Value::as_object).filter(|input| !input.is_empty());
                let input = input.and_then(|input| serde_json::to_string(input).ok());
                let place = count(&data, "index");
                seen.call_begins(place, text(block, "id"), text(block, "name"), input.as_deref());
            }
        }
        "content_block_delta" => {
            let delta = data.get("delta").unwrap_or(&Value::Null);
            for key in ["text", "thinking", "partial_json"] {
                seen.content(text(delta, key));
            }
            seen.call_goes_on(count(&data, "index"), text(delta, "partial_json"));
        }
        "message_delta" => {
            finished(data.get("delta").unwrap_or(&Value::Null), seen);
            used(data.get("usage"), seen);
        }
        "message_stop" => seen.is_whole = seen.error.is_none(),
        "error" => failed(&data, seen),
        _ => {}
    }
}

fn began(message: &Value, seen: &mut Seen) {
    seen.model(text(message, "model"));
    used(message.get("usage"), seen);
}

fn said(block: &Value, seen: &mut Seen) {
    for key in ["text", "thinking", "name"] {
        seen.content(text(block, key));
    }
    let input = block.get("input").map(Value::to_string);
    seen.content(input.as_deref());
    if is_tool_use(block) {
        seen.called(text(block, "id"), text(block, "name"), input.as_deref());
    }
}

/// Whether a block asks for a tool of the agent, and not for one that the provider runs itself.
fn is_tool_use(block: &Value) -> bool {
    text(block, "type") == Some("tool_use")
}

fn finished(end: &Value, seen: &mut Seen) {
    if let Some(reason) = text(end, "stop_reason") {
        seen.finish_reason = Some(reason.to_owned());
    }
}

fn failed(body: &Value, seen: &mut Seen) {
    seen.error = error_message(body).or_else(|| Some("the provider gave no message".to_owned()));
    seen.is_whole = false;
}

/// The counts of a stream are cumulative, and its last event says only what may have changed.
fn used(raw: Option<&Value>, seen: &mut Seen) {
    let Some(Value::Object(now)) = raw else { return };
    // An object that counts nothing says nothing: unknown is not zero.
    if !["input_tokens", "output_tokens"].iter().any(|key| now.get(*key).is_some_and(Value::is_u64)) {
        return;
    }
    let mut known = match &seen.raw_usage {
        Some(Value::Object(before)) => before.clone(),
        _ => Map::new(),
    };
    known.extend(
        now.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), value.clone())),
    );
    let known = Value::Object(known);
    if let Some(tier) = text(&known, "service_tier") {
        seen.service_tier = Some(tier.to_owned());
    }
    let caches = ["cache_read_input_tokens", "cache_creation_input_tokens"];
    if are_counts(&known, &["input_tokens", "output_tokens"], &caches) {
        seen.used(usage(&known), &known);
    }
    seen.raw_usage = Some(known);
}

fn usage(raw: &Value) -> Usage {
    let mut usage = counted(raw);
    // What it took to summarise the conversation on the way is billed, but not among the totals.
    for step in items(raw, "iterations").iter().filter(|step| text(step, "type") == Some("compaction")) {
        let step = counted(step);
        usage.fresh = usage.fresh.saturating_add(step.fresh);
        usage.cache_read = usage.cache_read.saturating_add(step.cache_read);
        usage.cache_write = usage.cache_write.saturating_add(step.cache_write);
        usage.cache_write_long = usage.cache_write_long.saturating_add(step.cache_write_long);
        usage.output = usage.output.saturating_add(step.output);
    }
    usage
}

/// The prompt's count has no cached tokens in it; the answer's count has the reasoning.
fn counted(raw: &Value) -> Usage {
    let written = raw.get("cache_creation").unwrap_or(&Value::Null);
    let cache_write_long = count(written, "ephemeral_1h_input_tokens");
    // The total may be newer than the split, and what is not said to stay for long does not.
    let rest = count(raw, "cache_creation_input_tokens").saturating_sub(cache_write_long);
    let details = raw.get("output_tokens_details").unwrap_or(&Value::Null);
    Usage {
        fresh: count(raw, "input_tokens"),
        cache_read: count(raw, "cache_read_input_tokens"),
        cache_write: rest.max(count(written, "ephemeral_5m_input_tokens")),
        cache_write_long,
        output: count(raw, "output_tokens"),
        reasoning: count(details, "thinking_tokens"),
    }
}
