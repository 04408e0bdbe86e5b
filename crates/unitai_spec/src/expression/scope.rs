//! What an expression can name.

use std::borrow::Cow;

use unitai_model::value::Value;

/// What is known under a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Found<'a> {
    /// This.
    Value(Cow<'a, Value>),
    /// Nothing.
    Missing,
    /// Nothing, because the step that should have saved it failed or was skipped.
    Failed {
        /// That step, as people know it.
        by: String,
    },
}

/// What an expression can name: the executor says what a name means where the expression stands.
pub trait Scope {
    /// What the first part of a path stands for.
    fn look_up(&self, name: &str) -> Found<'_>;

    /// What `name.$all` stands for: the list of every value that was saved under a name, by iteration.
    fn history(&self, name: &str) -> Found<'_>;

    /// Every name, for those who meant one of them.
    fn known(&self) -> Vec<String>;

    /// How often a tool has been called so far.
    fn calls(&self, tool: &str) -> usize;
}

/// The scope whose names are the fields of one mapping, and in which no tool was called.
///
/// ```
/// use unitai_spec::data::from_json;
/// use unitai_spec::expression::{Expression, Fields};
/// let result = from_json(&serde_json::json!({"status_code": 200}));
/// let check = Expression::parse("status_code == 200").unwrap();
/// assert!(check.holds(&Fields(&result)).unwrap().holds());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a>(pub &'a Value);

impl Scope for Fields<'_> {
    fn look_up(&self, name: &str) -> Found<'_> {
        self.0.get(name).map_or(Found::Missing, |value| Found::Value(Cow::Borrowed(value)))
    }

    fn history(&self, name: &str) -> Found<'_> {
        match self.0.get(name) {
            Some(value) => Found::Value(Cow::Owned(Value::List(vec![value.clone()]))),
            None => Found::Missing,
        }
    }

    fn known(&self) -> Vec<String> {
        let Value::Dict(entries) = self.0 else { return Vec::new() };
        entries.iter().map(|(key, _)| crate::data::key_text(key)).collect()
    }

    fn calls(&self, _tool: &str) -> usize {
        0
    }
}
