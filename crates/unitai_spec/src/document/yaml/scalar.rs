//! What a plain scalar is. Quoted ones are texts, and this file is never asked about them.

use unitai_model::value::Value;

use super::moment::iso;
use super::number::number;

/// What a plain scalar is, by the rules of YAML 1.1 as PyYAML has them; a date is its ISO text.
pub(super) fn resolve(text: &str, is_json: bool) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Value::Bool(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Value::Bool(false),
        _ => {
            number(text, is_json).unwrap_or_else(|| Value::Str(iso(text).unwrap_or_else(|| text.to_owned())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_yaml_1_1() {
        for text in ["", "~", "null", "NULL"] {
            assert_eq!(resolve(text, false), Value::Null, "{text}");
        }
        for (text, value) in [("yes", true), ("On", true), ("TRUE", true), ("no", false), ("off", false)] {
            assert_eq!(resolve(text, false), Value::Bool(value), "{text}");
        }
        for text in ["y", "n", "yEs", "nil", "None", "hello", "10:30", "1e5", "v1.2", "="] {
            assert_eq!(resolve(text, false), Value::Str(text.into()), "{text}");
        }
        assert_eq!(resolve("2001-12-14t21:59:43Z", false), Value::Str("2001-12-14T21:59:43+00:00".into()));
    }
}
