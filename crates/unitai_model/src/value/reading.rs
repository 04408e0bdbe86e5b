//! Reading the text of [`super::text`] back into a [`Value`].

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::text::TAG;
use super::{Opaque, Value};

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(match i64::try_from(value) {
            Ok(value) => Value::Int(value),
            Err(_) => Value::BigInt(format!("{value:x}")),
        })
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Str(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            entries.push((key, value));
        }
        // A plain dictionary with this key is never written, so wherever the key stands it is a tag.
        match entries.iter().position(|(key, _)| key == TAG) {
            None => Ok(Value::Dict(entries.into_iter().map(|(k, v)| (Value::Str(k), v)).collect())),
            Some(at) => {
                let (_, kind) = entries.remove(at);
                let Value::Str(kind) = kind else {
                    return Err(A::Error::custom(format!("`{TAG}` must name a kind")));
                };
                untag(&kind, &entries).ok_or_else(|| {
                    A::Error::custom(format!("`{TAG}` object of kind `{kind}` is not well formed"))
                })
            }
        }
    }
}

/// The value behind a tagged object, or `None` when its fields do not fit its kind.
fn untag(kind: &str, fields: &[(String, Value)]) -> Option<Value> {
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    match (kind, fields.len()) {
        ("tuple", 1) => list(field("items")?).map(Value::Tuple),
        ("set", 1) => list(field("items")?).map(Value::Set),
        ("frozenset", 1) => list(field("items")?).map(Value::FrozenSet),
        ("dict", 1) => list(field("items")?)?.into_iter().map(pair).collect::<Option<_>>().map(Value::Dict),
        ("int", 1) => string(field("hex")?).filter(|hex| is_hex_int(hex)).map(Value::BigInt),
        ("float", 1) => match string(field("value")?)?.as_str() {
            "nan" => Some(Value::Float(f64::NAN)),
            "inf" => Some(Value::Float(f64::INFINITY)),
            "-inf" => Some(Value::Float(f64::NEG_INFINITY)),
            _ => None,
        },
        ("bytes", 1) => unhex(&string(field("hex")?)?).map(Value::Bytes),
        ("str", 1) => list(field("code_points")?)?
            .into_iter()
            .map(|point| match point {
                Value::Int(point) => u32::try_from(point).ok().filter(|point| *point <= 0x10_FFFF),
                _ => None,
            })
            .collect::<Option<_>>()
            .map(Value::Surrogates),
        ("object", 2) => {
            Some(Value::Opaque(Opaque { type_name: string(field("type")?)?, repr: string(field("repr")?)? }))
        }
        _ => None,
    }
}

fn list(value: Value) -> Option<Vec<Value>> {
    if let Value::List(items) = value { Some(items) } else { None }
}

fn string(value: Value) -> Option<String> {
    if let Value::Str(text) = value { Some(text) } else { None }
}

fn pair(value: Value) -> Option<(Value, Value)> {
    let [key, value] = <[Value; 2]>::try_from(list(value)?).ok()?;
    Some((key, value))
}

fn is_hex_int(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    digits.chunks_exact(2).map(|two| Some(digit(two[0])? << 4 | digit(two[1])?)).collect()
}
