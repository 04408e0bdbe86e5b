//! `swallowed-assertion`.

use crate::ast::{ExceptHandler, Expr, ExprCall, Stmt, StmtTry};
use crate::{Check, Def, Example, FunctionId, Ranged, Report, Rule, Severity, TextRange, With};

pub(crate) static RULE: Rule = Rule {
    name: "swallowed-assertion",
    what: "An assertion in a `try` whose `except` catches its failure and lets the test go on: `except Exception: pass`. \
           So do `with suppress(Exception)`, and `with pytest.raises(Exception)`, which is content with it.",
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
    if test.asserts().is_empty() {
        return;
    }
    for statement in test.statements() {
        let Stmt::Try(node) = statement.node else { continue };
        if let Some(caught) = swallows(test, node) {
            tell(test, &node.body, statement.owner, &format!("`{caught}` catches"), report);
        }
    }
    for with in test.withs() {
        let Some(call) = with.call() else { continue };
        if let Some(does) = suppresses(test, call).filter(|_| !is_looked_at(test, with)) {
            tell(test, &with.node.body, with.owner, &does, report);
        }
    }
}

/// Tells of each assertion in a body whose failure goes nowhere.
fn tell(test: Def<'_, '_>, body: &[Stmt], owner: Option<FunctionId>, does: &str, report: &mut Report<'_>) {
    let (Some(first), Some(last)) = (body.first(), body.last()) else { return };
    let body = TextRange::new(first.start(), last.end());
    for assert in test.asserts().iter().filter(|it| it.owner == owner && body.contains_range(it.range())) {
        // To read a property is what must raise, and `assert` only a way to read it.
        if assert.context.in_raises() && assert.node.test.is_attribute_expr() {
            continue;
        }
        report
            .at(
                assert,
                format!("{does} the failure of this assertion: `{}` passes all the same", test.name()),
            )
            .help("assert behind the block, or catch only what you expect");
    }
}

/// The `except` of a `try` that catches failed assertions and does nothing about them.
fn swallows<'a>(test: Def<'_, 'a>, node: &'a StmtTry) -> Option<&'a str> {
    for handler in &node.handlers {
        let ExceptHandler::ExceptHandler(handler) = handler;
        let is_idle = || handler.body.iter().all(|stmt| is_idle(test, stmt, handler.range));
        let Some(kind) = &handler.type_ else { return is_idle().then_some("except") };
        if is_caught(test, kind) {
            return is_idle().then(|| test.file.text(&**kind));
        }
    }
    None
}

/// What a block does with failed assertions, if it lets the test go on: `suppress(Exception)`, `pytest.raises(Exception)`.
fn suppresses(test: Def<'_, '_>, call: &ExprCall) -> Option<String> {
    let name = crate::dotted(&call.func, test.file.source);
    let qualified = test.file.qualified(name);
    if qualified.is("contextlib.suppress") {
        let is_it = call.arguments.args.iter().any(|kind| is_caught(test, kind));
        return is_it.then(|| format!("`{}` catches", test.file.text(call)));
    }
    // With a pattern, it must be the right one; and that an assertion fails may be the point.
    let is_raises = qualified.is("pytest.raises") || name == "self.assertRaises";
    let kind = call.arguments.args.first().filter(|_| is_raises && call.arguments.len() == 1)?;
    matches!(test.file.text(kind), "Exception" | "BaseException")
        .then(|| format!("`{}` is content with", test.file.text(call)))
}

/// Whether the error that a block caught is read behind it: `as caught`, and `assert "no order" in str(caught)`.
fn is_looked_at(test: Def<'_, '_>, with: &With<'_>) -> bool {
    with.bound().is_some_and(|caught| {
        let mut read = test.names().iter().filter(|it| it.is_read() && it.id() == caught);
        read.any(|it| it.range().start() >= with.node.range.end())
    })
}

/// Whether a failed assertion is of this kind, or of one of these.
fn is_caught(test: Def<'_, '_>, kind: &Expr) -> bool {
    match kind {
        Expr::Tuple(tuple) => tuple.elts.iter().any(|kind| is_caught(test, kind)),
        kind => {
            matches!(crate::dotted(kind, test.file.source), "Exception" | "BaseException" | "AssertionError")
        }
    }
}

/// Whether a statement of an `except` lets the failure go: `pass`, `continue`, `return`, `...`, telling somebody, and values
/// that nobody reads.
fn is_idle(test: Def<'_, '_>, stmt: &Stmt, handler: TextRange) -> bool {
    match stmt {
        Stmt::Pass(_) | Stmt::Continue(_) => true,
        Stmt::Return(given) => given.value.as_deref().is_none_or(Expr::is_none_literal_expr),
        Stmt::Assign(assign) => assign.targets.iter().all(|target| {
            let is_read = |name: &str| {
                let mut read = test.names().iter().filter(|it| it.is_read() && it.id() == name);
                read.any(|it| !handler.contains_range(it.range()))
            };
            target.as_name_expr().is_some_and(|name| !is_read(name.id.as_str()))
        }),
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
    }
}
