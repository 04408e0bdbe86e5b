//! `syntax-error`.

use crate::{Check, Example, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "syntax-error",
    what: "A file that is no Python, or no YAML test: where it stops to be one, and what was expected there.",
    why: "No rule can look at it, and no test of it runs.",
    bad: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search()\n    assert search(\"refund\")\n",
    },
    good: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search():\n    assert search(\"refund\") == []\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Engine,
};
