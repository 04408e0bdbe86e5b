"""The chain of assertions: each link raises with the whole report, or hands on."""

import pytest

from unitai import (
    AgentRunResult,
    BrokenExpectationError,
    InvalidArgumentError,
    Trajectory,
    TrajectoryStep,
    assert_trajectory,
)

pytestmark = pytest.mark.unit

RUN = AgentRunResult(
    Trajectory(
        steps=[
            TrajectoryStep(tool_name="lookup", tool_args={"id": 1, "full": True}),
            TrajectoryStep(step_type="llm_call", model="m", prompt_tokens=10, cost=0.05),
            TrajectoryStep(tool_name="refund", tool_args={"id": 1}),
            TrajectoryStep(tool_name="refund", tool_args={"id": 2}),
        ],
        final_output="refunded",
        duration_seconds=1.0,
    )
)
FAILED = AgentRunResult(Trajectory(error=KeyError("gone")))

HOLDING = {
    "called": lambda chain: chain.called("lookup"),
    "called with some": lambda chain: chain.called("lookup", id=1),
    "called times": lambda chain: chain.called("refund").times(2),
    "called_with": lambda chain: chain.called_with("refund", id=2),
    "before": lambda chain: chain.called("lookup").before("refund"),
    "immediately_before": lambda chain: chain.called("lookup").immediately_before("refund", first=True),
    "immediately_before some": lambda chain: chain.called("refund").immediately_before("refund"),
    "never": lambda chain: chain.never("delete"),
    "in_order": lambda chain: chain.in_order("lookup", "refund"),
    "exactly": lambda chain: chain.exactly("lookup", "refund", "refund"),
    "matches": lambda chain: chain.matches(["refund", "lookup"], "superset"),
    "output_contains": lambda chain: chain.output_contains("refund"),
    "output_not_contains": lambda chain: chain.output_not_contains("sorry"),
    "output_matches": lambda chain: chain.output_matches("^ref"),
    "within": lambda chain: chain.within(cost=0.10, tokens=10, llm_calls=1, duration=1.0),
    "within nothing": lambda chain: chain.within(),
    "succeeded": lambda chain: chain.succeeded(),
}
BROKEN = {
    "called": lambda chain: chain.called("delete"),
    "called with some": lambda chain: chain.called("lookup", id=2),
    "called times": lambda chain: chain.called("refund").times(1),
    "called_with": lambda chain: chain.called_with("lookup", id=1),
    "before": lambda chain: chain.called("refund").before("lookup"),
    "immediately_before": lambda chain: chain.called("refund").immediately_before("lookup"),
    "immediately_before first": lambda chain: chain.called("refund").immediately_before("refund", first=True),
    "never": lambda chain: chain.never("lookup"),
    "in_order": lambda chain: chain.in_order("refund", "lookup"),
    "exactly": lambda chain: chain.exactly("lookup", "refund"),
    "matches": lambda chain: chain.matches(["lookup"]),
    "output_contains": lambda chain: chain.output_contains("sorry"),
    "output_not_contains": lambda chain: chain.output_not_contains("refund"),
    "output_matches": lambda chain: chain.output_matches("^sorry"),
    "within cost": lambda chain: chain.within(cost=0.01),
    "within tokens": lambda chain: chain.within(cost=1, tokens=9),
    "within llm_calls": lambda chain: chain.within(llm_calls=0),
    "within duration": lambda chain: chain.within(duration=0.5),
    "failed": lambda chain: chain.failed(),
    "failed with": lambda chain: chain.failed(ValueError),
}


@pytest.mark.parametrize("link", HOLDING.values(), ids=HOLDING)
def test_a_link_that_holds_hands_the_chain_on(link):
    chain = assert_trajectory(RUN)
    assert link(chain) is chain


@pytest.mark.parametrize("link", BROKEN.values(), ids=BROKEN)
def test_a_link_that_does_not_hold_raises_with_the_whole_report(link):
    with pytest.raises(BrokenExpectationError) as caught:
        link(assert_trajectory(RUN))
    assert isinstance(caught.value, AssertionError)
    assert not caught.value.finding
    assert str(caught.value.finding) in str(caught.value)
    assert "lookup(id=1, full=True)" in str(caught.value)


def test_the_chain_of_the_design_reads_as_written():
    chain = assert_trajectory(RUN).called("lookup").before("refund").never("delete").within(cost=0.10)
    assert chain.output_contains("refunded")


def test_before_goes_on_from_the_tool_it_named():
    with pytest.raises(BrokenExpectationError):
        assert_trajectory(RUN).called("lookup").before("refund").before("lookup")


@pytest.mark.parametrize("method", ["before", "immediately_before"])
def test_before_needs_a_tool_to_come_after(method):
    with pytest.raises(InvalidArgumentError, match="follows a tool"):
        getattr(assert_trajectory(RUN).never("delete"), method)("refund")


def test_a_trajectory_by_itself_will_do():
    assert assert_trajectory(RUN.trajectory).called("lookup").never("delete")


def test_an_agent_that_failed_is_asserted_by_its_error():
    assert assert_trajectory(FAILED).failed().failed(KeyError).failed((ValueError, LookupError))
    with pytest.raises(BrokenExpectationError):
        assert_trajectory(FAILED).succeeded()


def test_before_speaks_of_the_very_call_that_was_named_by_its_arguments():
    steps = [
        TrajectoryStep(tool_name="a", tool_args={"id": 1}),
        TrajectoryStep(tool_name="b"),
        TrajectoryStep(tool_name="a", tool_args={"id": 2}),
    ]
    trajectory = Trajectory(steps=steps)
    assert_trajectory(trajectory).called("a", id=1).before("b")
    assert_trajectory(trajectory).called("a").before("b")
    with pytest.raises(BrokenExpectationError, match="expected step 3 before b"):
        assert_trajectory(trajectory).called("a", id=2).before("b")
