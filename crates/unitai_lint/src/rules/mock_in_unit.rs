//! `mock-in-unit`.

use crate::known::mocks::first_mock;
use crate::{Check, Example, File, Layer, Report, Role, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "mock-in-unit",
    what: "A mock in a unit test, or in a fixture of unit tests: `unittest.mock`, `mocker`, canned HTTP answers, a fixture that is \
           called a mock, or a part that `monkeypatch` replaces by an answer. The clock and the environment may be set.",
    why: "A unit test is about pure logic: input in, output out. Code that needs a mock to be tested does something else \
          besides, and the mock says nothing about that. Take the logic out and test it alone, and test the rest with real \
          parts. `MockToolkit` and scripted models are not meant: they replace nothing inside of the agent.",
    bad: Example {
        path: "tests/unit/test_summary.py",
        code: "from unittest.mock import MagicMock\n\n\ndef test_summary():\n    store = MagicMock()\n    store.orders.return_value = [1, 2]\n    assert summary(store) == \"2 orders\"\n",
    },
    good: Example {
        path: "tests/unit/test_summary.py",
        code: "def test_summary():\n    assert summary_of([1, 2]) == \"2 orders\"\n",
    },
    severity: Severity::Warning,
    layers: &[Layer::Unit],
    is_fixable: false,
    check: Check::Python(check),
};

fn check(file: &File<'_>, report: &mut Report<'_>) {
    for def in file.defs().filter(|def| matches!(def.role, Role::Test | Role::Fixture)) {
        if def.layer != Some(Layer::Unit) {
            continue;
        }
        if let Some(mock) = first_mock(def) {
            report
                .at(
                    mock.range,
                    format!("`{}` needs {}: with a mock, it is no unit test", def.name(), mock.what),
                )
                .help("test the pure part without it, and the rest with real parts in another layer");
        }
    }
}
