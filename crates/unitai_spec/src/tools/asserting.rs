//! Comparing values. A comparison that does not hold is a result, not a failure of the tool; the step that made it fails.

use unitai_model::value::{Value, equal};

use super::arguments::{Given, number};
use super::dict;

pub(super) fn equals(given: &Given) -> Value {
    let (actual, expected) = (given.any("actual"), given.any("expected"));
    let passed = equal(&actual, &expected);
    dict([
        ("passed", Value::Bool(passed)),
        ("actual", actual),
        ("expected", expected),
        ("message", message(given, passed)),
    ])
}

pub(super) fn is_true(given: &Given) -> Value {
    let passed = is_truthy(&given.any("condition"));
    dict([("passed", Value::Bool(passed)), ("message", message(given, passed))])
}

/// With a tolerance, numbers may differ by that part of the second: swapping them is another question.
pub(super) fn compare(given: &Given) -> Result<Value, String> {
    let (value1, value2) = (given.any("value1"), given.any("value2"));
    let tolerance = given.number("tolerance", 0.0)?;
    match (number(&value1), number(&value2)) {
        (Some(one), Some(other)) if tolerance > 0.0 && other != 0.0 => {
            let difference = (one - other).abs() / other.abs();
            Ok(dict([
                ("equal", Value::Bool(difference <= tolerance)),
                ("value1", value1),
                ("value2", value2),
                ("difference_percent", Value::Float(difference * 100.0)),
                ("tolerance_percent", Value::Float(tolerance * 100.0)),
            ]))
        }
        _ => Ok(dict([
            ("equal", Value::Bool(equal(&value1, &value2))),
            ("value1", value1),
            ("value2", value2),
        ])),
    }
}

fn message(given: &Given, passed: bool) -> Value {
    match given.get("message") {
        _ if passed => Value::Str("OK".to_owned()),
        Some(Value::Null) | None => Value::Str(String::new()),
        Some(custom) => custom.clone(),
    }
}

/// What Python's `bool()` says; the text "false" is true.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(it) => *it,
        Value::Int(it) => *it != 0,
        Value::Float(it) => *it != 0.0,
        Value::Str(text) => !text.is_empty(),
        Value::Bytes(it) => !it.is_empty(),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            !items.is_empty()
        }
        Value::Dict(entries) => !entries.is_empty(),
        Value::BigInt(_) | Value::Surrogates(_) | Value::Opaque(_) => true,
    }
}
