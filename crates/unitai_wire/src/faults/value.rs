//! What a fault makes of a tool's answer.

use unitai_model::Value;

use crate::chance::{draw, fraction};

const GARBAGE: char = char::REPLACEMENT_CHARACTER;

/// The empty value of the same kind; nothing, where there is none.
pub fn empty(value: &Value) -> Value {
    match value {
        Value::Str(_) | Value::Surrogates(_) => Value::Str(String::new()),
        Value::Bytes(_) => Value::Bytes(Vec::new()),
        Value::List(_) => Value::List(Vec::new()),
        Value::Tuple(_) => Value::Tuple(Vec::new()),
        Value::Set(_) => Value::Set(Vec::new()),
        Value::FrozenSet(_) => Value::FrozenSet(Vec::new()),
        Value::Dict(_) => Value::Dict(Vec::new()),
        _ => Value::Null,
    }
}

/// The value garbled, of the same kind where there is anything to garble: the same number always
/// garbles alike. Keys of dictionaries stay.
pub fn corrupt(value: &Value, drawn: u64) -> Value {
    let each = |items: &[Value]| -> Vec<Value> {
        if items.is_empty() {
            return vec![Value::Str(GARBAGE.to_string())];
        }
        items.iter().enumerate().map(|(at, item)| corrupt(item, draw(drawn, &[at as u64]))).collect()
    };
    match value {
        Value::Null => Value::Str(GARBAGE.to_string()),
        Value::Bool(yes) => Value::Bool(!yes),
        Value::Int(n) => Value::Int(n ^ ((drawn >> 33) | 1) as i64),
        Value::BigInt(digits) => Value::BigInt(format!("{digits}{:x}", (drawn % 15) + 1)),
        Value::Float(x) if x.is_finite() => Value::Float(-(x + 1.0) * 1e3 * (1.0 + fraction(drawn))),
        Value::Float(_) => Value::Float(0.0),
        Value::Str(text) => Value::Str(garble(text, drawn)),
        Value::Surrogates(_) => Value::Str(GARBAGE.to_string()),
        Value::Bytes(bytes) if bytes.is_empty() => Value::Bytes(vec![0xff]),
        Value::Bytes(bytes) => Value::Bytes(bytes.iter().map(|byte| byte ^ ((drawn as u8) | 1)).collect()),
        Value::List(items) => Value::List(each(items)),
        Value::Tuple(items) => Value::Tuple(each(items)),
        Value::Set(items) => Value::Set(each(items)),
        Value::FrozenSet(items) => Value::FrozenSet(each(items)),
        Value::Dict(entries) if entries.is_empty() => {
            Value::Dict(vec![(Value::Str(GARBAGE.to_string()), Value::Null)])
        }
        Value::Dict(entries) => {
            let entries = entries.iter().enumerate();
            let garbled = |(at, (key, value)): (usize, &(Value, Value))| {
                (key.clone(), corrupt(value, draw(drawn, &[at as u64])))
            };
            Value::Dict(entries.map(garbled).collect())
        }
        Value::Opaque(_) => value.clone(),
    }
}

/// Characters lost, and characters that nobody can read.
fn garble(text: &str, drawn: u64) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.chars().enumerate() {
        match draw(drawn, &[at as u64]) % 8 {
            0 | 1 => out.push(GARBAGE),
            2 => {}
            _ => out.push(character),
        }
    }
    if out.is_empty() {
        out.push(GARBAGE);
    }
    // Also where the text is that very character.
    if out == text {
        out.push(GARBAGE);
    }
    out
}

/// A well-formed value that says the contrary: what is true becomes false, amounts get the other sign,
/// words their opposite. What names a thing (ids, addresses, dates) stays, so that it is said of the
/// same thing. `None` where nothing in the value can be contradicted.
pub fn contradict(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(yes) => Some(Value::Bool(!yes)),
        Value::Int(0) => Some(Value::Int(1)),
        Value::Int(n) => Some(Value::Int(n.wrapping_neg())),
        Value::Float(x) if *x == 0.0 => Some(Value::Float(1.0)),
        Value::Float(x) if x.is_finite() => Some(Value::Float(-x)),
        Value::Str(text) => opposite(text).map(Value::Str),
        Value::List(items) => each(items).map(Value::List),
        Value::Tuple(items) => each(items).map(Value::Tuple),
        Value::Dict(entries) => {
            let mut has_changed = false;
            let contradicted = entries.iter().map(|(key, value)| {
                let other = if is_name(key) { None } else { contradict(value) };
                has_changed |= other.is_some();
                (key.clone(), other.unwrap_or_else(|| value.clone()))
            });
            let contradicted = contradicted.collect();
            has_changed.then_some(Value::Dict(contradicted))
        }
        _ => None,
    }
}

fn each(items: &[Value]) -> Option<Vec<Value>> {
    let other: Vec<Option<Value>> = items.iter().map(contradict).collect();
    other.iter().any(Option::is_some).then(|| {
        other.into_iter().zip(items).map(|(other, item)| other.unwrap_or_else(|| item.clone())).collect()
    })
}

/// Whether what stands under a key names a thing and says nothing of it.
fn is_name(key: &Value) -> bool {
    let Value::Str(key) = key else { return false };
    let key = key.to_ascii_lowercase();
    ["id", "_id", "name", "email", "url", "date", "time", "_at"].iter().any(|end| {
        key.strip_suffix(end)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('_') || end.starts_with('_'))
    })
}

/// Words that tools say, and their opposites.
const OPPOSITES: [(&str, &str); 16] = [
    ("true", "false"),
    ("yes", "no"),
    ("ok", "error"),
    ("success", "failure"),
    ("succeeded", "failed"),
    ("passed", "rejected"),
    ("active", "inactive"),
    ("enabled", "disabled"),
    ("available", "unavailable"),
    ("valid", "invalid"),
    ("paid", "unpaid"),
    ("open", "closed"),
    ("found", "missing"),
    ("approved", "denied"),
    ("delivered", "lost"),
    ("online", "offline"),
];

/// The opposite of a text, where it is one that says something: ids and addresses do not.
fn opposite(text: &str) -> Option<String> {
    let is_wordy = text.chars().any(char::is_alphabetic)
        && !text.chars().any(|c| c.is_ascii_digit() || matches!(c, '@' | '/' | '\\'));
    if !is_wordy {
        return None;
    }
    let known = OPPOSITES.iter().find_map(|(one, other)| match text.to_ascii_lowercase() {
        low if low == *one => Some(*other),
        low if low == *other => Some(*one),
        _ => None,
    });
    Some(match (known, text.strip_prefix("not ")) {
        (Some(known), _) => known.to_owned(),
        (None, Some(rest)) => rest.to_owned(),
        (None, None) => format!("not {text}"),
    })
}
