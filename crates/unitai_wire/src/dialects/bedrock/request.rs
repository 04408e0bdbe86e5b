//! Reading requests.

use serde_json::{Map, Value};

use super::super::json::{items, string, text, without};
use super::path;
use crate::common::{Message, Part, Request, Role, Tool};

/// What the common form has words for.
const KNOWN: &[&str] = &["messages", "system", "toolConfig"];

/// The kinds of content that are no text.
const MEDIA: &[&str] = &["image", "document", "video", "audio"];

pub(super) fn read(path: &str, body: &Map<String, Value>) -> Option<Request> {
    let model = path::model(path)?;
    let listed = body.get("messages")?.as_array()?;
    let system = body.get("system").and_then(Value::as_array).filter(|blocks| !blocks.is_empty());
    let system = system.map(|blocks| Message { role: Role::System, parts: parts(blocks) });
    let config = body.get("toolConfig").unwrap_or(&Value::Null);
    let tools = items(config, "tools").iter().filter_map(|tool| tool.get("toolSpec"));
    Some(Request {
        is_beta: false,
        model,
        messages: system.into_iter().chain(listed.iter().map(message)).collect(),
        tools: tools.map(tool).collect(),
        settings: settings(body, config),
        max_output: body.get("inferenceConfig").and_then(|config| config.get("maxTokens")?.as_u64()),
        streamed: path::is_streamed(path),
        asks_for_usage: true,
        is_told_usage: false,
    })
}

/// The choice of a tool, the provider's own tools and the marks between them are kept as they came.
fn settings(body: &Map<String, Value>, config: &Value) -> Map<String, Value> {
    let mut settings = without(body, KNOWN);
    let mut rest = config.as_object().map(|config| without(config, &["tools"])).unwrap_or_default();
    let tools = items(config, "tools").iter().filter(|tool| tool.get("toolSpec").is_none());
    let own: Vec<Value> = tools.cloned().collect();
    if !own.is_empty() {
        rest.insert("tools".to_owned(), own.into());
    }
    if !rest.is_empty() {
        settings.insert("toolConfig".to_owned(), rest.into());
    }
    settings
}

fn message(message: &Value) -> Message {
    let blocks = items(message, "content");
    let is_tools = !blocks.is_empty() && blocks.iter().all(|block| block.get("toolResult").is_some());
    let role = match text(message, "role") {
        Some("system") => Role::System,
        Some("assistant") => Role::Assistant,
        // Results come in messages of the user.
        _ if is_tools => Role::Tool,
        _ => Role::User,
    };
    Message { role, parts: parts(blocks) }
}

fn parts(blocks: &[Value]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(blocks.len());
    for block in blocks {
        parts.push(part(block));
        // Pictures in a tool's result are no text; they stand after it.
        if let Some(result) = block.get("toolResult") {
            let media = items(result, "content").iter().filter(|block| is_media(block));
            parts.extend(media.map(|block| Part::Media(block.clone())));
        }
    }
    parts
}

fn part(block: &Value) -> Part {
    if let Some(text) = text(block, "text") {
        Part::Text(text.to_owned())
    } else if let Some(call) = block.get("toolUse") {
        Part::ToolCall {
            id: string(call, "toolUseId"),
            name: string(call, "name"),
            args: call.get("input").cloned().unwrap_or(Value::Null),
        }
    } else if let Some(result) = block.get("toolResult") {
        Part::ToolResult { id: string(result, "toolUseId"), name: None, content: result_text(result) }
    } else if let Some(reasoning) = block.pointer("/reasoningContent/reasoningText") {
        Part::Reasoning(string(reasoning, "text"))
    } else if is_media(block) {
        Part::Media(block.clone())
    } else {
        Part::Other(block.clone())
    }
}

fn is_media(block: &Value) -> bool {
    MEDIA.iter().any(|kind| block.get(kind).is_some())
}

fn result_text(result: &Value) -> String {
    let blocks = items(result, "content").iter().filter(|block| !is_media(block));
    blocks
        .map(|block| match text(block, "text") {
            Some(text) => text.to_owned(),
            None => block.get("json").unwrap_or(block).to_string(),
        })
        .collect()
}

fn tool(spec: &Value) -> Tool {
    Tool {
        name: string(spec, "name"),
        description: string(spec, "description"),
        schema: spec.pointer("/inputSchema/json").cloned().unwrap_or(Value::Null),
    }
}
