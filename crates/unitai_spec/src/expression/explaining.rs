//! Whether a check holds, and if not, what was found in place of what was expected.

use unitai_model::value::{Value, equal};

use super::evaluating::{Context, eval, truth};
use super::function::Function;
use super::functions::items;
use super::showing::{a_kind, shown};
use super::tree::{Expr, Relation};
use super::trouble::EvalTrouble;

/// What a check says of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdictlet {
    /// It holds.
    Holds,
    /// It does not.
    Broken {
        /// What was expected and what was found.
        why: String,
    },
}

impl Verdictlet {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        *self == Verdictlet::Holds
    }

    /// Why it does not hold; empty if it does.
    pub fn why(&self) -> &str {
        match self {
            Verdictlet::Holds => "",
            Verdictlet::Broken { why } => why,
        }
    }
}

/// Asks a check.
pub(crate) fn judge(expr: &Expr, context: &Context<'_>) -> Result<Verdictlet, EvalTrouble> {
    if truth(expr, context)? {
        return Ok(Verdictlet::Holds);
    }
    // To look twice may be too much work where to look once was not; the verdict stands.
    let why = explain(expr, context).unwrap_or_else(|_| format!("expected {expr}"));
    Ok(Verdictlet::Broken { why })
}

/// Why a check does not hold that does not.
fn explain(expr: &Expr, context: &Context<'_>) -> Result<String, EvalTrouble> {
    match expr {
        Expr::And(parts) => {
            for part in parts {
                if !truth(part, context)? {
                    return explain(part, context);
                }
            }
            Ok(format!("expected {expr}"))
        }
        Expr::Or(parts) => {
            let sides: Result<Vec<_>, _> = parts.iter().map(|part| explain(part, context)).collect();
            let none = if parts.len() == 2 { "neither side holds" } else { "no side holds" };
            Ok(format!("{none}: {}", sides?.join("; ")))
        }
        Expr::Not(inner) => match &**inner {
            Expr::Comparison { first, rest } => {
                Ok(format!("expected {expr}, found {}", found(first, rest, context)?))
            }
            inner => Ok(format!("expected {expr}, but {inner} is true")),
        },
        Expr::Comparison { first, rest } => {
            let hint = hint(first, rest, context)?;
            Ok(format!("expected {expr}, found {}{hint}", found(first, rest, context)?))
        }
        Expr::Call { function: Function::All, args, .. } => {
            let which = failing_element(args, context)?;
            Ok(format!("expected {expr}, found {}", which.unwrap_or_else(|| "false".to_owned())))
        }
        Expr::Call { function: Function::Any, args, .. } => {
            let count = match args.first() {
                Some(list) => items(&*eval(list, context)?).map_or(0, <[Value]>::len),
                None => 0,
            };
            Ok(format!("expected {expr}, found none among {count}"))
        }
        other => Ok(format!("expected {other} to be true, found false")),
    }
}

/// The values of a comparison that are not written in it.
fn found(first: &Expr, rest: &[(Relation, Expr)], context: &Context<'_>) -> Result<String, EvalTrouble> {
    let operands = || std::iter::once(first).chain(rest.iter().map(|(_, right)| right));
    let mut values = Vec::new();
    for operand in operands().filter(|it| !is_constant(it)) {
        values.push(shown(&*eval(operand, context)?));
    }
    if values.is_empty() {
        for operand in operands() {
            values.push(shown(&*eval(operand, context)?));
        }
    }
    Ok(values.join(" and "))
}

fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(_) => true,
        Expr::List(items) => items.iter().all(is_constant),
        _ => false,
    }
}

/// Two values that look the same and are not: `200` and `"200"`.
fn hint(first: &Expr, rest: &[(Relation, Expr)], context: &Context<'_>) -> Result<String, EvalTrouble> {
    let [(Relation::Equal, right)] = rest else { return Ok(String::new()) };
    let (left, right) = (eval(first, context)?, eval(right, context)?);
    let alike = match (&*left, &*right) {
        (Value::Str(text), other) | (other, Value::Str(text)) => *text == shown(other),
        _ => false,
    };
    if alike && !equal(&left, &right) {
        return Ok(format!(" ({}, not {})", a_kind(&left), a_kind(&right)));
    }
    Ok(String::new())
}

fn failing_element(args: &[Expr], context: &Context<'_>) -> Result<Option<String>, EvalTrouble> {
    let Some((list, rest)) = args.split_first() else { return Ok(None) };
    let value = eval(list, context)?;
    for (n, item) in items(&value).unwrap_or_default().iter().enumerate() {
        let holds = match rest.first() {
            Some(condition) => truth(condition, &context.about(item))?,
            None => *item == Value::Bool(true),
        };
        if !holds {
            return Ok(Some(format!("[{n}] = {}", shown(item))));
        }
    }
    Ok(None)
}
