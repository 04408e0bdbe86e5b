"""The two ports of an adapter: what it may say about a call, and what the engine makes of it."""

from __future__ import annotations

import threading

import pytest
import urllib3

from unitai import MockToolkit, UnknownToolError, UnmockedToolError, WrongArgumentsError, scripted_model
from unitai.adapters import AgentTool, BaseAdapter, Session, StateChange, ToolCall, speaking
from unitai.script import say

pytestmark = pytest.mark.unit

REFUND = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["order_id"],
    "additionalProperties": False,
}


class Agent:
    """Does what it is told, with the session."""

    def __init__(self, work, tools=()):
        self.work = work
        self.tools = list(tools)


class Adapter(BaseAdapter):
    """Runs such agents."""

    name = "told"
    handles = frozenset({f"{__name__}.Agent"})

    def inject_mocks(self, agent, session):
        return lambda: agent.work(session)

    def execute(self, wrapped_agent, input, timeout):
        return wrapped_agent()

    def extract_tools(self, agent):
        return agent.tools

    def knows_all_tools(self, agent):
        return bool(agent.tools)


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("refund", return_value="refunded")
    return toolkit


def run(toolkit, work, tools=()):
    return toolkit.run(Agent(work, tools), "go", adapter=Adapter())


def test_agents_are_known_by_the_names_of_their_classes():
    class Child(Agent):
        pass

    assert Adapter().can_handle(Agent(None))
    assert Adapter().can_handle(Child(None))
    assert not Adapter().can_handle(object())


def test_a_tool_with_several_names_is_recorded_under_the_one_that_the_test_uses(toolkit):
    call = ToolCall("Bank-refund", {"order_id": "1"}, aliases=("Bank.refund", "refund"))
    result = run(toolkit, lambda session: session.answer(call))
    assert (result.output, result.call_order()) == ("refunded", ["refund"])
    with pytest.raises(UnmockedToolError, match="Bank-refund"):
        run(MockToolkit(), lambda session: session.answer(call))


def test_arguments_that_do_not_fit_the_schema_are_refused_and_recorded(toolkit):
    def work(session):
        said = []
        for args in (
            {"order_id": "1"},
            {"order_id": 1},
            {"order_id": "1", "amount": "ten"},
            {},
            {"order_id": "", "x": 1},
        ):
            try:
                said.append(session.answer(ToolCall("refund", args, schema=REFUND)))
            except WrongArgumentsError as error:
                said.append(error.message.partition(": ")[2])
        return said

    result = run(toolkit, work)
    assert result.output == [
        "refunded",
        'order_id: 1 is not of type "string"',
        'amount: "ten" is not of type "number"',
        '"order_id" is a required property',
        "Additional properties are not allowed ('x' was unexpected)",
    ]
    assert [call.error is None for call in toolkit.get_tool("refund").calls] == [True, False, False, False, False]


def test_a_tool_that_is_another_agent_runs_unless_it_is_mocked(toolkit):
    call = ToolCall("ask_billing", {"question": "?"}, is_agent=True)
    result = run(toolkit, lambda session: session.answer(call, lambda: "asked"))
    assert (result.output, result.call_order()) == ("asked", ["ask_billing"])
    toolkit.mock("ask_billing", return_value="mocked")
    assert run(toolkit, lambda session: session.answer(call, lambda: "asked")).output == "mocked"


def test_what_a_framework_refused_itself_is_recorded(toolkit):
    result = run(toolkit, lambda session: session.reject(ToolCall("made_up", {"a": 1}), LookupError("no such tool")))
    (step,) = result.trajectory.steps
    assert (step.tool_name, step.tool_args, str(step.tool_error)) == ("made_up", {"a": 1}, "no such tool")


def test_what_the_test_says_about_a_tool(toolkit):
    toolkit.allow("lookup")
    said = run(toolkit, lambda session: [session.stance(*names) for names in (["refund"], ["x", "lookup"], ["x"])])
    assert said.output == ["mocked", "allowed", None]
    assert run(toolkit, lambda session: session.is_strict).output is True
    assert run(MockToolkit(strict=False), lambda session: session.is_strict).output is False


