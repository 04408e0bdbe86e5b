//! Reading answers.

use serde_json::Value;
use unitai_model::Usage;

use super::super::Seen;
use super::super::json::{are_counts, as_text, count, error_message, items, text};
use crate::frames::Event;

pub(super) fn answer(body: &Value, seen: &mut Seen) {
    // A stream that was not asked for as events is one list of chunks.
    if let Value::Array(chunks) = body {
        chunks.iter().for_each(|body| chunk(body, seen));
        return;
    }
    chunk(body, seen);
    if !items(body, "candidates").is_empty() && seen.error.is_none() {
        seen.is_whole = true;
    }
}

pub(super) fn event(event: &Event, seen: &mut Seen) {
    if let Ok(body) = serde_json::from_slice::<Value>(&event.data) {
        chunk(&body, seen);
    }
}

/// Answers and the chunks of a stream have one shape. A stream has no mark at its end: it is whole when
/// the model said why it stopped, or the prompt was blocked.
fn chunk(body: &Value, seen: &mut Seen) {
    seen.model(text(body, "modelVersion"));
    let raw = body.get("usageMetadata").unwrap_or(&Value::Null);
    if let Some(tier) = text(raw, "trafficType") {
        seen.service_tier = Some(tier.to_owned());
    }
    // Early chunks may tell the tier alone: unknown is not zero.
    let others =
        ["candidatesTokenCount", "cachedContentTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount"];
    if are_counts(raw, &["promptTokenCount"], &others) {
        seen.used(usage(raw), raw);
    }
    for candidate in items(body, "candidates") {
        let content = candidate.get("content").unwrap_or(&Value::Null);
        items(content, "parts").iter().for_each(|part| said(part, seen));
        stopped(candidate.get("finishReason"), seen);
    }
    stopped(body.get("promptFeedback").and_then(|feedback| feedback.get("blockReason")), seen);
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        seen.error = Some(error_message(body).unwrap_or_else(|| error.to_string()));
    }
    if seen.error.is_some() {
        seen.is_whole = false;
    }
}

fn said(part: &Value, seen: &mut Seen) {
    seen.content(text(part, "text"));
    if let Some(call) = part.get("functionCall") {
        let args = call.get("args").map(Value::to_string);
        seen.content(text(call, "name"));
        seen.content(args.as_deref());
        seen.called(text(call, "id"), text(call, "name"), args.as_deref());
    }
    for (kind, key) in [("executableCode", "code"), ("codeExecutionResult", "output")] {
        seen.content(part.get(kind).and_then(|part| text(part, key)));
    }
}

/// A reason is a name, or its number where the client asked for numbers. The first is "unspecified".
fn stopped(reason: Option<&Value>, seen: &mut Seen) {
    let Some(reason) = reason.filter(|reason| reason.is_string() || reason.is_u64()).map(as_text) else {
        return;
    };
    if reason.is_empty() || reason == "0" || reason.ends_with("_UNSPECIFIED") {
        return;
    }
    seen.finish_reason = Some(reason);
    seen.is_whole = true;
}

/// The prompt's count has the cached tokens in it, but not what the provider's own tools gave to the
/// model; the answer's count has no thoughts in it.
fn usage(raw: &Value) -> Usage {
    let cache_read = count(raw, "cachedContentTokenCount");
    let reasoning = count(raw, "thoughtsTokenCount");
    let fresh = count(raw, "promptTokenCount").saturating_sub(cache_read);
    Usage {
        fresh: fresh.saturating_add(count(raw, "toolUsePromptTokenCount")),
        cache_read,
        cache_write: 0,
        cache_write_long: 0,
        output: count(raw, "candidatesTokenCount").saturating_add(reasoning),
        reasoning,
    }
}
