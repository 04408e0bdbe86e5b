//! `assert-on-tuple`.

use crate::ast::Expr;
use crate::{Check, Def, Example, Fix, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "assert-on-tuple",
    what: "An assertion on a tuple that is not empty: `assert (result.passed, \"no refund\")`.",
    why: "A tuple with something in it counts as true. The brackets make the condition and its message one value, and the \
          assertion holds whatever the condition is.",
    bad: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    result = agent.run(\"refund order 1\")\n    assert (\"refunded\" in result.content, \"no refund\")\n",
    },
    good: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    result = agent.run(\"refund order 1\")\n    assert \"refunded\" in result.content, \"no refund\"\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: true,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    for assert in test.asserts() {
        let Expr::Tuple(tuple) = &*assert.node.test else { continue };
        // What stands behind a star may be empty.
        if tuple.elts.iter().all(Expr::is_starred_expr) {
            continue;
        }
        let message = format!(
            "this asserts a tuple of {}, which always holds: `{}` cannot fail here",
            tuple.elts.len(),
            test.name()
        );
        let finding = report.at(assert, message).help("take the brackets away: `assert condition, message`");
        // With brackets, two parts, and the second one a text: what was meant is plain.
        if let ([condition, text], true, None) = (&tuple.elts[..], tuple.parenthesized, &assert.node.msg)
            && (text.is_string_literal_expr() || text.is_f_string_expr())
            && !needs_brackets(condition)
            && !test.file.text(tuple).contains(['\n', '\r', '#'])
        {
            // `assert(x, "m")` needs no blank; without its brackets it does.
            let before = &test.file.source[..usize::from(tuple.start())];
            let blank = if before.ends_with(char::is_whitespace) { "" } else { " " };
            let text = format!("{blank}{}, {}", test.file.text(condition), test.file.text(text));
            finding.fix(Fix::replace("take the brackets away", tuple.range(), text));
        }
    }
}

/// Whether a condition means something else without brackets, or nothing; or is a tuple once more.
fn needs_brackets(condition: &Expr) -> bool {
    matches!(
        condition,
        Expr::Named(_) | Expr::Starred(_) | Expr::Tuple(_) | Expr::Yield(_) | Expr::YieldFrom(_)
    )
}
