//! Prints an expression so that it reads back as the same one, with no more parentheses than that takes.

use std::fmt::{self, Display, Formatter};

use unitai_model::value::Value;

use super::tree::{Expr, Level, PathStep, Sign};
use super::{number, quoting};

impl Expr {
    fn level(&self) -> Level {
        match self {
            Expr::Or(_) => Level::Or,
            Expr::And(_) => Level::And,
            Expr::Not(_) => Level::Not,
            Expr::Comparison { .. } => Level::Comparison,
            Expr::Arithmetic { sign: Sign::Plus | Sign::Minus, .. } => Level::Sum,
            Expr::Arithmetic { .. } => Level::Product,
            Expr::Call { piped: true, .. } => Level::Pipe,
            Expr::Negative(_) => Level::Minus,
            Expr::Literal(value) if number::is_number(value) => Level::Minus,
            _ => Level::Primary,
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Literal(value) => literal(f, value),
            Expr::List(items) => {
                f.write_str("[")?;
                separated(f, items, ", ", Level::Or)?;
                f.write_str("]")
            }
            Expr::Name { name, optional } => write!(f, "{name}{}", if *optional { "?" } else { "" }),
            Expr::Element => f.write_str("_"),
            Expr::Reference(reference) => write!(f, "{reference}"),
            Expr::Path { base, parts } => {
                let dotted = matches!(parts.first().map(|part| &part.step), Some(PathStep::Key(key)) if super::reference::is_word(key));
                if !(**base == Expr::Element && dotted) {
                    within(f, base, Level::Primary)?;
                }
                parts.iter().try_for_each(|part| write!(f, "{part}"))
            }
            Expr::Negative(inner) => {
                f.write_str("-")?;
                // `-5` would read back as the number.
                let is_number = matches!(&**inner, Expr::Literal(_));
                if is_number { write!(f, "({inner})") } else { within(f, inner, Level::Minus) }
            }
            Expr::Arithmetic { left, sign, right } => {
                let (level, next) = match sign {
                    Sign::Plus | Sign::Minus => (Level::Sum, Level::Product),
                    _ => (Level::Product, Level::Pipe),
                };
                within(f, left, level)?;
                write!(f, " {} ", sign.text())?;
                within(f, right, next)
            }
            Expr::Comparison { first, rest } => {
                within(f, first, Level::Sum)?;
                rest.iter().try_for_each(|(relation, right)| {
                    write!(f, " {} ", relation.text())?;
                    within(f, right, Level::Sum)
                })
            }
            Expr::Not(inner) => {
                f.write_str("not ")?;
                within(f, inner, Level::Not)
            }
            Expr::And(parts) => separated(f, parts, " and ", Level::Not),
            Expr::Or(parts) => separated(f, parts, " or ", Level::And),
            Expr::Call { function, args, piped } => {
                let name = function.name();
                match args.split_first() {
                    Some((first, rest)) if *piped => {
                        within(f, first, Level::Pipe)?;
                        write!(f, " | {name}")?;
                        if rest.is_empty() {
                            return Ok(());
                        }
                        f.write_str("(")?;
                        separated(f, rest, ", ", Level::Or)?;
                    }
                    _ => {
                        write!(f, "{name}(")?;
                        separated(f, args, ", ", Level::Or)?;
                    }
                }
                f.write_str(")")
            }
        }
    }
}

/// Prints a part, in parentheses if it binds more weakly than its place asks for.
fn within(f: &mut Formatter<'_>, part: &Expr, level: Level) -> fmt::Result {
    if part.level() < level { write!(f, "({part})") } else { write!(f, "{part}") }
}

fn separated(f: &mut Formatter<'_>, parts: &[Expr], separator: &str, level: Level) -> fmt::Result {
    for (n, part) in parts.iter().enumerate() {
        f.write_str(if n > 0 { separator } else { "" })?;
        within(f, part, level)?;
    }
    Ok(())
}

fn literal(f: &mut Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Str(text) => f.write_str(&quoting::write(text)),
        other => f.write_str(&super::showing::shown(other)),
    }
}
