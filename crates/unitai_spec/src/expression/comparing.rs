//! Whether two values stand in a relation.

use std::cmp::Ordering;

use unitai_model::value::{Value, equal};

use super::evaluating::{Context, described};
use super::number;
use super::showing::a_kind;
use super::tree::{Relation, Searched};
use super::trouble::EvalTrouble;

/// Whether `left` stands in the relation to `right`.
pub(crate) fn compare(
    left: &Value,
    relation: &Relation,
    right: &Value,
    context: &Context<'_>,
) -> Result<bool, EvalTrouble> {
    let ordered = |holds: fn(Ordering) -> bool| {
        // NaN is neither less nor greater than anything.
        Ok(order(left, right, relation.text())?.is_some_and(holds))
    };
    match relation {
        Relation::Equal => Ok(equal(left, right)),
        Relation::NotEqual => Ok(!equal(left, right)),
        Relation::Less => ordered(Ordering::is_lt),
        Relation::LessOrEqual => ordered(Ordering::is_le),
        Relation::Greater => ordered(Ordering::is_gt),
        Relation::GreaterOrEqual => ordered(Ordering::is_ge),
        Relation::In => contains(right, left, "in", context),
        Relation::NotIn => contains(right, left, "not in", context).map(|it| !it),
        Relation::Contains => contains(left, right, "contains", context),
        Relation::Matches(searched) => {
            let (text, regex) = texts(left, right, "matches")?;
            context.spend(text.len())?;
            if let Some(searched) = searched {
                return Ok(searched.is_in(text));
            }
            // Compiling is dear; a regex that comes from a value is not kept.
            context.spend(10_000 + regex.len())?;
            match Searched::new(regex) {
                Ok(searched) => Ok(searched.is_in(text)),
                Err(why) => Err(EvalTrouble::wrong(format!("{} is no regex: {why}", described(right)), "")),
            }
        }
        Relation::StartsWith => texts(left, right, "starts_with").map(|(text, part)| text.starts_with(part)),
        Relation::EndsWith => texts(left, right, "ends_with").map(|(text, part)| text.ends_with(part)),
    }
}

/// The order of two numbers or two texts; none for NaN. Anything else has no order.
pub(crate) fn order(a: &Value, b: &Value, by: &str) -> Result<Option<Ordering>, EvalTrouble> {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Ok(Some(a.cmp(b))),
        (a, b) if number::is_number(a) && number::is_number(b) => Ok(number::order(a, b)),
        (a, b) => {
            let remedy = match (a, b) {
                (Value::Str(_), _) | (_, Value::Str(_)) => "write `int(...)` or `float(...)` of the text",
                (Value::List(_) | Value::Dict(_), _) | (_, Value::List(_) | Value::Dict(_)) => {
                    "write `... | length`"
                }
                _ => "",
            };
            let message =
                format!("`{by}` takes two numbers or two texts, found {} and {}", a_kind(a), a_kind(b));
            Err(EvalTrouble::wrong(message, remedy))
        }
    }
}

fn texts<'a>(text: &'a Value, part: &'a Value, by: &str) -> Result<(&'a str, &'a str), EvalTrouble> {
    match (text, part) {
        (Value::Str(text), Value::Str(part)) => Ok((text, part)),
        _ => Err(EvalTrouble::wrong(
            format!("`{by}` takes two texts, found {} and {}", a_kind(text), a_kind(part)),
            "write `str(...)` to make something a text",
        )),
    }
}

fn contains(whole: &Value, part: &Value, by: &str, context: &Context<'_>) -> Result<bool, EvalTrouble> {
    match (whole, part) {
        (Value::Str(whole), Value::Str(part)) => {
            context.spend(whole.len())?;
            Ok(whole.contains(part.as_str()))
        }
        (Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items), part) => {
            context.spend(items.len())?;
            Ok(items.iter().any(|item| equal(item, part)))
        }
        (Value::Dict(entries), key) => {
            context.spend(entries.len())?;
            Ok(entries.iter().any(|(it, _)| equal(it, key)))
        }
        (Value::Str(_), part) => Err(EvalTrouble::wrong(
            format!("`{by}` looks for a text in a text, found {} to look for", a_kind(part)),
            "write `str(...)` or put it in quotes",
        )),
        (whole, _) => Err(EvalTrouble::wrong(
            format!("`{by}` looks into a text, a list or an object, found {}", described(whole)),
            "",
        )),
    }
}
