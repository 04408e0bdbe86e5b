//! Whether an expectation can be a check, and which.

use unitai_model::value::Value;

use super::wording::{Claim, claims, phrases};
use crate::document::{Check, Step};
use crate::expression::{EvalTrouble, Expression, Fields};

/// A check that says the same as an expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The expression, as it would be written.
    pub check: String,
    /// Why it says the same, for whoever decides.
    pub why: String,
}

/// What the built-in HTTP tools give.
const HTTP_FIELDS: [&str; 3] = ["status_code", "body", "headers"];

/// Names that every check has.
const OF_EVERY_CHECK: [&str; 5] = ["ms", "text", "result", "is_error", "error"];

/// The check that says what `expect` says of a step, if every word of it is understood. `result` is what the step's tool gave
/// in a recorded run: without it, only what the built-in tools are known to give can be spoken of.
pub fn propose(expect: &str, step: &Step, result: Option<&Value>) -> Option<Proposal> {
    let known = Known { step, result };
    let (check, why) = known.as_written(expect).or_else(|| {
        let parts: Option<Vec<_>> = phrases(expect).iter().map(|phrase| known.phrase(phrase)).collect();
        let (checks, reasons): (Vec<_>, Vec<_>) = parts?.into_iter().unzip();
        Some((checks.join(" and "), reasons.join("; ")))
    })?;
    let expression = Expression::parse(&check).ok()?;
    let there = step.check.iter().any(|it| match it {
        Check::Holds { text, .. } => Expression::parse(text).is_ok_and(|it| it == expression),
        Check::Match { .. } => false,
    });
    if there {
        return None;
    }
    let recorded = known.recorded(&expression)?;
    Some(Proposal { check, why: format!("{why}{recorded}") })
}

struct Known<'a> {
    step: &'a Step,
    result: Option<&'a Value>,
}

impl Known<'_> {
    fn is_http(&self) -> bool {
        matches!(self.step.tool.as_str(), "http_get" | "http_post")
    }

    /// Whether the result has a field, as far as one can know.
    fn has(&self, name: &str) -> bool {
        match self.result {
            Some(result) => result.get(name).is_some(),
            None => self.is_http() && HTTP_FIELDS.contains(&name),
        }
    }

    /// An expectation that is an expression already, over names that are known.
    fn as_written(&self, expect: &str) -> Option<(String, String)> {
        let text = expect.trim();
        let expression = Expression::parse(text).ok().filter(Expression::is_condition)?;
        let names = expression.names();
        let all_known = names.iter().all(|name| self.has(name) || OF_EVERY_CHECK.contains(&name.as_str()));
        (!names.is_empty() && all_known).then(|| (text.to_owned(), "it is an expression already".to_owned()))
    }

    /// The check of one phrase, by its first reading that fits what is known of the result.
    fn phrase(&self, phrase: &str) -> Option<(String, String)> {
        claims(phrase).iter().find_map(|claim| self.check(claim))
    }

    fn check(&self, claim: &Claim) -> Option<(String, String)> {
        let found = |check: String, why: &str| Some((check, why.to_owned()));
        match claim {
            Claim::Status(code) if self.has("status_code") => {
                found(format!("status_code == {code}"), "it names the status code of the answer")
            }
            Claim::Time { sign, ms } => found(format!("ms {sign} {ms}"), "it limits the time of the call"),
            Claim::BodyContains(text) if self.has("body") => {
                let text = crate::expression::quoted(text);
                found(format!("body contains {text}"), "it names a text of the body")
            }
            // Without a tolerance the tool does not say how far apart its values are.
            Claim::Within { percent } if self.step.tool == "compare_values" && self.has_tolerance() => {
                found(format!("difference_percent <= {percent}"), "it names how far apart the values may be")
            }
            Claim::Equal if self.step.tool == "compare_values" => {
                found("equal == true".to_owned(), "it asks for what the tool compares")
            }
            Claim::Equal if self.step.tool == "assert_equals" => {
                found("passed == true".to_owned(), "it asks for what the tool compares")
            }
            Claim::Slept { sign, seconds } if self.step.tool == "sleep" => {
                found(format!("slept {sign} {seconds}"), "it names how long the tool sleeps")
            }
            Claim::Count { sign, count, noun } => {
                let list = self.list(noun)?;
                found(
                    format!("{list} | length {sign} {count}"),
                    "it counts a list that the recorded result has",
                )
            }
            Claim::Field { path, sign, value } => {
                let path = self.field(path)?;
                found(format!("{path} {sign} {value}"), "it names a field that the recorded result has")
            }
            _ => None,
        }
    }

    fn has_tolerance(&self) -> bool {
        let given = self.step.args.iter().find(|(name, _)| name == "tolerance").map(|(_, value)| value);
        match given {
            Some(Value::Int(it)) => *it > 0,
            Some(Value::Float(it)) => *it > 0.0,
            _ => false,
        }
    }

    /// Where the recorded result has a list of that name: among its fields, or in its body.
    fn list(&self, noun: &str) -> Option<String> {
        let is_list = |text: &String| {
            let value = Expression::parse(text).ok()?.eval(&Fields(self.result?)).ok()?;
            matches!(value, Value::List(_)).then_some(())
        };
        [noun.to_owned(), format!("json(body).{noun}")].into_iter().find(|text| is_list(text).is_some())
    }

    /// Where the recorded result has a plain value at that path.
    fn field(&self, path: &str) -> Option<String> {
        let is_plain = |text: &String| {
            let value = Expression::parse(text).ok()?.eval(&Fields(self.result?)).ok()?;
            (!matches!(value, Value::List(_) | Value::Dict(_))).then_some(())
        };
        [path.to_owned(), format!("json(body).{path}")].into_iter().find(|text| is_plain(text).is_some())
    }

    /// What the recorded result says of the check; none where it makes no sense for that result.
    fn recorded(&self, expression: &Expression) -> Option<String> {
        let Some(result) = self.result else { return Some(String::new()) };
        if expression.names().iter().any(|name| OF_EVERY_CHECK.contains(&name.as_str())) {
            return Some(String::new());
        }
        match expression.holds(&Fields(result)) {
            Ok(verdict) if verdict.holds() => Some("; it holds for the recorded result".to_owned()),
            Ok(verdict) => Some(format!("; the recorded result breaks it: {}", verdict.why())),
            Err(EvalTrouble::Wrong { .. } | EvalTrouble::DependsOn { .. }) => None,
        }
    }
}
