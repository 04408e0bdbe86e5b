//! What an expression is once it has been read.

use regex::{Regex, RegexBuilder};
use unitai_model::value::Value;

use super::function::Function;
use super::reference::Reference;

/// How deep parts of an expression may stand in one another: evaluation must not run out of stack.
pub(crate) const MAX_DEPTH: usize = 100;

/// How large a compiled regex may be, in bytes.
const REGEX_SIZE: usize = 1 << 20;

/// How strongly a part binds, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) enum Level {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Pipe,
    Minus,
    Primary,
}

/// One part of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expr {
    /// A number, a text, `true`, `false` or `null`.
    Literal(Value),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// A name, the first part of a path. With `optional`, `name?`: null where it is not known.
    Name { name: String, optional: bool },
    /// `_`: the element that a condition is asked about.
    Element,
    /// `${name.path:-default}`.
    Reference(Box<Reference>),
    /// `base.a[0]`.
    Path { base: Box<Expr>, parts: Vec<Part> },
    /// `-a`.
    Negative(Box<Expr>),
    /// `a + b`.
    Arithmetic { left: Box<Expr>, sign: Sign, right: Box<Expr> },
    /// `a == b`, and `a < b < c`, where each pair must hold.
    Comparison { first: Box<Expr>, rest: Vec<(Relation, Expr)> },
    /// `not a`.
    Not(Box<Expr>),
    /// `a and b and c`.
    And(Vec<Expr>),
    /// `a or b or c`.
    Or(Vec<Expr>),
    /// `length(a)`, or `a | length`.
    Call { function: Function, args: Vec<Expr>, piped: bool },
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub(crate) step: PathStep,
    /// With `?`: null where it is not there.
    pub(crate) optional: bool,
}

/// Where a step of a path leads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PathStep {
    /// `.name` or `["name"]`.
    Key(String),
    /// `[0]`, or `[-1]` from the end.
    Index(i64),
    /// `.$all`: every value that was saved under the name before it.
    All,
}

/// A sign of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
}

impl Sign {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Sign::Plus => "+",
            Sign::Minus => "-",
            Sign::Times => "*",
            Sign::Divide => "/",
            Sign::Remainder => "%",
        }
    }
}

/// What a comparison says of two values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
    Contains,
    /// With the regex, where it is written out: it is compiled once.
    Matches(Option<Searched>),
    StartsWith,
    EndsWith,
}

impl Relation {
    pub(crate) fn text(&self) -> &'static str {
        match self {
            Relation::Equal => "==",
            Relation::NotEqual => "!=",
            Relation::Less => "<",
            Relation::LessOrEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterOrEqual => ">=",
            Relation::In => "in",
            Relation::NotIn => "not in",
            Relation::Contains => "contains",
            Relation::Matches(_) => "matches",
            Relation::StartsWith => "starts_with",
            Relation::EndsWith => "ends_with",
        }
    }

    /// Whether it may stand between more than two values, as in `200 <= status_code < 300`.
    pub(crate) fn chains(&self) -> bool {
        use Relation::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
        matches!(self, Equal | Less | LessOrEqual | Greater | GreaterOrEqual)
    }
}

/// A regex that is searched for. Two are the same when they are written the same.
#[derive(Debug, Clone)]
pub(crate) struct Searched(Regex);

impl PartialEq for Searched {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Searched {
    /// Compiles a regex; the error is one line for people.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(text).size_limit(REGEX_SIZE).dfa_size_limit(REGEX_SIZE).build();
        built.map(Searched).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            // The crate draws the place over several lines; what is wrong stands in the last.
            other => {
                let drawn = other.to_string();
                drawn.lines().last().unwrap_or_default().trim_start_matches("error: ").trim().to_owned()
            }
        })
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    pub(crate) fn text(&self) -> &str {
        self.0.as_str()
    }
}
