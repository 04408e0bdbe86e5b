//! What checks say: expressions, patterns and references.
//!
//! An [`Expression`] is what `check`, `when` and `until` hold; a [`Pattern`] is what `match` holds; [`References`] are the
//! `${...}` of arguments. All three are read before a test runs, so that a slip of the pen is an error of its file, and ask
//! a [`Scope`] what names mean. The page for users is `docs/reference/yaml-expressions.md`.

mod comparing;
mod evaluating;
mod explaining;
mod filling;
mod function;
mod functions;
mod lexer;
mod names;
mod number;
mod parser;
mod path;
mod pattern;
mod primary;
mod printing;
mod quoting;
mod reference;
mod scalar;
mod scope;
mod showing;
mod tree;
mod trouble;

use std::cell::Cell;
use std::fmt;

use unitai_model::value::Value;

use evaluating::Context;

pub use explaining::Verdictlet;
pub use filling::References;
pub use pattern::{Mismatch, Pattern};
pub use scope::{Fields, Found, Scope};
pub use trouble::{EvalTrouble, SyntaxTrouble};

/// An expression, such as `status_code == 200`.
///
/// ```
/// use unitai_spec::data::from_json;
/// use unitai_spec::expression::{Expression, Fields};
/// let result = from_json(&serde_json::json!({"status_code": 404, "body": "{\"users\": [1, 2]}"}));
///
/// let check = Expression::parse("status_code == 200").unwrap();
/// assert_eq!(check.holds(&Fields(&result)).unwrap().why(), "expected status_code == 200, found 404");
///
/// let count = Expression::parse("json(body).users | length").unwrap();
/// assert_eq!(count.eval(&Fields(&result)).unwrap(), from_json(&serde_json::json!(2)));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    tree: tree::Expr,
}

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, SyntaxTrouble> {
        parser::parse(text, false).map(|tree| Self { tree })
    }

    /// Reads an expression in which `_` is the value that it is asked about.
    pub(crate) fn parse_about_element(text: &str) -> Result<Self, SyntaxTrouble> {
        parser::parse(text, true).map(|tree| Self { tree })
    }

    /// What it gives.
    pub fn eval(&self, scope: &dyn Scope) -> Result<Value, EvalTrouble> {
        let work = Cell::new(0);
        evaluating::eval(&self.tree, &Context::new(scope, None, &work)).map(std::borrow::Cow::into_owned)
    }

    /// Whether it holds, and if not, why. A check gives true or false; anything else is [`EvalTrouble::Wrong`].
    pub fn holds(&self, scope: &dyn Scope) -> Result<Verdictlet, EvalTrouble> {
        explaining::judge(&self.tree, &Context::new(scope, None, &Cell::new(0)))
    }

    /// Whether it holds for a value that it calls `_`.
    pub(crate) fn holds_for(&self, element: &Value, scope: &dyn Scope) -> Result<Verdictlet, EvalTrouble> {
        explaining::judge(&self.tree, &Context::new(scope, Some(element), &Cell::new(0)))
    }

    /// The names that it reads, each once: the first parts of its paths and references.
    ///
    /// ```
    /// use unitai_spec::expression::Expression;
    /// let check = Expression::parse("is_error and ${user.id} in ids | map(.id)").unwrap();
    /// assert_eq!(check.names(), ["is_error", "user", "ids"]);
    /// ```
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        names::collect(&self.tree, &mut names);
        names
    }

    /// Whether it compares, joins or denies something, so that nothing but true and false can come of it.
    pub(crate) fn is_condition(&self) -> bool {
        use tree::Expr::{And, Comparison, Not, Or};
        matches!(self.tree, And(_) | Or(_) | Not(_) | Comparison { .. })
    }
}

/// Prints it so that it reads back as the same expression.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tree.fmt(f)
    }
}

/// A text as an expression writes it.
pub(crate) fn quoted(text: &str) -> String {
    quoting::write(text)
}

/// Whether a text is an expression: what a reader of files asks of `check`, `when` and `until`.
///
/// ```
/// use unitai_spec::expression::validate_expression;
/// let trouble = validate_expression("status_code = 200").unwrap_err();
/// assert_eq!((trouble.at, trouble.remedy.as_str()), (12, "write `==` to compare"));
/// ```
pub fn validate_expression(text: &str) -> Result<(), SyntaxTrouble> {
    Expression::parse(text).map(|_| ())
}

/// Whether a value is a pattern: what a reader of files asks of `match`.
pub fn validate_pattern(pattern: &Value) -> Result<(), SyntaxTrouble> {
    Pattern::parse(pattern).map(|_| ())
}

/// Whether the references of a value can be read: what a reader of files asks of `args`, `env`, `headers` and the like.
pub fn validate_references(value: &Value) -> Result<(), SyntaxTrouble> {
    References::validate(value)
}
