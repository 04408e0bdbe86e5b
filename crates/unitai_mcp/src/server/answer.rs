//! What came of a call, in the words of the protocol.

use rmcp::model::{CallToolResult, ContentBlock};
use unitai_model::value::Value;
use unitai_spec::data::to_json;
use unitai_spec::run::Called;

/// Objects are structured content, and the same as text for clients that read no structure. Everything else is text:
/// before 2026-07-28 structure had to be an object.
pub(super) fn answer(called: Called) -> CallToolResult {
    match called {
        Called::Returned { value: value @ Value::Dict(_), .. } => CallToolResult::structured(to_json(&value)),
        Called::Returned { value: Value::Str(said), .. } => {
            CallToolResult::success(vec![ContentBlock::text(said)])
        }
        Called::Returned { value, .. } => {
            CallToolResult::success(vec![ContentBlock::text(to_json(&value).to_string())])
        }
        Called::Failed { message, details } => {
            let parts = [message, details].into_iter().filter(|part| !part.is_empty());
            CallToolResult::error(parts.map(ContentBlock::text).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use unitai_spec::data::from_json;

    fn shown(called: Called) -> serde_json::Value {
        serde_json::to_value(answer(called)).unwrap()
    }

    fn returned(json: serde_json::Value) -> serde_json::Value {
        shown(Called::Returned { value: from_json(&json), text: "not looked at".into() })
    }

    #[test]
    fn an_object_is_structure_and_its_text() {
        let told = returned(json!({"status_code": 200}));
        assert_eq!(told["structuredContent"], json!({"status_code": 200}));
        assert_eq!(told["content"], json!([{"type": "text", "text": "{\"status_code\":200}"}]));
        assert_eq!(told["isError"], json!(false));
    }

    #[test]
    fn everything_else_is_text_alone() {
        for (json, text) in
            [(json!("hi"), "hi"), (json!([1]), "[1]"), (json!(null), "null"), (json!(1.5), "1.5")]
        {
            let told = returned(json);
            assert_eq!(told["content"], json!([{"type": "text", "text": text}]));
            assert_eq!(told.get("structuredContent"), None);
        }
    }

    #[test]
    fn a_failure_is_told_with_its_details() {
        let told = shown(Called::Failed { message: "it broke".into(), details: "line 3".into() });
        assert_eq!(told["isError"], json!(true));
        assert_eq!(told["content"][0]["text"], "it broke");
        assert_eq!(told["content"][1]["text"], "line 3");
        let told = shown(Called::Failed { message: "it broke".into(), details: String::new() });
        assert_eq!(told["content"].as_array().unwrap().len(), 1);
    }
}
