//! Values that stand in the code itself.

use crate::ast::{Expr, Number};

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
