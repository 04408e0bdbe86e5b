//! A look at everything inside one expression or one body, for what the tables do not tell.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt};

struct Each<F>(F);

impl<'a, F: FnMut(&'a Expr)> Visitor<'a> for Each<F> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        (self.0)(expr);
        walk_expr(self, expr);
    }
}

/// Shows the expression itself and every one inside of it. For single expressions, such as the condition of an
/// assertion; never for files.
pub fn inside<'a>(expr: &'a Expr, each: impl FnMut(&'a Expr)) {
    Each(each).visit_expr(expr);
}

/// The same for the statements of one small body.
pub fn inside_body<'a>(body: &'a [Stmt], each: impl FnMut(&'a Expr)) {
    Each(each).visit_body(body);
}
