//! The steps as a driver gets them: YAML, with everything filled in that is settled before they begin.

use unitai_model::value::Value;

use super::checking::{self, Checked};
use super::execution::Execution;
use super::memory::Recalled;
use super::scope::Sight;
use crate::data::{key_text, to_json};
use crate::document::{Check, Step};
use crate::expression::{Expression, References};

/// The steps as YAML. No text in it spans lines, whatever it holds.
pub(super) fn written(execution: &Execution<'_>) -> String {
    let settled = Settled { steps: &execution.spec.steps };
    let document = execution.look(None, |sight| {
        let steps = settled.list(&execution.spec.steps, sight);
        let mut entries = vec![entry("steps", steps)];
        if !sight.vars.is_empty() && expressions(&execution.spec.steps).any(|it| it.contains("vars")) {
            let vars = sight.vars.iter().map(|(name, it)| entry(name, it.clone()));
            entries.insert(0, entry("vars", Value::Dict(vars.collect())));
        }
        Value::Dict(entries)
    });
    let mut out = String::new();
    block(&document, 0, &mut out);
    out
}

/// What no step changes any more.
struct Settled<'a> {
    steps: &'a [Step],
}

impl Settled<'_> {
    fn list(&self, steps: &[Step], sight: &Sight<'_>) -> Value {
        Value::List(steps.iter().filter_map(|step| self.step(step, sight)).collect())
    }

    /// A step with what there is to say about it; nothing where it is clear by now that it is left out.
    fn step(&self, step: &Step, sight: &Sight<'_>) -> Option<Value> {
        let when = self.condition(step, sight)?;
        if step.repeat == 0 {
            return None;
        }
        let known = |value: &Value| {
            References::fill_known(value, sight, &|name, key| self.is_known(name, key, sight))
        };
        let said = |all: &[(&str, &str)]| -> Vec<(Value, Value)> {
            let all = all.iter().filter(|(_, text)| !text.trim().is_empty());
            all.map(|(name, text)| entry(name, Value::Str((*text).to_owned()))).collect()
        };
        let mut out = said(&[("name", &step.name), ("when", &when), ("tool", &step.tool)]);
        if !step.args.is_empty() {
            let args = step.args.iter().map(|(name, it)| entry(name, it.clone()));
            out.push(entry("args", known(&Value::Dict(args.collect()))));
        }
        out.extend(said(&[("save_as", &step.save_as), ("expect", &step.expect), ("analyze", &step.analyze)]));
        if !step.check.is_empty() {
            let each = step.check.iter().map(|check| match check {
                Check::Holds { text, .. } => Value::Str(text.clone()),
                Check::Match { pattern, .. } => Value::Dict(vec![entry("match", pattern.clone())]),
            });
            out.push(entry("check", Value::List(each.collect())));
        }
        if let Some(retry) = &step.retry {
            let mut inner = vec![entry("times", Value::Int(retry.times.into()))];
            if !retry.until.is_empty() {
                inner.push(entry("until", Value::Str(retry.until.clone())));
            }
            out.push(entry("retry", Value::Dict(inner)));
        }
        if step.repeat != 1 {
            out.push(entry("repeat", Value::Int(step.repeat.into())));
        }
        if step.stop_early {
            out.push(entry("stop_early", Value::Bool(true)));
        }
        if step.is_nested() {
            out.push(entry("steps", self.list(&step.steps, sight)));
        }
        Some(Value::Dict(out))
    }

    /// The condition that is still open; empty where it holds already, and nothing where it does not.
    fn condition(&self, step: &Step, sight: &Sight<'_>) -> Option<String> {
        let Ok(expression) = Expression::parse(&step.when) else { return Some(step.when.clone()) };
        let is_open = step.when.contains("calls(")
            || expression.names().iter().any(|name| !self.is_known(name, None, sight));
        if is_open {
            return Some(step.when.clone());
        }
        match checking::holds(&step.when, sight) {
            Checked::Holds => Some(String::new()),
            Checked::Fails(_) | Checked::DependsOn { .. } => None,
            // The step will fail by it, and says so then.
            Checked::Wrong(_) => Some(step.when.clone()),
        }
    }

    fn is_known(&self, name: &str, key: Option<&str>, sight: &Sight<'_>) -> bool {
        let (root, key) = (name, key.unwrap_or_default());
        match root {
            "vars" | "env" => true,
            "stored" => {
                sight.stored.iter().any(|(name, _)| name == key)
                    && !any(self.steps, &|step| step.tool == "store_value")
            }
            "steps" => {
                sight.log.results.iter().any(|it| it.name == key)
                    && !any(self.steps, &|step| step.name == key)
            }
            saved => {
                matches!(sight.log.memory.recall(saved), Recalled::Value(..))
                    && !any(self.steps, &|step| step.save_as == saved)
            }
        }
    }
}

