//! What the functions do.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use unitai_model::value::{Value, equal, hash};

use super::evaluating::{Context, Evaluated, described, eval, truth};
use super::function::Function;
use super::showing::kind;
use super::tree::{Expr, Sign};
use super::trouble::EvalTrouble;
use super::{comparing, filling, number};
use crate::data::from_json;

/// Calls a function. How many arguments there are has been checked by whoever read the expression.
pub(crate) fn call<'a>(function: Function, args: &'a [Expr], context: &Context<'a>) -> Evaluated<'a> {
    let Some((first, rest)) = args.split_first() else {
        return Err(EvalTrouble::wrong(format!("`{}` takes an argument", function.name()), ""));
    };
    let value = eval(first, context)?;
    if function.asks_each() {
        return ask_each(function, &value, rest.first(), context).map(Cow::Owned);
    }
    match function {
        Function::First | Function::Last => return end_of(function, value),
        Function::Round => {
            let digits = rest.first().map(|digits| eval(digits, context)).transpose()?;
            return round(&value, digits.as_deref()).map(Cow::Owned);
        }
        _ => {}
    }
    plain(function, &value, context).map(Cow::Owned)
}

fn plain(function: Function, value: &Value, context: &Context<'_>) -> Result<Value, EvalTrouble> {
    let takes = |what: &str, remedy: &str| takes(function, what, value, remedy);
    match (function, value) {
        (Function::Type, value) => Ok(Value::Str(kind(value).to_owned())),
        (Function::Str, value) => Ok(Value::Str(filling::embedded(value))),
        (Function::Calls, Value::Str(tool)) => {
            Ok(Value::Int(i64::try_from(context.scope.calls(tool)).unwrap_or(i64::MAX)))
        }
        (Function::Calls, _) => Err(takes("the name of a tool", "as in `calls(\"http_get\")`")),
        (Function::Json, Value::Str(text)) => {
            context.spend(text.len())?;
            match serde_json::from_str(text) {
                Ok(json) => Ok(from_json(&json)),
                Err(error) => Err(EvalTrouble::wrong(
                    format!("`json` reads JSON, found {}: {error}", described(value)),
                    "",
                )),
            }
        }
        (Function::Json, Value::List(_) | Value::Dict(_)) => {
            Err(takes("a text", "it has been read already: leave `json` out"))
        }
        (Function::Json, _) => Err(takes("a text", "")),
        (Function::Length, Value::Str(text)) => Ok(count(text.chars().count())),
        (Function::Length, Value::Dict(entries)) => Ok(count(entries.len())),
        (Function::Length, value) => match items(value) {
            Some(items) => Ok(count(items.len())),
            None => Err(takes("a text, a list or an object", "")),
        },
        (Function::Lower, Value::Str(text)) => Ok(Value::Str(text.to_lowercase())),
        (Function::Upper, Value::Str(text)) => Ok(Value::Str(text.to_uppercase())),
        (Function::Trim, Value::Str(text)) => Ok(Value::Str(text.trim().to_owned())),
        (Function::Lower | Function::Upper | Function::Trim, _) => {
            Err(takes("a text", "write `str(...)` first"))
        }
        (Function::Int, value) => {
            int(value).ok_or_else(|| takes("a number or a text that is a whole number", ""))
        }
        (Function::Float, value) => {
            float(value).ok_or_else(|| takes("a number or a text that is a number", ""))
        }
        (Function::Abs, value) if number::is_number(value) => match number::order(value, &Value::Int(0)) {
            Some(Ordering::Less) => number::negative(value).map_err(|why| takes(why, "")),
            _ => Ok(value.clone()),
        },
        (Function::Abs, _) => Err(takes("a number", "")),
        (Function::Keys, Value::Dict(entries)) => {
            Ok(Value::List(entries.iter().map(|(key, _)| key.clone()).collect()))
        }
        (Function::Values, Value::Dict(entries)) => {
            Ok(Value::List(entries.iter().map(|(_, it)| it.clone()).collect()))
        }
        (Function::Keys | Function::Values, _) => Err(takes("an object", "")),
        (function, value) => match items(value) {
            Some(items) => of_list(function, items, context),
            None => Err(takes("a list", "")),
        },
    }
}

fn of_list(function: Function, items: &[Value], context: &Context<'_>) -> Result<Value, EvalTrouble> {
    context.spend(items.len())?;
    match function {
        Function::Sum => items.iter().try_fold(Value::Int(0), |sum, item| {
            if !number::is_number(item) {
                return Err(takes(function, "a list of numbers", item, ""));
            }
            number::compute(&sum, Sign::Plus, item)
                .map_err(|why| takes(function, "a list of numbers", item, why))
        }),
        Function::Min | Function::Max => {
            let mut items = items.iter();
            let mut best = items.next().ok_or_else(|| empty(function))?;
            comparable(function, best)?;
            for item in items {
                let order = in_order(function, item, best)?;
                if order == if function == Function::Min { Ordering::Less } else { Ordering::Greater } {
                    best = item;
                }
            }
            Ok(best.clone())
        }
        Function::Sort => {
            // What cannot be compared is found before sorting: a sort must not meet trouble half-way.
            items.iter().try_for_each(|item| comparable(function, item))?;
            items.windows(2).try_for_each(|two| in_order(function, &two[0], &two[1]).map(|_| ()))?;
            let mut sorted = items.to_vec();
            sorted.sort_by(|a, b| in_order(function, a, b).unwrap_or(Ordering::Equal));
            Ok(Value::List(sorted))
        }
        Function::Unique => {
            let mut seen: HashMap<u64, Vec<&Value>> = HashMap::new();
            let mut unique = Vec::new();
            for item in items {
                let alike = seen.entry(hash(item)).or_default();
                if !alike.iter().any(|it| equal(it, item)) {
                    alike.push(item);
                    unique.push(item.clone());
                }
            }
            Ok(Value::List(unique))
        }
        other => Err(EvalTrouble::wrong(format!("`{}` takes no list", other.name()), "")),
    }
}

