//! The body of a request that is to be changed in one place. Everything else keeps its very bytes:
//! numbers, order and unknown fields come through as they were.

use std::borrow::Cow;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON object whose values are kept as text.
///
/// ```
/// use unitai_wire::dialects::Body;
/// let mut body = Body::read(br#"{"model":"a","temperature":0.10,"x":1e2}"#).unwrap();
/// body.set("model", &"b".into());
/// assert_eq!(body.write(), r#"{"model":"b","temperature":0.10,"x":1e2}"#);
/// ```
#[derive(Debug)]
pub struct Body<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Body<'a> {
    /// Reads an object; `None` if it is none.
    pub fn read(bytes: &'a [u8]) -> Option<Body<'a>> {
        serde_json::from_slice(bytes).ok()
    }

    /// A value, read.
    pub fn get(&self, key: &str) -> Option<Value> {
        let (_, text) = self.0.iter().rev().find(|(name, _)| name == key)?;
        serde_json::from_str(text).ok()
    }

    /// Changes or adds a value.
    pub fn set(&mut self, key: &str, value: &Value) {
        let text = Cow::Owned(value.to_string());
        match self.0.iter_mut().rev().find(|(name, _)| name == key) {
            Some((_, old)) => *old = text,
            None => self.0.push((Cow::Owned(key.to_owned()), text)),
        }
    }

    /// The object as text.
    pub fn write(&self) -> String {
        let mut out = String::from("{");
        for (at, (key, value)) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            out.push_str(&Value::from(&**key).to_string());
            out.push(':');
            out.push_str(value);
        }
        out.push('}');
        out
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Body<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Body<'a>, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Body<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Body<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    entries.push((Cow::Owned(key), Cow::Borrowed(value.get())));
                }
                Ok(Body(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}
