//! `unreadable-file`.

use crate::{Check, Example, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "unreadable-file",
    what: "A file that cannot be looked at: it may not be opened, is larger than 10 MB, has bytes that its encoding does \
           not know, or is nested too deeply.",
    why: "A file that is left out in silence looks like one that is clean.",
    bad: Example {
        path: "tests/unit/test_search.py",
        code: "# -*- coding: klingon -*-\ndef test_search():\n    assert search(\"refund\") == []\n",
    },
    good: Example {
        path: "tests/unit/test_search.py",
        code: "# -*- coding: utf-8 -*-\ndef test_search():\n    assert search(\"refund\") == []\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Engine,
};
