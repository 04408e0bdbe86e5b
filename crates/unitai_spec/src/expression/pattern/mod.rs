//! Patterns: what `match` asks of a result. What a pattern names must be there, and more may be.
//!
//! A regex of a pattern is searched: `#regex \d+` holds for `order 7`. Anchor it with `^` and `$` to ask for the whole text.
//! What a reference brings in is data, compared as a whole: a `#` in it means nothing.

mod kind;
mod matching;
mod parsing;

use unitai_model::value::Value;

use super::reference::Piece;
use super::scope::Scope;
use super::tree::Searched;
use super::trouble::{EvalTrouble, SyntaxTrouble};
use super::{Expression, names};
use kind::Kind;

/// A pattern that has been read.
///
/// ```
/// use unitai_spec::data::from_json;
/// use unitai_spec::expression::{Fields, Pattern};
/// use serde_json::json;
/// let pattern = Pattern::parse(&from_json(&json!({"users": [{"id": "#int", "email": "#email"}]}))).unwrap();
/// let result = from_json(&json!({"users": [{"id": 1, "email": "ann"}], "page": 1}));
/// let mismatches = pattern.mismatches(&result, &Fields(&result)).unwrap();
/// assert_eq!(mismatches[0].to_string(), "users[0].email: expected an email address, found \"ann\"");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    /// Plain data: equal to this.
    Equal(Value),
    /// A text with references.
    Filled(Vec<Piece>),
    /// Fields that must fit.
    Object(Vec<(Key, Pattern)>),
    /// The beginning of a list; an empty one is an empty list.
    List(Vec<Pattern>),
    /// `{"#each": pattern}`.
    Each(Box<Pattern>),
    /// `#string` and the like.
    Kind(Kind),
    /// `#regex P`.
    Regex(Searched),
    /// `#contains T`.
    Contains(Vec<Piece>),
    /// `#[10] #string`.
    Sized { length: Option<usize>, each: Option<Box<Pattern>> },
    /// `#? _ > 3`.
    Asked(Expression),
    /// `##string`.
    Optional(Box<Pattern>),
    /// `#absent`.
    Absent,
}

#[derive(Debug, Clone, PartialEq)]
enum Key {
    Plain(Value),
    Filled(Vec<Piece>),
}

/// One place where a result does not fit a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Where, such as `users[0].email`; empty for the whole.
    pub path: String,
    /// What was expected, for people.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (path, colon) = if self.path.is_empty() { ("", "") } else { (self.path.as_str(), ": ") };
        write!(f, "{path}{colon}expected {}, found {}", self.expected, self.found)
    }
}

impl Pattern {
    /// Reads a pattern. The trouble has the path of the part that is none.
    pub fn parse(pattern: &Value) -> Result<Self, SyntaxTrouble> {
        parsing::parse(pattern, "", 0)
    }

    /// Where a result does not fit; none at all means that it does. At most 50 are told.
    ///
    /// `json` among the outermost fields stands for the parsed `body`, where the result has no field of that name.
    pub fn mismatches(&self, actual: &Value, scope: &dyn Scope) -> Result<Vec<Mismatch>, EvalTrouble> {
        matching::mismatches(self, actual, scope)
    }

    /// The names that its references and its `#?` read.
    pub fn names(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.collect_names(&mut found);
        found
    }

    fn collect_names(&self, found: &mut Vec<String>) {
        let of_pieces = |pieces: &[Piece], found: &mut Vec<String>| {
            for piece in pieces {
                match piece {
                    Piece::Reference(reference) if !found.contains(&reference.name) => {
                        found.push(reference.name.clone())
                    }
                    _ => {}
                }
            }
        };
        match &self.shape {
            Shape::Filled(pieces) | Shape::Contains(pieces) => of_pieces(pieces, found),
            Shape::Object(fields) => {
                for (key, pattern) in fields {
                    if let Key::Filled(pieces) = key {
                        of_pieces(pieces, found);
                    }
                    pattern.collect_names(found);
                }
            }
            Shape::List(patterns) => patterns.iter().for_each(|pattern| pattern.collect_names(found)),
            Shape::Each(inner) | Shape::Optional(inner) => inner.collect_names(found),
            Shape::Sized { each: Some(inner), .. } => inner.collect_names(found),
            Shape::Asked(expression) => names::collect(&expression.tree, found),
            Shape::Equal(_)
            | Shape::Kind(_)
            | Shape::Regex(_)
            | Shape::Sized { each: None, .. }
            | Shape::Absent => {}
        }
    }
}
