"""The installed plugin in a real pytest: the fixture, and what a failing test shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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


# One run of pytest for all of these: starting pytest takes longer than they do.
ONE_BY_ONE = {
    "test_fresh_one": "assert run(mock_toolkit).succeeded",
    "test_fresh_two": "assert run(mock_toolkit).succeeded",
    "test_directly": 'assert run(mock_toolkit).tool_called_before("lookup_order", "process_refund")',
    "test_by_a_name": """
    result = run(mock_toolkit)
    found = result.tool_called_before("lookup_order", "process_refund")
    assert found""",
    "test_in_an_and": """
    result = run(mock_toolkit)
    assert result.succeeded and result.tool_called_before("lookup_order", "process_refund")""",
    "test_negated": """
    result = run(mock_toolkit)
    assert not (not result.tool_called_before("lookup_order", "process_refund"))""",
    "test_compared": """
    result = run(mock_toolkit)
    assert result.tool_called_before("lookup_order", "process_refund") == True""",
    "test_in_a_helper": """
    result = run(mock_toolkit)
    def helper():
        assert result.tool_called_before("lookup_order", "process_refund")
    helper()""",
    "test_count": """
    result = run(mock_toolkit)
    assert result.tool_call_count("lookup_order") == 2""",
    "test_strict": """
    mock_toolkit.mock("process_refund", return_value=1)
    mock_toolkit.run(agent, "x")""",
    "test_chain": 'unitai.assert_trajectory(run(mock_toolkit)).called("lookup_order").before("process_refund")',
    "test_other": """
    unitai.MockToolkit()
    assert 1 == 2""",
}

UNITTEST = """
class TestRefund(unitai.AgentTestCase):
    def test_passes(self):
        self.assertToolWasCalled(run(self.toolkit), "lookup_order")

    def test_fails(self):
        self.assertToolCalledBefore(run(self.toolkit), "lookup_order", "process_refund")
"""


class Report:
    """What pytest said, test by test."""

    def __init__(self, text: str) -> None:
        self.text = text
        blocks = re.split(
            r"^_{3,} ([\w.]+) _{3,}$", re.split(r"^=+ short test summary", text, flags=re.M)[0], flags=re.M
        )
        self.failures = dict(zip(blocks[1::2], blocks[2::2], strict=True))
        self.passed = set(re.findall(r"^PASSED \S+::(\w+)$", text, re.M))

    def failure(self, name: str) -> pytest.LineMatcher:
        assert name in self.failures, self.text
        return pytest.LineMatcher(self.failures[name].splitlines())


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    tests = "".join(f"\ndef {name}(mock_toolkit):\n    {body.lstrip()}\n" for name, body in ONE_BY_ONE.items())
    (folder / "test_agents.py").write_text("import unitai\n" + AGENT + tests + UNITTEST, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return Report(done.stdout)


def test_each_test_gets_a_fresh_toolkit(report):
    assert {"test_fresh_one", "test_fresh_two"} <= report.passed


def test_nothing_is_said_of_tests_that_pass(report):
    assert not {"test_fresh_one", "test_fresh_two", "TestRefund.test_passes"} & set(report.failures)


@pytest.mark.parametrize(
    "name", ["test_directly", "test_by_a_name", "test_in_an_and", "test_negated", "test_compared", "test_in_a_helper"]
)
def test_a_failing_check_shows_the_trajectory(report, name):
    shown = report.failure(name)
    shown.fnmatch_lines(MARKED)
    shown.no_fnmatch_line("*\x1b*")


def test_a_plain_comparison_that_fails_shows_the_trajectory_too(report):
    report.failure("test_count").fnmatch_lines(
        ["*- UnitAI -*", "  Actual trajectory:", "    1. ?tool_call? process_refund*", "  Cost: *"]
    )


def test_an_unmocked_tool_shows_the_partial_trajectory(report):
    report.failure("test_strict").fnmatch_lines(
        [
            "*UnmockedToolError: the agent called lookup_order, which is not mocked ?UA206?",
            "*- UnitAI -*",
            "*2. ?tool_call? lookup_order*",
        ]
    )


def test_assert_trajectory_shows_its_report_once(report):
    assert str(report.failure("test_chain")).count("Actual trajectory:") == 1


def test_a_failure_that_has_nothing_to_do_with_agents_is_left_alone(report):
    report.failure("test_other").no_fnmatch_line("*- UnitAI -*")


def test_a_unittest_class_works_under_pytest(report):
    assert "test_passes" in report.passed
    report.failure("TestRefund.test_fails").fnmatch_lines(
        ['*Assertion: tool_called_before("lookup_order", "process_refund")']
    )


def test_colour_follows_the_terminal_and_reports_survive_xdist(pytester):
    pytester.makepyfile(AGENT + "\ndef test_order(mock_toolkit):\n    " + ONE_BY_ONE["test_directly"] + "\n")
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--color=yes", "-n1")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*\x1b?1mActual trajectory:\x1b?0m"])
    without_colour = re.sub(r"\x1b\[[0-9;]*m", "", str(done.stdout))
    pytest.LineMatcher(without_colour.splitlines()).fnmatch_lines(MARKED)


def test_a_test_that_does_not_use_unitai_does_not_load_its_engine(pytester, monkeypatch):
    # Whoever sets a variable of ours is told if it is no setting, by the engine.
    monkeypatch.delenv("UNITAI_CORPUS", raising=False)
    pytester.makepyfile("import sys\n\ndef test_lean():\n    assert 'unitai._engine' not in sys.modules\n")
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_a_report_says_where_the_agent_failed(pytester):
    pytester.makepyfile(
        shop="""
        def refund(message, tools):
            return {}["order"]

        async def awaits(message, tools):
            return await tools["lookup"]()
        """,
        test_shop="""
        import shop

        def test_where(mock_toolkit):
            assert mock_toolkit.run(shop.refund, "x").succeeded

        def test_hint(mock_toolkit):
            mock_toolkit.mock("lookup", return_value={})
            assert mock_toolkit.run(shop.awaits, "x").succeeded
        """,
    )
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    done.stdout.fnmatch_lines(["*Agent raised: KeyError: 'order' (at shop.py:2 in refund)"])
    done.stdout.fnmatch_lines(["*Agent raised: TypeError: *(at shop.py:5 in awaits)", "*Hint: *awaitable=True*"])


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such modes there")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_where_a_framework_stores_is_closed_to_other_users_and_gone_after_the_run(pytester, monkeypatch, workers):
    pytest.importorskip("xdist")
    monkeypatch.delenv("CREWAI_STORAGE_DIR", raising=False)
    pytester.makepyfile(
        """
        import os
        import pathlib
        import stat

        def test_store():
            store = pathlib.Path(os.environ["CREWAI_STORAGE_DIR"])
            assert stat.S_IMODE(store.stat().st_mode) == 0o700
            (store / "memory").write_text("what was said")
            pathlib.Path("where").write_text(str(store))
        """
    )
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "xdist", "-n", workers)
    done.assert_outcomes(passed=1)
    assert not Path((pytester.path / "where").read_text()).exists()
