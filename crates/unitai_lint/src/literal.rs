//! Values that stand in the code itself.

use crate::Def;
use crate::ast::{Expr, Number, UnaryOp};

/// Zero, false, none, or empty.
pub(crate) fn is_nothing(expr: &Expr) -> bool {
    match expr {
        Expr::NoneLiteral(_) => true,
        Expr::BooleanLiteral(_) | Expr::NumberLiteral(_) => is_zero(expr),
        Expr::StringLiteral(literal) => literal.value.is_empty(),
        Expr::List(list) => list.elts.is_empty(),
        Expr::Dict(dict) => dict.items.is_empty(),
        Expr::Tuple(tuple) => tuple.elts.is_empty(),
        // `set()`, `deque()`.
        Expr::Call(call) => call.arguments.is_empty() && call.func.is_name_expr(),
        _ => false,
    }
}

/// `0`, or `False`.
pub(crate) fn is_zero(expr: &Expr) -> bool {
    match expr {
        Expr::BooleanLiteral(literal) => !literal.value,
        Expr::NumberLiteral(literal) => matches!(&literal.value, Number::Int(int) if *int == 0),
        _ => false,
    }
}

/// A whole number, with or without a minus.
pub(crate) fn whole(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(int) => int.as_i64(),
            _ => None,
        },
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => whole(&unary.operand).map(|number| -number),
        _ => None,
    }
}

/// A value that is written out, and no container.
pub(crate) fn is_constant(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::BooleanLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::EllipsisLiteral(_)
    )
}

/// Whether something that stands there as it is counts as true.
pub(crate) fn truth(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::BooleanLiteral(literal) => Some(literal.value),
        Expr::NoneLiteral(_) => Some(false),
        Expr::NumberLiteral(literal) => Some(match &literal.value {
            Number::Int(int) => *int != 0,
            Number::Float(float) => *float != 0.0,
            Number::Complex { real, imag } => *real != 0.0 || *imag != 0.0,
        }),
        Expr::EllipsisLiteral(_) => Some(true),
        Expr::StringLiteral(literal) => Some(!literal.value.is_empty()),
        Expr::BytesLiteral(literal) => Some(!literal.value.is_empty()),
        Expr::FString(text) => {
            let has_text = text
                .value
                .elements()
                .any(|part| part.as_literal().is_some_and(|literal| !literal.is_empty()));
            has_text.then_some(true)
        }
        Expr::List(list) => full(&list.elts),
        Expr::Tuple(tuple) => full(&tuple.elts),
        Expr::Set(set) => full(&set.elts),
        Expr::Dict(dict) if dict.items.iter().all(|item| item.key.is_some()) => Some(!dict.items.is_empty()),
        _ => None,
    }
}

/// Whether a list of these has something in it; what stands behind a star may be empty.
fn full(elements: &[Expr]) -> Option<bool> {
    match elements.iter().any(|element| !element.is_starred_expr()) {
        true => Some(true),
        false => elements.is_empty().then_some(false),
    }
}

/// The value of a name that gets one once: in the function, else at the top of the file.
pub(crate) fn constant<'a>(def: Def<'_, 'a>, name: &str) -> Option<&'a Expr> {
    let mut own = def.assigns().iter().filter(|assign| assign.name == name);
    let mut of_file = def.file.assigns.iter().filter(|assign| assign.owner.is_none() && assign.name == name);
    let found = match own.next() {
        Some(first) => own.next().is_none().then_some(first),
        None if def.takes(name) => None,
        None => of_file.next().filter(|_| of_file.next().is_none()),
    };
    found?.value
}
