"""Adapters as the specification writes them: tools of the toolkit in, a trajectory of the run out."""

from __future__ import annotations

import pytest

from unitai import (
    BaseAdapter,
    InvalidArgumentError,
    MockToolkit,
    Trajectory,
    TrajectoryStep,
    UnmockedToolError,
)

pytestmark = pytest.mark.unit


class Clerk:
    """An agent of some framework: it calls its tools in order, and says what the last one gave."""

    def __init__(self, **tools):
        self.tools = tools

    def work(self, order, seen):
        answer = None
        for name, tool in self.tools.items():
            args = {"order_id": order}
            answer = tool(args)
            seen(name, args, answer)
        return f"done: {answer}"


class ClerkAdapter(BaseAdapter):
    """As section 6.1 and phase 5 of the specification have it."""

    name = "clerk"

    def can_handle(self, agent):
        return isinstance(agent, Clerk)

    def inject_mocks(self, agent, toolkit):
        def routed(name):
            return lambda args: toolkit.get_tool(name).invoke(args)

        return Clerk(**{name: routed(name) for name in self.extract_tools(agent)})

    def execute(self, wrapped_agent, input, timeout):
        steps = [TrajectoryStep(0, "llm_call", 1.0, model="clerk-1", prompt_tokens=40, completion_tokens=2, cost=0.02)]

        def seen(name, args, answer):
            at = len(steps)
            steps.append(TrajectoryStep(at, "tool_call", 1.0 + at, tool_name=name, tool_args=args, tool_result=answer))

        output = wrapped_agent.work(input, seen)
        return Trajectory(input=input, steps=steps, final_output=output, duration_seconds=2.5)

    def extract_tools(self, agent):
        return list(agent.tools)


class Reporter(ClerkAdapter):
    """Reports what a test says, whatever happened."""

    def __init__(self, report, *, calls=()):
        self.report, self.calls = report, calls

    def inject_mocks(self, agent, toolkit):
        return toolkit

    def execute(self, wrapped_agent, input, timeout):
        for name in self.calls:
            wrapped_agent.get_tool(name).invoke({})
        if isinstance(self.report, BaseException):
            raise self.report
        return self.report


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("lookup", return_value="delivered")
    toolkit.mock("refund", return_value="R-1")
    return toolkit


def real(args):
    raise AssertionError("a real tool ran")


def test_an_adapter_as_the_specification_writes_it_runs_an_agent(toolkit):
    clerk = Clerk(lookup=real, refund=real)
    for _ in range(2):
        result = toolkit.run(clerk, "7", adapter=ClerkAdapter())
        assert result.output == "done: R-1"
        assert result.call_order() == ["lookup", "refund"]
        assert result.tool_called_with("refund", order_id="7")
        assert [step.step_type for step in result.trajectory.steps] == ["llm_call", "tool_call", "tool_call"]
        assert (result.total_tokens, result.total_cost, result.llm_calls, result.duration) == (42, 0.02, 1, 2.5)
        assert result.succeeded
    assert [call.args for call in toolkit.get_tool("refund").calls] == [{"order_id": "7"}] * 2
    assert clerk.tools == {"lookup": real, "refund": real}


def test_such_an_adapter_cannot_reach_a_tool_that_is_not_mocked(toolkit):
    with pytest.raises(UnmockedToolError, match="delete"):
        toolkit.run(Clerk(lookup=real, delete=real), "7", adapter=ClerkAdapter())
    assert toolkit.run(Clerk(lookup=real), "7", adapter=ClerkAdapter()).output == "done: delivered"


def test_an_allowed_tool_runs_where_the_toolkit_knows_it(toolkit):
    toolkit.allow("stamp", lambda order_id: f"stamped {order_id}")
    result = toolkit.run(Clerk(stamp=real), "7", adapter=ClerkAdapter())
    assert result.output == "done: stamped 7"


