//! The arguments of one call, checked against what the tool takes.

use unitai_model::nearest::nearest;
use unitai_model::value::Value;

use crate::document::Arguments;

/// One thing that a tool takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    /// Its JSON schema.
    pub(super) schema: &'static str,
}

/// What a call gave.
#[derive(Debug)]
pub(super) struct Given {
    tool: String,
    args: Arguments,
}

impl Given {
    /// Takes arguments that the tool knows, none of the required ones missing.
    pub(super) fn new(tool: &str, args: Arguments, parameters: &[Parameter]) -> Result<Given, String> {
        let names = || parameters.iter().map(|parameter| parameter.name);
        for (name, _) in &args {
            if !names().any(|known| known == name) {
                let meant = nearest(name, names()).map(|meant| format!("; did you mean {meant}?"));
                return Err(format!("{tool} takes no argument {name}{}", meant.unwrap_or_default()));
            }
        }
        for parameter in parameters.iter().filter(|parameter| parameter.is_required) {
            if !args.iter().any(|(name, _)| name == parameter.name) {
                return Err(format!("{tool} needs the argument {}", parameter.name));
            }
        }
        Ok(Given { tool: tool.to_owned(), args })
    }

    /// An argument of any kind; null when it was not given.
    pub(super) fn any(&self, name: &str) -> Value {
        self.get(name).cloned().unwrap_or(Value::Null)
    }

    /// An argument, unless it was not given or is null.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.args.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        match self.get(name) {
            Some(Value::Str(text)) => Ok(text),
            Some(other) => Err(self.wrong(name, "a text", other)),
            None => Ok(""),
        }
    }

    /// A number; `usual` when it was not given.
    pub(super) fn number(&self, name: &str, usual: f64) -> Result<f64, String> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(usual),
            Some(value) => number(value)
                .or_else(|| text_of_number(value))
                .ok_or_else(|| self.wrong(name, "a number", value)),
        }
    }

    /// A mapping of texts, such as headers.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<(String, String)>, String> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Dict(entries)) => {
                Ok(entries.iter().map(|(key, it)| (plain(key), plain(it))).collect())
            }
            Some(other) => Err(self.wrong(name, "a mapping", other)),
        }
    }

    fn wrong(&self, name: &str, wanted: &str, found: &Value) -> String {
        format!("{} needs {wanted} as {name}, not {found}", self.tool)
    }
}

/// A value as a number, as Python's arithmetic takes it: booleans are numbers.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(it) => Some(f64::from(u8::from(*it))),
        #[expect(clippy::cast_precision_loss, reason = "what Python's float() does")]
        Value::Int(it) => Some(*it as f64),
        Value::BigInt(hex) => {
            let (sign, digits) = hex.strip_prefix('-').map_or((1.0, hex.as_str()), |digits| (-1.0, digits));
            Some(
                digits
                    .chars()
                    .filter_map(|digit| digit.to_digit(16))
                    .fold(0.0, |sum, digit| sum * 16.0 + f64::from(digit))
                    * sign,
            )
        }
        Value::Float(it) => Some(*it),
        _ => None,
    }
}

fn text_of_number(value: &Value) -> Option<f64> {
    let Value::Str(text) = value else { return None };
    text.trim().parse().ok()
}

fn plain(value: &Value) -> String {
    match value {
        Value::Str(text) => text.clone(),
        other => crate::data::to_json(other).to_string(),
    }
}
