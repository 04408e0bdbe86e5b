//! `only-negative`.

use unitai_check::checks::{Method, Says};

use crate::agent::{check_of, is_chained, results, subject, test_case_check};
use crate::ast::{CmpOp, Expr, ExprCall, ExprCompare, UnaryOp};
use crate::known::check_names::is_check_name;
use crate::known::words::has_word;
use crate::literal::{is_nothing, is_zero};
use crate::{Call, Check, Def, Example, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "only-negative",
    what: "A test that runs an agent and then only says what did not happen: `tool_not_called`, `output_not_contains`, \
           `not result.error`, `\"password\" not in result.output`.",
    why: "An agent that does nothing at all passes. So does one that crashes before it comes to the part that matters.",
    bad: Example {
        path: "tests/agents/test_refund.py",
        code: "from unitai import MockToolkit\n\n\ndef test_no_refund_without_receipt():\n    toolkit = MockToolkit()\n    toolkit.mock(\"find_order\", return_value=None)\n    toolkit.mock(\"refund\", return_value=True)\n    result = toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.tool_not_called(\"refund\")\n",
    },
    good: Example {
        path: "tests/agents/test_refund.py",
        code: "from unitai import MockToolkit\n\n\ndef test_no_refund_without_receipt():\n    toolkit = MockToolkit()\n    toolkit.mock(\"find_order\", return_value=None)\n    toolkit.mock(\"refund\", return_value=True)\n    result = toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.tool_called_with(\"find_order\", order_id=\"123\")\n    assert result.tool_not_called(\"refund\")\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

/// What an assertion asks of an agent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Asks {
    /// That it went well or cheaply, which also holds for one that did nothing.
    Little,
    /// That something did not happen.
    Absence,
    /// That something happened; also whatever is not understood.
    Something,
}

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    let results = results(test);
    if results.is_empty() || demands_otherwise(test, &results) {
        return;
    }
    let mut absences = 0;
    for assert in test.asserts() {
        match asks(&assert.node.test, &results) {
            Asks::Something => return,
            Asks::Absence => absences += 1,
            Asks::Little => {}
        }
    }
    for call in test.calls() {
        match asserting(test, call) {
            Some(Asks::Something) => return,
            Some(Asks::Absence) => absences += 1,
            Some(Asks::Little) | None => {}
        }
    }
    if absences > 0 {
        let message =
            format!("`{}` only says what did not happen: an agent that does nothing passes it", test.name());
        report
            .at(test, message)
            .help("say also what must happen, such as `assert result.tool_was_called(...)` or what the answer contains");
    }
}

/// Whether something other than assertions can fail the test: a script that must be played, an error that must come, a
/// function that gets the result.
fn demands_otherwise(test: Def<'_, '_>, results: &[&str]) -> bool {
    let is_told = |expr: &Expr| subject(expr).is_some_and(|name| results.contains(&name));
    let hands_on = |call: &Call<'_>| {
        let arguments = &call.node.arguments;
        let is_plain = matches!(call.last, "len" | "str" | "repr" | "print" | "bool" | "type" | "isinstance")
            || call.last == "assert_trajectory"
            || call.last.starts_with("assert") && call.root() == "self";
        !is_plain
            && (arguments.args.iter().any(is_told) || arguments.keywords.iter().any(|it| is_told(&it.value)))
    };
    test.reads("scripted_model")
        || test.calls().iter().any(|call| call.context.in_raises() || call.last == "fail" || hands_on(call))
        || test.withs().iter().any(|with| with.call().is_some_and(|call| is_last(call, "raises")))
        || test.statements().iter().any(|statement| statement.node.is_raise_stmt())
}

fn is_last(call: &ExprCall, name: &str) -> bool {
    match &*call.func {
        Expr::Attribute(attribute) => attribute.attr.as_str() == name,
        Expr::Name(called) => called.id.as_str() == name,
        _ => false,
    }
}

