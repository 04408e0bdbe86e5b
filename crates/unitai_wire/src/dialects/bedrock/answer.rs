//! Writing answers.

use serde_json::{Value, json};
use unitai_model::Usage;

use super::super::json::parsed;
use crate::common::{Answer, Finish, Said, Stamp};
use crate::frames::write_event_stream;

/// What the ids of calls begin with.
pub(super) const CALL_PREFIX: &str = "tooluse_";

pub(super) fn plain(answer: &Answer, stamp: Stamp) -> Value {
    let content: Value = numbered(answer).map(|(part, call)| block(part, call, stamp)).collect();
    let mut body = metadata(&answer.usage);
    body["output"] = json!({"message": {"role": "assistant", "content": content}});
    body["stopReason"] = stop_reason(answer.finish()).into();
    body
}

pub(super) fn streamed(answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
    let mut events = Vec::new();
    let mut push = |name: &str, data: Value| {
        let mut bytes = Vec::new();
        write_event_stream(&mut bytes, name, &data.to_string());
        events.push(bytes);
    };
    push("messageStart", json!({"role": "assistant"}));
    for (index, (part, call)) in numbered(answer).enumerate() {
        // Blocks of text begin with their first piece.
        if let Said::ToolCall { name, .. } = part {
            let start = json!({"toolUse": {"toolUseId": call_id(stamp, call), "name": name}});
            push("contentBlockStart", json!({"contentBlockIndex": index, "start": start}));
        }
        for delta in deltas(part, stamp) {
            push("contentBlockDelta", json!({"contentBlockIndex": index, "delta": delta}));
        }
        push("contentBlockStop", json!({"contentBlockIndex": index}));
    }
    push("messageStop", json!({"stopReason": stop_reason(answer.finish())}));
    push("metadata", metadata(&answer.usage));
    events
}

/// Each part with the number of calls before it: calls are numbered among themselves.
fn numbered(answer: &Answer) -> impl Iterator<Item = (&Said, usize)> {
    answer.parts.iter().scan(0, |calls, part| {
        let before = *calls;
        *calls += usize::from(matches!(part, Said::ToolCall { .. }));
        Some((part, before))
    })
}

fn block(part: &Said, call: usize, stamp: Stamp) -> Value {
    match part {
        Said::Text(text) | Said::Refusal(text) => json!({"text": text}),
        Said::ToolCall { name, args } => {
            let input = if args.trim().is_empty() { json!({}) } else { parsed(args) };
            json!({"toolUse": {"toolUseId": call_id(stamp, call), "name": name, "input": input}})
        }
        Said::Reasoning(text) => {
            json!({"reasoningContent": {"reasoningText": {"text": text, "signature": signature(stamp)}}})
        }
    }
}

fn deltas(part: &Said, stamp: Stamp) -> Vec<Value> {
    match part {
        Said::Text(text) | Said::Refusal(text) => pieces(text).map(|piece| json!({"text": piece})).collect(),
        Said::ToolCall { args, .. } => {
            pieces(args).map(|piece| json!({"toolUse": {"input": piece}})).collect()
        }
        Said::Reasoning(text) => pieces(text)
            .map(|piece| json!({"reasoningContent": {"text": piece}}))
            .chain([json!({"reasoningContent": {"signature": signature(stamp)}})])
            .collect(),
    }
}

/// The pieces of a text, at least one: a block that has none would never have begun.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.is_empty().then_some("").into_iter().chain(Answer::pieces(text))
}

fn call_id(stamp: Stamp, call: usize) -> String {
    stamp.call_id(CALL_PREFIX, call)
}

/// Clients hand reasoning back with its signature.
fn signature(stamp: Stamp) -> String {
    stamp.answer_id("sig_")
}

/// Why the model stopped, in the provider's words.
pub(super) fn stop_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::ToolCalls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::Refusal => "content_filtered",
    }
}

fn metadata(usage: &Usage) -> Value {
    json!({"usage": counts(usage), "metrics": {"latencyMs": 1}, "serviceTier": {"type": "default"}})
}

/// The prompt's count has no cached tokens in it. How much of the answer was reasoning is not told.
fn counts(usage: &Usage) -> Value {
    let written = [("1h", usage.cache_write_long), ("5m", usage.cache_write)];
    let written = written.iter().filter(|(_, tokens)| *tokens > 0);
    let details: Value = written.map(|(ttl, tokens)| json!({"ttl": ttl, "inputTokens": tokens})).collect();
    json!({
        "inputTokens": usage.fresh,
        "outputTokens": usage.output,
        "totalTokens": usage.total(),
        "cacheReadInputTokens": usage.cache_read,
        "cacheWriteInputTokens": usage.cache_write.saturating_add(usage.cache_write_long),
        "cacheDetails": details,
    })
}
