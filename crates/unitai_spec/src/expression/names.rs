//! Which names an expression reads.

use super::tree::Expr;

/// Adds the first names of all paths, each once, in the order in which they stand.
pub(crate) fn collect(expr: &Expr, names: &mut Vec<String>) {
    let mut add = |name: &String| {
        if !names.contains(name) {
            names.push(name.clone());
        }
    };
    match expr {
        Expr::Name { name, .. } => add(name),
        Expr::Reference(reference) => add(&reference.name),
        Expr::Literal(_) | Expr::Element => {}
        Expr::Path { base: inner, .. } | Expr::Negative(inner) | Expr::Not(inner) => collect(inner, names),
        Expr::Arithmetic { left, right, .. } => {
            collect(left, names);
            collect(right, names);
        }
        Expr::Comparison { first, rest } => {
            collect(first, names);
            rest.iter().for_each(|(_, right)| collect(right, names));
        }
        Expr::List(parts) | Expr::And(parts) | Expr::Or(parts) | Expr::Call { args: parts, .. } => {
            parts.iter().for_each(|part| collect(part, names));
        }
    }
}
