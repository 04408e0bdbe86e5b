//! Values as people see them in messages: in the notation of the files, on one line, and short.

use unitai_model::value::{Value, quoted};

use super::number;

/// How many characters of a value are shown.
const SHOWN: usize = 200;

/// A value in the notation of the files, cut to what one can take in.
pub(crate) fn shown(value: &Value) -> String {
    let mut out = String::new();
    push(&mut out, value);
    if out.chars().count() > SHOWN {
        out = out.chars().take(SHOWN - 1).collect();
        out.push('…');
    }
    out
}

/// What kind of value it is, by the words of patterns.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::BigInt(_) => "int",
        Value::Float(_) => "float",
        Value::Str(_) | Value::Surrogates(_) => "string",
        Value::Bytes(_) => "bytes",
        Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::FrozenSet(_) => "list",
        Value::Dict(_) => "object",
        Value::Opaque(_) => "opaque",
    }
}

/// A kind with its article: `an int`, `a string`, `null`.
pub(crate) fn a_kind(value: &Value) -> String {
    match kind(value) {
        "null" => "null".to_owned(),
        "bytes" => "bytes".to_owned(),
        kind if kind.starts_with(['i', 'o']) => format!("an {kind}"),
        kind => format!("a {kind}"),
    }
}

/// Stops where the rest would be cut anyway.
fn push(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => out.push_str(&number::decimal(value)),
        Value::Str(text) => {
            let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(end, _)| end);
            out.push_str(&quoted(&text[..end]));
        }
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if out.len() > SHOWN * 4 {
                    break;
                }
                out.push_str(if n > 0 { ", " } else { "" });
                push(out, item);
            }
            out.push(']');
        }
        Value::Dict(entries) => {
            out.push('{');
            for (n, (key, value)) in entries.iter().enumerate() {
                if out.len() > SHOWN * 4 {
                    break;
                }
                out.push_str(if n > 0 { ", " } else { "" });
                push(out, key);
                out.push_str(": ");
                push(out, value);
            }
            out.push('}');
        }
        other => out.push_str(&other.shown(SHOWN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::from_json;

    #[test]
    fn values_are_shown_as_files_write_them() {
        let value = from_json(&serde_json::json!({"a": [1, 2.0, null, true], "b": "x\n"}));
        assert_eq!(shown(&value), r#"{"a": [1, 2.0, null, true], "b": "x\n"}"#);
        assert_eq!(shown(&Value::BigInt("10000000000000000".into())), "18446744073709551616");
        let long = shown(&Value::Str("x".repeat(10_000_000)));
        assert_eq!(long.chars().count(), SHOWN);
        assert!(long.ends_with('…'));
    }
}
