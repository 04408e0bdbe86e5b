//! What an expression gives in a scope.

use std::borrow::Cow;
use std::cell::Cell;

use unitai_model::value::Value;

use super::scope::Scope;
use super::showing::{a_kind, shown};
use super::tree::{Expr, Sign};
use super::trouble::EvalTrouble;
use super::{comparing, functions, number, path};

/// How much one evaluation may do, in about bytes that are looked at: a condition inside of a condition over a long list
/// must end.
const MAX_WORK: u64 = 200_000_000;

/// What one step costs, in the same measure.
const STEP: usize = 20;

/// How long a text that `+` makes may be, in bytes, and how long a list.
const MAX_JOINED: usize = 1_000_000;

pub(crate) type Evaluated<'a> = Result<Cow<'a, Value>, EvalTrouble>;

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) scope: &'a dyn Scope,
    /// What `_` stands for.
    pub(crate) element: Option<&'a Value>,
    work: &'a Cell<u64>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(scope: &'a dyn Scope, element: Option<&'a Value>, work: &'a Cell<u64>) -> Self {
        Self { scope, element, work }
    }

    /// The same place, asked about an element.
    pub(crate) fn about<'b>(&self, element: &'b Value) -> Context<'b>
    where
        'a: 'b,
    {
        Context { element: Some(element), ..*self }
    }

    /// Notes work that was done; too much of it is trouble.
    pub(crate) fn spend(&self, bytes: usize) -> Result<(), EvalTrouble> {
        let spent = self.work.get().saturating_add(bytes as u64);
        self.work.set(spent);
        if spent <= MAX_WORK {
            return Ok(());
        }
        Err(EvalTrouble::wrong(
            "the expression takes too much work",
            "ask a smaller part, or cut it into several checks",
        ))
    }

    /// A copy of a value that becomes part of a larger one.
    pub(crate) fn keep(&self, value: Cow<'_, Value>) -> Result<Value, EvalTrouble> {
        self.spend(weight(&value))?;
        Ok(value.into_owned())
    }
}

/// About how many bytes a value has.
fn weight(value: &Value) -> usize {
    16 + match value {
        Value::Str(text) | Value::BigInt(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Surrogates(points) => points.len() * 4,
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            items.iter().map(weight).sum()
        }
        Value::Dict(entries) => entries.iter().map(|(key, value)| weight(key) + weight(value)).sum(),
        Value::Opaque(opaque) => opaque.repr.len(),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
    }
}

/// What an expression gives.
pub(crate) fn eval<'a>(expr: &'a Expr, context: &Context<'a>) -> Evaluated<'a> {
    context.spend(STEP)?;
    match expr {
        Expr::Literal(value) => Ok(Cow::Borrowed(value)),
        Expr::List(items) => {
            let items = items.iter().map(|item| context.keep(eval(item, context)?));
            Ok(Cow::Owned(Value::List(items.collect::<Result<_, _>>()?)))
        }
        Expr::Name { name, optional } => path::resolve(context.scope, name, *optional, &[]),
        Expr::Element => match context.element {
            Some(element) => Ok(Cow::Borrowed(element)),
            None => Err(EvalTrouble::wrong("`_` stands for nothing here", "")),
        },
        Expr::Reference(reference) => path::refer(context.scope, reference),
        Expr::Path { base, parts } => match &**base {
            Expr::Name { name, optional } => path::resolve(context.scope, name, *optional, parts),
            other => path::walk(eval(other, context)?, other, parts),
        },
        Expr::Negative(inner) => {
            let value = eval(inner, context)?;
            if !number::is_number(&value) {
                return Err(EvalTrouble::wrong(
                    format!("`-` takes a number, found {}", described(&value)),
                    "",
                ));
            }
            let negative =
                number::negative(&value).map_err(|why| EvalTrouble::wrong(format!("`{expr}`: {why}"), ""))?;
            Ok(Cow::Owned(negative))
        }
        Expr::Arithmetic { left, sign, right } => {
            let (left, right) = (eval(left, context)?, eval(right, context)?);
            arithmetic(&left, *sign, &right, context).map(Cow::Owned)
        }
        Expr::Comparison { first, rest } => {
            let mut left = eval(first, context)?;
            for (relation, right) in rest {
                let right = eval(right, context)?;
                if !comparing::compare(&left, relation, &right, context)? {
                    return Ok(Cow::Owned(Value::Bool(false)));
                }
                left = right;
            }
            Ok(Cow::Owned(Value::Bool(true)))
        }
        Expr::Not(inner) => Ok(Cow::Owned(Value::Bool(!truth(inner, context)?))),
        Expr::And(parts) => {
            for part in parts {
                if !truth(part, context)? {
                    return Ok(Cow::Owned(Value::Bool(false)));
                }
            }
            Ok(Cow::Owned(Value::Bool(true)))
        }
        Expr::Or(parts) => {
            for part in parts {
                if truth(part, context)? {
                    return Ok(Cow::Owned(Value::Bool(true)));
                }
            }
            Ok(Cow::Owned(Value::Bool(false)))
        }
        Expr::Call { function, args, .. } => functions::call(*function, args, context),
    }
}