fn comparable(function: Function, item: &Value) -> Result<(), EvalTrouble> {
    in_order(function, item, item).map(|_| ())
}

fn in_order(function: Function, a: &Value, b: &Value) -> Result<Ordering, EvalTrouble> {
    let order = comparing::order(a, b, function.name())?;
    order.ok_or_else(|| EvalTrouble::wrong(format!("`{}` found a number that is NaN", function.name()), ""))
}

/// `map`, `where`, `any` and `all`: the condition is asked about each element.
fn ask_each(
    function: Function,
    value: &Value,
    condition: Option<&Expr>,
    context: &Context<'_>,
) -> Result<Value, EvalTrouble> {
    let Some(items) = items(value) else { return Err(takes(function, "a list", value, "")) };
    let holds = |item: &Value| match (condition, item) {
        (Some(condition), item) => truth(condition, &context.about(item)),
        (None, Value::Bool(it)) => Ok(*it),
        (None, item) => {
            Err(takes(function, "a list of true and false", item, "ask each, as in `any(.age > 3)`"))
        }
    };
    match function {
        Function::Map => {
            let Some(expr) = condition else {
                return Err(takes(function, "something to ask each", value, ""));
            };
            let asked = items.iter().map(|item| {
                let inner = context.about(item);
                context.keep(eval(expr, &inner)?)
            });
            Ok(Value::List(asked.collect::<Result<_, _>>()?))
        }
        Function::Where => {
            let mut kept = Vec::new();
            for item in items {
                if holds(item)? {
                    kept.push(context.keep(Cow::Borrowed(item))?);
                }
            }
            Ok(Value::List(kept))
        }
        _ => {
            let wanted = function == Function::Any;
            for item in items {
                if holds(item)? == wanted {
                    return Ok(Value::Bool(wanted));
                }
            }
            Ok(Value::Bool(!wanted))
        }
    }
}

/// The elements of what is a list here.
pub(crate) fn items(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => Some(items),
        _ => None,
    }
}

fn end_of(function: Function, value: Cow<'_, Value>) -> Evaluated<'_> {
    let end = |items: &[Value]| if function == Function::First { 0 } else { items.len().saturating_sub(1) };
    match value {
        Cow::Borrowed(list) => match items(list) {
            Some(items) => items.get(end(items)).map(Cow::Borrowed).ok_or_else(|| empty(function)),
            None => Err(takes(function, "a list", list, "")),
        },
        Cow::Owned(list) => match items(&list) {
            Some(items) => items.get(end(items)).cloned().map(Cow::Owned).ok_or_else(|| empty(function)),
            None => Err(takes(function, "a list", &list, "")),
        },
    }
}

fn empty(function: Function) -> EvalTrouble {
    EvalTrouble::wrong(
        format!("`{}` found an empty list", function.name()),
        "where it may be empty, ask for `| length > 0` first",
    )
}

fn takes(function: Function, what: &str, found: &Value, remedy: &str) -> EvalTrouble {
    EvalTrouble::wrong(format!("`{}` takes {what}, found {}", function.name(), described(found)), remedy)
}

fn count(length: usize) -> Value {
    Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
}

fn int(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(it) => Some(Value::Int(i64::from(*it))),
        Value::Int(_) | Value::BigInt(_) => Some(value.clone()),
        Value::Float(it) if it.abs() < 1e38 => Some(number::whole(it.trunc() as i128)),
        Value::Str(text) => text.trim().parse().ok().map(number::whole),
        _ => None,
    }
}

fn float(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(it) => Some(Value::Float(f64::from(u8::from(*it)))),
        Value::Str(text) => text.trim().parse().ok().map(Value::Float),
        other => number::to_float(other).map(Value::Float),
    }
}

/// As Python rounds: halves to the even neighbour, and by what the float really is.
fn round(value: &Value, digits: Option<&Value>) -> Result<Value, EvalTrouble> {
    let digits = match digits {
        None => None,
        Some(Value::Int(digits)) if (0..=30).contains(digits) => Some(usize::try_from(*digits).unwrap_or(0)),
        Some(other) => return Err(takes(Function::Round, "0 to 30 digits", other, "")),
    };
    match (value, digits) {
        (Value::Float(it), None) if it.abs() < 1e38 => Ok(number::whole(it.round_ties_even() as i128)),
        (Value::Float(it), Some(digits)) if it.is_finite() => {
            Ok(Value::Float(format!("{it:.digits$}").parse().unwrap_or(*it)))
        }
        (Value::Float(_), _) => Err(takes(Function::Round, "a number that is not too large", value, "")),
        (value, _) if number::is_number(value) => Ok(value.clone()),
        (value, _) => Err(takes(Function::Round, "a number", value, "")),
    }
}
