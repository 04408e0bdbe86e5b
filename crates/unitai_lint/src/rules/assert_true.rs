//! `assert-true`.

use crate::ast::{Expr, Number};
use crate::{Check, Def, Example, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "assert-true",
    what: "An assertion on a constant: `assert True`, `assert 1`, `assert \"text\"`.",
    why: "It holds whatever the agent did. A test that cannot fail is worse than none: it is counted, and trusted.",
    bad: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search():\n    search(\"refund\")\n    assert True\n",
    },
    good: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search():\n    assert search(\"refund\") == [\"refund policy\"]\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    for assert in test.asserts().iter().filter(|assert| test.owns(assert.owner)) {
        if is_true(&assert.node.test) {
            let written = test.file.text(&*assert.node.test);
            report
                .at(assert, format!("`assert {written}` always holds: `{}` cannot fail here", test.name()))
                .help("assert something about the result, or delete the test");
        }
    }
}

fn is_true(expr: &Expr) -> bool {
    match expr {
        Expr::BooleanLiteral(literal) => literal.value,
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(int) => *int != 0,
            Number::Float(float) => *float != 0.0,
            Number::Complex { real, imag } => *real != 0.0 || *imag != 0.0,
        },
        Expr::StringLiteral(literal) => !literal.value.is_empty(),
        _ => false,
    }
}
