//! `unused-ignore`.

use crate::{Check, Example, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "unused-ignore",
    what: "A comment `# unitai: ignore[...]` behind which the rule finds nothing.",
    why: "It hides what comes later: the next slip in this place would be ignored, for a reason that is gone.",
    bad: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search():\n    assert search(\"refund\") == []  # unitai: ignore[assert-true] search() itself raises\n",
    },
    good: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search():\n    assert search(\"refund\") == []\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: true,
    check: Check::Engine,
};
