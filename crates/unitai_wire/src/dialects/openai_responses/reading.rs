//! Reading answers.

use serde_json::Value;
use unitai_model::Usage;

use super::super::Seen;
use super::super::json::{are_counts, as_text, count, error_message, items, text};
use super::tools;
use crate::common::Part;
use crate::frames::Event;

pub(super) fn answer(body: &Value, seen: &mut Seen) {
    response(body, seen);
    said(body, seen);
    items(body, "output").iter().for_each(|item| called(item, seen));
    // An answer that is made in the background is fetched later.
    let is_over = !matches!(text(body, "status"), Some("queued" | "in_progress"));
    let is_answer = body.get("output").is_some_and(Value::is_array);
    seen.is_whole = is_answer && is_over && seen.error.is_none();
}

pub(super) fn event(event: &Event, seen: &mut Seen) {
    let Ok(data) = serde_json::from_slice::<Value>(&event.data) else { return };
    let kind = text(&data, "type").unwrap_or(&event.name);
    match kind {
        "error" => seen.error = Some(error_message(&data).unwrap_or_else(|| kind.to_owned())),
        "response.output_item.added" => {
            seen.content(data.get("item").and_then(|item| text(item, "name")));
        }
        "response.output_item.done" => called(data.get("item").unwrap_or(&Value::Null), seen),
        // Text, refusals, reasoning, arguments: what an item says comes in pieces, and again when it is done.
        _ if kind.ends_with(".delta") => seen.content(text(&data, "delta")),
        _ => {}
    }
    // The answer as a whole comes when it begins and when it ends.
    let Some(whole) = data.get("response").filter(|response| response.is_object()) else { return };
    response(whole, seen);
    match kind {
        "response.completed" | "response.incomplete" => {
            if seen.content_bytes == 0 {
                said(whole, seen);
            }
            if seen.calls.is_empty() {
                items(whole, "output").iter().for_each(|item| called(item, seen));
            }
            seen.is_whole = seen.error.is_none();
        }
        "response.failed" if seen.error.is_none() => seen.error = Some(kind.to_owned()),
        _ => {}
    }
}

fn response(body: &Value, seen: &mut Seen) {
    seen.model(text(body, "model"));
    if let Some(tier) = text(body, "service_tier") {
        seen.service_tier = Some(tier.to_owned());
    }
    let counts = |usage: &&Value| are_counts(usage, &["input_tokens", "output_tokens"], &[]);
    if let Some(raw) = body.get("usage").filter(counts) {
        seen.used(usage(raw), raw);
    }
    let status = text(body, "status");
    if body.get("error").is_some_and(|error| !error.is_null()) {
        seen.error = error_message(body).or_else(|| Some("error".to_owned()));
    } else if let Some("failed" | "cancelled") = status {
        seen.error = status.map(str::to_owned);
    }
    let cut_off = body.get("incomplete_details").and_then(|details| text(details, "reason"));
    if let Some(reason) = cut_off.or(status.filter(|status| !matches!(*status, "queued" | "in_progress"))) {
        seen.finish_reason = Some(reason.to_owned());
    }
}

fn called(item: &Value, seen: &mut Seen) {
    if text(item, "type") == Some("function_call") {
        seen.called(text(item, "call_id"), text(item, "name"), text(item, "arguments"));
    } else if let Some((id, name, args)) = tools::called(item) {
        seen.called(Some(&id), Some(&name), Some(&as_text(&args)));
    } else if let Some(Part::ToolResult { id, .. }) = tools::result(item) {
        // The provider ran it itself, as a shell in a container.
        seen.calls.retain(|call| call.id != id);
    }
}

fn said(response: &Value, seen: &mut Seen) {
    for item in items(response, "output") {
        for key in ["name", "arguments", "input"] {
            seen.content(text(item, key));
        }
        for part in ["content", "summary"].iter().flat_map(|key| items(item, key)) {
            seen.content(text(part, "text"));
            seen.content(text(part, "refusal"));
        }
    }
}

/// The prompt's count has the cached tokens in it, and the answer's count the reasoning.
fn usage(raw: &Value) -> Usage {
    let prompt = raw.get("input_tokens_details").unwrap_or(&Value::Null);
    let output = raw.get("output_tokens_details").unwrap_or(&Value::Null);
    let cache_read = count(prompt, "cached_tokens");
    let cache_writes = count(prompt, "cache_write_tokens");
    let by_time = prompt.get("cache_write_tokens_details").unwrap_or(&Value::Null);
    let cache_write_long = count(by_time, "ttl_12h_tokens").min(cache_writes);
    Usage {
        fresh: count(raw, "input_tokens").saturating_sub(cache_read).saturating_sub(cache_writes),
        cache_read,
        cache_write: cache_writes - cache_write_long,
        cache_write_long,
        output: count(raw, "output_tokens"),
        reasoning: count(output, "reasoning_tokens"),
    }
}
