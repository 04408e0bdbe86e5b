//! Writing answers.

use serde_json::{Map, Value, json};
use unitai_model::Usage;

use super::super::json::parsed;
use crate::common::{Answer, Finish, Request, Said, Stamp};
use crate::frames::write_sse;

/// What the ids of calls begin with.
pub(super) const CALL_PREFIX: &str = "toolu_";

pub(super) fn plain(request: &Request, answer: &Answer, stamp: Stamp) -> Value {
    let mut message = envelope(request, stamp);
    message["content"] = numbered(answer).map(|(part, call)| block(part, call, stamp)).collect();
    if let (Value::Object(message), Value::Object(end)) = (&mut message, end(answer)) {
        message.extend(end);
    }
    message["usage"] = usage(&answer.usage, answer.usage.output);
    message
}

pub(super) fn streamed(request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
    let mut events = Vec::new();
    let mut push = |name: &str, fields: Value| {
        let mut data = Map::from_iter([("type".to_owned(), Value::from(name))]);
        if let Value::Object(fields) = fields {
            data.extend(fields);
        }
        let mut bytes = Vec::new();
        write_sse(&mut bytes, name, &Value::Object(data).to_string());
        events.push(bytes);
    };
    let mut message = envelope(request, stamp);
    // What the answer takes is not known yet; the provider begins with a token.
    message["usage"] = usage(&answer.usage, answer.usage.output.min(1));
    push("message_start", json!({"message": message}));
    for (index, (part, call)) in numbered(answer).enumerate() {
        push("content_block_start", json!({"index": index, "content_block": opened(part, call, stamp)}));
        if index == 0 {
            push("ping", json!({}));
        }
        for delta in deltas(part, stamp) {
            push("content_block_delta", json!({"index": index, "delta": delta}));
        }
        push("content_block_stop", json!({"index": index}));
    }
    let mut used = usage(&answer.usage, answer.usage.output);
    if let Value::Object(used) = &mut used {
        // These stand in the first event alone.
        used.retain(|key, _| !matches!(key.as_str(), "cache_creation" | "service_tier"));
    }
    push("message_delta", json!({"delta": end(answer), "usage": used}));
    push("message_stop", json!({}));
    events
}

/// The message before anything was said.
fn envelope(request: &Request, stamp: Stamp) -> Value {
    json!({
        "id": stamp.answer_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
    })
}

/// Each part with the number of calls before it: calls are numbered among themselves.
fn numbered(answer: &Answer) -> impl Iterator<Item = (&Said, usize)> {
    answer.parts.iter().scan(0, |calls, part| {
        let before = *calls;
        *calls += usize::from(matches!(part, Said::ToolCall { .. }));
        Some((part, before))
    })
}

/// A whole block of content.
fn block(part: &Said, call: usize, stamp: Stamp) -> Value {
    let mut block = opened(part, call, stamp);
    match part {
        Said::Text(text) | Said::Refusal(text) => block["text"] = text.as_str().into(),
        Said::ToolCall { args, .. } => {
            if !args.trim().is_empty() {
                block["input"] = parsed(args);
            }
        }
        Said::Reasoning(text) => {
            block["thinking"] = text.as_str().into();
            block["signature"] = signature(stamp).into();
        }
    }
    block
}

/// A block as a stream opens it.
fn opened(part: &Said, call: usize, stamp: Stamp) -> Value {
    match part {
        Said::Text(_) | Said::Refusal(_) => json!({"type": "text", "text": ""}),
        Said::ToolCall { name, .. } => {
            json!({"type": "tool_use", "id": stamp.call_id(CALL_PREFIX, call), "name": name, "input": {}})
        }
        Said::Reasoning(_) => json!({"type": "thinking", "thinking": "", "signature": ""}),
    }
}

fn deltas(part: &Said, stamp: Stamp) -> Vec<Value> {
    match part {
        Said::Text(text) | Said::Refusal(text) => {
            Answer::pieces(text).map(|piece| json!({"type": "text_delta", "text": piece})).collect()
        }
        Said::ToolCall { args, .. } => std::iter::once("")
            .chain(Answer::pieces(args))
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect(),
        Said::Reasoning(text) => Answer::pieces(text)
            .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
            .chain([json!({"type": "signature_delta", "signature": signature(stamp)})])
            .collect(),
    }
}

/// Clients hand reasoning back with its signature, and require one.
fn signature(stamp: Stamp) -> String {
    stamp.answer_id("sig_")
}

/// Why the model stopped, in the provider's words.
pub(super) fn stop_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::ToolCalls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::Refusal => "refusal",
    }
}

fn end(answer: &Answer) -> Value {
    let mut end = json!({"stop_reason": stop_reason(answer.finish()), "stop_sequence": null});
    if answer.finish() == Finish::Refusal {
        end["stop_details"] = json!({"type": "refusal", "category": null, "explanation": null});
    }
    end
}

/// The prompt's count has no cached tokens in it; the answer's count has the reasoning.
fn usage(usage: &Usage, output: u64) -> Value {
    json!({
        "input_tokens": usage.fresh,
        "cache_creation_input_tokens": usage.cache_write.saturating_add(usage.cache_write_long),
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write,
            "ephemeral_1h_input_tokens": usage.cache_write_long,
        },
        "output_tokens": output,
        "output_tokens_details": {"thinking_tokens": usage.reasoning.min(output)},
        "service_tier": "standard",
    })
}
