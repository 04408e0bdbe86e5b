//! How one request differs from another, in words.

use std::fmt;

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::common::{Message, Part, Request, Role, Tool};

/// Longer texts are compared by their beginnings and ends alone.
const LONGEST: usize = 20_000;

/// How much unchanged text is shown around a change.
const CONTEXT: usize = 24;

/// How much of a change is shown.
const SHOWN: usize = 160;

/// One thing in which a request differs from a recorded one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    /// What differs: the model, the system prompt, message 4, ...
    pub(super) what: String,
    pub(super) was: Option<String>,
    pub(super) is: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.was, &self.is) {
            (Some(was), Some(is)) => write!(f, "{}: {}", self.what, changed(was, is)),
            (Some(was), None) => write!(f, "{}: recorded, and not there now: {}", self.what, cut(was)),
            (None, Some(is)) => write!(f, "{}: not recorded, and there now: {}", self.what, cut(is)),
            (None, None) => f.write_str(&self.what),
        }
    }
}

impl Difference {
    fn new(what: impl Into<String>, was: Option<String>, is: Option<String>) -> Difference {
        Difference { what: what.into(), was, is }
    }

    /// How much it weighs: from next to nothing for one word of many to one for something else altogether.
    pub(super) fn weight(&self) -> f64 {
        match (&self.was, &self.is) {
            (Some(was), Some(is)) => {
                let longest = was.len().max(is.len()).max(1);
                let same = common(was, is);
                0.05 + 0.95 * (1.0 - (same.0 + same.1).min(longest) as f64 / longest as f64)
            }
            _ => 1.0,
        }
    }
}

/// Where two requests to a model differ.
pub(super) fn of_requests(was: &Request, is: &Request) -> Vec<Difference> {
    let mut found = Vec::new();
    if was.model != is.model {
        found.push(Difference::new("the model", Some(was.model.clone()), Some(is.model.clone())));
    }
    if was.streamed != is.streamed {
        let word = |request: &Request| if request.streamed { "streamed" } else { "whole" }.to_owned();
        found.push(Difference::new("the answer's form", Some(word(was)), Some(word(is))));
    }
    for at in 0..was.messages.len().max(is.messages.len()) {
        let (old, new) = (was.messages.get(at), is.messages.get(at));
        if old != new {
            found.push(Difference::new(
                message_name(at, new.or(old)),
                old.map(message_text),
                new.map(message_text),
            ));
        }
    }
    of_tools(&was.tools, &is.tools, &mut found);
    let names = was.settings.keys().chain(is.settings.keys().filter(|key| !was.settings.contains_key(*key)));
    for name in names {
        let (old, new) = (was.settings.get(name), is.settings.get(name));
        if old != new {
            let shown = |value: Option<&Value>| value.map(Value::to_string);
            found.push(Difference::new(format!("the setting {name}"), shown(old), shown(new)));
        }
    }
    found
}

fn of_tools(was: &[Tool], is: &[Tool], found: &mut Vec<Difference>) {
    let named = |tools: &[Tool], name: &str| tools.iter().find(|tool| tool.name == name).cloned();
    for old in was {
        match named(is, &old.name) {
            None => found.push(Difference::new(
                format!("the tool {}", old.name),
                Some(old.description.clone()),
                None,
            )),
            Some(new) => {
                if old.description != new.description {
                    let what = format!("the description of the tool {}", old.name);
                    found.push(Difference::new(what, Some(old.description.clone()), Some(new.description)));
                }
                if old.schema != new.schema {
                    let what = format!("the schema of the tool {}", old.name);
                    found.push(Difference::new(
                        what,
                        Some(old.schema.to_string()),
                        Some(new.schema.to_string()),
                    ));
                }
            }
        }
    }
    for new in is.iter().filter(|new| named(was, &new.name).is_none()) {
        found.push(Difference::new(format!("the tool {}", new.name), None, Some(new.description.clone())));
    }
    let order = |tools: &[Tool]| tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>().join(", ");
    let (old, new) = (order(was), order(is));
    let mut sorted = (
        was.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        is.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
    );
    sorted.0.sort();
    sorted.1.sort();
    if old != new && sorted.0 == sorted.1 {
        found.push(Difference::new("the order of the tools", Some(old), Some(new)));
    }
}

fn message_name(at: usize, message: Option<&Message>) -> String {
    let role = match message.map(|message| message.role) {
        Some(Role::System) if at == 0 => return "the system prompt".to_owned(),
        Some(Role::System) => "system",
        Some(Role::User) => "user",
        Some(Role::Assistant) => "assistant",
        Some(Role::Tool) | None => "tool",
    };
    format!("message {} ({role})", at + 1)
}

