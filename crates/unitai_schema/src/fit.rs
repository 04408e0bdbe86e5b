//! Whether a value fits a schema.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

/// A schema, ready to be asked.
///
/// ```
/// use serde_json::json;
/// use unitai_schema::Schema;
/// let schema = Schema::new(&json!({"type": "object", "properties": {"amount": {"type": "number"}}})).unwrap();
/// assert!(schema.violations(&json!({"amount": 10})).is_empty());
/// assert_eq!(schema.violations(&json!({"amount": "ten"})), [r#"amount: "ten" is not of type "number""#]);
/// ```
pub struct Schema(Validator);

/// This is no schema.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(String);

/// No reader wants more at once.
const MOST: usize = 5;

/// How many schemas are kept ready. An agent has fewer tools than that.
const KEPT: usize = 256;

impl Schema {
    /// Reads a schema.
    pub fn new(schema: &Value) -> Result<Schema, SchemaError> {
        jsonschema::validator_for(schema).map(Schema).map_err(|error| SchemaError(error.to_string()))
    }

    /// The schema that this JSON text holds, kept ready: reading one takes longer than asking it. `None` if it is no schema.
    ///
    /// ```
    /// use unitai_schema::Schema;
    /// assert!(Schema::cached(r#"{"type": "object"}"#).is_some());
    /// assert!(Schema::cached(r#"{"type": "no such type"}"#).is_none());
    /// ```
    pub fn cached(text: &str) -> Option<Arc<Schema>> {
        static CACHE: Mutex<Option<HashMap<String, Option<Arc<Schema>>>>> = Mutex::new(None);
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        let cache = cache.get_or_insert_default();
        if let Some(known) = cache.get(text) {
            return known.clone();
        }
        if cache.len() >= KEPT {
            cache.clear();
        }
        let schema =
            serde_json::from_str(text).ok().and_then(|schema| Schema::new(&schema).ok()).map(Arc::new);
        cache.insert(text.to_owned(), schema.clone());
        schema
    }

    /// What is wrong with the value, by place; nothing if it fits.
    pub fn violations(&self, value: &Value) -> Vec<String> {
        if self.0.is_valid(value) {
            return Vec::new();
        }
        let told = |error: jsonschema::ValidationError<'_>| {
            let place = error.instance_path().to_string();
            match place.trim_start_matches('/').replace('/', ".") {
                place if place.is_empty() => error.to_string(),
                place => format!("{place}: {error}"),
            }
        };
        self.0.iter_errors(value).map(told).take(MOST).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_missing_unknown_or_of_another_type_is_told_by_its_place() {
        let schema = Schema::new(&json!({
            "type": "object",
            "properties": {"order": {"type": "object", "properties": {"id": {"type": "string"}}}},
            "required": ["order"],
            "additionalProperties": false,
        }))
        .unwrap();
        assert_eq!(
            schema.violations(&json!({"order": {"id": 5}})),
            [r#"order.id: 5 is not of type "string""#]
        );
        assert_eq!(schema.violations(&json!({})), [r#""order" is a required property"#]);
        assert_eq!(schema.violations(&json!({"order": {}, "x": 1})).len(), 1);
    }

    #[test]
    fn a_schema_that_is_none_is_an_error_and_no_place_is_asked_for_one_elsewhere() {
        assert!(Schema::new(&json!({"type": "no such type"})).is_err());
        assert!(Schema::new(&json!({"$ref": "https://example.com/schema.json"})).is_err());
    }

    #[test]
    fn definitions_inside_of_it_are_found() {
        let schema = Schema::new(&json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"enum": ["x", "y"]}},
        }))
        .unwrap();
        assert!(schema.violations(&json!({"a": "x"})).is_empty());
        assert_eq!(schema.violations(&json!({"a": "z"})).len(), 1);
    }
}
