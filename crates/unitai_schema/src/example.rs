//! A value that a schema allows, the plainest one: what a tool that nobody mocked by hand could return.

use serde_json::{Map, Value, json};

/// How deep a value may be: a schema may refer to itself.
const DEEPEST: usize = 8;

/// The plainest value of this shape. What the schema itself gives as an example, a default or a constant comes first;
/// of an object, only what it must have is there.
///
/// ```
/// use serde_json::json;
/// use unitai_schema::example;
/// let schema = json!({
///     "type": "object",
///     "properties": {"status": {"enum": ["open", "paid"]}, "total": {"type": "number", "minimum": 1}, "note": {}},
///     "required": ["status", "total"],
/// });
/// assert_eq!(example(&schema), json!({"status": "open", "total": 1}));
/// ```
pub fn example(schema: &Value) -> Value {
    shaped(schema, schema, 0)
}

fn shaped(schema: &Value, whole: &Value, depth: usize) -> Value {
    let Some(fields) = schema.as_object() else { return Value::Null };
    if depth > DEEPEST {
        return Value::Null;
    }
    if let Some(given) = given(fields) {
        return given;
    }
    if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
        let place = target.strip_prefix('#').and_then(|pointer| whole.pointer(pointer));
        return place.map_or(Value::Null, |place| shaped(place, whole, depth + 1));
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = fields.get(choice) {
            let best = choices.iter().find(|one| one["type"] != "null").or_else(|| choices.first());
            return best.map_or(Value::Null, |best| shaped(best, whole, depth + 1));
        }
    }
    if let Some(Value::Array(parts)) = fields.get("allOf") {
        return merged(fields, parts, whole, depth);
    }
    let bound = |name: &str| fields.get(name).filter(|bound| bound.is_number());
    match kind(fields) {
        "object" => object(fields, whole, depth),
        "array" => {
            let count = bound("minItems").and_then(Value::as_u64).unwrap_or(0).min(100);
            let item = fields.get("items").map_or(Value::Null, |items| shaped(items, whole, depth + 1));
            Value::Array(vec![item; usize::try_from(count).unwrap_or(0)])
        }
        "string" => Value::String(text(fields)),
        "integer" | "number" => match (bound("minimum"), bound("exclusiveMinimum"), bound("maximum")) {
            (Some(least), ..) => least.clone(),
            (None, Some(above), _) => json!(above.as_f64().unwrap_or(0.0).floor() as i64 + 1),
            (None, None, Some(most)) if most.as_f64().is_some_and(|most| most < 0.0) => most.clone(),
            _ => json!(0),
        },
        "boolean" => json!(false),
        _ => Value::Null,
    }
}

/// What the schema gives itself.
fn given(fields: &Map<String, Value>) -> Option<Value> {
    let first = |name: &str| fields.get(name).and_then(Value::as_array).and_then(|values| values.first());
    let default = fields.get("default").filter(|value| !value.is_null());
    fields.get("const").or_else(|| first("examples")).or(default).or_else(|| first("enum")).cloned()
}

fn kind(fields: &Map<String, Value>) -> &str {
    match fields.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if fields.contains_key("properties") => "object",
        _ if fields.contains_key("items") => "array",
        _ => "null",
    }
}

fn object(fields: &Map<String, Value>, whole: &Value, depth: usize) -> Value {
    let required = fields.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let property = |name: &str| fields.get("properties").and_then(|properties| properties.get(name));
    let shaped = |name: &str| property(name).map_or(Value::Null, |schema| shaped(schema, whole, depth + 1));
    Value::Object(names.map(|name| (name.to_owned(), shaped(name))).collect())
}

/// All parts at once, as far as they are objects; else the first one.
fn merged(fields: &Map<String, Value>, parts: &[Value], whole: &Value, depth: usize) -> Value {
    let mut all = match object(fields, whole, depth) {
        Value::Object(all) => all,
        _ => Map::new(),
    };
    for part in parts {
        match shaped(part, whole, depth + 1) {
            Value::Object(part) => all.extend(part),
            other if all.is_empty() => return other,
            _ => {}
        }
    }
    Value::Object(all)
}

fn text(fields: &Map<String, Value>) -> String {
    let plain = match fields.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-01T00:00:00Z",
        Some("date") => "2026-01-01",
        Some("time") => "00:00:00Z",
        Some("email") => "someone@example.com",
        Some("uri" | "url") => "https://example.com/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "",
    };
    let least = fields.get("minLength").and_then(Value::as_u64).unwrap_or(0).min(10_000);
    let least = usize::try_from(least).unwrap_or(0);
    plain.chars().chain(std::iter::repeat_n('x', least.saturating_sub(plain.chars().count()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;

    #[test]
    fn examples_fit_their_schemas() {
        let schemas = [
            json!({"type": "string", "minLength": 3}),
            json!({"type": "integer", "exclusiveMinimum": 4}),
            json!({"type": ["null", "array"], "items": {"type": "boolean"}, "minItems": 2}),
            json!({"anyOf": [{"type": "null"}, {"const": 7}]}),
            json!({"$ref": "#/$defs/Order", "$defs": {"Order": {
                "type": "object",
                "properties": {"id": {"type": "string", "format": "uuid"}, "next": {"$ref": "#/$defs/Order"}},
                "required": ["id"],
            }}}),
            json!({"allOf": [{"type": "object", "required": ["a"], "properties": {"a": {"type": "number"}}}]}),
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!(true),
            json!({}),
        ];
        for schema in schemas {
            let value = example(&schema);
            assert_eq!(Schema::new(&schema).unwrap().violations(&value), [""; 0], "{schema} {value}");
        }
    }

    #[test]
    fn a_schema_that_needs_itself_ends() {
        let endless = json!({"$defs": {"A": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/A"}}}}, "$ref": "#/$defs/A"});
        assert!(example(&endless).is_object());
        assert_eq!(example(&json!({"$ref": "#"})), Value::Null);
    }
}
