"""Adapters: how one is chosen, and what goes through its two ports."""

import pytest

from unitai import AdapterNotFoundError, BaseAdapter, InvalidArgumentError, MockToolkit, RunOverError, UnmockedToolError
from unitai.adapters import ModelCall, StateChange, ToolCall, register, registry
from unitai.adapters.generic import GenericAdapter

pytestmark = pytest.mark.unit


class Framework:
    """An agent of a framework of its own: a list of calls to make."""

    def __init__(self, *calls):
        self.calls = calls


class FrameworkAdapter(BaseAdapter):
    name = "framework"

    def can_handle(self, agent):
        return isinstance(agent, Framework)

    def inject_mocks(self, agent, session):
        return [(call, session) for call in agent.calls]

    def execute(self, wrapped_agent, input, timeout):
        return [call(session) for call, session in wrapped_agent]

    def extract_tools(self, agent):
        return []


@pytest.fixture
def framework(monkeypatch):
    monkeypatch.setattr(registry, "_registered", registry._registered.copy())
    adapter = FrameworkAdapter()
    register(adapter)
    return adapter


def test_an_adapter_that_is_not_whole_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        BaseAdapter()


def test_only_adapters_can_be_registered():
    with pytest.raises(TypeError, match="BaseAdapter"):
        register(FrameworkAdapter)


@pytest.mark.usefixtures("framework")
def test_a_registered_adapter_is_found_by_its_agent_and_by_its_name():
    toolkit = MockToolkit()
    agent = Framework(lambda session: 1)
    assert toolkit.run(agent, "x").output == [1]
    assert toolkit.run(agent, "x", adapter="framework").output == [1]


def test_an_adapter_can_be_passed_without_being_registered():
    agent = Framework(lambda session: 1)
    with pytest.raises(AdapterNotFoundError):
        MockToolkit().run(agent, "x")
    assert MockToolkit().run(agent, "x", adapter=FrameworkAdapter()).output == [1]


def test_an_adapter_takes_the_place_of_one_with_its_name(framework):
    class Other(FrameworkAdapter):
        def execute(self, wrapped_agent, input, timeout):
            return "other"

    register(Other())
    assert MockToolkit().run(Framework(), "x").output == "other"
    assert [adapter.name for adapter in registry._registered].count("framework") == 1


def test_a_tool_call_goes_through_the_port_with_its_agent():
    toolkit = MockToolkit()
    toolkit.mock("tool", side_effect=lambda args: args["n"] + 1)
    agent = Framework(lambda session: session.answer(ToolCall("tool", {"n": 1}, "clerk")))
    result = toolkit.run(agent, "x", adapter=FrameworkAdapter())
    (step,) = result.trajectory.steps
    assert (result.output, step.tool_args, step.tool_result, step.agent_id) == ([2], {"n": 1}, 2, "clerk")


def test_an_unmocked_tool_never_runs_and_an_allowed_one_does():
    ran = []
    call = Framework(lambda session: session.answer(ToolCall("tool", {}), lambda: ran.append(1)))
    toolkit = MockToolkit()
    with pytest.raises(UnmockedToolError):
        toolkit.run(call, "x", adapter=FrameworkAdapter())
    assert ran == []
    toolkit.allow("tool")
    assert toolkit.run(call, "x", adapter=FrameworkAdapter()).tool_was_called("tool")
    assert ran == [1]


def test_model_calls_and_changes_of_state_are_noted_in_order():
    toolkit = MockToolkit()
    state = {"seen": [1]}

    def change(session):
        session.note(StateChange("memory", None, state, "clerk"))
        state["seen"].append(2)

    agent = Framework(lambda session: session.note(ModelCall("m", 3, 4, 0.5)), change)
    steps = toolkit.run(agent, "x", adapter=FrameworkAdapter()).trajectory.steps
    assert [step.step_type for step in steps] == ["llm_call", "state_change"]
    assert (steps[0].model, steps[0].prompt_tokens, steps[0].completion_tokens, steps[0].cost) == ("m", 3, 4, 0.5)
    assert (steps[1].key, steps[1].old_value, steps[1].new_value, steps[1].agent_id) == (
        "memory",
        None,
        {"seen": [1]},
        "clerk",
    )


def test_an_event_of_an_unknown_type_is_refused():
    agent = Framework(lambda session: session.note(StateChange("k", 1, 2, None, "nap")))
    assert MockToolkit().run(agent, "x", adapter=FrameworkAdapter()).error_is(InvalidArgumentError)


def test_the_ports_are_closed_when_the_run_is_over():
    kept = []
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    result = toolkit.run(Framework(kept.append), "x", adapter=FrameworkAdapter())
    with pytest.raises(RunOverError):
        kept[0].answer(ToolCall("tool", {}))
    with pytest.raises(RunOverError):
        kept[0].note(ModelCall("m", 1, 1))
    assert len(result.trajectory) == 0


def test_what_injecting_mocks_raises_comes_through_and_leaves_no_run_behind():
    class Broken(FrameworkAdapter):
        def inject_mocks(self, agent, session):
            raise OSError("cannot be bound")

    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    with pytest.raises(OSError, match="cannot be bound"):
        toolkit.run(Framework(), "x", adapter=Broken())
    assert toolkit.run(lambda input, tools: tools["tool"](), "x").call_order() == ["tool"]


def test_the_generic_adapter_does_not_touch_the_agent():
    def agent(input, tools):
        return tools["tool"]()

    before = dict(vars(agent))
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    assert toolkit.run(agent, "x").output == 1
    assert vars(agent) == before
    assert GenericAdapter().extract_tools(agent) == []
