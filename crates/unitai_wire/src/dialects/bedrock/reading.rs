//! Reading answers.

use serde_json::Value;
use unitai_model::Usage;

use super::super::Seen;
use super::super::json::{are_counts, count, error_message, items, string, text};
use crate::frames::Event;

pub(super) fn answer(body: &Value, seen: &mut Seen) {
    let content = body.pointer("/output/message/content").and_then(Value::as_array);
    for block in content.into_iter().flatten() {
        said(block, seen);
    }
    finished(body, seen);
    metadata(body, seen);
    seen.is_whole = content.is_some() && seen.error.is_none();
}

pub(super) fn event(event: &Event, seen: &mut Seen) {
    let data = serde_json::from_slice::<Value>(&event.data).unwrap_or(Value::Null);
    match event.name.as_str() {
        "contentBlockStart" => {
            if let Some(call) = data.pointer("/start/toolUse") {
                seen.content(text(call, "name"));
                let place = count(&data, "contentBlockIndex");
                seen.call_begins(place, text(call, "toolUseId"), text(call, "name"), None);
            }
        }
        "contentBlockDelta" => {
            let delta = data.get("delta").unwrap_or(&Value::Null);
            seen.content(text(delta, "text"));
            for place in ["/toolUse/input", "/reasoningContent/text"] {
                seen.content(delta.pointer(place).and_then(Value::as_str));
            }
            let args = delta.pointer("/toolUse/input").and_then(Value::as_str);
            seen.call_goes_on(count(&data, "contentBlockIndex"), args);
        }
        "messageStop" => {
            finished(&data, seen);
            end(seen);
        }
        "metadata" => {
            metadata(&data, seen);
            end(seen);
        }
        // An event without a name is what the framing itself calls an error.
        name if name.is_empty() || name.ends_with("Exception") => {
            let kind = if name.is_empty() { "the stream broke off" } else { name };
            seen.error = error_message(&data).or_else(|| Some(kind.to_owned()));
            seen.is_whole = false;
        }
        _ => {}
    }
}

/// The last event is the one with the usage; the message has ended before.
fn end(seen: &mut Seen) {
    seen.is_whole = seen.finish_reason.is_some() && seen.usage.is_some() && seen.error.is_none();
}

fn said(block: &Value, seen: &mut Seen) {
    seen.content(text(block, "text"));
    for place in ["/toolUse/name", "/reasoningContent/reasoningText/text"] {
        seen.content(block.pointer(place).and_then(Value::as_str));
    }
    if let Some(call) = block.get("toolUse") {
        let input = call.get("input").map(Value::to_string);
        seen.content(input.as_deref());
        seen.called(text(call, "toolUseId"), text(call, "name"), input.as_deref());
    }
}

fn finished(body: &Value, seen: &mut Seen) {
    if text(body, "stopReason").is_some() {
        seen.finish_reason = Some(string(body, "stopReason"));
    }
}

fn metadata(body: &Value, seen: &mut Seen) {
    // Only a router, which chooses the model itself, says which one answered.
    seen.model(body.pointer("/trace/promptRouter/invokedModelId").and_then(Value::as_str));
    if let Some(tier) = body.get("serviceTier").and_then(|tier| text(tier, "type")) {
        seen.service_tier = Some(tier.to_owned());
    }
    let others = ["cacheReadInputTokens", "cacheWriteInputTokens"];
    let counts = |raw: &&Value| are_counts(raw, &["inputTokens", "outputTokens"], &others);
    if let Some(raw) = body.get("usage").filter(counts) {
        seen.used(usage(raw), raw);
    }
}

/// The prompt's count has no cached tokens in it.
fn usage(raw: &Value) -> Usage {
    let written = |ttl: &str| {
        let details = items(raw, "cacheDetails").iter().filter(|detail| text(detail, "ttl") == Some(ttl));
        details.map(|detail| count(detail, "inputTokens")).fold(0, u64::saturating_add)
    };
    let cache_write_long = written("1h");
    // What is not said to stay for long does not.
    let rest = count(raw, "cacheWriteInputTokens").saturating_sub(cache_write_long);
    Usage {
        fresh: count(raw, "inputTokens"),
        cache_read: count(raw, "cacheReadInputTokens"),
        cache_write: rest.max(written("5m")),
        cache_write_long,
        output: count(raw, "outputTokens"),
        reasoning: 0,
    }
}
