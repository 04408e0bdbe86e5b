//! The names that an expression of a test may use.

use std::borrow::Cow;

use unitai_model::value::Value;

use super::Evidence;
use super::log::{Log, UNTAKEN};
use super::memory::Recalled;
use crate::data::key_text;
use crate::expression::{Found, Scope};

/// What every expression of a test can see.
pub(super) struct Sight<'a> {
    pub(super) log: &'a Log,
    pub(super) vars: &'a [(String, Value)],
    pub(super) env: &'a [(String, String)],
    pub(super) stored: &'a [(String, Value)],
    /// The call that a check is about.
    pub(super) call: Option<Seen<'a>>,
}

/// The call that a check is about.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    /// What the tool gave; nothing if it failed.
    pub(super) result: Option<&'a Value>,
    pub(super) text: &'a str,
    pub(super) ms: f64,
    pub(super) error: Option<&'a str>,
}

impl Seen<'_> {
    fn look_up(&self, name: &str) -> Option<Value> {
        Some(match name {
            "result" => self.result.cloned().unwrap_or(Value::Null),
            "text" => Value::Str(self.text.to_owned()),
            "ms" => Value::Float(self.ms),
            "is_error" => Value::Bool(self.error.is_some()),
            "error" => self.error.map_or(Value::Null, |it| Value::Str(it.to_owned())),
            field => self.result?.get(field)?.clone(),
        })
    }

    fn names(&self) -> impl Iterator<Item = String> {
        let fields = match self.result {
            Some(Value::Dict(entries)) => entries.iter().map(|(key, _)| key_text(key)).collect(),
            _ => Vec::new(),
        };
        ["result", "text", "ms", "is_error", "error"].into_iter().map(str::to_owned).chain(fields)
    }
}

impl Sight<'_> {
    /// Results by the name of their step; of several the last.
    fn steps(&self) -> Value {
        let mut entries: Vec<(Value, Value)> = Vec::new();
        for result in &self.log.results {
            let name = Value::Str(result.name.clone());
            let value = result.tool_output.clone().unwrap_or(Value::Null);
            match entries.iter_mut().find(|(known, _)| *known == name) {
                Some((_, kept)) => *kept = value,
                None => entries.push((name, value)),
            }
        }
        Value::Dict(entries)
    }
}

impl Scope for Sight<'_> {
    fn look_up(&self, name: &str) -> Found<'_> {
        if let Some(value) = self.call.and_then(|call| call.look_up(name)) {
            return Found::Value(Cow::Owned(value));
        }
        match self.log.memory.recall(name) {
            Recalled::Value(value, _) => return Found::Value(Cow::Borrowed(value)),
            Recalled::Missing { by } => return Found::Failed { by: by.to_owned() },
            Recalled::Unknown => {}
        }
        match name {
            "vars" => Found::Value(Cow::Owned(dict(self.vars.iter().cloned()))),
            "env" => {
                let env = self.env.iter().map(|(name, it)| (name.clone(), Value::Str(it.clone())));
                Found::Value(Cow::Owned(dict(env)))
            }
            "stored" => Found::Value(Cow::Owned(dict(self.stored.iter().cloned()))),
            "steps" => Found::Value(Cow::Owned(self.steps())),
            _ => Found::Missing,
        }
    }

    fn history(&self, name: &str) -> Found<'_> {
        match self.log.memory.recall(name) {
            Recalled::Value(_, all) => Found::Value(Cow::Owned(Value::List(all.to_vec()))),
            Recalled::Missing { by } => Found::Failed { by: by.to_owned() },
            Recalled::Unknown => Found::Missing,
        }
    }

    fn known(&self) -> Vec<String> {
        let call = self.call.iter().flat_map(Seen::names);
        let saved = self.log.memory.names().map(str::to_owned);
        call.chain(saved).chain(["vars", "env", "stored", "steps"].map(str::to_owned)).collect()
    }

    fn calls(&self, tool: &str) -> usize {
        let is_it =
            |called: &str| called == tool || called.split_once('.').is_some_and(|(_, own)| own == tool);
        // What a driver called counts from the step on that it belongs to, as if the step had called it.
        let has_happened = |evidence: &&Evidence| evidence.path != UNTAKEN;
        self.log.evidence.iter().filter(has_happened).filter(|evidence| is_it(&evidence.tool)).count()
    }
}

fn dict(entries: impl Iterator<Item = (String, Value)>) -> Value {
    Value::Dict(entries.map(|(name, value)| (Value::Str(name), value)).collect())
}
