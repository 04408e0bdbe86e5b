//! Reading requests.

use serde_json::{Map, Value};

use super::super::json::{items, parsed, string, text, without};
use crate::common::{Message, Part, Request, Role, Tool};

/// What the common form has words for in a conversation.
const KNOWN: &[&str] = &["model", "messages", "prompt", "tools", "stream"];
/// The same for a single prompt. The prompt itself stays in the settings: see [`is_single`].
const KNOWN_SINGLE: &[&str] = &["model", "system", "images", "stream"];

pub(super) fn read(path: &str, body: &Map<String, Value>) -> Option<Request> {
    let model = body.get("model")?.as_str()?.to_owned();
    let is_single = path.ends_with("/api/generate");
    let messages = if is_single { single(body)? } else { conversation(body)? };
    Some(Request {
        is_beta: false,
        model,
        messages,
        tools: body.get("tools").and_then(Value::as_array).into_iter().flatten().map(tool).collect(),
        settings: without(body, if is_single { KNOWN_SINGLE } else { KNOWN }),
        // Negative is without end.
        max_output: body.get("options").and_then(|options| options.get("num_predict")?.as_u64()),
        streamed: body.get("stream").and_then(Value::as_bool).unwrap_or(true),
        asks_for_usage: true,
        is_told_usage: false,
    })
}

/// Whether a single prompt was sent, which is answered in another shape. The answer is written without
/// knowing the path, so the prompt that is still among the settings tells.
pub(super) fn is_single(request: &Request) -> bool {
    request.settings.contains_key("prompt")
}

/// Without a message the model is loaded, and says nothing.
fn conversation(body: &Map<String, Value>) -> Option<Vec<Message>> {
    let messages = body.get("messages")?.as_array().filter(|messages| !messages.is_empty())?;
    messages.iter().map(message).collect()
}

/// Without a prompt the model is loaded, and says nothing.
fn single(body: &Map<String, Value>) -> Option<Vec<Message>> {
    let prompt = body.get("prompt")?.as_str().filter(|prompt| !prompt.is_empty())?;
    let mut user = Message::text(Role::User, prompt);
    let images = body.get("images").and_then(Value::as_array).into_iter().flatten();
    user.parts.extend(images.cloned().map(Part::Media));
    let system = body.get("system").and_then(Value::as_str).filter(|system| !system.is_empty());
    Some(system.map(|system| Message::text(Role::System, system)).into_iter().chain([user]).collect())
}

/// A message; `None` when it is none of Ollama's. The path is a common one: others have messages there
/// without a role, or with content or parts in lists.
fn message(message: &Value) -> Option<Message> {
    let role = match text(message, "role")? {
        "system" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::User,
    };
    let content = match message.get("content") {
        Some(Value::String(content)) => content.as_str(),
        None | Some(Value::Null) if message.get("parts").is_none() => "",
        _ => return None,
    };
    let mut parts = Vec::new();
    if let Some(thinking) = text(message, "thinking").filter(|thinking| !thinking.is_empty()) {
        parts.push(Part::Reasoning(thinking.to_owned()));
    }
    if role == Role::Tool {
        let name = text(message, "tool_name").or_else(|| text(message, "name")).map(str::to_owned);
        parts.push(Part::ToolResult {
            id: string(message, "tool_call_id"),
            name,
            content: content.to_owned(),
        });
    } else if !content.is_empty() {
        parts.push(Part::Text(content.to_owned()));
    }
    parts.extend(items(message, "images").iter().cloned().map(Part::Media));
    for call in items(message, "tool_calls") {
        let function = call.get("function").unwrap_or(&Value::Null);
        let args = match function.get("arguments") {
            Some(Value::String(args)) => parsed(args),
            Some(args) => args.clone(),
            None => Value::Null,
        };
        parts.push(Part::ToolCall { id: string(call, "id"), name: string(function, "name"), args });
    }
    Some(Message { role, parts })
}

fn tool(tool: &Value) -> Tool {
    let function = tool.get("function").unwrap_or(tool);
    Tool {
        name: string(function, "name"),
        description: string(function, "description"),
        schema: function.get("parameters").cloned().unwrap_or(Value::Null),
    }
}
