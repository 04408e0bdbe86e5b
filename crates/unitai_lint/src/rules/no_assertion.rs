//! `no-assertion`.

use crate::agent::is_run_by_toolkit;
use crate::ast::Stmt;
use crate::known::checking::{Checking, does_itself};
use crate::known::quiet::is_meant_to_pass;
use crate::known::words::words;
use crate::{Check, Def, Example, File, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "no-assertion",
    what: "A test that asserts nothing: no `assert`, no `pytest.raises`, no check that raises by itself, neither in the test nor \
           in the helpers and fixtures that it uses. Where it says that the point is that nothing is raised, in its name, its \
           docstring or a comment, it is left alone, and so are property tests and benchmarks. A run of a toolkit \
           raises nothing of the agent's: there the name excuses nothing.",
    why: "It passes whatever the answer is. It is counted among the tests, and whoever reads the count trusts it.",
    bad: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    response = agent.run(\"Refund order 123\")\n    print(response.content)\n",
    },
    good: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    response = agent.run(\"Refund order 123\")\n    assert \"refunded\" in response.content.lower()\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Python(check),
};

fn check(file: &File<'_>, report: &mut Report<'_>) {
    // Nearly every test asserts by itself; only the others need to know their helpers.
    let mut checking = None;
    for test in file.tests().filter(|test| !does_itself(*test)) {
        let checking = checking.get_or_insert_with(|| Checking::of(file));
        if !checking.checks(test) && !is_judged_elsewhere(test) && !gives_something(test) {
            look(test, report);
        }
    }
}

fn look(test: Def<'_, '_>, report: &mut Report<'_>) {
    if is_left_out(test) {
        return;
    }
    let name = test.name();
    if test.body().iter().all(says_nothing) {
        report
            .at(test, format!("`{name}` is empty: it passes and tests nothing"))
            .help("write the test, or delete it");
    } else if is_run_by_toolkit(test) {
        // Whatever its name promises: what the agent raises is a part of the result, and reaches nobody.
        report
            .at(test, format!("`{name}` asserts nothing: it passes even if the agent raises"))
            .help("assert something about the result; `assert result.succeeded` is the least");
    } else if !is_meant_to_pass(test) {
        report.at(test, format!("`{name}` asserts nothing: it passes whatever comes out")).help(
            "assert something about the result; if the point is that nothing is raised, say so in the name",
        );
    }
}

/// It gives something back, so it is a function that is only called like a test.
fn gives_something(test: Def<'_, '_>) -> bool {
    test.statements().iter().filter(|it| test.owns(it.owner)).any(|it| match it.node {
        Stmt::Return(given) => given.value.as_deref().is_some_and(|value| !value.is_none_literal_expr()),
        _ => false,
    })
}

/// `pass`, `...`, or another docstring.
fn says_nothing(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Pass(_) => true,
        Stmt::Expr(expr) => expr.value.is_literal_expr(),
        _ => false,
    }
}

/// A decorator decides: property tests, comparisons of pictures, and any that nobody knows here.
fn is_judged_elsewhere(test: Def<'_, '_>) -> bool {
    test.decorators().any(|decorator| {
        let known = ["pytest", "unittest", "mock", "unitai", "anyio", "asyncio", "functools", "contextlib"];
        let is_plain = matches!(decorator.name, "staticmethod" | "classmethod" | "patch");
        !is_plain && !test.qualified(decorator.name).is_in_any(&known)
    }) || test.markers().any(|(marker, _)| {
        words(marker).any(|word| matches!(&*word, "benchmark" | "compare" | "snapshot" | "mypy"))
    })
}

/// It does not run, or its failure is expected: other rules ask why.
fn is_left_out(test: Def<'_, '_>) -> bool {
    test.markers().any(|(marker, _)| matches!(marker, "skip" | "xfail"))
        || test
            .decorators()
            .any(|it| test.qualified(it.name).is_any(&["unittest.skip", "unittest.expectedFailure"]))
}