def test_a_run_can_be_failed_whatever_the_agent_makes_of_it(toolkit):
    error = UnmockedToolError("web_search runs at the provider")

    def work(session):
        session.fail(error)
        return "all is well"

    with pytest.raises(UnmockedToolError, match="web_search") as caught:
        run(toolkit, work)
    assert caught.value is error


def test_a_redirect_finds_the_run_that_it_works_for(toolkit):
    assert Session.here() is None

    def work(session):
        found = []
        thread = threading.Thread(target=lambda: found.append(Session.here().run_id))
        thread.start()
        thread.join()
        return [Session.here().run_id, *found] == [session.run_id] * 2

    assert run(toolkit, work).output is True
    assert Session.here() is None


def test_a_thread_that_could_work_for_several_runs_ends_them_all():
    barrier, go, said = threading.Barrier(3), threading.Event(), []

    def work(session):
        barrier.wait(5)
        go.wait(5)
        return "done"

    def test():
        try:
            run(MockToolkit(), work)
        except Exception as error:
            said.append(type(error).__name__)

    threads = [threading.Thread(target=test) for _ in range(2)]
    for thread in threads:
        thread.start()
    barrier.wait(5)
    with pytest.raises(Exception, match="could belong to any"):
        Session.here()
    go.set()
    for thread in threads:
        thread.join()
    assert said == ["AmbiguousRunError"] * 2


def test_steps_say_whose_they_are_and_a_report_says_it_where_there_are_several(toolkit):
    def ask():
        body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "?"}]}
        urllib3.request("POST", "https://api.openai.com/v1/chat/completions", json=body, retries=False)

    def work(session):
        with speaking("triage"):
            ask()
            session.note(StateChange("agent", "triage", "billing"))
        if len(agents) > 1:
            with speaking("billing"):
                ask()
                session.answer(ToolCall("refund", {}))
        session.answer(ToolCall("refund", {}, agent_id=agents[-1]))

    agents = ["triage", "billing"]
    with scripted_model([say("a"), say("b")]):
        team = run(toolkit, work)
    assert [step.agent_id for step in team.trajectory.steps] == ["triage", "triage", "billing", "billing", "billing"]
    assert "[tool_call] billing: refund()" in str(team.tool_not_called("refund"))
    agents = ["triage"]
    with scripted_model([say("a")]):
        alone = run(toolkit, work)
    assert {step.agent_id for step in alone.trajectory.steps} == {"triage"}
    assert "[tool_call] refund()" in str(alone.tool_not_called("refund"))


class TestToolsOfAnAgent:
    """What an agent has, beside what a test mocks."""

    TOOLS = (
        AgentTool("refund", schema=REFUND, returns={"type": "string"}, aliases=("Bank.refund",)),
        AgentTool(
            "lookup_order",
            returns=lambda: {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]},
        ),
        AgentTool("ping"),
        AgentTool("billing", kind="agent"),
        AgentTool("web_search", kind="hosted"),
    )

    def test_a_mock_without_a_tool_is_an_error_with_the_nearest_name(self, toolkit):
        toolkit.mock("lookup_ordr", return_value=1)
        with pytest.raises(UnknownToolError, match='did you mean "lookup_order"'):
            run(toolkit, lambda session: "done", self.TOOLS)
        assert run(toolkit, lambda session: "done").output == "done"

    def test_any_of_its_names_will_do_and_a_mock_may_be_optional(self):
        toolkit = MockToolkit()
        toolkit.mock("Bank.refund", return_value=1)
        toolkit.mock("cancel", return_value=1, optional=True)
        assert run(toolkit, lambda session: "done", self.TOOLS).output == "done"

    def test_all_can_be_mocked_by_their_shapes(self, toolkit):
        assert toolkit.auto_mock(Agent(None, self.TOOLS), Adapter()) == ["lookup_order", "ping"]
        result = run(toolkit, lambda s: [s.answer(ToolCall(n, {})) for n in ("refund", "lookup_order", "ping")])
        assert result.output == ["refunded", {"total": 0}, "ok"]

    def test_names_alone_are_tools_too(self):
        toolkit = MockToolkit()
        assert toolkit.auto_mock(Agent(None, ["a", "b"]), Adapter()) == ["a", "b"]
