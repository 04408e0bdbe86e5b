"""What a person reads when a test fails, to the letter."""

from __future__ import annotations

import re

import pytest

from unitai import AgentRunResult, Trajectory, TrajectoryStep

pytestmark = pytest.mark.regression


def result(steps: list[TrajectoryStep], **more: object) -> AgentRunResult:
    return AgentRunResult(Trajectory(steps=steps, duration_seconds=1.2, **more))


def tool_calls(count: int) -> list[TrajectoryStep]:
    return [TrajectoryStep(tool_name=f"tool_{n % 7}", tool_args={"n": n}) for n in range(count)]


def every_kind() -> list[TrajectoryStep]:
    return [
        TrajectoryStep(step_type="llm_call", model="gpt-4o", prompt_tokens=800, completion_tokens=47, cost=0.00247),
        TrajectoryStep(tool_name="lookup", tool_args={"order_id": "123", "deep": {"list": [1, 2.5, None, True]}}),
        TrajectoryStep(step_type="state_change", key="cart", old_value=[], new_value=["book"], agent_id="shopper"),
        TrajectoryStep(tool_name="refund", tool_args={"long": "x" * 500}, tool_error=TimeoutError("payment is down")),
        TrajectoryStep(tool_name="nothing"),
    ]


@pytest.mark.parametrize("count", [0, 1, 5, 200])
def test_trajectories_of_every_length(count, snapshot):
    shown = result(tool_calls(count), final_output="done").tool_was_called("absent")
    snapshot.assert_match(str(shown), f"steps-{count}.txt")


def test_a_long_trajectory_keeps_what_lies_around_the_cited_steps(snapshot):
    steps = tool_calls(200)
    steps[100] = TrajectoryStep(tool_name="delete_everything")
    shown = str(result(steps).tool_not_called("delete_everything"))
    snapshot.assert_match(shown, "steps-200-cited.txt")
    assert "> 101. [tool_call] delete_everything()" in shown


def test_every_kind_of_step(snapshot):
    snapshot.assert_match(str(result(every_kind(), error=ValueError("gave up")).succeeded), "every-kind.txt")


def test_colour_only_adds_escapes(snapshot):
    finding = result(every_kind(), final_output="done").tool_called_before("refund", "lookup")
    coloured = finding.report(colour=True)
    snapshot.assert_match(coloured.replace("\x1b", "<ESC>"), "colour.txt")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == finding.report()


def test_an_unpriced_model_is_said_to_be_so(snapshot):
    steps = [TrajectoryStep(step_type="llm_call", model="of-my-own", prompt_tokens=1, completion_tokens=1)]
    snapshot.assert_match(result(steps).report(), "unpriced.txt")


HOSTILE = "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\r\n\t\u202eevil\u2066\u200b\ufeff\U000e0041"


def test_control_characters_from_agents_and_tools_never_reach_a_report():
    steps = [
        TrajectoryStep(
            tool_name=HOSTILE, tool_args={HOSTILE: HOSTILE}, tool_error=ValueError(HOSTILE), agent_id=HOSTILE
        ),
        TrajectoryStep(step_type="llm_call", model=HOSTILE, cost=0.1),
        TrajectoryStep(step_type="state_change", key=HOSTILE, old_value=HOSTILE, new_value={HOSTILE: [HOSTILE]}),
    ]
    run = result(steps, final_output=HOSTILE)
    failed = result(steps, error=ValueError(HOSTILE))
    texts = [
        *(str(run.tool_was_called(HOSTILE + "x")) for _ in range(1)),
        str(run.tool_not_called(HOSTILE)),
        str(run.tool_called_with(HOSTILE, other=HOSTILE)),
        str(run.matches([(HOSTILE, {"a": HOSTILE}), "b"])),
        str(run.output_contains(HOSTILE + "x")),
        str(failed.succeeded),
        str(failed.error_is(KeyError)),
        repr(failed.succeeded),
        *(repr(step) for step in run.trajectory.steps),
        repr(run.trajectory),
        repr(failed),
    ]
    for text in texts:
        assert not re.search(
            r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]", text
        )
