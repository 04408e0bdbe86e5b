//! Calls that are written as JSON: an object with the tool's name beside its arguments.

/// Keys whose value is the tool's name.
const NAMES: [&str; 9] = [
    "name",
    "tool",
    "tool_name",
    "toolName",
    "function",
    "function_name",
    "action",
    "action_name",
    "recipient_name",
];
/// Keys whose value is what a tool is called with.
const ARGUMENTS: [&str; 12] = [
    "arguments",
    "parameters",
    "params",
    "input",
    "inputs",
    "args",
    "kwargs",
    "action_input",
    "action_args",
    "tool_input",
    "tool_args",
    "toolInput",
];

#[derive(Default)]
struct Object {
    key: Option<String>,
    names_tool: bool,
    has_arguments: bool,
    has_properties: bool,
    is_of_type_object: bool,
    /// One of its members is a schema, so that it defines a tool.
    defines: bool,
}

impl Object {
    fn is_schema(&self) -> bool {
        self.has_properties && self.is_of_type_object
    }

    fn is_call(&self) -> bool {
        self.names_tool && self.has_arguments && !self.defines
    }
}

/// Whether some object of the text calls the tool. The text need not be JSON: it is prose with objects in it, which
/// may be written as Python's.
pub(super) fn calls(text: &str, tool: &str) -> bool {
    let mut open: Vec<Object> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}', '"', '\'', ',']) {
        let (letter, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = after;
        match letter {
            b'{' => open.push(Object::default()),
            b'}' => {
                let Some(closed) = open.pop() else { continue };
                if closed.is_call() {
                    return true;
                }
                if let (true, Some(outer)) = (closed.is_schema(), open.last_mut()) {
                    outer.defines = true;
                }
            }
            b'"' | b'\'' => {
                let Some(object) = open.last_mut() else { continue };
                let Some((string, after)) = string(after, letter) else { continue };
                rest = after;
                if after.trim_start().starts_with(':') {
                    object.has_arguments |= ARGUMENTS.contains(&string);
                    object.has_properties |= string == "properties";
                    object.key = Some(string.to_owned());
                } else if let Some(key) = object.key.take() {
                    object.is_of_type_object |= key == "type" && string == "object";
                    object.names_tool |= string == tool && NAMES.contains(&key.as_str());
                }
            }
            b',' => {
                if let Some(object) = open.last_mut() {
                    object.key = None;
                }
            }
            _ => {}
        }
    }
    // An answer may be cut off.
    open.iter().any(Object::is_call)
}

/// A string up to its quote, and what comes after it. None spans lines.
fn string(text: &str, quote: u8) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    for (at, letter) in text.bytes().enumerate() {
        match letter {
            b'\n' => return None,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if letter == quote => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}
