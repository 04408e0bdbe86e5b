//! A JSON schema as OpenAI's strict mode wants it: objects have all of their properties and no others.

use serde_json::{Value, json};

/// The strict form of a schema.
///
/// ```
/// use serde_json::json;
/// use unitai_judge::providers::strict::strict;
/// let loose = json!({"type": "object", "properties": {"why": {"type": "string"}}});
/// let strict = strict(&loose);
/// assert_eq!(strict["required"], json!(["why"]));
/// assert_eq!(strict["additionalProperties"], json!(false));
/// ```
pub fn strict(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(strict).collect(),
        Value::Object(keys) => {
            let mut made: serde_json::Map<_, _> =
                keys.iter().map(|(name, value)| (name.clone(), strict(value))).collect();
            // A property may itself be called `properties`; a schema of an object says its type.
            let is_object = keys.get("type") == Some(&json!("object"));
            if let (true, Some(Value::Object(properties))) = (is_object, keys.get("properties")) {
                made.insert("required".to_owned(), properties.keys().cloned().collect());
                made.insert("additionalProperties".to_owned(), json!(false));
            }
            Value::Object(made)
        }
        other => other.clone(),
    }
}
