//! The same JSON in another order.

use serde_json::{Map, Value};

/// The object as text, the keys of every object in reverse.
pub fn reversed(object: &Map<String, Value>) -> String {
    let mut out = String::new();
    push_object(&mut out, object);
    out
}

fn push(out: &mut String, value: &Value) {
    match value {
        Value::Object(object) => push_object(out, object),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                push(out, item);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn push_object(out: &mut String, object: &Map<String, Value>) {
    out.push('{');
    for (at, (key, value)) in object.iter().rev().enumerate() {
        out.push_str(if at > 0 { ",\n" } else { "" });
        out.push_str(&Value::from(key.as_str()).to_string());
        out.push_str(": ");
        push(out, value);
    }
    out.push('}');
}