/// What an expression gives that must be true or false.
pub(crate) fn truth(expr: &Expr, context: &Context<'_>) -> Result<bool, EvalTrouble> {
    let value = eval(expr, context)?;
    match *value {
        Value::Bool(it) => Ok(it),
        _ => Err(no_truth(expr, &value)),
    }
}

fn no_truth(expr: &Expr, value: &Value) -> EvalTrouble {
    let remedy = match value {
        Value::Null => format!("write `{expr} != null`"),
        Value::Str(_) | Value::List(_) | Value::Tuple(_) | Value::Dict(_) => {
            format!("write `{expr} | length > 0`")
        }
        _ => format!("compare it, as in `{expr} > 0`"),
    };
    EvalTrouble::wrong(format!("expected true or false of `{expr}`, found {}", described(value)), remedy)
}

/// A value with its kind: `a string: "x"`.
pub(crate) fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        other => format!("{}: {}", a_kind(other), shown(other)),
    }
}

fn arithmetic(left: &Value, sign: Sign, right: &Value, context: &Context<'_>) -> Result<Value, EvalTrouble> {
    let too_long = |length: usize| {
        EvalTrouble::wrong(format!("`+` would make something {length} long; {MAX_JOINED} is the limit"), "")
    };
    match (left, sign, right) {
        (Value::Str(a), Sign::Plus, Value::Str(b)) => {
            let length = a.len() + b.len();
            context.spend(length)?;
            if length > MAX_JOINED { Err(too_long(length)) } else { Ok(Value::Str(format!("{a}{b}"))) }
        }
        (Value::List(a), Sign::Plus, Value::List(b)) => {
            let length = a.len() + b.len();
            context.spend(weight(left) + weight(right))?;
            if length > MAX_JOINED {
                Err(too_long(length))
            } else {
                Ok(Value::List([a.as_slice(), b].concat()))
            }
        }
        (a, sign, b) if number::is_number(a) && number::is_number(b) => {
            number::compute(a, sign, b).map_err(|why| {
                EvalTrouble::wrong(format!("{} {} {}: {why}", shown(a), sign.text(), shown(b)), "")
            })
        }
        (a, sign, b) => {
            let remedy = match (sign, a, b) {
                (Sign::Plus, Value::Str(_), _) => "write `+ str(...)` to make it a text",
                (Sign::Plus, _, Value::Str(_)) => {
                    "write `str(...) +` to make it a text, or `int(...)` of the text"
                }
                (_, Value::Str(_), _) | (_, _, Value::Str(_)) => {
                    "write `int(...)` or `float(...)` of the text"
                }
                _ => "",
            };
            let takes =
                if sign == Sign::Plus { "two numbers, two texts or two lists" } else { "two numbers" };
            let message = format!("`{}` takes {takes}, found {} and {}", sign.text(), a_kind(a), a_kind(b));
            Err(EvalTrouble::wrong(message, remedy))
        }
    }
}
