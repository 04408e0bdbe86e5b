//! Where a result does not fit a pattern.

use unitai_model::value::{Value, equal};

use super::super::evaluating::described;
use super::super::filling::{beneath, embedded};
use super::super::functions::items;
use super::super::path;
use super::super::reference::Piece;
use super::super::scope::Scope;
use super::super::showing::shown;
use super::super::trouble::EvalTrouble;
use super::{Expression, Key, Mismatch, Pattern, Shape};
use crate::data::from_json;

/// How many mismatches are told: whoever reads them has stopped long before.
const TOLD: usize = 50;

/// Where a result does not fit a pattern.
pub(super) fn mismatches(
    pattern: &Pattern,
    actual: &Value,
    scope: &dyn Scope,
) -> Result<Vec<Mismatch>, EvalTrouble> {
    let mut matcher = Matcher { scope, told: Vec::new() };
    match (&pattern.shape, body_as_json(pattern, actual)) {
        (Shape::Object(_), Some(Ok(with_json))) => matcher.check(pattern, Some(&with_json), "")?,
        (Shape::Object(_), Some(Err(why))) => matcher.tell("json", "a body that is JSON", why),
        _ => matcher.check(pattern, Some(actual), "")?,
    }
    Ok(matcher.told)
}

/// The result with its parsed body as `json`, where the pattern asks for that and the result has no such field.
fn body_as_json(pattern: &Pattern, actual: &Value) -> Option<Result<Value, String>> {
    let Shape::Object(fields) = &pattern.shape else { return None };
    let asks = fields.iter().any(|(key, _)| *key == Key::Plain(Value::Str("json".to_owned())));
    let (Value::Dict(entries), None, Some(Value::Str(body)), true) =
        (actual, actual.get("json"), actual.get("body"), asks)
    else {
        return None;
    };
    Some(match serde_json::from_str(body) {
        Ok(json) => {
            let mut entries = entries.clone();
            entries.push((Value::Str("json".to_owned()), from_json(&json)));
            Ok(Value::Dict(entries))
        }
        Err(error) => Err(format!("{}: {error}", shown(&Value::Str(body.clone())))),
    })
}

struct Matcher<'a> {
    scope: &'a dyn Scope,
    told: Vec<Mismatch>,
}

