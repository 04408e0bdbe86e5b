//! Reading requests.

use serde_json::{Map, Value};

use super::super::json::{as_text, items, parsed, string, text, without};
use crate::common::{Message, Part, Request, Role, Tool};

/// What the common form has words for.
const KNOWN: &[&str] =
    &["model", "messages", "tools", "stream", "stream_options", "max_tokens", "max_completion_tokens"];

/// What tools were called before they were `tools`. It stays a setting, too: it decides the form of the answer.
const FUNCTIONS: &str = "functions";

/// Whether the client knows `function_call` only, by which a model calls one function, and gives no id.
pub(super) fn calls_functions(request: &Request) -> bool {
    request.settings.contains_key(FUNCTIONS)
}

pub(super) fn read(path: &str, body: &Map<String, Value>) -> Option<Request> {
    let messages = body.get("messages")?.as_array()?;
    let model = match body.get("model") {
        Some(model) => model.as_str()?.to_owned(),
        // Azure has the model in the path, as a deployment.
        None => deployment(path)?.to_owned(),
    };
    let includes_usage = body.get("stream_options").and_then(|options| options.get("include_usage"));
    Some(Request {
        is_beta: false,
        model,
        messages: messages.iter().map(message).collect(),
        tools: ["tools", FUNCTIONS].iter().flat_map(|key| listed(body, key)).map(tool).collect(),
        settings: without(body, KNOWN),
        max_output: ["max_completion_tokens", "max_tokens"].iter().find_map(|key| body.get(*key)?.as_u64()),
        streamed: body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        asks_for_usage: includes_usage.and_then(Value::as_bool).unwrap_or(false),
        is_told_usage: false,
    })
}

fn listed<'a>(body: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    body.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn deployment(path: &str) -> Option<&str> {
    path.split("/deployments/").nth(1)?.split('/').next()
}

/// The path with another deployment in it, where there is one.
pub(super) fn set_deployment(path: &str, model: &str) -> Option<String> {
    let old = deployment(path)?;
    Some(path.replacen(&format!("/deployments/{old}/"), &format!("/deployments/{model}/"), 1))
}

fn message(message: &Value) -> Message {
    let role = match text(message, "role") {
        Some("system" | "developer") => Role::System,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => Role::Tool,
        _ => Role::User,
    };
    let mut parts = Vec::new();
    if role == Role::Tool {
        let name = text(message, "name").map(str::to_owned);
        let content = message.get("content").map(result_text).unwrap_or_default();
        parts.push(Part::ToolResult { id: string(message, "tool_call_id"), name, content });
        return Message { role, parts };
    }
    if let Some(reasoning) = text(message, "reasoning_content") {
        parts.push(Part::Reasoning(reasoning.to_owned()));
    }
    match message.get("content") {
        Some(Value::String(content)) => parts.push(Part::Text(content.clone())),
        Some(Value::Array(content)) => parts.extend(content.iter().map(part)),
        _ => {}
    }
    if let Some(refusal) = text(message, "refusal") {
        parts.push(Part::Text(refusal.to_owned()));
    }
    for call in items(message, "tool_calls") {
        let function = call.get("function").unwrap_or(&Value::Null);
        let args = text(function, "arguments").map_or(Value::Null, parsed);
        parts.push(Part::ToolCall { id: string(call, "id"), name: string(function, "name"), args });
    }
    if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
        let args = text(call, "arguments").map_or(Value::Null, parsed);
        parts.push(Part::ToolCall { id: String::new(), name: string(call, "name"), args });
    }
    Message { role, parts }
}

fn part(part: &Value) -> Part {
    match text(part, "type") {
        Some("text") => Part::Text(string(part, "text")),
        Some("refusal") => Part::Text(string(part, "refusal")),
        Some("image_url" | "input_audio" | "file") => Part::Media(part.clone()),
        _ => Part::Other(part.clone()),
    }
}

/// A tool's result is text or a list of text parts.
fn result_text(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts
            .iter()
            .map(|part| text(part, "text").map_or_else(|| part.to_string(), str::to_owned))
            .collect(),
        other => as_text(other),
    }
}

fn tool(tool: &Value) -> Tool {
    let function = tool.get("function").unwrap_or(tool);
    Tool {
        name: string(function, "name"),
        description: string(function, "description"),
        schema: function.get("parameters").cloned().unwrap_or(Value::Null),
    }
}
