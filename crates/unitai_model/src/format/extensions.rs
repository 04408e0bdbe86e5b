//! Keys that other programs add to a trajectory and its steps: their names begin with `x-`, and they are left out.

use std::borrow::Cow;
use std::fmt::Formatter;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// What the name of such a key begins with.
const PREFIX: &str = "x-";

/// The document without the keys of others; `None` if it has none, or is no object.
pub(super) fn left_out(text: &str) -> Option<String> {
    let document = serde_json::from_str::<Object<'_>>(text).ok()?;
    let mut is_changed = false;
    let text = document.written(&mut is_changed, |key, value, is_changed| {
        if key != "steps" {
            return Cow::Borrowed(value);
        }
        let Ok(steps) = serde_json::from_str::<Vec<&RawValue>>(value) else { return Cow::Borrowed(value) };
        let steps: Vec<Cow<'_, str>> = steps
            .into_iter()
            .map(|step| match serde_json::from_str::<Object<'_>>(step.get()) {
                Ok(object) => Cow::Owned(object.written(is_changed, |_, value, _| Cow::Borrowed(value))),
                Err(_) => Cow::Borrowed(step.get()),
            })
            .collect();
        Cow::Owned(format!("[{}]", steps.join(",")))
    });
    is_changed.then_some(text)
}

/// An object whose values are not looked into.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    fn written(
        &self,
        is_changed: &mut bool,
        value_of: impl Fn(&str, &'a str, &mut bool) -> Cow<'a, str>,
    ) -> String {
        let mut out = String::from("{");
        for (key, value) in &self.0 {
            if key.starts_with(PREFIX) {
                *is_changed = true;
                continue;
            }
            if out.len() > 1 {
                out.push(',');
            }
            crate::value::text::push_str(&mut out, key);
            out.push(':');
            out.push_str(&value_of(key, value.get(), is_changed));
        }
        out.push('}');
        out
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    entries.push((key.0, map.next_value()?));
                }
                Ok(Object(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
