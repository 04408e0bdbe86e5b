//! `assert-true`.

use crate::known::claims::{Says, claims};
use crate::literal::{is_constant, truth};
use crate::{Check, Def, Example, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "assert-true",
    what: "An assertion on a constant: `assert True`, `assert 1`, `assert \"text\"`, `self.assertTrue(True)`.",
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
    for claim in claims(test).filter(|claim| test.owns(claim.owner)) {
        let (condition, meant) = match claim.says {
            Says::True(condition) => (condition, true),
            Says::False(condition) => (condition, false),
            _ => continue,
        };
        if is_constant(condition) && truth(condition) == Some(meant) {
            let condition = test.file.text(condition);
            let written = match (claim.is_statement, meant) {
                (true, _) => format!("assert {condition}"),
                (false, true) => format!("self.assertTrue({condition})"),
                (false, false) => format!("self.assertFalse({condition})"),
            };
            report
                .at(claim, format!("`{written}` always holds: `{}` cannot fail here", test.name()))
                .help("assert something about the result, or delete the test");
        }
    }
}
