//! Reading requests.

use serde_json::{Map, Value};

use super::super::json::{as_text, items, parsed, string, text, without};
use crate::common::{Message, Part, Request, Role, Tool};

/// What the common form has words for.
const KNOWN: &[&str] = &["model", "messages", "tools", "stream", "max_tokens"];

pub(super) fn read(body: &Map<String, Value>) -> Option<Request> {
    let model = body.get("model")?.as_str()?.to_owned();
    // Other APIs have such a path, too. Here every message has its role.
    let messages = body.get("messages")?.as_array()?.iter().map(message).collect::<Option<_>>()?;
    Some(Request {
        is_beta: false,
        model,
        messages,
        tools: body.get("tools").and_then(Value::as_array).into_iter().flatten().map(tool).collect(),
        settings: without(body, KNOWN),
        max_output: body.get("max_tokens").and_then(Value::as_u64),
        streamed: body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        asks_for_usage: true,
        is_told_usage: false,
    })
}

fn message(message: &Value) -> Option<Message> {
    let role = match text(message, "role")? {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::User,
    };
    if role == Role::Tool {
        let content = message.get("content").map(result_text).unwrap_or_default();
        let result = Part::ToolResult { id: string(message, "tool_call_id"), name: None, content };
        return Some(Message { role, parts: vec![result] });
    }
    let mut parts = Vec::new();
    if let Some(plan) = text(message, "tool_plan") {
        parts.push(Part::Reasoning(plan.to_owned()));
    }
    match message.get("content") {
        Some(Value::String(content)) => parts.push(Part::Text(content.clone())),
        Some(Value::Array(content)) => parts.extend(content.iter().map(part)),
        _ => {}
    }
    for call in items(message, "tool_calls") {
        let function = call.get("function").unwrap_or(&Value::Null);
        let args = text(function, "arguments").map_or(Value::Null, parsed);
        parts.push(Part::ToolCall { id: string(call, "id"), name: string(function, "name"), args });
    }
    Some(Message { role, parts })
}

fn part(part: &Value) -> Part {
    match text(part, "type") {
        Some("text") => Part::Text(string(part, "text")),
        Some("thinking") => Part::Reasoning(string(part, "thinking")),
        Some("image_url") => Part::Media(part.clone()),
        _ => Part::Other(part.clone()),
    }
}

/// A tool's result is text, or a list of texts and documents.
fn result_text(content: &Value) -> String {
    let Value::Array(blocks) = content else { return as_text(content) };
    let said = |block: &Value| {
        let data = block.get("document").and_then(|document| document.get("data"));
        text(block, "text")
            .map(str::to_owned)
            .or_else(|| data.map(as_text))
            .unwrap_or_else(|| block.to_string())
    };
    blocks.iter().map(said).collect::<Vec<_>>().join("\n")
}

fn tool(tool: &Value) -> Tool {
    let function = tool.get("function").unwrap_or(tool);
    Tool {
        name: string(function, "name"),
        description: string(function, "description"),
        schema: function.get("parameters").cloned().unwrap_or(Value::Null),
    }
}
