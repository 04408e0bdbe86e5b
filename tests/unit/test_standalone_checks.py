"""Checks as functions of a trajectory, and the formatter of the specification."""

from __future__ import annotations

import pytest

from unitai import AgentRunResult, Finding, Trajectory, TrajectoryStep
from unitai.core import assertions
from unitai.core.trajectory import TrajectoryFormatter

pytestmark = pytest.mark.unit

#: What a result has that asks nothing of a run: properties that every trajectory has, too.
NO_CHECKS = {"trajectory", "output", "total_cost", "total_tokens", "llm_calls", "duration", "error", "report"}


def trajectory() -> Trajectory:
    steps = [TrajectoryStep(tool_name=name, tool_args={"id": name}, tool_result=True) for name in ("lookup", "refund")]
    return Trajectory(steps=steps, final_output="Refunded.", total_cost=0.003, total_tokens=847, duration_seconds=1.2)


def test_every_check_of_a_result_is_a_function():
    checks = {name for name in dir(AgentRunResult) if not name.startswith("_")} - NO_CHECKS
    assert checks <= set(assertions.__all__)


@pytest.mark.parametrize("subject", [trajectory(), AgentRunResult(trajectory())], ids=["trajectory", "result"])
def test_a_function_says_what_the_method_says(subject):
    assert assertions.tool_was_called(subject, "lookup")
    assert assertions.tool_called_before(subject, first="lookup", second="refund")
    assert assertions.tool_called_immediately_before(subject, "lookup", "refund", first=True)
    assert assertions.tool_called_with(subject, "lookup", id="lookup")
    assert assertions.tool_call_count(subject, "refund") == 1
    assert assertions.call_order(subject) == ["lookup", "refund"]
    assert assertions.succeeded(subject)
    assert assertions.within(subject, cost=0.01)
    assert assertions.get_call(subject, "refund").args == {"id": "refund"}
    for finding in (assertions.tool_not_called(subject, "refund"), assertions.failed(subject)):
        assert isinstance(finding, Finding)
        assert not finding
        assert "Actual trajectory:\n    1. [tool_call] lookup(" in str(finding).replace("> ", "  ")


def test_a_name_of_an_argument_may_be_that_of_the_subject():
    subject = Trajectory(steps=[TrajectoryStep(tool_name="send", tool_args={"subject": "Refund", "self": 1})])
    assert assertions.tool_called_with_partial(subject, "send", subject="Refund")


def test_the_formatter_shows_a_trajectory_as_a_failed_check_does():
    assert TrajectoryFormatter().format(trajectory()).splitlines() == [
        "  Actual trajectory:",
        '    1. [tool_call] lookup(id="lookup")',
        '    2. [tool_call] refund(id="refund")',
        "",
        '  Agent output: "Refunded."',
        "  Cost: $0.003 | Tokens: 847 | Duration: 1.2s",
    ]
    many = Trajectory(steps=[TrajectoryStep(tool_name=f"tool_{at}") for at in range(25)])
    assert "25. [tool_call] tool_24()" in TrajectoryFormatter().format(many)
    assert "(no steps)" in TrajectoryFormatter().format(Trajectory())
