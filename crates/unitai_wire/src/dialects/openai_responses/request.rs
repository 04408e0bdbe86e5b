//! Reading requests.

use serde_json::{Map, Value};

use super::super::json::{as_text, items, parsed, string, text, without};
use super::tools;
use crate::common::{Message, Part, Request, Role, Tool};

/// What the common form has words for.
const KNOWN: &[&str] = &["model", "input", "instructions", "tools", "stream", "max_output_tokens"];

pub(super) fn read(body: &Map<String, Value>) -> Option<Request> {
    let model = body.get("model")?.as_str()?.to_owned();
    let mut messages = Vec::new();
    match body.get("instructions") {
        None | Some(Value::Null) => {}
        Some(Value::String(instructions)) => messages.push(Message::text(Role::System, instructions)),
        Some(other) => messages.push(Message { role: Role::System, parts: vec![Part::Other(other.clone())] }),
    }
    match body.get("input")? {
        Value::String(input) => messages.push(Message::text(Role::User, input)),
        // Items are objects. Lists of texts belong to other APIs.
        Value::Array(input) if input.iter().all(Value::is_object) => {
            input.iter().for_each(|item| add_item(item, &mut messages));
        }
        _ => return None,
    }
    let tools = body.get("tools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut settings = without(body, KNOWN);
    // Hosted tools have settings instead of a schema.
    let hosted: Vec<Value> =
        tools.iter().filter(|tool| text(tool, "type") != Some("function")).cloned().collect();
    if !hosted.is_empty() {
        settings.insert("tools".to_owned(), hosted.into());
    }
    Some(Request {
        is_beta: false,
        model,
        messages,
        tools: tools.iter().map(tool).collect(),
        settings,
        max_output: body.get("max_output_tokens").and_then(Value::as_u64),
        streamed: body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        asks_for_usage: true,
        is_told_usage: false,
    })
}

/// What the model says in one answer is several items here and one message in the common form.
fn add_item(item: &Value, messages: &mut Vec<Message>) {
    let (role, parts) = item_parts(item);
    match messages.last_mut() {
        Some(last) if role == Role::Assistant && last.role == role => last.parts.extend(parts),
        _ => messages.push(Message { role, parts }),
    }
}

fn item_parts(item: &Value) -> (Role, Vec<Part>) {
    match text(item, "type") {
        // The type may be left out of messages.
        Some("message") | None => (role(item), content(item)),
        Some("function_call") => {
            (Role::Assistant, vec![call(item, text(item, "arguments").map_or(Value::Null, parsed))])
        }
        Some("function_call_output" | "custom_tool_call_output") => (Role::Tool, result(item)),
        Some("reasoning") => (Role::Assistant, reasoning(item)),
        Some(kind) => match (tools::called(item), tools::result(item)) {
            (Some((id, name, args)), _) => (Role::Assistant, vec![Part::ToolCall { id, name, args }]),
            (None, Some(result)) => (Role::Tool, vec![result]),
            (None, None) => (role_of(kind), vec![Part::Other(item.clone())]),
        },
    }
}

fn role(message: &Value) -> Role {
    match text(message, "role") {
        Some("system" | "developer") => Role::System,
        Some("assistant") => Role::Assistant,
        _ => Role::User,
    }
}

/// Who an item of a hosted tool comes from.
fn role_of(kind: &str) -> Role {
    match kind {
        "mcp_list_tools" | "mcp_approval_request" | "item_reference" | "compaction" => Role::Assistant,
        _ if kind.ends_with("_call") => Role::Assistant,
        _ if kind.ends_with("_output") => Role::Tool,
        _ => Role::User,
    }
}

fn content(message: &Value) -> Vec<Part> {
    match message.get("content") {
        Some(Value::String(content)) => vec![Part::Text(content.clone())],
        Some(Value::Array(content)) => content.iter().map(part).collect(),
        // No message after all: keep it.
        _ => vec![Part::Other(message.clone())],
    }
}

fn part(part: &Value) -> Part {
    match text(part, "type") {
        Some("input_text" | "output_text" | "text") => Part::Text(string(part, "text")),
        Some("refusal") => Part::Text(string(part, "refusal")),
        Some("input_image" | "input_file" | "input_audio") => Part::Media(part.clone()),
        _ => Part::Other(part.clone()),
    }
}

fn call(item: &Value, args: Value) -> Part {
    Part::ToolCall { id: string(item, "call_id"), name: string(item, "name"), args }
}

/// A tool's result is text or a list of parts; images and files stand beside the text.
fn result(item: &Value) -> Vec<Part> {
    let mut content = String::new();
    let mut media = Vec::new();
    match item.get("output") {
        Some(Value::Array(output)) => {
            for said in output.iter().map(part) {
                match said {
                    Part::Text(text) => content.push_str(&text),
                    Part::Other(value) => content.push_str(&value.to_string()),
                    other => media.push(other),
                }
            }
        }
        Some(output) => content = as_text(output),
        None => {}
    }
    let mut parts = vec![Part::ToolResult { id: string(item, "call_id"), name: None, content }];
    parts.extend(media);
    parts
}

/// Reasoning comes as a summary, as text, encrypted, or several of these.
fn reasoning(item: &Value) -> Vec<Part> {
    let said: Vec<&str> = ["summary", "content"]
        .iter()
        .flat_map(|key| items(item, key))
        .filter_map(|part| text(part, "text"))
        .collect();
    let mut parts = Vec::new();
    if !said.is_empty() {
        parts.push(Part::Reasoning(said.join("\n")));
    }
    if said.is_empty() || text(item, "encrypted_content").is_some() {
        parts.push(Part::Other(item.clone()));
    }
    parts
}

fn tool(tool: &Value) -> Tool {
    let description = string(tool, "description");
    if let Some((name, schema)) = tools::offered(tool) {
        return Tool { name, description, schema };
    }
    Tool {
        name: text(tool, "name").or_else(|| text(tool, "type")).unwrap_or_default().to_owned(),
        description,
        schema: tool.get("parameters").cloned().unwrap_or(Value::Null),
    }
}
