//! Reading requests.

use serde_json::{Map, Value};

use super::super::json::{as_text, items, string, text, without};
use super::super::percent::{decode, encode};
use crate::common::{Message, Part, Request, Role, Tool};

/// What the common form has words for.
const KNOWN: &[&str] = &["model", "messages", "system", "tools", "stream", "max_tokens"];

pub(super) fn read(path: &str, body: &Map<String, Value>) -> Option<Request> {
    let listed = body.get("messages")?.as_array()?;
    let max_tokens = body.get("max_tokens")?;
    let model = match (vertex_model(path), body.get("model")) {
        // Vertex passes on what other publishers' models speak, too.
        (Some(model), _) if body.contains_key("anthropic_version") => decode(model),
        (None, Some(model)) => model.as_str()?.to_owned(),
        _ => return None,
    };
    let system = body.get("system").map(parts).filter(|parts| !parts.is_empty());
    let system = system.map(|parts| Message { role: Role::System, parts });
    let tools = body.get("tools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_streamed = body.get("stream").and_then(Value::as_bool).unwrap_or(false);
    Some(Request {
        is_beta: false,
        model,
        messages: system.into_iter().chain(listed.iter().map(message)).collect(),
        tools: tools.iter().map(tool).collect(),
        settings: settings(body, tools),
        max_output: max_tokens.as_u64(),
        streamed: is_streamed || path.ends_with(":streamRawPredict"),
        asks_for_usage: true,
        is_told_usage: false,
    })
}

/// The model that Vertex has in the path; `None` when the path is none of Vertex's.
pub(super) fn vertex_model(path: &str) -> Option<&str> {
    let (model, verb) = path.rsplit('/').next()?.split_once(':')?;
    let speaks = matches!(verb, "rawPredict" | "streamRawPredict") && model != "count-tokens";
    speaks.then_some(model)
}

/// The path with another model in it, where there is one.
pub(super) fn set_vertex_model(path: &str, model: &str) -> Option<String> {
    let old = vertex_model(path)?;
    let (before, last) = path.rsplit_once('/')?;
    Some(format!("{before}/{}{}", encode(model), last.strip_prefix(old)?))
}

/// The provider's own tools have more to them than a name and a schema: they are kept as they came.
fn settings(body: &Map<String, Value>, tools: &[Value]) -> Map<String, Value> {
    let mut settings = without(body, KNOWN);
    let own: Vec<Value> = tools.iter().filter(|tool| tool.get("input_schema").is_none()).cloned().collect();
    if !own.is_empty() {
        settings.insert("tools".to_owned(), own.into());
    }
    settings
}

fn message(message: &Value) -> Message {
    let content = message.get("content").unwrap_or(&Value::Null);
    let blocks = items(message, "content");
    let is_tools =
        !blocks.is_empty() && blocks.iter().all(|block| text(block, "type") == Some("tool_result"));
    let role = match text(message, "role") {
        Some("system") => Role::System,
        Some("assistant") => Role::Assistant,
        // Results come in messages of the user.
        _ if is_tools => Role::Tool,
        _ => Role::User,
    };
    Message { role, parts: parts(content) }
}

/// Content is text or a list of blocks.
fn parts(content: &Value) -> Vec<Part> {
    match content {
        Value::String(content) => vec![Part::Text(content.clone())],
        Value::Array(blocks) => {
            let mut parts = Vec::with_capacity(blocks.len());
            blocks.iter().for_each(|block| add_parts(block, &mut parts));
            parts
        }
        _ => Vec::new(),
    }
}

fn add_parts(block: &Value, parts: &mut Vec<Part>) {
    parts.push(match text(block, "type") {
        Some("text") => Part::Text(string(block, "text")),
        Some("thinking") => Part::Reasoning(string(block, "thinking")),
        Some("tool_use") => Part::ToolCall {
            id: string(block, "id"),
            name: string(block, "name"),
            args: block.get("input").cloned().unwrap_or(Value::Null),
        },
        Some("tool_result") => {
            let content = block.get("content").map(result_text).unwrap_or_default();
            Part::ToolResult { id: string(block, "tool_use_id"), name: None, content }
        }
        _ if is_media(block) => Part::Media(block.clone()),
        _ => Part::Other(block.clone()),
    });
    // Pictures in a tool's result are no text; they stand after it.
    if text(block, "type") == Some("tool_result") {
        let media = items(block, "content").iter().filter(|part| is_media(part));
        parts.extend(media.map(|part| Part::Media(part.clone())));
    }
}

fn is_media(block: &Value) -> bool {
    matches!(text(block, "type"), Some("image" | "document"))
}

/// A tool's result is text or a list of blocks.
fn result_text(content: &Value) -> String {
    match content {
        Value::Array(blocks) => blocks
            .iter()
            .filter(|block| !is_media(block))
            .map(|block| text(block, "text").map_or_else(|| block.to_string(), str::to_owned))
            .collect(),
        other => as_text(other),
    }
}

fn tool(tool: &Value) -> Tool {
    Tool {
        name: string(tool, "name"),
        description: string(tool, "description"),
        schema: tool.get("input_schema").cloned().unwrap_or(Value::Null),
    }
}