fn any(steps: &[Step], is_it: &dyn Fn(&Step) -> bool) -> bool {
    steps.iter().any(|step| is_it(step) || any(&step.steps, is_it))
}

/// Every text of the steps that is an expression.
fn expressions(steps: &[Step]) -> Box<dyn Iterator<Item = &str> + '_> {
    Box::new(steps.iter().flat_map(|step| {
        let checks = step.check.iter().filter_map(|check| match check {
            Check::Holds { text, .. } => Some(text.as_str()),
            Check::Match { .. } => None,
        });
        let until = step.retry.iter().map(|retry| retry.until.as_str());
        checks.chain(until).chain([step.when.as_str()]).chain(expressions(&step.steps))
    }))
}

fn entry(name: &str, value: Value) -> (Value, Value) {
    (Value::Str(name.to_owned()), value)
}

/// Writes a value in block style. The cursor stands where it begins.
pub(super) fn block(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Dict(entries) if !entries.is_empty() => {
            for (n, (key, value)) in entries.iter().enumerate() {
                if n > 0 {
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str(&scalar(&Value::Str(key_text(key))));
                out.push(':');
                if is_inline(value) {
                    out.push(' ');
                    block(value, indent, out);
                } else {
                    out.push('\n');
                    out.push_str(&" ".repeat(indent + 2));
                    block(value, indent + 2, out);
                }
            }
        }
        Value::List(items) | Value::Tuple(items) if !items.is_empty() => {
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str("- ");
                block(item, indent + 2, out);
            }
        }
        other => {
            out.push_str(&scalar(other));
            out.push('\n');
        }
    }
}

fn is_inline(value: &Value) -> bool {
    match value {
        Value::Dict(entries) => entries.is_empty(),
        Value::List(items) | Value::Tuple(items) => items.is_empty(),
        _ => true,
    }
}

/// JSON is YAML; a plain word needs no quotes.
fn scalar(value: &Value) -> String {
    const MEANT_OTHERWISE: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    match value {
        Value::Str(text)
            if text.starts_with(|it: char| it.is_ascii_alphabetic())
                && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
                && !MEANT_OTHERWISE.contains(&text.to_ascii_lowercase().as_str()) =>
        {
            text.clone()
        }
        other => to_json(other).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::data::from_json;
    use crate::document::read;

    #[test]
    fn what_is_written_reads_back_as_the_same() {
        let args = json!({"a b": [1, 2.5, [], {}, [[1], [2, 3]]], "c": {"no": "yes", "x": null, "t": "${y}\n- z: \"q\" # ```"}, "d": true});
        let step = json!({"name": "One: two", "tool": "echo", "args": args});
        let document = json!({"test": {"name": "T"}, "verdict": "checks", "steps": [step, {"name": "G", "steps": [{"tool": "count"}]}]});
        let mut text = String::new();
        block(&from_json(&document), 0, &mut text);
        let reading = read(&text, Path::new("a.yaml"));
        assert_eq!(reading.specs.len(), 1, "{text}\n{:?}", reading.troubles);
        let steps = &reading.specs[0].steps;
        let found = Value::Dict(steps[0].args.iter().map(|(name, it)| entry(name, it.clone())).collect());
        assert_eq!(to_json(&found), args, "{text}");
        assert_eq!((steps[0].name.as_str(), steps[1].steps[0].tool.as_str()), ("One: two", "count"));
    }
}