/// What a call asks that fails the test by itself; none for all other calls.
fn asserting<'a>(test: Def<'_, 'a>, call: &Call<'a>) -> Option<Asks> {
    if let Some(name) = test_case_check(call.last, call.root()) {
        return Some(Method::of_name(&name).map_or(Asks::Something, |method| weight(method.says)));
    }
    if is_chained(call.node) {
        return Some(match call.last {
            "never" => Asks::Absence,
            "assert_trajectory" => Asks::Little,
            name => Method::of_name(name).map_or(Asks::Something, |method| weight(method.says)),
        });
    }
    match call.last {
        "assert_not_called" | "assert_not_awaited" => Some(Asks::Absence),
        // Inside of an assertion, the assertion says what is asked; patterns raise nothing.
        name if is_check_name(name) && !call.context.in_assert() => {
            (!test.qualified(call.name).is_in("re")).then_some(Asks::Something)
        }
        _ => None,
    }
}

fn weight(says: Says) -> Asks {
    match says {
        Says::DidNot => Asks::Absence,
        Says::Went => Asks::Little,
        Says::Happened | Says::Meaning => Asks::Something,
    }
}

/// What the condition of an assertion asks.
fn asks(expr: &Expr, results: &[&str]) -> Asks {
    let is_result = |expr: &Expr| subject(expr).is_some_and(|name| results.contains(&name));
    match expr {
        Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => match &*unary.operand {
            Expr::Call(call) if is_any_of(call, results) => Asks::Absence,
            operand if is_result(operand) => match named(operand) {
                Some(name) if name == "failed" || is_trouble(name) => Asks::Little,
                Some(name) => match Method::of_name(name).map(|method| method.says) {
                    None | Some(Says::Happened) => Asks::Absence,
                    Some(_) => Asks::Something,
                },
                None => Asks::Something,
            },
            _ => Asks::Something,
        },
        Expr::BoolOp(both) if both.op.is_and() => {
            let asked = both.values.iter().map(|value| asks(value, results));
            asked.fold(Asks::Little, |most, next| if next > most { next } else { most })
        }
        Expr::Compare(compare) => compared(compare, results),
        Expr::Call(call) if is_result(&call.func) => {
            check_of(call).map_or(Asks::Something, |method| weight(method.says))
        }
        Expr::Attribute(attribute) if is_result(expr) => {
            Method::of_name(attribute.attr.as_str()).map_or(Asks::Something, |method| weight(method.says))
        }
        _ => Asks::Something,
    }
}

fn compared(compare: &ExprCompare, results: &[&str]) -> Asks {
    let is_result = |expr: &Expr| subject(expr).is_some_and(|name| results.contains(&name));
    let ([op], [right]) = (&compare.ops[..], &compare.comparators[..]) else { return Asks::Something };
    match op {
        CmpOp::NotIn if is_result(right) => Asks::Absence,
        _ if !is_result(&compare.left) => Asks::Something,
        CmpOp::Is | CmpOp::Eq if is_nothing(right) => match named(&compare.left) {
            Some(name) if name == "failed" || is_trouble(name) => Asks::Little,
            // 0 and `False` can be the answer, and one that did nothing gave none.
            _ if is_zero(right) && !is_count(&compare.left) => Asks::Something,
            _ => Asks::Absence,
        },
        CmpOp::NotEq if !is_nothing(right) => Asks::Absence,
        CmpOp::Lt | CmpOp::LtE if right.is_number_literal_expr() => Asks::Little,
        _ => Asks::Something,
    }
}

/// `len(result.tool_calls)`, `result.tool_call_count("refund")`, `result.call_count`.
fn is_count(expr: &Expr) -> bool {
    expr.is_call_expr()
        || named(expr).is_some_and(|name| has_word(name, &["count", "counts", "calls", "number", "total"]))
}

/// The last attribute or method of an expression.
fn named(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Call(call) => match &*call.func {
            Expr::Name(_) => call.arguments.args.first().and_then(named),
            func => named(func),
        },
        Expr::Subscript(subscript) => named(&subscript.value),
        _ => None,
    }
}

/// `any(call.name == "refund" for call in result.tool_calls)`.
fn is_any_of(call: &ExprCall, results: &[&str]) -> bool {
    let is_any = call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "any");
    let comprehension = call.arguments.args.first().and_then(Expr::as_generator_expr);
    is_any
        && comprehension.is_some_and(|generator| {
            generator
                .generators
                .iter()
                .any(|part| subject(&part.iter).is_some_and(|name| results.contains(&name)))
        })
}

/// Whether a name is one of an error: that there is none only says that it went well.
fn is_trouble(name: &str) -> bool {
    name.contains("error") || name.contains("exception")
}
