//! Tools of this API that are no functions: a shell, patches, tools of free text, and the search of the web. Each is called
//! and answered by an item of its own kind; in the common form they are tools like any other, by name and arguments.

use serde_json::{Value, json};

use super::super::json::{as_text, items, string, text};
use crate::common::{Part, Request, Stamp};

/// A tool that is no function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A tool of the caller's own that takes free text.
    Custom,
    /// A shell that takes several commands.
    Shell,
    /// A shell that takes one command, as a list of words.
    LocalShell,
    /// Files that are created, changed and deleted.
    ApplyPatch,
    /// The search of the web, which the provider makes itself.
    WebSearch,
}

impl Kind {
    /// The kind of a tool as it is offered: its declared type.
    fn offered_as(kind: &str) -> Option<Kind> {
        match kind {
            "custom" => Some(Kind::Custom),
            "shell" => Some(Kind::Shell),
            "local_shell" => Some(Kind::LocalShell),
            "apply_patch" => Some(Kind::ApplyPatch),
            // Each version of the tool has its date.
            _ if kind.starts_with("web_search") => Some(Kind::WebSearch),
            _ => None,
        }
    }

    /// The kind of a tool that runs at the caller, by the item that calls it.
    fn called_as(kind: &str) -> Option<Kind> {
        match kind {
            "custom_tool_call" => Some(Kind::Custom),
            "shell_call" => Some(Kind::Shell),
            "local_shell_call" => Some(Kind::LocalShell),
            "apply_patch_call" => Some(Kind::ApplyPatch),
            _ => None,
        }
    }

    /// The type of the item that calls it.
    fn item_type(self) -> &'static str {
        match self {
            Kind::Custom => "custom_tool_call",
            Kind::Shell => "shell_call",
            Kind::LocalShell => "local_shell_call",
            Kind::ApplyPatch => "apply_patch_call",
            Kind::WebSearch => "web_search_call",
        }
    }

    /// Where the item holds its arguments.
    fn args_key(self) -> &'static str {
        match self {
            Kind::Custom => "input",
            Kind::ApplyPatch => "operation",
            Kind::Shell | Kind::LocalShell | Kind::WebSearch => "action",
        }
    }

    fn args_schema(self) -> Value {
        let texts = json!({"type": "array", "items": {"type": "string"}});
        let (properties, required) = match self {
            Kind::Custom => (json!({"input": {"type": "string"}}), json!(["input"])),
            Kind::Shell => {
                let limit = json!({"type": ["integer", "null"]});
                (
                    json!({"commands": texts, "timeout_ms": limit, "max_output_length": limit}),
                    json!(["commands"]),
                )
            }
            Kind::LocalShell => (
                json!({
                    "command": texts, "env": {"type": "object"}, "timeout_ms": {"type": ["integer", "null"]},
                    "user": {"type": ["string", "null"]}, "working_directory": {"type": ["string", "null"]},
                }),
                json!(["command"]),
            ),
            Kind::ApplyPatch => (
                json!({
                    "type": {"enum": ["create_file", "update_file", "delete_file"]},
                    "path": {"type": "string"}, "diff": {"type": "string"},
                }),
                json!(["type", "path"]),
            ),
            Kind::WebSearch => {
                (json!({"query": {"type": "string"}, "queries": texts, "sources": texts}), json!([]))
            }
        };
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    /// The arguments as the item holds them.
    fn written(self, args: &Value) -> Value {
        let with = |defaults: Value| {
            let mut whole = defaults;
            for (key, value) in args.as_object().into_iter().flatten() {
                whole[key] = value.clone();
            }
            whole
        };
        match self {
            Kind::Custom => args.get("input").map_or_else(String::new, as_text).into(),
            Kind::Shell => with(json!({"commands": []})),
            Kind::LocalShell => with(json!({"type": "exec", "command": [], "env": {}})),
            Kind::ApplyPatch => args.clone(),
            Kind::WebSearch => {
                let mut whole = with(json!({"type": "search", "query": ""}));
                if args.get("sources").is_some() {
                    whole["sources"] = items(args, "sources").iter().map(source).collect();
                }
                whole
            }
        }
    }
}

fn source(source: &Value) -> Value {
    if source.is_string() { json!({"type": "url", "url": source}) } else { source.clone() }
}

/// The name and the schema of a tool, where it is no function and known.
pub(super) fn offered(tool: &Value) -> Option<(String, Value)> {
    let declared = text(tool, "type")?;
    let kind = Kind::offered_as(declared)?;
    // Code that chooses between versions of a tool calls it by one name.
    let name = if kind == Kind::Custom { text(tool, "name")? } else { declared };
    Some((name.to_owned(), kind.args_schema()))
}

/// The item by which a tool is called that is no function; `None` where the request offers none of this name.
pub(super) fn call(
    request: &Request,
    name: &str,
    args: &str,
    stamp: Stamp,
    at: usize,
    nth: usize,
) -> Option<Value> {
    let declared = request.settings.get("tools").and_then(Value::as_array)?;
    let kind = declared.iter().find_map(|tool| {
        let (offered, _) = offered(tool)?;
        let kind = Kind::offered_as(text(tool, "type")?)?;
        (offered == name || kind == Kind::WebSearch && name == "web_search").then_some(kind)
    })?;
    let args: Value = serde_json::from_str(args).unwrap_or_default();
    let mut item =
        json!({"type": kind.item_type(), "status": "completed", kind.args_key(): kind.written(&args)});
    let prefix = match kind {
        Kind::Custom => "ctc_",
        Kind::Shell => "sh_",
        Kind::LocalShell => "lsh_",
        Kind::ApplyPatch => "apc_",
        Kind::WebSearch => "ws_",
    };
    item["id"] = stamp.call_id(prefix, at).into();
    if kind != Kind::WebSearch {
        item["call_id"] = stamp.call_id(super::answer::CALL_PREFIX, nth).into();
    }
    if kind == Kind::Custom {
        item["name"] = name.into();
    }
    Some(item)
}

/// The id, the name and the arguments of a call of such a tool, where it is the caller who runs it.
pub(super) fn called(item: &Value) -> Option<(String, String, Value)> {
    let kind = Kind::called_as(text(item, "type")?)?;
    let args = match (kind, item.get(kind.args_key())) {
        (Kind::LocalShell, Some(Value::Object(action))) => {
            let said = action.iter().filter(|(key, _)| *key != "type");
            said.map(|(key, value)| (key.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
        }
        (_, args) => args.cloned().unwrap_or_default(),
    };
    let name = match kind {
        Kind::Custom => string(item, "name"),
        _ => kind.item_type().trim_end_matches("_call").to_owned(),
    };
    Some((string(item, "call_id"), name, args))
}

/// What such a tool gave back, in items that functions do not have.
pub(super) fn result(item: &Value) -> Option<Part> {
    let id = text(item, "call_id").or_else(|| text(item, "id")).unwrap_or_default().to_owned();
    let content = match text(item, "type")? {
        "shell_call_output" => {
            let said =
                items(item, "output").iter().flat_map(|said| ["stdout", "stderr"].map(|key| text(said, key)));
            said.flatten().filter(|said| !said.is_empty()).collect::<Vec<_>>().join("\n")
        }
        "local_shell_call_output" | "apply_patch_call_output" => {
            item.get("output").map_or_else(String::new, as_text)
        }
        _ => return None,
    };
    Some(Part::ToolResult { id, name: None, content })
}