def test_tools_of_a_session_know_the_calls_of_their_run(toolkit):
    seen = []

    class Collecting(Reporter):
        def execute(self, wrapped_agent, input, timeout):
            refund = wrapped_agent.get_tool("refund")
            refund.invoke({"order_id": input})
            seen.append((refund.name, [(call.args, call.result) for call in refund.calls]))
            steps = [TrajectoryStep(tool_name=refund.name, tool_args=call.args) for call in refund.calls]
            return Trajectory(steps=steps, final_output="collected")

    for order in ("1", "2"):
        result = toolkit.run(Clerk(), order, adapter=Collecting(None))
        assert result.tool_called_with("refund", order_id=order)
    assert seen == [("refund", [({"order_id": "1"}, "R-1")]), ("refund", [({"order_id": "2"}, "R-1")])]


def test_a_report_without_steps_has_those_that_were_recorded(toolkit):
    report = Trajectory(final_output="refunded", total_cost=0.5, total_tokens=9, llm_calls=3)
    result = toolkit.run(Clerk(), "7", adapter=Reporter(report, calls=["refund"]))
    assert (result.output, result.call_order()) == ("refunded", ["refund"])
    assert (result.total_cost, result.total_tokens, result.llm_calls) == (0.5, 9, 3)
    assert result.trajectory.input == "7"


def test_an_error_that_is_reported_is_the_error_of_the_run(toolkit):
    error = TimeoutError("the service is down")
    result = toolkit.run(Clerk(), "7", adapter=Reporter(Trajectory(error=error)))
    assert result.failed
    assert result.error is error
    assert result.error_is(TimeoutError)


def test_an_error_that_is_reported_and_never_looked_at_is_told(toolkit):
    toolkit.run(Clerk(), "7", adapter=Reporter(Trajectory(error=TimeoutError("down"))))
    assert [line.partition(" (at ")[0] for line in toolkit.unseen_errors()] == ["TimeoutError: down"]


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ([TrajectoryStep(tool_name="lookup")], "2 calls of refund"),
        ([TrajectoryStep(tool_name="lookup"), TrajectoryStep(tool_name="refund")], "a call of refund"),
    ],
)
def test_a_report_that_lacks_a_recorded_call_is_refused(toolkit, steps, found):
    adapter = Reporter(Trajectory(steps=steps), calls=["lookup", "refund", "refund"])
    with pytest.raises(InvalidArgumentError, match=found):
        toolkit.run(Clerk(), "7", adapter=adapter)
    assert len(toolkit.get_tool("refund").calls) == 2
    # The toolkit goes on.
    assert toolkit.run(Clerk(), "7", adapter=Reporter("fine")).output == "fine"


def test_a_report_that_lacks_a_recorded_model_call_is_refused(toolkit):
    class Asking(Reporter):
        def execute(self, wrapped_agent, input, timeout):
            toolkit.record_llm_call("gpt-4o", 10, 5)
            return self.report

    steps = [TrajectoryStep(tool_name="lookup")]
    with pytest.raises(InvalidArgumentError, match="a call of a model"):
        toolkit.run(Clerk(), "7", adapter=Asking(Trajectory(steps=steps)))
    given = Trajectory(steps=steps, llm_calls=1, total_cost=0.01)
    assert toolkit.run(Clerk(), "7", adapter=Asking(given)).total_cost == 0.01


def test_what_must_end_a_run_counts_before_a_report(toolkit):
    class Swallowing(Reporter):
        def execute(self, wrapped_agent, input, timeout):
            with pytest.raises(UnmockedToolError):
                wrapped_agent.get_tool("delete").invoke({})
            return self.report

    with pytest.raises(UnmockedToolError) as caught:
        toolkit.run(Clerk(), "7", adapter=Swallowing(Trajectory(final_output="all is well")))
    assert caught.value.result.call_order() == ["delete"]


def test_a_plain_agent_may_return_a_trajectory_as_its_answer(toolkit):
    answer = Trajectory(final_output="inner")
    for result in (toolkit.run(lambda input, tools: answer, "go"), toolkit.run_generic(lambda: answer)):
        assert result.output == answer
        assert result.trajectory.run_id != answer.run_id
