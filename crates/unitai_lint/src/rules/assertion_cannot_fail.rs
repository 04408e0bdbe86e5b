//! `assertion-cannot-fail`.

use unitai_check::checks::Method;

use crate::agent::results;
use crate::ast::{BoolOp, CmpOp, Expr, ExprAttribute, ExprBoolOp, UnaryOp};
use crate::known::claims::{Claim, Says, claims};
use crate::known::words::has_word;
use crate::literal::{is_constant, truth, whole};
use crate::{Check, Def, Example, Fix, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "assertion-cannot-fail",
    what: "An assertion that looks at something and still always holds: `assert a or True`, `assert \"yes\" or \"no\" in answer`, \
           `assert len(found) >= 0`, `assert answer == answer`, `assert isinstance(x, object)`, `self.assertEqual(1, 1)`, a list \
           or a generator that is asserted itself, a check that is not called: `assert result.tool_was_called`.",
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
    is_fixable: true,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    // What stands in functions inside of a test is often what is tested.
    for claim in claims(test).filter(|claim| test.owns(claim.owner)) {
        if let Some(method) = uncalled(test, &claim) {
            tell_uncalled(test, method, report);
        } else if let Some(why) = why(test, &claim) {
            report
                .at(claim, format!("this always holds: {why}; `{}` cannot fail here", test.name()))
                .help("say what must be true of the result, so that a wrong one fails");
        }
    }
}

/// Why a claim always holds, if it does. Constants and tuples have rules of their own.
fn why(test: Def<'_, '_>, claim: &Claim<'_>) -> Option<String> {
    match claim.says {
        Says::True(condition) if is_constant(condition) || condition.is_tuple_expr() => None,
        Says::True(condition) => always(test, condition),
        Says::Compared(left, op, right) => compares(test, left, op, right).map(str::to_owned),
        Says::Instance(_, kind) => is_object(kind).then(|| String::from("everything is an `object`")),
        Says::False(_) | Says::Other(..) => None,
    }
}

/// The check of a result that is asserted itself, and not what it finds: `assert result.tool_was_called`.
fn uncalled<'a>(test: Def<'_, 'a>, claim: &Claim<'a>) -> Option<&'a ExprAttribute> {
    fn find<'a>(expr: &'a Expr, is_it: &impl Fn(&ExprAttribute) -> bool) -> Option<&'a ExprAttribute> {
        match expr {
            Expr::Attribute(attribute) => is_it(attribute).then_some(attribute),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => find(&unary.operand, is_it),
            Expr::BoolOp(bool_op) => bool_op.values.iter().find_map(|value| find(value, is_it)),
            _ => None,
        }
    }
    let (Says::True(condition) | Says::False(condition)) = claim.says else { return None };
    find(condition, &|attribute| {
        let method = Method::of_name(attribute.attr.as_str());
        method.is_some_and(|method| !method.is_property)
            && attribute.value.as_name_expr().is_some_and(|name| results(test).contains(&name.id.as_str()))
    })
}

fn tell_uncalled(test: Def<'_, '_>, attribute: &ExprAttribute, report: &mut Report<'_>) {
    let written = test.file.text(attribute);
    let finding = report
        .at(attribute, format!("`{written}` is a check that is not called: as it stands, it is always true"))
        .help(format!("call it: `{written}(...)`"));
    // What it must be called with, only its author knows.
    if Method::of_name(attribute.attr.as_str()).is_some_and(|method| method.is_complete) {
        finding.fix(Fix::insert("call it", attribute.range().end(), "()"));
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
            BoolOp::Or => bool_op
                .values
                .iter()
                .find_map(|part| match truth(part) {
                    Some(true) => {
                        Some(format!("{} is true by itself, and `or` asks for no more", shown(part)))
                    }
                    _ => always(test, part),
                })
                .or_else(|| {
                    either(test, bool_op).map(|part| format!("{} is true, or it is not", shown(part)))
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
            (name == "isinstance" && call.arguments.find_positional(1).is_some_and(is_object))
                .then(|| String::from("everything is an `object`"))
        }
        _ => None,
    }
}

/// What is asked for in two parts of an `or`, once with `not`: `answer or not answer`.
fn either<'a>(test: Def<'_, 'a>, bool_op: &'a ExprBoolOp) -> Option<&'a Expr> {
    let denied = bool_op.values.iter().filter_map(|part| match part {
        Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => Some(&*unary.operand),
        _ => None,
    });
    let name = |expr: &Expr| Some(crate::dotted(expr, test.file.source)).filter(|name| !name.is_empty());
    let mut denied = denied.filter(|part| name(part).is_some());
    denied.find(|denied| bool_op.values.iter().any(|part| name(part) == name(denied)))
}

/// `object`, alone or among others.
fn is_object(kind: &Expr) -> bool {
    match kind {
        Expr::Name(name) => name.id.as_str() == "object",
        Expr::Tuple(tuple) => tuple.elts.iter().any(is_object),
        _ => false,
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
    if !matches!(op, CmpOp::Eq | CmpOp::Is | CmpOp::GtE | CmpOp::LtE) {
        return None;
    }
    match (left, right) {
        (Expr::Name(left), Expr::Name(right))
            if left.id == right.id && matches!(op, CmpOp::Eq | CmpOp::Is) =>
        {
            (!is_about_equality(test, left.id.as_str())).then_some("it is compared with itself")
        }
        // An attribute may be computed anew each time; that of a result is not.
        (Expr::Attribute(attribute), Expr::Attribute(_)) => {
            let (left, right) = (test.file.text(left), test.file.text(right));
            let is_result = |name: &str| results(test).contains(&name);
            (left == right && attribute.value.as_name_expr().is_some_and(|it| is_result(it.id.as_str())))
                .then_some("it is compared with itself")
        }
        (left, right) if is_constant(left) && is_constant(right) => {
            (test.file.text(left) == test.file.text(right) && !is_about_equality(test, ""))
                .then_some("a constant is compared with itself")
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
        || claims(test).any(|claim| match claim.says {
            Says::Compared(left, op, right) => {
                let is_it = |side: &Expr| side.as_name_expr().is_some_and(|side| side.id.as_str() == name);
                let is_other = |side: &Expr| side.as_name_expr().is_some_and(|side| side.id.as_str() != name);
                is_it(left) && is_other(right)
                    || is_other(left) && is_it(right)
                    || op == CmpOp::NotEq && (is_it(left) || is_it(right))
            }
            _ => false,
        })
}

fn is_length(expr: &Expr) -> bool {
    expr.as_call_expr()
        .is_some_and(|call| call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "len"))
}
