//! Reading requests. Google takes every name in two spellings, `functionCall` and `function_call`,
//! and a single item where a list is due; clients make use of both.

use serde_json::{Map, Value, json};

use super::super::json::{as_text, string, text, without};
use super::path;
use crate::common::{Message, Part, Request, Role, Tool};

/// What the common form has words for.
const KNOWN: &[&str] = &["contents", "systemInstruction", "system_instruction", "tools"];

pub(super) fn read(path: &str, body: &Map<String, Value>) -> Option<Request> {
    let contents = one_or_many(body.get("contents")?)?;
    if !contents.iter().all(Value::is_object) {
        return None;
    }
    let system = body.get("systemInstruction").or_else(|| body.get("system_instruction"));
    let system = system.map(|system| Message { role: Role::System, parts: parts(system) });
    let limits = body.get("generationConfig").or_else(|| body.get("generation_config"));
    let mut settings = without(body, KNOWN);
    let tools = tools(body, &mut settings);
    Some(Request {
        is_beta: false,
        model: path::model(path)?,
        messages: system.into_iter().chain(contents.iter().map(message)).collect(),
        tools,
        settings,
        max_output: limits.and_then(|limits| field(limits, "maxOutputTokens", "max_output_tokens")?.as_u64()),
        streamed: path::is_streamed(path),
        asks_for_usage: true,
        is_told_usage: false,
    })
}

fn message(content: &Value) -> Message {
    let parts = parts(content);
    let has_text = parts.iter().any(|part| matches!(part, Part::Text(_)));
    let has_results = parts.iter().any(|part| matches!(part, Part::ToolResult { .. }));
    let role = match text(content, "role") {
        Some("model") => Role::Assistant,
        Some("system") => Role::System,
        Some("function" | "tool") => Role::Tool,
        // Results come in the user's name. A message in which the user speaks too stays the user's.
        _ if has_results && !has_text => Role::Tool,
        _ => Role::User,
    };
    Message { role, parts }
}

/// The parts of a content. The system's instruction may be mere text.
fn parts(content: &Value) -> Vec<Part> {
    let mut out = Vec::new();
    if let Some(text) = content.as_str() {
        out.push(Part::Text(text.to_owned()));
    }
    for part in content.get("parts").and_then(one_or_many).unwrap_or_default() {
        add(part, &mut out);
    }
    out
}

fn add(part: &Value, out: &mut Vec<Part>) {
    let known: &[&str] = if let Some(said) = text(part, "text") {
        let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
        out.push(if is_thought { Part::Reasoning(said.to_owned()) } else { Part::Text(said.to_owned()) });
        &["text", "thought"]
    } else if let Some(call) = field(part, "functionCall", "function_call") {
        let args = call.get("args").cloned().unwrap_or_else(|| json!({}));
        out.push(Part::ToolCall { id: string(call, "id"), name: string(call, "name"), args });
        &["functionCall", "function_call"]
    } else if let Some(result) = field(part, "functionResponse", "function_response") {
        let name = text(result, "name").map(str::to_owned);
        let content = result.get("response").map(result_text).unwrap_or_default();
        out.push(Part::ToolResult { id: string(result, "id"), name, content });
        // A tool may give back images too.
        let media = result.get("parts").and_then(one_or_many).unwrap_or_default();
        out.extend(media.iter().cloned().map(Part::Media));
        &["functionResponse", "function_response"]
    } else {
        let is_media =
            field(part, "inlineData", "inline_data").or_else(|| field(part, "fileData", "file_data"));
        out.push(if is_media.is_some() { Part::Media(part.clone()) } else { Part::Other(part.clone()) });
        return;
    };
    // What stands beside it: mostly the signature of a thought.
    let beside = part.as_object().map(|part| without(part, known)).unwrap_or_default();
    if !beside.is_empty() {
        out.push(Part::Other(Value::Object(beside)));
    }
}

/// A result must be an object, so clients put mere text into one. The text is the result.
fn result_text(response: &Value) -> String {
    let wrapped = response
        .as_object()
        .filter(|response| response.len() == 1)
        .and_then(|response| ["result", "output", "content"].iter().find_map(|key| response.get(*key)));
    as_text(wrapped.unwrap_or(response))
}

/// The tools that are functions. Others, as the provider's own search, stay in the settings.
fn tools(body: &Map<String, Value>, settings: &mut Map<String, Value>) -> Vec<Tool> {
    let mut functions = Vec::new();
    let mut others = Vec::new();
    for tool in body.get("tools").and_then(one_or_many).unwrap_or_default() {
        let declared = field(tool, "functionDeclarations", "function_declarations").and_then(one_or_many);
        functions.extend(declared.unwrap_or_default().iter().map(function));
        let other = match tool {
            Value::Object(tool) => {
                Value::Object(without(tool, &["functionDeclarations", "function_declarations"]))
            }
            tool => tool.clone(),
        };
        if other != json!({}) {
            others.push(other);
        }
    }
    if !others.is_empty() {
        settings.insert("tools".to_owned(), Value::Array(others));
    }
    functions
}

fn function(function: &Value) -> Tool {
    let schema = function
        .get("parameters")
        .or_else(|| field(function, "parametersJsonSchema", "parameters_json_schema"))
        .cloned()
        .unwrap_or(Value::Null);
    Tool { name: string(function, "name"), description: string(function, "description"), schema }
}

fn field<'a>(value: &'a Value, camel: &str, snake: &str) -> Option<&'a Value> {
    value.get(camel).or_else(|| value.get(snake))
}

fn one_or_many(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(items) => Some(items),
        Value::Object(_) => Some(std::slice::from_ref(value)),
        _ => None,
    }
}
