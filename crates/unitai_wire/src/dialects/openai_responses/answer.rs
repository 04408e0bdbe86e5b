//! Writing answers.

use serde_json::{Value, json};
use unitai_model::Usage;

use super::tools;
use crate::common::{Answer, Finish, Request, Said, Stamp};
use crate::frames::write_sse;

/// What the ids of calls begin with.
pub(super) const CALL_PREFIX: &str = "call_";

/// Settings that an answer repeats.
const REPEATED: &[&str] = &[
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "reasoning",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

pub(super) fn plain(request: &Request, answer: &Answer, stamp: Stamp) -> Value {
    let mut response = envelope(request, stamp);
    response["output"] = output(request, answer, stamp).into();
    response["status"] = status(answer).into();
    if answer.finish() == Finish::Length {
        response["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    response["usage"] = usage(&answer.usage);
    response
}

pub(super) fn streamed(request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
    let mut stream = Stream::default();
    let begun = envelope(request, stamp);
    stream.push("response.created", json!({"response": begun}));
    stream.push("response.in_progress", json!({"response": begun}));
    for (at, item) in output(request, answer, stamp).iter().enumerate() {
        stream.push_item(at, item);
    }
    let end = if answer.finish() == Finish::Length { "response.incomplete" } else { "response.completed" };
    stream.push(end, json!({"response": plain(request, answer, stamp)}));
    stream.events
}

/// A response that has just begun.
fn envelope(request: &Request, stamp: Stamp) -> Value {
    let mut response = json!({
        "id": stamp.answer_id("resp_"),
        "object": "response",
        "created_at": Stamp::CREATED,
        "status": "in_progress",
        "background": false,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "max_output_tokens": request.max_output,
        "max_tool_calls": null,
        "model": request.model,
        "output": [],
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null},
        "service_tier": "default",
        "store": true,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": null,
        "user": null,
        "metadata": {},
    });
    for key in REPEATED {
        if let Some(value) = request.settings.get(*key).filter(|value| !value.is_null()) {
            response[*key] = value.clone();
        }
    }
    response
}

/// The items of the answer. Text and refusals in a row are one message.
fn output(request: &Request, answer: &Answer, stamp: Stamp) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    let mut calls = 0;
    for part in &answer.parts {
        let at = items.len();
        match part {
            Said::Text(text) => say(&mut items, stamp, "output_text", "text", text),
            Said::Refusal(text) => say(&mut items, stamp, "refusal", "refusal", text),
            Said::Reasoning(text) => items.push(json!({
                "id": stamp.call_id("rs_", at),
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": text}],
            })),
            Said::ToolCall { name, args } => {
                let function = || {
                    json!({
                        "id": stamp.call_id("fc_", at),
                        "type": "function_call",
                        "status": "completed",
                        "call_id": stamp.call_id(CALL_PREFIX, calls),
                        "name": name,
                        "arguments": args,
                    })
                };
                items.push(tools::call(request, name, args, stamp, at, calls).unwrap_or_else(function));
                calls += 1;
            }
        }
    }
    // The limit cuts off what is said last.
    if let Some(status) = items.last_mut().and_then(|item| item.get_mut("status")) {
        *status = self::status(answer).into();
    }
    items
}

fn say(items: &mut Vec<Value>, stamp: Stamp, kind: &str, key: &str, text: &str) {
    if items.last().is_none_or(|item| item["type"] != "message") {
        items.push(json!({
            "id": stamp.call_id("msg_", items.len()),
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [],
        }));
    }
    let Some(Value::Array(content)) = items.last_mut().and_then(|item| item.get_mut("content")) else {
        return;
    };
    // Clients take the last part for the whole text: what belongs together stays in one.
    if let Some(last) = content.last_mut().filter(|part| part["type"] == kind) {
        let so_far = last[key].as_str().unwrap_or_default();
        last[key] = format!("{so_far}{text}").into();
        return;
    }
    content.push(if kind == "output_text" {
        json!({"type": kind, "text": text, "annotations": [], "logprobs": []})
    } else {
        json!({"type": kind, key: text})
    });
}

/// Events with their numbers.
#[derive(Default)]
struct Stream {
    events: Vec<Vec<u8>>,
}

impl Stream {
    fn push(&mut self, kind: &str, mut data: Value) {
        data["type"] = kind.into();
        data["sequence_number"] = self.events.len().into();
        let mut bytes = Vec::new();
        write_sse(&mut bytes, kind, &data.to_string());
        self.events.push(bytes);
    }

    /// An item from its beginning to its end.
    fn push_item(&mut self, at: usize, item: &Value) {
        let mut begun = item.clone();
        if item.get("status").is_some() {
            begun["status"] = "in_progress".into();
        }
        let (parts_key, said) = match item["type"].as_str() {
            Some("message") => ("content", ""),
            Some("reasoning") => ("summary", ""),
            Some("custom_tool_call") => ("input", "response.custom_tool_call_input"),
            Some("function_call") => ("arguments", "response.function_call_arguments"),
            _ => return self.push_whole_item(at, &begun, item),
        };
        begun[parts_key] = if said.is_empty() { json!([]) } else { "".into() };
        self.push("response.output_item.added", json!({"output_index": at, "item": begun}));
        match &item[parts_key] {
            Value::Array(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.push_part(&item["id"], at, index, part);
                }
            }
            args => {
                let place = json!({"item_id": item["id"], "output_index": at});
                self.push_pieces(said, &place, args.as_str().unwrap_or_default());
                let name = [("name", &item["name"]), (parts_key, args)];
                // That of a custom tool stands in its item alone.
                let done = with(&place, if parts_key == "input" { &name[1..] } else { &name });
                self.push(&format!("{said}.done"), done);
            }
        }
        self.push("response.output_item.done", json!({"output_index": at, "item": item}));
    }

    /// An item whose inside does not come in pieces that clients read.
    fn push_whole_item(&mut self, at: usize, begun: &Value, item: &Value) {
        self.push("response.output_item.added", json!({"output_index": at, "item": begun}));
        if item["type"] == "web_search_call" {
            for stage in ["in_progress", "searching", "completed"] {
                let place = json!({"item_id": item["id"], "output_index": at});
                self.push(&format!("response.web_search_call.{stage}"), place);
            }
        }
        self.push("response.output_item.done", json!({"output_index": at, "item": item}));
    }

    /// A part of a message, or of the summary of reasoning, from its beginning to its end.
    fn push_part(&mut self, id: &Value, at: usize, index: usize, part: &Value) {
        let kind = part["type"].as_str().unwrap_or_default();
        let (frame, said, index_key, text_key) = match kind {
            "summary_text" => (
                "response.reasoning_summary_part",
                "response.reasoning_summary_text",
                "summary_index",
                "text",
            ),
            "refusal" => ("response.content_part", "response.refusal", "content_index", "refusal"),
            _ => ("response.content_part", "response.output_text", "content_index", "text"),
        };
        let place = json!({"item_id": id, "output_index": at, index_key: index});
        let empty = with(part, &[(text_key, &"".into())]);
        self.push(&format!("{frame}.added"), with(&place, &[("part", &empty)]));
        // Only text has probabilities.
        let logprobs = json!([]);
        let extra = [("logprobs", &logprobs)];
        let extra = if kind == "output_text" { &extra[..] } else { &[] };
        self.push_pieces(said, &with(&place, extra), part[text_key].as_str().unwrap_or_default());
        let done = with(&with(&place, extra), &[(text_key, &part[text_key])]);
        self.push(&format!("{said}.done"), done);
        self.push(&format!("{frame}.done"), with(&place, &[("part", part)]));
    }

    fn push_pieces(&mut self, kind: &str, place: &Value, text: &str) {
        for piece in Answer::pieces(text) {
            self.push(&format!("{kind}.delta"), with(place, &[("delta", &piece.into())]));
        }
    }
}

/// The object with these entries added.
fn with(object: &Value, entries: &[(&str, &Value)]) -> Value {
    let mut object = object.clone();
    for (key, value) in entries {
        object[*key] = (*value).clone();
    }
    object
}

fn status(answer: &Answer) -> &'static str {
    if answer.finish() == Finish::Length { "incomplete" } else { "completed" }
}

/// The prompt's count has the cached tokens in it, and the answer's count the reasoning.
fn usage(usage: &Usage) -> Value {
    let mut prompt = json!({
        "cached_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write.saturating_add(usage.cache_write_long),
    });
    if usage.cache_write_long > 0 {
        prompt["cache_write_tokens_details"] =
            json!({"ttl_30m_tokens": usage.cache_write, "ttl_12h_tokens": usage.cache_write_long});
    }
    json!({
        "input_tokens": usage.prompt_tokens(),
        "input_tokens_details": prompt,
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.total(),
    })
}
