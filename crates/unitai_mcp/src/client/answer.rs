//! What a tool answered, as a value and as text.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use unitai_model::value::Value;
use unitai_spec::data::from_json;
use unitai_spec::run::Called;

/// Where our own host of plugins notes a value that is no object: MCP wants an object as structure.
const VALUE: &str = "unitai/value";
/// Where it notes the traceback of a tool that raised.
const TRACEBACK: &str = "unitai/traceback";

/// What came of a call that was answered.
///
/// The value is the one that our host notes; else the structure that the tool gave; else what its only text says as JSON; else its text; else, where it
/// gave images or resources, these with their data.
pub(super) fn called(result: CallToolResult) -> Called {
    let CallToolResult { content, structured_content, is_error, meta, .. } = result;
    let noted = |key: &str| meta.as_ref().and_then(|it| it.get(key));
    let mut text = content.iter().map(text_of).collect::<Vec<_>>().join("\n");
    if let (true, Some(structure)) = (content.is_empty(), &structured_content) {
        text = structure.to_string();
    }
    if is_error == Some(true) {
        let traceback = noted(TRACEBACK).and_then(serde_json::Value::as_str).map(str::to_owned);
        let structure = structured_content.map(|it| it.to_string());
        let details = traceback.or(structure).unwrap_or_default();
        let message = if text.is_empty() { "the tool failed and did not say why".to_owned() } else { text };
        return Called::Failed { message, details };
    }
    let value = match (noted(VALUE), structured_content) {
        (Some(value), _) => from_json(value),
        (None, Some(structure)) => from_json(&structure),
        (None, None) => value_of(&content, &text),
    };
    Called::Returned { value, text }
}

fn value_of(content: &[ContentBlock], text: &str) -> Value {
    match content {
        [] => Value::Null,
        [ContentBlock::Text(_)] => json_container(text).unwrap_or_else(|| Value::Str(text.to_owned())),
        [one] => raw(one),
        several if several.iter().all(|it| matches!(it, ContentBlock::Text(_))) => {
            Value::Str(text.to_owned())
        }
        several => Value::List(several.iter().map(raw).collect()),
    }
}

/// The value of a text that is a JSON object or array. A number or a word stays text: tools that mean one give structure.
fn json_container(text: &str) -> Option<Value> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok().map(|json| from_json(&json))
}

fn raw(content: &ContentBlock) -> Value {
    serde_json::to_value(content).map_or(Value::Null, |json| from_json(&json))
}

fn text_of(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(it) => it.text.clone(),
        ContentBlock::Image(it) => described("image", &it.mime_type, Some(decoded(&it.data))),
        ContentBlock::Audio(it) => described("audio", &it.mime_type, Some(decoded(&it.data))),
        ContentBlock::ResourceLink(it) => described("link", &it.uri, None),
        ContentBlock::Resource(it) => match &it.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                described("resource", uri, Some(text.len()))
            }
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                described("resource", uri, Some(decoded(blob)))
            }
            _ => "[resource]".to_owned(),
        },
        _ => "[content of an unknown kind]".to_owned(),
    }
}

fn described(kind: &str, what: &str, size: Option<usize>) -> String {
    size.map_or_else(|| format!("[{kind}: {what}]"), |size| format!("[{kind}: {what}, {size} bytes]"))
}

/// How many bytes a base64 text stands for.
fn decoded(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn returned(json: serde_json::Value) -> (Value, String) {
        match called(serde_json::from_value(json).expect("a result")) {
            Called::Returned { value, text } => (value, text),
            failed @ Called::Failed { .. } => panic!("{failed:?}"),
        }
    }

    fn text(text: &str) -> serde_json::Value {
        json!({"type": "text", "text": text})
    }

    #[test]
    fn structure_wins_over_text() {
        let (value, said) = returned(json!({"content": [text("one")], "structuredContent": {"n": 1}}));
        assert_eq!(value, from_json(&json!({"n": 1})));
        assert_eq!(said, "one");
        let (_, said) = returned(json!({"content": [], "structuredContent": {"n": 1}}));
        assert_eq!(said, r#"{"n":1}"#);
    }

    #[test]
    fn our_host_of_plugins_notes_what_structure_cannot_say() {
        let answer =
            json!({"content": [text("7")], "structuredContent": {"result": 7}, "_meta": {"unitai/value": 7}});
        assert_eq!(returned(answer).0, Value::Int(7));
        let none =
            json!({"content": [], "structuredContent": {"result": null}, "_meta": {"unitai/value": null}});
        assert_eq!(returned(none).0, Value::Null);
        let failed = json!({"content": [text("OSError: no")], "isError": true, "_meta": {"unitai/traceback": "File x"}});
        let expected = Called::Failed { message: "OSError: no".to_owned(), details: "File x".to_owned() };
        assert_eq!(called(serde_json::from_value(failed).expect("a result")), expected);
    }

    #[test]
    fn a_single_text_is_read_as_json_only_if_it_is_an_object_or_an_array() {
        assert_eq!(returned(json!({"content": [text("[1, 2]")]})).0, from_json(&json!([1, 2])));
        assert_eq!(returned(json!({"content": [text(" {\"a\": 1}\n")]})).0, from_json(&json!({"a": 1})));
        for plain in ["42", "true", "{not json", "hello"] {
            assert_eq!(returned(json!({"content": [text(plain)]})).0, Value::Str(plain.to_owned()));
        }
        assert_eq!(returned(json!({"content": []})).0, Value::Null);
    }

    #[test]
    fn several_texts_are_joined() {
        let (value, said) = returned(json!({"content": [text("{}"), text("b")]}));
        assert_eq!((value, said.as_str()), (Value::Str("{}\nb".to_owned()), "{}\nb"));
    }

    #[test]
    fn an_image_is_described_in_text_and_whole_as_a_value() {
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        let (value, said) = returned(json!({"content": [image]}));
        assert_eq!(value, from_json(&image));
        assert_eq!(said, "[image: image/png, 3 bytes]");
        let link = json!({"type": "resource_link", "uri": "file:///x", "name": "x"});
        let resource = json!({"type": "resource", "resource": {"uri": "a:b", "text": "body"}});
        let (value, said) = returned(json!({"content": [text("see"), image, link, resource]}));
        assert_eq!(said, "see\n[image: image/png, 3 bytes]\n[link: file:///x]\n[resource: a:b, 4 bytes]");
        let Value::List(items) = value else { panic!("{value:?}") };
        assert_eq!(items.len(), 4);
    }

    #[test]
    fn an_error_of_the_tool_is_a_failure_with_its_words() {
        let result = json!({"content": [text("no such order")], "isError": true});
        let failed = Called::Failed { message: "no such order".to_owned(), details: String::new() };
        assert_eq!(called(serde_json::from_value(result).expect("a result")), failed);
    }
}
