//! Writing answers.

use serde_json::{Value, json};
use unitai_model::Usage;

use crate::common::{Answer, Finish, Said, Stamp};
use crate::frames::write_sse;

/// What the ids of calls begin with.
pub(super) const CALL_PREFIX: &str = "call_";

pub(super) fn plain(answer: &Answer, stamp: Stamp) -> Value {
    let mut message = json!({"role": "assistant"});
    let content: Vec<Value> = answer.parts.iter().filter_map(block).collect();
    if !content.is_empty() {
        message["content"] = content.into();
    }
    let calls: Vec<Value> = calls(answer, stamp).collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({
        "id": stamp.answer_id("chat_"),
        "message": message,
        "finish_reason": finish_reason(answer.finish()),
        "usage": usage(&answer.usage),
    })
}

pub(super) fn streamed(answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
    let mut stream = Stream { events: Vec::new() };
    let message =
        json!({"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []});
    stream.push("message-start", json!({"id": stamp.answer_id("chat_"), "delta": {"message": message}}));
    for (index, block) in answer.parts.iter().filter_map(block).enumerate() {
        stream.push_block(index, &block);
    }
    for (index, call) in calls(answer, stamp).enumerate() {
        stream.push_call(index, &call);
    }
    let end = json!({"finish_reason": finish_reason(answer.finish()), "usage": usage(&answer.usage)});
    stream.push("message-end", json!({"id": stamp.answer_id("chat_"), "delta": end}));
    stream.events
}

/// Why the model stopped, in the provider's words.
pub(super) fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::Refusal => "COMPLETE",
        Finish::ToolCalls => "TOOL_CALL",
        Finish::Length => "MAX_TOKENS",
    }
}

fn block(part: &Said) -> Option<Value> {
    match part {
        // There is no other way to decline than to say so.
        Said::Text(text) | Said::Refusal(text) => Some(json!({"type": "text", "text": text})),
        Said::Reasoning(text) => Some(json!({"type": "thinking", "thinking": text})),
        Said::ToolCall { .. } => None,
    }
}

fn calls(answer: &Answer, stamp: Stamp) -> impl Iterator<Item = Value> {
    let called = answer.parts.iter().filter_map(|part| match part {
        Said::ToolCall { name, args } => Some((name, args)),
        _ => None,
    });
    called.enumerate().map(move |(at, (name, args))| {
        let id = stamp.call_id(CALL_PREFIX, at);
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}})
    })
}

struct Stream {
    events: Vec<Vec<u8>>,
}

impl Stream {
    fn push(&mut self, kind: &str, mut data: Value) {
        data["type"] = kind.into();
        let mut bytes = Vec::new();
        write_sse(&mut bytes, kind, &data.to_string());
        self.events.push(bytes);
    }

    fn push_block(&mut self, index: usize, block: &Value) {
        let kind = block["type"].as_str().unwrap_or_default();
        let delta = |content: Value| json!({"index": index, "delta": {"message": {"content": content}}});
        self.push("content-start", delta(json!({"type": kind, kind: ""})));
        for piece in Answer::pieces(block[kind].as_str().unwrap_or_default()) {
            self.push("content-delta", delta(json!({kind: piece})));
        }
        self.push("content-end", json!({"index": index}));
    }

    fn push_call(&mut self, index: usize, call: &Value) {
        let delta = |calls: Value| json!({"index": index, "delta": {"message": {"tool_calls": calls}}});
        let mut begun = call.clone();
        begun["function"]["arguments"] = "".into();
        self.push("tool-call-start", delta(begun));
        for piece in Answer::pieces(call["function"]["arguments"].as_str().unwrap_or_default()) {
            self.push("tool-call-delta", delta(json!({"function": {"arguments": piece}})));
        }
        self.push("tool-call-end", json!({"index": index}));
    }
}

/// Nothing is told of reasoning and of writes to a cache.
fn usage(usage: &Usage) -> Value {
    let counts = json!({"input_tokens": usage.prompt_tokens(), "output_tokens": usage.output});
    json!({"billed_units": counts, "tokens": counts, "cached_tokens": usage.cache_read})
}