fn message_text(message: &Message) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) | Part::Reasoning(text) => text.clone(),
        Part::ToolCall { id, name, args } => format!("{name}({args}) {id}"),
        Part::ToolResult { id, content, .. } => format!("{content} {id}"),
        Part::Media(value) | Part::Other(value) => value.to_string(),
    };
    message.parts.iter().map(part).collect::<Vec<_>>().join("\n")
}

/// Where two documents differ, by the path of each value.
pub(super) fn of_documents(was: &Value, is: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    walk(was, is, &mut String::new(), &mut found);
    found
}

fn walk(was: &Value, is: &Value, path: &mut String, found: &mut Vec<Difference>) {
    let length = path.len();
    match (was, is) {
        (Value::Object(old), Value::Object(new)) => {
            for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
                path.push_str(if length == 0 { "" } else { "." });
                path.push_str(name);
                member(old.get(name), new.get(name), path, found);
                path.truncate(length);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for at in 0..old.len().max(new.len()) {
                path.push_str(&format!("{}{at}", if length == 0 { "" } else { "." }));
                member(old.get(at), new.get(at), path, found);
                path.truncate(length);
            }
        }
        _ if was == is => {}
        _ => member_differs(Some(was), Some(is), path, found),
    }
}

fn member(was: Option<&Value>, is: Option<&Value>, path: &mut String, found: &mut Vec<Difference>) {
    match (was, is) {
        (Some(was), Some(is)) => walk(was, is, path, found),
        _ => member_differs(was, is, path, found),
    }
}

fn member_differs(was: Option<&Value>, is: Option<&Value>, path: &str, found: &mut Vec<Difference>) {
    let shown = |value: Option<&Value>| {
        value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let what = if path.is_empty() { "the body".to_owned() } else { format!("`{path}`") };
    found.push(Difference::new(what, shown(was), shown(is)));
}

/// A change in words: what went in `[-…-]`, what came in `{+…+}`, and a little around it.
fn changed(was: &str, is: &str) -> String {
    if was.len().max(is.len()) > LONGEST {
        let (before, after) = common(was, is);
        let middle = |text: &str| cut(text.get(before..text.len() - after).unwrap_or(text));
        return format!("[-{}-]{{+{}+}}", middle(was), middle(is));
    }
    let is_word = |text: &str| text.len() <= 60 && !text.contains(char::is_whitespace);
    if is_word(was) && is_word(is) {
        return format!("[-{was}-]{{+{is}+}}");
    }
    let diff = TextDiff::from_unicode_words(was, is);
    let mut out = String::new();
    let mut pending = String::new();
    let mut last = ChangeTag::Equal;
    let mut has_begun = false;
    for change in diff.iter_all_changes() {
        let (tag, text) = (change.tag(), change.value());
        if tag != last {
            out.push_str(match last {
                ChangeTag::Delete => "-]",
                ChangeTag::Insert => "+}",
                ChangeTag::Equal => "",
            });
            if last == ChangeTag::Equal {
                out.push_str(&around(&pending, has_begun));
                pending.clear();
            }
            out.push_str(match tag {
                ChangeTag::Delete => "[-",
                ChangeTag::Insert => "{+",
                ChangeTag::Equal => "",
            });
            last = tag;
        }
        if tag == ChangeTag::Equal {
            pending.push_str(text);
        } else {
            has_begun = true;
            out.push_str(text);
        }
    }
    out.push_str(match last {
        ChangeTag::Delete => "-]",
        ChangeTag::Insert => "+}",
        ChangeTag::Equal => "",
    });
    if last == ChangeTag::Equal {
        out.push_str(&head(&pending));
    }
    cut(&out)
}

/// Unchanged text before a change, or between two.
fn around(text: &str, is_between: bool) -> String {
    let count = text.chars().count();
    if is_between && count <= 2 * CONTEXT {
        return text.to_owned();
    }
    let tail: String = text.chars().skip(count.saturating_sub(CONTEXT)).collect();
    let start = if is_between {
        head(text)
    } else if count > CONTEXT {
        "…".to_owned()
    } else {
        String::new()
    };
    start + &tail
}

fn head(text: &str) -> String {
    let mut out: String = text.chars().take(CONTEXT).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

/// A text for one line of a message.
fn cut(text: &str) -> String {
    let mut out: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}

/// The lengths of what two texts have in common at their beginnings and at their ends.
fn common(was: &str, is: &str) -> (usize, usize) {
    let before = was.char_indices().zip(is.chars()).find(|((_, a), b)| a != b);
    let before = before.map_or(was.len().min(is.len()), |((at, _), _)| at);
    let (old, new) = (&was[before..], is.get(before..).unwrap_or_default());
    let after =
        old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    (before, after)
}
