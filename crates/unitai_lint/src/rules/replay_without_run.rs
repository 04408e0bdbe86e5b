//! `replay-without-run`.

use crate::agent::{check_of, has_unknown_fixture, prepares};
use crate::ast::{Expr, ExprCall, Stmt};
use crate::{Call, Check, Def, Example, Ranged, Report, Rule, Severity, TextRange, inside_body};

pub(crate) static RULE: Rule = Rule {
    name: "replay-without-run",
    what: "A block or a test with a cassette in which nothing could ask a model: `with cassette(\"replay\"):` around assertions, \
           or `@pytest.mark.unitai_cassette` on a test that runs no agent.",
    why: "The recordings are opened and never asked. Most likely the run stands outside of the block, and is live.",
    bad: Example {
        path: "tests/agents/test_refund.py",
        code: "from unitai import cassette\n\n\ndef test_refund(mock_toolkit):\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    with cassette(\"replay\"):\n        assert result.output_contains(\"refunded\")\n",
    },
    good: Example {
        path: "tests/agents/test_refund.py",
        code: "from unitai import cassette\n\n\ndef test_refund(mock_toolkit):\n    with cassette(\"replay\"):\n        result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.output_contains(\"refunded\")\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

const HELP: &str = "run the agent inside, or take the cassette away";

/// Calls that ask no model, whatever they are given.
const PLAIN: [&str; 27] = [
    "all",
    "any",
    "bool",
    "cassette",
    "dict",
    "enumerate",
    "float",
    "format",
    "getattr",
    "hasattr",
    "int",
    "isinstance",
    "items",
    "join",
    "keys",
    "len",
    "list",
    "loads",
    "lower",
    "print",
    "repr",
    "set",
    "sorted",
    "str",
    "strip",
    "tuple",
    "values",
];

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    for with in test.withs() {
        let Some(call) = with.call().filter(|call| is_cassette(test, call)) else { continue };
        // A block that must fail when it is left is about the cassette.
        if is_off(call)
            || with.context.in_raises()
            || awaits_trouble(with.node.items.iter().map(|it| &it.context_expr))
        {
            continue;
        }
        if !may_ask(test, &with.node.body) {
            report
                .at(with, "nothing in this block could ask a model: the cassette has nothing to do")
                .help(HELP);
        }
    }
    let marker = test.markers().find(|(name, _)| *name == "unitai_cassette");
    let is_marked = marker.is_some_and(|(_, call)| !call.is_some_and(is_off));
    let is_meant = is_marked || test.takes("cassette") && !test.reads("cassette");
    if is_meant && !has_unknown_fixture(test) && !may_ask(test, test.body()) {
        let message =
            format!("nothing in `{}` could ask a model: its cassette has nothing to do", test.name());
        report.at(test, message).help(HELP);
    }
}

fn is_cassette(test: Def<'_, '_>, call: &ExprCall) -> bool {
    let is_fixture = test.takes("cassette");
    !is_fixture && test.file.qualified_expr(&call.func).is_some_and(|name| name.is("unitai.cassette"))
}

fn is_off(call: &ExprCall) -> bool {
    let mode = call.arguments.find_argument_value("mode", 0);
    // A mode that is computed may be `off`.
    mode.is_some_and(|mode| mode.as_string_literal_expr().is_none_or(|mode| mode.value.to_str() == "off"))
}

fn awaits_trouble<'a>(mut items: impl Iterator<Item = &'a Expr>) -> bool {
    items.any(|item| {
        let func = item.as_call_expr().map(|call| &*call.func);
        matches!(func, Some(Expr::Attribute(attribute)) if matches!(attribute.attr.as_str(), "raises" | "warns"))
    })
}

/// Whether something in these statements may ask a model: a call that is not known, a loop over something that answers as it
/// goes, something that is awaited.
fn may_ask(test: Def<'_, '_>, body: &[Stmt]) -> bool {
    let (Some(first), Some(last)) = (body.first(), body.last()) else { return false };
    let block = TextRange::new(first.start(), last.end());
    let is_plain =
        |call: &Call<'_>| PLAIN.contains(&call.last) || prepares(call) || check_of(call.node).is_some();
    let mut is_lazy =
        test.statements().iter().any(|it| it.node.is_for_stmt() && block.contains_range(it.range()));
    inside_body(body, |expr| is_lazy |= expr.is_await_expr() || expr.is_yield_expr());
    is_lazy || test.calls().iter().any(|call| block.contains_range(call.range()) && !is_plain(call))
}
