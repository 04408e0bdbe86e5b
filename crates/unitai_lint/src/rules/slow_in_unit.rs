//! `slow-in-unit`.

use crate::{Check, Def, Example, Layer, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "slow-in-unit",
    what: "A unit test that is marked as slow: `@pytest.mark.slow`.",
    why: "Unit tests run at every change, each in less than a second; whoever has to wait stops running them. What needs longer \
          belongs to another layer, or works on less.",
    bad: Example {
        path: "tests/unit/test_chunks.py",
        code: "import pytest\n\n\n@pytest.mark.slow\ndef test_chunks():\n    assert len(chunks(\"word \" * 50_000_000)) > 1\n",
    },
    good: Example {
        path: "tests/unit/test_chunks.py",
        code: "def test_chunks():\n    assert len(chunks(\"word \" * 500)) > 1\n",
    },
    severity: Severity::Warning,
    layers: &[Layer::Unit],
    is_fixable: false,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    if test.has_marker("slow") {
        report
            .at(
                test,
                format!("`{}` is marked as slow, and a unit test takes less than a second", test.name()),
            )
            .help("work on less, or move it to the layer of what makes it slow");
    }
}
