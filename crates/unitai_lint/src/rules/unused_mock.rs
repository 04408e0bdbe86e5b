//! `unused-mock`.

use crate::agent::{has_unknown_fixture, prepares, toolkits};
use crate::{Check, Def, Example, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "unused-mock",
    what: "A test that mocks tools on a toolkit and never runs anything with it: no `run`, no `as_dict`, and it is handed to \
           nobody.",
    why: "No agent ever sees these mocks. What the test runs, if anything, runs without them.",
    bad: Example {
        path: "tests/agents/test_refund.py",
        code: "def test_refund(mock_toolkit):\n    mock_toolkit.mock(\"refund\", return_value=True)\n    assert \"refunded\" in answer(\"Refund order 123\")\n",
    },
    good: Example {
        path: "tests/agents/test_refund.py",
        code: "def test_refund(mock_toolkit):\n    mock_toolkit.mock(\"refund\", return_value=True)\n    result = mock_toolkit.run(answer, \"Refund order 123\")\n    assert result.output_contains(\"refunded\")\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    for toolkit in toolkits(test) {
        // What is made elsewhere can be used elsewhere: by a fixture that has it too, by methods of the class.
        if toolkit.contains('.') || test.takes(toolkit) && has_unknown_fixture(test) {
            continue;
        }
        let mut prepared = test.calls().iter().filter(|call| call.receiver() == toolkit && prepares(call));
        let Some(first) = prepared.next() else { continue };
        let count = 1 + prepared.count();
        let read = test.names().iter().filter(|name| name.is_read() && name.id() == toolkit).count();
        if read == count && !is_kept(test, toolkit) {
            let message = format!(
                "`{toolkit}` is prepared and never used: no agent of `{}` sees its mocks",
                test.name()
            );
            report
                .at(first.range(), message)
                .help(format!("run the agent with it: `{toolkit}.run(agent, ...)`; or hand its tools on: `{toolkit}.as_dict()`"));
        }
    }
}

/// Whether a preparation itself is what matters: `tool = toolkit.mock(...)`, or one that must be refused.
fn is_kept(test: Def<'_, '_>, toolkit: &str) -> bool {
    test.calls().iter().any(|call| {
        let is_line = call.context.is_statement() && !call.context.in_raises();
        call.receiver() == toolkit && prepares(call) && !is_line
    })
}
