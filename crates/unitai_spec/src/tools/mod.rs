//! The built-in tools: HTTP, waiting, asserting, and a store of values. They need no server and are done here.

mod arguments;
mod asserting;
mod describing;
mod http;
mod waiting;

use std::sync::{Mutex, MutexGuard, PoisonError};

use unitai_model::value::Value;

use crate::data::to_json;
use crate::document::Arguments;
use crate::run::{Called, Tool};
use arguments::Given;

/// The name of their server in evidence.
pub const SERVER: &str = "built-in";

/// The built-in tools of one test, with what it has stored.
#[derive(Debug, Default)]
pub struct BuiltIn {
    stored: Mutex<Vec<(String, Value)>>,
}

impl BuiltIn {
    /// Whether this is one of them.
    pub fn has(name: &str) -> bool {
        describing::NAMES.contains(&name)
    }

    /// What they are, as a server would list them.
    pub fn tools() -> Vec<Tool> {
        describing::tools()
    }

    /// What `store_value` has kept, in the order in which names came.
    pub fn stored(&self) -> Vec<(String, Value)> {
        self.lock().clone()
    }

    /// Keeps a value, as `store_value` does.
    pub(crate) fn keep(&self, name: &str, value: Value) {
        let mut stored = self.lock();
        match stored.iter_mut().find(|(known, _)| *known == name) {
            Some((_, kept)) => *kept = value,
            None => stored.push((name.to_owned(), value)),
        }
    }

    /// Keeps these values and no others.
    pub(crate) fn keep_only(&self, values: Vec<(String, Value)>) {
        *self.lock() = values;
    }

    /// Calls one of them.
    pub async fn call(&self, name: &str, args: Arguments) -> Called {
        let given = match Given::new(name, args, describing::parameters(name)) {
            Ok(given) => given,
            Err(message) => return Called::Failed { message, details: String::new() },
        };
        let result = match name {
            "http_get" => http::get(&given).await,
            "http_post" => http::post(&given).await,
            "sleep" => waiting::sleep(&given).await,
            "assert_equals" => Ok(asserting::equals(&given)),
            "assert_true" => Ok(asserting::is_true(&given)),
            "compare_values" => asserting::compare(&given),
            "store_value" => self.store(&given),
            "get_value" => self.get(&given),
            "list_values" => Ok(self.list()),
            other => Err(format!("there is no built-in tool {other}")),
        };
        match result {
            Ok(value) => Called::Returned { text: to_json(&value).to_string(), value },
            Err(message) => Called::Failed { message, details: String::new() },
        }
    }

    fn store(&self, given: &Given) -> Result<Value, String> {
        let (name, value) = (given.text("name")?, given.any("value"));
        self.keep(name, value.clone());
        Ok(dict([("stored", Value::Str(name.to_owned())), ("value", value)]))
    }

    fn get(&self, given: &Given) -> Result<Value, String> {
        let name = given.text("name")?;
        let found = self.lock().iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let is_found = Value::Bool(found.is_some());
        let value = found.unwrap_or_else(|| given.any("default"));
        Ok(dict([("name", Value::Str(name.to_owned())), ("value", value), ("found", is_found)]))
    }

    fn list(&self) -> Value {
        let keys: Vec<Value> = self.lock().iter().map(|(name, _)| Value::Str(name.clone())).collect();
        let count = Value::Int(i64::try_from(keys.len()).unwrap_or(i64::MAX));
        dict([("keys", Value::List(keys)), ("count", count)])
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, Value)>> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A result.
fn dict<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Dict(entries.into_iter().map(|(key, value)| (Value::Str(key.to_owned()), value)).collect())
}
