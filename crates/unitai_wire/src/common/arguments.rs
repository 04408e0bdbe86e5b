//! Whether a tool takes the arguments of a call, by the schema that a request offers it with.

use serde_json::Value;
use unitai_schema::Schema;

use super::Tool;

impl Tool {
    /// What the schema says against these arguments, which are JSON; nothing where it takes them.
    pub fn violations(&self, args: &str) -> Vec<String> {
        if !self.schema.is_object() {
            return Vec::new();
        }
        let Ok(args) = serde_json::from_str::<Value>(args) else { return Vec::new() };
        let text = match has_upper_case_types(&self.schema) {
            false => self.schema.to_string(),
            true => {
                let mut schema = self.schema.clone();
                use_json_types(&mut schema);
                schema.to_string()
            }
        };
        Schema::cached(&text).map_or_else(Vec::new, |schema| schema.violations(&args))
    }
}

/// Whether the schema is of Gemini's own kind: `"type": "STRING"`, with `nullable` beside it.
fn has_upper_case_types(schema: &Value) -> bool {
    let kind = schema.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| kind.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

fn use_json_types(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    let is_nullable = fields.remove("nullable") == Some(Value::Bool(true));
    if let Some(Value::String(kind)) = fields.get_mut("type") {
        let kind = kind.to_ascii_lowercase();
        let kinds = if is_nullable { serde_json::json!([kind, "null"]) } else { Value::String(kind) };
        fields.insert("type".to_owned(), kinds);
    }
    for key in ["properties", "$defs", "definitions"] {
        if let Some(Value::Object(named)) = fields.get_mut(key) {
            named.values_mut().for_each(use_json_types);
        }
    }
    for key in ["items", "anyOf", "oneOf", "allOf"] {
        match fields.get_mut(key) {
            Some(Value::Array(several)) => several.iter_mut().for_each(use_json_types),
            Some(one) => use_json_types(one),
            None => {}
        }
    }
}
