//! Writing answers.

use serde_json::{Value, json};
use unitai_model::Usage;

use super::super::json::parsed;
use crate::common::{Answer, Finish, Request, Said, Stamp};

pub(super) fn plain(request: &Request, answer: &Answer, stamp: Stamp) -> Value {
    let parts = answer.parts.iter().filter_map(|part| match part {
        Said::Text(said) => Some(text(said)),
        Said::Reasoning(said) => Some(thought(said)),
        Said::ToolCall { name, args } => Some(call(name, args)),
        Said::Refusal(_) => None,
    });
    envelope(request, stamp, last_candidate(answer, parts.collect()), usage(&answer.usage))
}

/// Tool calls come whole: only text is cut. The last piece has the finish and all of the usage.
pub(super) fn streamed(request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    for part in &answer.parts {
        match part {
            Said::Text(said) => pieces.extend(Answer::pieces(said).map(text)),
            Said::Reasoning(said) => pieces.extend(Answer::pieces(said).map(thought)),
            Said::ToolCall { name, args } => pieces.push(call(name, args)),
            Said::Refusal(_) => {}
        }
    }
    // The piece that stops the answer for safety holds nothing itself.
    let last = if is_refused(answer) { None } else { pieces.pop() };
    let mut events: Vec<Vec<u8>> = pieces
        .into_iter()
        .map(|piece| event(&envelope(request, stamp, candidate(vec![piece]), usage_so_far(&answer.usage))))
        .collect();
    let last = last_candidate(answer, last.into_iter().collect());
    events.push(event(&envelope(request, stamp, last, usage(&answer.usage))));
    events
}

/// Google ends its lines with both characters.
fn event(chunk: &Value) -> Vec<u8> {
    format!("data: {chunk}\r\n\r\n").into_bytes()
}

fn envelope(request: &Request, stamp: Stamp, candidate: Value, usage: Value) -> Value {
    json!({
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": request.model,
        "responseId": stamp.answer_id("resp-"),
    })
}

fn candidate(parts: Vec<Value>) -> Value {
    json!({"content": {"parts": parts, "role": "model"}, "index": 0})
}

fn last_candidate(answer: &Answer, mut parts: Vec<Value>) -> Value {
    let is_refused = is_refused(answer);
    if parts.is_empty() && !is_refused {
        parts.push(text(""));
    }
    let mut last = if parts.is_empty() { json!({"index": 0}) } else { candidate(parts) };
    last["finishReason"] = finish_reason(answer.finish()).into();
    let refusals = answer.parts.iter().filter_map(|part| match part {
        Said::Refusal(text) => Some(text.as_str()),
        _ => None,
    });
    let refusal: String = refusals.collect();
    if !refusal.is_empty() {
        last["finishMessage"] = refusal.into();
    }
    if is_refused {
        last["safetyRatings"] =
            json!([{"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": true}]);
    }
    last
}

fn text(text: &str) -> Value {
    json!({"text": text})
}

fn thought(text: &str) -> Value {
    json!({"text": text, "thought": true})
}

/// Arguments are an object here: what is none cannot be said.
fn call(name: &str, args: &str) -> Value {
    let args = Some(parsed(args)).filter(Value::is_object).unwrap_or_else(|| json!({}));
    json!({"functionCall": {"name": name, "args": args}})
}

fn is_refused(answer: &Answer) -> bool {
    answer.finish() == Finish::Refusal
}

/// Why the model stopped, in the provider's words.
pub(super) fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::ToolCalls => "STOP",
        Finish::Length => "MAX_TOKENS",
        Finish::Refusal => "SAFETY",
    }
}

/// The prompt's count has the cached tokens in it; the answer's count has no thoughts in it. Writing
/// to the cache is not counted apart.
fn usage(usage: &Usage) -> Value {
    let thoughts = usage.reasoning.min(usage.output);
    let mut counts = usage_so_far(usage);
    counts["candidatesTokenCount"] = (usage.output - thoughts).into();
    counts["totalTokenCount"] = usage.total().into();
    counts["promptTokensDetails"] = json!([{"modality": "TEXT", "tokenCount": usage.prompt_tokens()}]);
    if thoughts > 0 {
        counts["thoughtsTokenCount"] = thoughts.into();
    }
    counts
}

/// What is known before the answer is whole: the prompt's.
fn usage_so_far(usage: &Usage) -> Value {
    let prompt = usage.prompt_tokens();
    let mut counts = json!({"promptTokenCount": prompt, "totalTokenCount": prompt});
    if usage.cache_read > 0 {
        counts["cachedContentTokenCount"] = usage.cache_read.into();
    }
    counts
}
