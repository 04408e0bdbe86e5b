//! `assertion-cannot-fail`.

use crate::ast::{BoolOp, CmpOp, Expr, Number, UnaryOp};
use crate::known::words::has_word;
use crate::{Check, Def, Example, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "assertion-cannot-fail",
    what: "An assertion that looks at something and still always holds: `assert a or True`, `assert \"yes\" or \"no\" in answer`, \
           `assert len(found) >= 0`, `assert answer == answer`, `assert isinstance(x, object)`, a list or a generator that is \
           asserted itself.",
    why: "It reads like a check and is none. Most are slips: `\"yes\" or \"no\" in answer` asks whether `\"yes\"` is true, and it is.",
    bad: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    answer = agent.run(\"Is order 123 paid?\").content\n    assert \"yes\" or \"paid\" in answer\n",
    },
    good: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    answer = agent.run(\"Is order 123 paid?\").content\n    assert \"yes\" in answer or \"paid\" in answer\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    // What stands in functions inside of a test is often what is tested.
    for assert in test.asserts().iter().filter(|assert| test.owns(assert.owner)) {
        let condition = &*assert.node.test;
        // Constants and tuples have rules of their own.
        if is_constant(condition) || condition.is_tuple_expr() {
            continue;
        }
        if let Some(why) = always(test, condition) {
            report
                .at(assert, format!("this always holds: {why}; `{}` cannot fail here", test.name()))
                .help("say what must be true of the result, so that a wrong one fails");
        }
    }
}

/// Why an expression is always true, if it is.
fn always(test: Def<'_, '_>, expr: &Expr) -> Option<String> {
    let shown = |part: &Expr| {
        let text = test.file.text(part);
        if text.len() > 40 || text.contains('\n') { String::from("it") } else { format!("`{text}`") }
    };
    match expr {
        Expr::BoolOp(bool_op) => match bool_op.op {
            BoolOp::Or => bool_op.values.iter().find_map(|part| match truth(part) {
                Some(true) => Some(format!("{} is true by itself, and `or` asks for no more", shown(part))),
                _ => always(test, part),
            }),
            BoolOp::And => {
                let mut why = None;
                for part in &bool_op.values {
                    why = Some(always(test, part).or_else(|| {
                        (truth(part) == Some(true)).then(|| format!("{} is true by itself", shown(part)))
                    })?);
                }
                why
            }
        },
        Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
            (truth(&unary.operand) == Some(false)).then(|| format!("{} is never true", shown(&unary.operand)))
        }
        Expr::List(_) | Expr::Set(_) | Expr::Dict(_) | Expr::FString(_) if truth(expr) == Some(true) => {
            Some(String::from("it is not empty, and nothing else is asked"))
        }
        Expr::Generator(_) => Some(String::from(
            "a generator is true, whatever it would give; `all(...)` or `any(...)` asks it",
        )),
        Expr::Lambda(_) => Some(String::from("a function is true; it is not called")),
        Expr::Compare(compare) if compare.ops.len() == 1 => {
            let (left, op, right) = (&*compare.left, compare.ops[0], &compare.comparators[0]);
            compares(test, left, op, right).map(|why| why.to_owned())
        }
        Expr::Call(call) => {
            let name = crate::dotted(&call.func, test.file.source);
            let is_any = |of: &Expr| of.as_name_expr().is_some_and(|of| of.id.as_str() == "object");
            (name == "isinstance" && call.arguments.find_positional(1).is_some_and(is_any))
                .then(|| String::from("everything is an `object`"))
        }
        _ => None,
    }
}

fn compares(test: Def<'_, '_>, left: &Expr, op: CmpOp, right: &Expr) -> Option<&'static str> {
    let is_not_negative = match op {
        CmpOp::GtE => is_length(left) && whole(right).is_some_and(|number| number <= 0),
        CmpOp::Gt | CmpOp::NotEq => is_length(left) && whole(right).is_some_and(|number| number < 0),
        CmpOp::LtE => is_length(right) && whole(left).is_some_and(|number| number <= 0),
        CmpOp::Lt => is_length(right) && whole(left).is_some_and(|number| number < 0),
        _ => false,
    };
    if is_not_negative {
        return Some("no length is below 0");
    }
    match (left, op, right) {
        (Expr::Name(left), CmpOp::Eq | CmpOp::Is, Expr::Name(right)) if left.id == right.id => {
            (!is_about_equality(test, left.id.as_str())).then_some("it is compared with itself")
        }
        _ => None,
    }
}

/// Tests of `__eq__` and its kin compare a thing with itself on purpose: they say so, or compare it with others as well.
fn is_about_equality(test: Def<'_, '_>, name: &str) -> bool {
    const EQUALITY: [&str; 14] = [
        "compare",
        "compares",
        "comparison",
        "eq",
        "equal",
        "equality",
        "equals",
        "hash",
        "hashable",
        "identical",
        "identity",
        "order",
        "ordering",
        "same",
    ];
    let class = test.class().map_or("", |class| class.name());
    [test.name(), class, test.file.path].iter().any(|text| has_word(text, &EQUALITY))
        || test.asserts().iter().any(|assert| match &*assert.node.test {
            Expr::Compare(compare) => {
                let is_it = |side: &Expr| side.as_name_expr().is_some_and(|side| side.id.as_str() == name);
                let is_other = |side: &Expr| side.as_name_expr().is_some_and(|side| side.id.as_str() != name);
                let sides = (&*compare.left, &compare.comparators[0]);
                is_it(sides.0) && is_other(sides.1)
                    || is_other(sides.0) && is_it(sides.1)
                    || compare.ops[0] == CmpOp::NotEq && (is_it(sides.0) || is_it(sides.1))
            }
            _ => false,
        })
}

fn is_length(expr: &Expr) -> bool {
    expr.as_call_expr()
        .is_some_and(|call| call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "len"))
}

/// A whole number, with or without a minus.
fn whole(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(int) => int.as_i64(),
            _ => None,
        },
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => whole(&unary.operand).map(|number| -number),
        _ => None,
    }
}

fn is_constant(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::BooleanLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::BytesLiteral(_)
    )
}

/// Whether something that stands there as it is counts as true.
fn truth(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::BooleanLiteral(literal) => Some(literal.value),
        Expr::NoneLiteral(_) => Some(false),
        Expr::NumberLiteral(_) => whole(expr).map(|number| number != 0),
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
