//! JSON without secrets: every string, every key, and where something was hidden.

use serde_json::{Map, Value};

use super::{Found, Place, Secrets};

/// Cleans a value in place.
pub(super) fn clean(secrets: &Secrets, value: &mut Value) -> Vec<Place> {
    let mut walk = Walk { secrets, pointer: String::new(), places: Vec::new() };
    walk.visit(value);
    walk.places
}

struct Walk<'a> {
    secrets: &'a Secrets,
    pointer: String,
    places: Vec<Place>,
}

impl Walk<'_> {
    fn visit(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(cleaned) = self.text(text) {
                    *text = cleaned;
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.inside(&at.to_string(), |walk| walk.visit(item));
                }
            }
            Value::Object(members) => self.members(members),
            // Numbers are never secrets by themselves, and a document keeps its form.
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn members(&mut self, members: &mut Map<String, Value>) {
        let is_clean =
            members.keys().all(|key| matches!(self.secrets.clean(key), std::borrow::Cow::Borrowed(_)));
        if is_clean {
            for (key, item) in members.iter_mut() {
                self.inside(key, |walk| walk.visit(item));
            }
            return;
        }
        for (key, mut item) in std::mem::take(members) {
            let cleaned = self.secrets.clean(&key).into_owned();
            // Two keys can be the same without their secrets, and neither member may be lost.
            let mut name = cleaned.clone();
            let mut number = 2;
            while members.contains_key(&name) {
                name = format!("{cleaned} {number}");
                number += 1;
            }
            self.inside(&name, |walk| {
                if name != key {
                    walk.note(&key);
                }
                walk.visit(&mut item);
            });
            members.insert(name, item);
        }
    }

    /// The text without its secrets, if it had any.
    fn text(&mut self, text: &str) -> Option<String> {
        match self.secrets.clean(text) {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(cleaned) => {
                self.note(text);
                Some(cleaned)
            }
        }
    }

    fn note(&mut self, text: &str) {
        let unknown = self.secrets.unknown(text);
        let found = unknown.first().map_or(Found::Known, |sighting| Found::Looks(sighting.kind));
        self.places.push(Place { pointer: self.pointer.clone(), found });
    }

    fn inside(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        visit(self);
        self.pointer.truncate(length);
    }
}
