//! Writing answers.

use serde_json::{Value, json};

use super::super::json::parsed;
use super::request::is_single;
use crate::common::{Answer, Finish, Request, Said};

/// `Stamp::CREATED` as Ollama writes a time.
pub(super) const CREATED_AT: &str = "2026-01-01T00:00:00.000000Z";

pub(super) fn plain(request: &Request, answer: &Answer) -> Value {
    let mut text = String::new();
    let mut thinking = String::new();
    let mut calls = Vec::new();
    for part in &answer.parts {
        match part {
            // There is no other way to decline than to say so.
            Said::Text(said) | Said::Refusal(said) => text.push_str(said),
            Said::Reasoning(said) => thinking.push_str(said),
            Said::ToolCall { name, args } => calls.push(call(name, args)),
        }
    }
    let mut whole = chunk(request, &text, &thinking, calls);
    finish(&mut whole, answer);
    whole
}

/// Tool calls come whole: only text is cut.
pub(super) fn streamed(request: &Request, answer: &Answer) -> Vec<Vec<u8>> {
    let mut chunks = Vec::new();
    for part in &answer.parts {
        match part {
            Said::Text(said) | Said::Refusal(said) => {
                chunks.extend(Answer::pieces(said).map(|piece| chunk(request, piece, "", Vec::new())));
            }
            Said::Reasoning(said) => {
                chunks.extend(Answer::pieces(said).map(|piece| chunk(request, "", piece, Vec::new())));
            }
            Said::ToolCall { name, args } => chunks.push(chunk(request, "", "", vec![call(name, args)])),
        }
    }
    let mut last = chunk(request, "", "", Vec::new());
    finish(&mut last, answer);
    chunks.push(last);
    chunks.iter().map(|chunk| format!("{chunk}\n").into_bytes()).collect()
}

/// A chunk that is not the last. In a conversation what is said is a message; after a single prompt
/// it stands in the chunk itself.
fn chunk(request: &Request, text: &str, thinking: &str, calls: Vec<Value>) -> Value {
    let mut chunk = json!({"model": request.model, "created_at": CREATED_AT, "done": false});
    let said = if is_single(request) {
        chunk["response"] = text.into();
        &mut chunk
    } else {
        chunk["message"] = json!({"role": "assistant", "content": text});
        &mut chunk["message"]
    };
    if !thinking.is_empty() {
        said["thinking"] = thinking.into();
    }
    if !calls.is_empty() {
        said["tool_calls"] = calls.into();
    }
    chunk
}

/// Arguments are an object here: what is none cannot be said.
fn call(name: &str, args: &str) -> Value {
    let args = Some(parsed(args)).filter(Value::is_object).unwrap_or_else(|| json!({}));
    json!({"function": {"name": name, "arguments": args}})
}

/// Why the model stopped, in the server's words.
pub(super) fn done_reason(finish: Finish) -> &'static str {
    if finish == Finish::Length { "length" } else { "stop" }
}

/// Makes a chunk the last. Caches and thinking are not counted apart; times are in nanoseconds.
fn finish(chunk: &mut Value, answer: &Answer) {
    chunk["done"] = true.into();
    chunk["done_reason"] = done_reason(answer.finish()).into();
    chunk["total_duration"] = 2_000_000.into();
    chunk["load_duration"] = 1_000_000.into();
    chunk["prompt_eval_count"] = answer.usage.prompt_tokens().into();
    chunk["prompt_eval_duration"] = 500_000.into();
    chunk["eval_count"] = answer.usage.output.into();
    chunk["eval_duration"] = 500_000.into();
}
