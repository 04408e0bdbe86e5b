//! `swallowed-assertion`.

use crate::ast::{ExceptHandler, Expr, Stmt, StmtTry};
use crate::{Check, Def, Example, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "swallowed-assertion",
    what: "An assertion in a `try` whose `except` catches its failure and lets the test go on: `except Exception: pass`.",
    why: "A broken assertion raises `AssertionError`, which is an `Exception` like any other. Caught, it is gone, and the test \
          passes.",
    bad: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    try:\n        assert \"refunded\" in agent.run(\"Refund order 123\").content\n    except Exception:\n        pass\n",
    },
    good: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    assert \"refunded\" in agent.run(\"Refund order 123\").content\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    if !test.asserts().iter().any(|assert| assert.context.in_try()) {
        return;
    }
    for statement in test.statements() {
        let Stmt::Try(node) = statement.node else { continue };
        let Some(caught) = swallows(test, node) else { continue };
        let body = |place: &dyn Fn() -> ruff_text_size::TextRange| {
            node.body.iter().any(|stmt| stmt.range().contains_range(place()))
        };
        for assert in test.asserts().iter().filter(|assert| assert.owner == statement.owner) {
            if assert.context.in_try() && body(&|| assert.range()) {
                report
                    .at(
                        assert,
                        format!(
                            "`{caught}` catches the failure of this assertion: `{}` passes all the same",
                            test.name()
                        ),
                    )
                    .help("assert behind the `try`, or catch only what you expect");
            }
        }
    }
}

/// The `except` of a `try` that catches failed assertions and does nothing about them.
fn swallows<'a>(test: Def<'_, 'a>, node: &'a StmtTry) -> Option<&'a str> {
    for handler in &node.handlers {
        let ExceptHandler::ExceptHandler(handler) = handler;
        let Some(kind) = &handler.type_ else { return is_idle(&handler.body).then_some("except") };
        let catches = |kind: &Expr| {
            matches!(crate::dotted(kind, test.file.source), "Exception" | "BaseException" | "AssertionError")
        };
        let is_caught = match &**kind {
            Expr::Tuple(tuple) => tuple.elts.iter().any(catches),
            kind => catches(kind),
        };
        if is_caught {
            return is_idle(&handler.body).then(|| test.file.text(&**kind));
        }
    }
    None
}

/// Nothing but `pass`, `continue`, `...`, and telling somebody.
fn is_idle(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::Pass(_) | Stmt::Continue(_) => true,
        Stmt::Expr(expr) => match &*expr.value {
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => name.id.as_str() == "print",
                Expr::Attribute(attribute) => {
                    matches!(
                        attribute.attr.as_str(),
                        "debug" | "info" | "warning" | "error" | "exception" | "print_exc"
                    )
                }
                _ => false,
            },
            value => value.is_literal_expr(),
        },
        _ => false,
    })
}
