"""The installed plugin in a real pytest: the fixture, and what a failing test shows."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.integration

AGENT = """
def agent(input, tools):
    tools["process_refund"](order_id="123", amount=49.99)
    tools["lookup_order"](order_id="123")
    return "Your refund has been processed."

def run(toolkit):
    toolkit.mock("lookup_order", return_value={"status": "delivered"})
    toolkit.mock("process_refund", return_value=True)
    return toolkit.run(agent, "refund 123")
"""

MARKED = [
    "*- UnitAI -*",
    '  Assertion: tool_called_before("lookup_order", "process_refund")',
    "",
    "  Actual trajectory:",
    '  > 1. ?tool_call? process_refund(order_id="123", amount=49.99)',
    '  > 2. ?tool_call? lookup_order(order_id="123")',
    "",
    "  Expected: lookup_order before process_refund",
    "  Actual:   process_refund was called at step 1, lookup_order at step 2",
    "",
    '  Agent output: "Your refund has been processed."',
    "  Cost: $0.00 | Tokens: 0 | Duration: *",
]


@pytest.fixture
def run(pytester):
    def go(source, *args):
        pytester.makepyfile(AGENT + source)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *args)

    return go


def test_each_test_gets_a_fresh_toolkit(run):
    done = run(
        """
def test_one(mock_toolkit):
    assert run(mock_toolkit).succeeded

def test_two(mock_toolkit):
    assert run(mock_toolkit).succeeded
"""
    )
    done.assert_outcomes(passed=2)
    done.stdout.no_fnmatch_line("*UnitAI*")


@pytest.mark.parametrize(
    "body",
    [
        'assert run(mock_toolkit).tool_called_before("lookup_order", "process_refund")',
        'result = run(mock_toolkit)\n    found = result.tool_called_before("lookup_order", "process_refund")\n    assert found',
        'result = run(mock_toolkit)\n    assert result.succeeded and result.tool_called_before("lookup_order", "process_refund")',
        'result = run(mock_toolkit)\n    assert not (not result.tool_called_before("lookup_order", "process_refund"))',
        'result = run(mock_toolkit)\n    assert result.tool_called_before("lookup_order", "process_refund") == True',
        'result = run(mock_toolkit)\n    def helper():\n        assert result.tool_called_before("lookup_order", "process_refund")\n    helper()',
    ],
    ids=["directly", "by-a-name", "in-an-and", "negated", "compared", "in-a-helper"],
)
def test_a_failing_check_shows_the_trajectory(run, body):
    done = run(f"\ndef test_order(mock_toolkit):\n    {body}\n")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(MARKED)
    done.stdout.no_fnmatch_line("*\x1b*")


def test_a_plain_comparison_that_fails_shows_the_trajectory_too(run):
    done = run(
        "\ndef test_cost(mock_toolkit):\n    result = run(mock_toolkit)\n    assert result.tool_call_count('lookup_order') == 2\n"
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["*- UnitAI -*", "  Actual trajectory:", "    1. ?tool_call? process_refund*", "  Cost: *"]
    )


def test_an_unmocked_tool_shows_the_partial_trajectory(run):
    done = run(
        '\ndef test_strict(mock_toolkit):\n    mock_toolkit.mock("process_refund", return_value=1)\n    mock_toolkit.run(agent, "x")\n'
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*UnmockedToolError: the agent called lookup_order, which is not mocked ?UA206?",
            "*- UnitAI -*",
            "*2. ?tool_call? lookup_order*",
        ]
    )


def test_assert_trajectory_shows_its_report_once(run):
    done = run(
        """
from unitai import assert_trajectory

def test_chain(mock_toolkit):
    assert_trajectory(run(mock_toolkit)).called("lookup_order").before("process_refund")
"""
    )
    done.assert_outcomes(failed=1)
    assert str(done.stdout).count("Actual trajectory:") == 1


def test_a_failure_that_has_nothing_to_do_with_agents_is_left_alone(run):
    done = run("\nimport unitai\n\ndef test_other():\n    unitai.MockToolkit()\n    assert 1 == 2\n")
    done.assert_outcomes(failed=1)
    done.stdout.no_fnmatch_line("*- UnitAI -*")


def test_colour_follows_the_terminal(run):
    done = run('\ndef test_order(mock_toolkit):\n    assert run(mock_toolkit).tool_was_called("x")\n', "--color=yes")
    done.stdout.fnmatch_lines(["*\x1b?1mActual trajectory:\x1b?0m"])


def test_reports_survive_xdist(run):
    done = run(
        '\ndef test_order(mock_toolkit):\n    assert run(mock_toolkit).tool_called_before("lookup_order", "process_refund")\n',
        "-n1",
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(MARKED)


def test_a_unittest_class_works_under_pytest(run):
    done = run(
        """
from unitai import AgentTestCase

class TestRefund(AgentTestCase):
    def test_passes(self):
        self.assertToolCalled(run(self.toolkit), "lookup_order")

    def test_fails(self):
        self.assertToolCalledBefore(run(self.toolkit), "lookup_order", "process_refund")
"""
    )
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(['*Assertion: tool_called_before("lookup_order", "process_refund")'])


def test_a_test_that_does_not_use_unitai_does_not_load_its_engine(pytester):
    pytester.makepyfile("import sys\n\ndef test_lean():\n    assert 'unitai._engine' not in sys.modules\n")
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
