//! What a test claims, in either way of writing it: `assert a == b`, and `self.assertEqual(a, b)` of `unittest`.

use crate::ast::{CmpOp, Expr};
use crate::{Assert, Call, Def, FunctionId, Ranged, TextRange};

/// One thing that a test claims.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim<'a> {
    /// The whole of it.
    pub(crate) range: TextRange,
    /// Whether it is written as `assert`.
    pub(crate) is_statement: bool,
    /// The function that claims it.
    pub(crate) owner: Option<FunctionId>,
    pub(crate) says: Says<'a>,
}

/// What a claim says.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Says<'a> {
    /// This is true.
    True(&'a Expr),
    /// This is not true.
    False(&'a Expr),
    /// The first is so to the second; `isinstance` has a form of its own.
    Compared(&'a Expr, CmpOp, &'a Expr),
    /// The first is of the second.
    Instance(&'a Expr, &'a Expr),
    /// Something else, about these two at most.
    Other(Option<&'a Expr>, Option<&'a Expr>),
}

impl Ranged for Claim<'_> {
    fn range(&self) -> TextRange {
        self.range
    }
}

/// Everything that a test claims: its `assert` statements, then its calls of `unittest`.
pub(crate) fn claims<'f, 'a>(test: Def<'f, 'a>) -> impl Iterator<Item = Claim<'a>> + use<'f, 'a> {
    test.asserts().iter().map(of_assert).chain(test.calls().iter().filter_map(of_unittest))
}

fn of_assert<'a>(assert: &Assert<'a>) -> Claim<'a> {
    Claim { range: assert.range(), is_statement: true, owner: assert.owner, says: says(&assert.node.test) }
}

fn says(condition: &Expr) -> Says<'_> {
    match condition {
        Expr::Compare(compare) => match (&*compare.ops, &*compare.comparators) {
            ([op], [right]) => Says::Compared(&compare.left, *op, right),
            _ => Says::True(condition),
        },
        Expr::Call(call) if call.func.as_name_expr().is_some_and(|it| it.id.as_str() == "isinstance") => {
            match (call.arguments.find_positional(0), call.arguments.find_positional(1)) {
                (Some(value), Some(kind)) => Says::Instance(value, kind),
                _ => Says::True(condition),
            }
        }
        _ => Says::True(condition),
    }
}

fn of_unittest<'a>(call: &Call<'a>) -> Option<Claim<'a>> {
    let kind = call.name.strip_prefix("self.assert")?;
    let (first, second) = (call.positional(0), call.positional(1));
    let compared = |op| Some(Says::Compared(first?, op, second?));
    let says = match kind {
        "True" => first.map(says),
        "False" => first.map(Says::False),
        "Equal" | "Equals" | "DictEqual" | "ListEqual" | "TupleEqual" | "SetEqual" | "MultiLineEqual"
        | "SequenceEqual" | "CountEqual" => compared(CmpOp::Eq),
        "NotEqual" | "NotEquals" => compared(CmpOp::NotEq),
        "Is" => compared(CmpOp::Is),
        "IsNot" => compared(CmpOp::IsNot),
        "In" => compared(CmpOp::In),
        "NotIn" => compared(CmpOp::NotIn),
        "Greater" => compared(CmpOp::Gt),
        "GreaterEqual" => compared(CmpOp::GtE),
        "Less" => compared(CmpOp::Lt),
        "LessEqual" => compared(CmpOp::LtE),
        "IsInstance" => first.zip(second).map(|(value, kind)| Says::Instance(value, kind)),
        _ => None,
    };
    let says = says.unwrap_or(Says::Other(first, second));
    Some(Claim { range: call.range(), is_statement: false, owner: call.owner, says })
}

impl<'a> Claim<'a> {
    /// The expressions that it is about.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &'a Expr> + use<'a> {
        let (first, second) = match self.says {
            Says::True(expr) | Says::False(expr) => (Some(expr), None),
            Says::Compared(left, _, right) => (Some(left), Some(right)),
            Says::Instance(value, kind) => (Some(value), Some(kind)),
            Says::Other(first, second) => (first, second),
        };
        first.into_iter().chain(second)
    }
}
