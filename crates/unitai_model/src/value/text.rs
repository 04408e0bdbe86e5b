//! How a value is spelled as JSON text.
//!
//! What JSON can say is said plainly. The rest is an object whose first key is [`TAG`]:
//!
//! | value | text |
//! |---|---|
//! | tuple, set, frozenset | `{"$unitai":"tuple","items":[...]}` |
//! | dict with other than string keys, or with the key `$unitai` | `{"$unitai":"dict","items":[[k,v],...]}` |
//! | integer beyond 64 bits | `{"$unitai":"int","hex":"-1f..."}` |
//! | NaN, infinities | `{"$unitai":"float","value":"nan"}` |
//! | bytes | `{"$unitai":"bytes","hex":"00ff"}` |
//! | string with lone surrogates | `{"$unitai":"str","code_points":[97,55296]}` |
//! | anything else | `{"$unitai":"object","type":"a.B","repr":"B(1)"}` |
//!
//! The writer is by hand because it is the hot path of every recorded call: the binding streams
//! Python objects through these functions without building a tree.

use super::{Opaque, Value};

/// The key that marks a tagged object.
pub const TAG: &str = "$unitai";

/// How deep JSON may nest inside one value. Readers of JSON commonly stop at 128, and a trajectory
/// adds a few levels of its own.
pub const MAX_DEPTH: usize = 100;

/// Opens a tagged object: `{"$unitai":"kind","field":`. Close it with `}`.
pub fn open_tag(out: &mut String, kind: &str, field: &str) {
    out.push_str("{\"$unitai\":\"");
    out.push_str(kind);
    out.push_str("\",\"");
    out.push_str(field);
    out.push_str("\":");
}

/// Writes a string with the escapes that JSON demands and no other.
pub fn push_str(out: &mut String, text: &str) {
    out.push('"');
    let bytes = text.as_bytes();
    let mut clean_from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if *byte >= 0x20 && *byte != b'"' && *byte != b'\\' {
            continue;
        }
        out.push_str(&text[clean_from..at]);
        clean_from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            other => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(HEX[usize::from(other >> 4)] as char);
                out.push(HEX[usize::from(other & 15)] as char);
            }
        }
    }
    out.push_str(&text[clean_from..]);
    out.push('"');
}

/// Writes an integer.
pub fn push_int(out: &mut String, value: i64) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// Writes a float so that it reads back to the same bits; NaN and infinities as a tagged object.
pub fn push_float(out: &mut String, value: f64) {
    if value.is_finite() {
        out.push_str(ryu::Buffer::new().format_finite(value));
        return;
    }
    open_tag(out, "float", "value");
    out.push_str(if value.is_nan() {
        "\"nan\"}"
    } else if value > 0.0 {
        "\"inf\"}"
    } else {
        "\"-inf\"}"
    });
}

/// Writes an integer beyond 64 bits from its hexadecimal digits.
pub fn push_big_int(out: &mut String, hex: &str) {
    open_tag(out, "int", "hex");
    push_str(out, hex);
    out.push('}');
}

/// Writes bytes.
pub fn push_bytes(out: &mut String, bytes: &[u8]) {
    open_tag(out, "bytes", "hex");
    out.push('"');
    for byte in bytes {
        out.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    out.push_str("\"}");
}

/// Writes a string that is not valid Unicode, code point by code point.
pub fn push_surrogates(out: &mut String, code_points: impl IntoIterator<Item = u32>) {
    open_tag(out, "str", "code_points");
    push_items(out, code_points, |out, point| push_int(out, i64::from(point)));
    out.push('}');
}

/// Writes what could not be serialised.
pub fn push_opaque(out: &mut String, opaque: &Opaque) {
    open_tag(out, "object", "type");
    push_str(out, &opaque.type_name);
    out.push_str(",\"repr\":");
    push_str(out, &opaque.repr);
    out.push('}');
}

/// Writes a bracketed, comma-separated list.
pub fn push_items<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (n, item) in items.into_iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        push(out, item);
    }
    out.push(']');
}

/// Writes a whole tree.
pub fn push_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(value) => push_int(out, *value),
        Value::BigInt(hex) => push_big_int(out, hex),
        Value::Float(value) => push_float(out, *value),
        Value::Str(value) => push_str(out, value),
        Value::Surrogates(points) => push_surrogates(out, points.iter().copied()),
        Value::Bytes(bytes) => push_bytes(out, bytes),
        Value::List(items) => push_items(out, items, push_value),
        Value::Tuple(items) => push_tagged(out, "tuple", items),
        Value::Set(items) => push_tagged(out, "set", items),
        Value::FrozenSet(items) => push_tagged(out, "frozenset", items),
        Value::Dict(entries) => push_dict(out, entries),
        Value::Opaque(opaque) => push_opaque(out, opaque),
    }
}

fn push_tagged(out: &mut String, kind: &str, items: &[Value]) {
    open_tag(out, kind, "items");
    push_items(out, items, push_value);
    out.push('}');
}

fn push_dict(out: &mut String, entries: &[(Value, Value)]) {
    let plain = entries.iter().all(|(key, _)| matches!(key, Value::Str(key) if key != TAG));
    if !plain {
        open_tag(out, "dict", "items");
        push_items(out, entries, |out, (key, value)| {
            out.push('[');
            push_value(out, key);
            out.push(',');
            push_value(out, value);
            out.push(']');
        });
        out.push('}');
        return;
    }
    out.push('{');
    for (n, (key, value)) in entries.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        push_value(out, key);
        out.push(':');
        push_value(out, value);
    }
    out.push('}');
}
