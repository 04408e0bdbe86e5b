//! `bad-ignore`.

use crate::{Check, Example, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "bad-ignore",
    what: "A comment `# unitai: ignore[...]` without a reason, without a rule, or with a rule that does not exist.",
    why: "Whoever reads the test next should know why a rule does not count here. A misspelled rule ignores nothing.",
    bad: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search():\n    search(\"refund\")\n    assert True  # unitai: ignore[assert-true]\n",
    },
    good: Example {
        path: "tests/unit/test_search.py",
        code: "def test_search():\n    search(\"refund\")\n    assert True  # unitai: ignore[assert-true] search() itself raises\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Engine,
};
