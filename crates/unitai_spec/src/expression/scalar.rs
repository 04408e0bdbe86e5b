//! The default of a reference, read as YAML reads a scalar.

use unitai_model::value::Value;

use super::{number, quoting};

/// The value of a plain scalar. Nothing at all is the empty text, as in a shell: `${env.TOKEN:-}`.
pub(crate) fn read(text: &str) -> Value {
    match text {
        "null" | "Null" | "NULL" | "~" => return Value::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Value::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            return Value::Bool(false);
        }
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // What begins with a zero is a code more often than a number.
    if whole
        && (digits == "0" || !digits.starts_with('0'))
        && let Some(value) = text.parse().ok().map(number::whole)
    {
        return value;
    }
    let fraction = digits.split_once('.').is_some_and(|(before, after)| {
        let mantissa = after.split(['e', 'E']).next().unwrap_or_default();
        [before, mantissa].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
            && !(before.is_empty() && mantissa.is_empty())
    });
    match text.parse() {
        Ok(value) if fraction && f64::is_finite(value) => Value::Float(value),
        _ => Value::Str(text.to_owned()),
    }
}

/// A scalar that [`read`] reads as this value; a text stands in quotes.
pub(crate) fn write(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Float(it) => {
            let text = format!("{it:?}");
            // YAML knows a float by its point.
            if text.contains('.') { text } else { text.replacen('e', ".0e", 1) }
        }
        Value::BigInt(_) => number::decimal(value),
        Value::Str(text) => quoting::write_with(text, '"'),
        other => quoting::write_with(&other.to_string(), '"'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_read_as_yaml_reads_them() {
        for (text, value) in [
            ("5", Value::Int(5)),
            ("-5", Value::Int(-5)),
            ("5.0", Value::Float(5.0)),
            ("1.5e3", Value::Float(1500.0)),
            (".5", Value::Float(0.5)),
            ("no", Value::Bool(false)),
            ("true", Value::Bool(true)),
            ("~", Value::Null),
            ("", Value::Str(String::new())),
            ("007", Value::Str("007".into())),
            (".", Value::Str(".".into())),
            ("1.e", Value::Str("1.e".into())),
            ("nan", Value::Str("nan".into())),
            ("http://x", Value::Str("http://x".into())),
            ("18446744073709551615", Value::BigInt("ffffffffffffffff".into())),
        ] {
            assert_eq!(read(text), value, "{text}");
        }
        for value in [Value::Float(1e300), Value::Float(0.1), Value::Int(i64::MIN)] {
            assert_eq!(read(&write(&value)), value);
        }
    }
}
