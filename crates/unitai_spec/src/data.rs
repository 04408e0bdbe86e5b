//! Between JSON, as tools speak it, and [`Value`], as the engine keeps it. JSON from a tool is data: what looks like one
//! of our own tags in it means nothing.

use serde_json::{Map, Number};
use unitai_model::value::Value;

/// A value from JSON.
///
/// ```
/// use unitai_model::value::Value;
/// use unitai_spec::data::from_json;
/// assert_eq!(from_json(&serde_json::json!([1, 2.5])), Value::List(vec![Value::Int(1), Value::Float(2.5)]));
/// ```
pub fn from_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(it) => Value::Bool(*it),
        serde_json::Value::Number(it) => number(it),
        serde_json::Value::String(it) => Value::Str(it.clone()),
        serde_json::Value::Array(items) => Value::List(items.iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => {
            Value::Dict(entries.iter().map(|(key, it)| (Value::Str(key.clone()), from_json(it))).collect())
        }
    }
}

fn number(number: &Number) -> Value {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(it), _, _) => Value::Int(it),
        (None, Some(it), _) => Value::BigInt(format!("{it:x}")),
        (None, None, it) => Value::Float(it.unwrap_or(f64::NAN)),
    }
}

/// JSON of a value. What JSON cannot say becomes text or null: a tool is asked in JSON.
///
/// ```
/// use unitai_model::value::Value;
/// use unitai_spec::data::to_json;
/// assert_eq!(to_json(&Value::List(vec![Value::Int(1)])), serde_json::json!([1]));
/// ```
pub fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::BigInt(hex) => u64::from_str_radix(hex, 16).map_or_else(|_| hex.clone().into(), Into::into),
        Value::Float(it) => Number::from_f64(*it).map_or(serde_json::Value::Null, Into::into),
        Value::Str(it) => it.clone().into(),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            items.iter().map(to_json).collect()
        }
        Value::Dict(entries) => serde_json::Value::Object(
            entries.iter().map(|(key, it)| (key_text(key), to_json(it))).collect::<Map<_, _>>(),
        ),
        Value::Surrogates(_) | Value::Bytes(_) | Value::Opaque(_) => value.to_string().into(),
    }
}

/// A key of a mapping as text: JSON has no other.
pub fn key_text(key: &Value) -> String {
    match key {
        Value::Str(it) => it.clone(),
        other => other.to_string(),
    }
}