impl Matcher<'_> {
    fn tell(&mut self, path: &str, expected: impl Into<String>, found: impl Into<String>) {
        if self.told.len() < TOLD {
            self.told.push(Mismatch {
                path: path.to_owned(),
                expected: expected.into(),
                found: found.into(),
            });
        }
    }

    /// Compares what stands at a path, if anything does.
    fn check(&mut self, pattern: &Pattern, actual: Option<&Value>, path: &str) -> Result<(), EvalTrouble> {
        if self.told.len() >= TOLD {
            return Ok(());
        }
        let actual = match (&pattern.shape, actual) {
            (Shape::Absent, None) | (Shape::Optional(_), None | Some(Value::Null)) => return Ok(()),
            (Shape::Absent, Some(actual)) => {
                self.tell(path, "nothing there", shown(actual));
                return Ok(());
            }
            (_, None) => {
                let expected = self.described(pattern)?;
                self.tell(path, expected, "nothing there");
                return Ok(());
            }
            (_, Some(actual)) => actual,
        };
        match &pattern.shape {
            Shape::Optional(inner) => return self.check(inner, Some(actual), path),
            Shape::Object(fields) => return self.object(fields, actual, path),
            Shape::List(patterns) => return self.list(patterns, actual, path),
            Shape::Each(each) => match items(actual) {
                Some(items) => return self.each(each, items, path),
                None => self.tell(path, "a list", described(actual)),
            },
            Shape::Sized { length, each } => {
                let Some(items) = items(actual) else {
                    self.tell(path, self.described(pattern)?, described(actual));
                    return Ok(());
                };
                if length.is_some_and(|length| length != items.len()) {
                    let found = format!("{} elements: {}", items.len(), shown(actual));
                    self.tell(path, self.described(pattern)?, found);
                }
                if let Some(each) = each {
                    return self.each(each, items, path);
                }
            }
            Shape::Asked(expression) => return self.ask(expression, actual, path),
            Shape::Equal(_) | Shape::Filled(_) | Shape::Kind(_) | Shape::Regex(_) | Shape::Contains(_) => {
                if !self.fits(pattern, actual)? {
                    self.tell(path, self.described(pattern)?, shown(actual));
                }
            }
            Shape::Absent => {}
        }
        Ok(())
    }

    fn fits(&self, pattern: &Pattern, actual: &Value) -> Result<bool, EvalTrouble> {
        Ok(match &pattern.shape {
            Shape::Equal(value) => equal(actual, value),
            Shape::Filled(pieces) => equal(actual, &self.fill(pieces)?),
            Shape::Kind(kind) => kind.fits(actual),
            Shape::Regex(searched) => matches!(actual, Value::Str(text) if searched.is_in(text)),
            Shape::Contains(pieces) => {
                let part = embedded(&self.fill(pieces)?);
                match actual {
                    Value::Str(text) => text.contains(&part),
                    other => items(other).is_some_and(|items| items.contains(&Value::Str(part))),
                }
            }
            _ => true,
        })
    }

    fn object(&mut self, fields: &[(Key, Pattern)], actual: &Value, path: &str) -> Result<(), EvalTrouble> {
        let Value::Dict(entries) = actual else {
            self.tell(path, "an object", described(actual));
            return Ok(());
        };
        for (key, pattern) in fields {
            let key = match key {
                Key::Plain(key) => key.clone(),
                Key::Filled(pieces) => Value::Str(embedded(&self.fill(pieces)?)),
            };
            let found = entries.iter().find(|(it, _)| equal(it, &key)).map(|(_, value)| value);
            self.check(pattern, found, &beneath(path, &key))?;
        }
        Ok(())
    }

    fn list(&mut self, patterns: &[Pattern], actual: &Value, path: &str) -> Result<(), EvalTrouble> {
        let Some(items) = items(actual) else {
            self.tell(path, "a list", described(actual));
            return Ok(());
        };
        if patterns.is_empty() && !items.is_empty() {
            self.tell(path, "an empty list", format!("{} elements: {}", items.len(), shown(actual)));
        }
        patterns
            .iter()
            .enumerate()
            .try_for_each(|(n, pattern)| self.check(pattern, items.get(n), &format!("{path}[{n}]")))
    }

    fn each(&mut self, pattern: &Pattern, items: &[Value], path: &str) -> Result<(), EvalTrouble> {
        items
            .iter()
            .enumerate()
            .try_for_each(|(n, item)| self.check(pattern, Some(item), &format!("{path}[{n}]")))
    }

    fn ask(&mut self, expression: &Expression, actual: &Value, path: &str) -> Result<(), EvalTrouble> {
        match expression.holds_for(actual, self.scope) {
            Ok(verdict) if verdict.holds() => {}
            Ok(_) => self.tell(path, expression.to_string(), shown(actual)),
            Err(EvalTrouble::Wrong { message, .. }) => {
                self.tell(path, expression.to_string(), format!("{}: {message}", shown(actual)));
            }
            Err(depends) => return Err(depends),
        }
        Ok(())
    }

    fn fill(&self, pieces: &[Piece]) -> Result<Value, EvalTrouble> {
        if let [Piece::Reference(reference)] = pieces {
            return Ok(path::refer(self.scope, reference)?.into_owned());
        }
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Plain(plain) => text.push_str(plain),
                Piece::Reference(reference) => {
                    text.push_str(&embedded(&*path::refer(self.scope, reference)?))
                }
            }
        }
        Ok(Value::Str(text))
    }

    fn described(&self, pattern: &Pattern) -> Result<String, EvalTrouble> {
        Ok(match &pattern.shape {
            Shape::Equal(value) => shown(value),
            Shape::Filled(pieces) => shown(&self.fill(pieces)?),
            Shape::Object(_) => "an object".to_owned(),
            Shape::List(_) | Shape::Each(_) => "a list".to_owned(),
            Shape::Kind(kind) => kind.described().to_owned(),
            Shape::Regex(searched) => {
                format!("a string in which {} is found", unitai_model::value::plain(searched.text()))
            }
            Shape::Contains(pieces) => {
                format!("something that contains {}", shown(&Value::Str(embedded(&self.fill(pieces)?))))
            }
            Shape::Sized { length, each } => {
                let of = match each {
                    Some(each) => format!(", each {}", self.described(each)?),
                    None => String::new(),
                };
                match length {
                    Some(1) => format!("a list of 1 element{of}"),
                    Some(length) => format!("a list of {length} elements{of}"),
                    None => format!("a list{of}"),
                }
            }
            Shape::Asked(expression) => expression.to_string(),
            Shape::Optional(inner) => format!("{}, null or nothing", self.described(inner)?),
            Shape::Absent => "nothing there".to_owned(),
        })
    }
}
