"""MockToolkit: stating mocks, running plain agents, what is strict, what is reset, what is copied."""

import copy
import functools
import pickle
import re

import pytest
from stopwatch import Stopwatch

from unitai import (
    AdapterNotFoundError,
    AgentLoopDetectedError,
    AgentRunResult,
    DuplicateMockError,
    InvalidArgumentError,
    MockExhaustedError,
    MockStrategyError,
    MockToolkit,
    NoActiveRunError,
    NoMatchingConditionError,
    RunOverError,
    UnknownToolError,
    UnmockedToolError,
    UnmockedToolWarning,
    UnpricedModelError,
)
from unitai.mock.strategies import ResponseStrategy

pytestmark = pytest.mark.unit


def delivered(args):
    return {"id": args["id"], "status": "delivered"}


def calling(*names, **kwargs):
    """An agent that calls these tools one after the other."""

    def agent(input, tools):
        return [tools[name](**kwargs) for name in names]

    return agent


# Stating mocks


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_a_return_value_that_is_empty_or_none_counts_as_given(value):
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=value)
    assert toolkit.run(calling("tool"), "x").output == [value]


def test_the_return_value_may_be_positional_as_in_the_specification():
    toolkit = MockToolkit()
    toolkit.mock("tool", "answer")
    assert toolkit.as_dict()["tool"]() == "answer"


def test_a_mock_without_a_strategy_names_the_remedy():
    with pytest.raises(MockStrategyError) as caught:
        MockToolkit().mock("tool")
    assert "return_value, side_effect, sequence, conditional" in str(caught.value)
    assert 'mock("tool", return_value=None)' in str(caught.value)


STRATEGIES = {
    "return_value": None,
    "side_effect": delivered,
    "sequence": [1],
    "conditional": {"__default__": 1},
    "strategy": ResponseStrategy(),
}


@pytest.mark.parametrize("second", [name for name in STRATEGIES if name != "return_value"])
def test_two_strategies_are_refused_and_both_are_named(second):
    toolkit = MockToolkit()
    with pytest.raises(MockStrategyError, match=rf"return_value and {second}"):
        toolkit.mock("tool", return_value=1, **{second: STRATEGIES[second]})
    with pytest.raises(UnknownToolError):
        toolkit.get_tool("tool")


NONE = dict.fromkeys(("return_value", "side_effect", "sequence", "conditional"))


def test_none_beside_another_strategy_is_not_given():
    """The specification's signature has `None` as the default of each."""
    toolkit = MockToolkit()
    toolkit.mock("one", **{**NONE, "return_value": 1})
    toolkit.mock("two", **{**NONE, "sequence": [2]})
    toolkit.mock("three", **{**NONE, "side_effect": lambda args: 3})
    toolkit.mock("four", **{**NONE, "conditional": {"__default__": 4}})
    assert [toolkit.get_tool(name).invoke({}) for name in ("one", "two", "three", "four")] == [1, 2, 3, 4]


def test_a_return_value_of_none_alone_is_given():
    toolkit = MockToolkit()
    toolkit.mock("nothing", **NONE)
    toolkit.mock("nothing_else", return_value=None)
    assert toolkit.get_tool("nothing").invoke({}) is toolkit.get_tool("nothing_else").invoke({}) is None
    with pytest.raises(MockStrategyError, match=r"found: +sequence=None"):
        toolkit.mock("tool", sequence=None)


def test_all_strategies_at_once_are_refused():
    with pytest.raises(MockStrategyError):
        MockToolkit().mock("tool", **STRATEGIES)


@pytest.mark.parametrize("side_effect", [3, "text", {"a": 1}])
def test_a_side_effect_that_is_neither_function_nor_exception_is_refused(side_effect):
    with pytest.raises(MockStrategyError):
        MockToolkit().mock("tool", side_effect=side_effect)


def test_a_strategy_of_your_own_must_be_able_to_respond():
    with pytest.raises(MockStrategyError, match="respond"):
        MockToolkit().mock("tool", strategy=object())


@pytest.mark.parametrize("name", ["", None, 3, b"tool", ("a",)])
def test_a_tool_needs_a_name(name):
    with pytest.raises(InvalidArgumentError, match="a tool's name"):
        MockToolkit().mock(name, return_value=1)


@pytest.mark.parametrize("name", ["with space", "ünïcödé", "a.b/c", "工具", "\x1b[31m", "__default__", "x" * 5000])
def test_any_text_can_be_a_name(name):
    toolkit = MockToolkit()
    toolkit.mock(name, return_value=1)
    result = toolkit.run(lambda input, tools: tools[name](), "x")
    assert result.call_order() == [name]
    assert result.tool_was_called(name)
    assert "\x1b" not in str(result)


def test_a_second_mock_of_one_name_is_an_error_and_the_first_stays():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value="first")
    with pytest.raises(DuplicateMockError, match=re.escape("replace=True")):
        toolkit.mock("tool", return_value="second")
    assert toolkit.as_dict()["tool"]() == "first"


def test_a_mock_can_be_replaced_on_purpose():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value="first")
    toolkit.mock("tool", return_value="second", replace=True)
    assert toolkit.run(calling("tool"), "x").output == ["second"]


def test_a_replaced_mock_answers_agents_that_were_wired_before():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value="first")
    wired, kept = toolkit.as_dict()["tool"], toolkit.get_tool("tool")
    for answer in ("second", "third"):
        toolkit.mock("tool", return_value=answer, replace=True)
        assert (wired(), kept.invoke({})) == (answer, answer)
    assert len(toolkit.get_tool("tool").calls) == 4
    assert list(toolkit.as_dict()) == ["tool"]


def test_replace_without_an_earlier_mock_is_an_ordinary_mock():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1, replace=True)
    assert toolkit.get_tool("tool").name == "tool"


def test_five_tools_with_five_strategies_answer_each_in_its_way():
    toolkit = MockToolkit()
    toolkit.mock("static", return_value=1)
    toolkit.mock("sequence", sequence=[1, 2])
    toolkit.mock("conditional", conditional={lambda args: args["n"] > 1: "many", "__default__": "one"})
    toolkit.mock("error", side_effect=TimeoutError("payment service unavailable"))
    toolkit.mock("callable", side_effect=delivered)

    def agent(input, tools):
        out = [tools["static"](), tools["sequence"](), tools["sequence"](), tools["conditional"](n=2)]
        with pytest.raises(TimeoutError, match="unavailable"):
            tools["error"]()
        return [*out, tools["callable"](id=7)["id"]]

    result = toolkit.run(agent, "x")
    assert result.output == [1, 1, 2, "many", 7]
    assert result.call_order() == ["static", "sequence", "sequence", "conditional", "error", "callable"]
    assert isinstance(result.get_call("error").error, TimeoutError)


def test_get_tool_of_an_unknown_name_lists_the_known_ones():
    toolkit = MockToolkit()
    toolkit.mock("search", return_value=1)
    with pytest.raises(UnknownToolError, match="one of: search"):
        toolkit.get_tool("serach")


@pytest.mark.parametrize("limit", [0, -1, 1.5, "10", 2**32])
def test_the_limit_of_calls_is_a_positive_whole_number(limit):
    with pytest.raises(InvalidArgumentError, match="max_tool_calls"):
        MockToolkit(max_tool_calls=limit)


# The tools as a dictionary


def test_as_dict_has_the_tools_in_the_order_in_which_they_were_mocked():
    toolkit = MockToolkit()
    for name in ("c", "a", "b"):
        toolkit.mock(name, return_value=name)
    tools = toolkit.as_dict()
    assert isinstance(tools, dict)
    assert list(tools) == ["c", "a", "b"]
    assert [tools[name]() for name in tools] == ["c", "a", "b"]
    assert "d" not in tools


def test_tools_wired_by_hand_record_into_the_run_that_is_under_way():
    toolkit = MockToolkit()
    toolkit.mock("search", return_value=["a"])
    tools = toolkit.as_dict()
    tools["search"](q="before")
    result = toolkit.run_generic(lambda: tools["search"](q="inside"))
    assert [call.args for call in result.get_calls("search")] == [{"q": "inside"}]
    assert [call.args for call in toolkit.get_tool("search").calls] == [{"q": "before"}, {"q": "inside"}]


def test_tools_that_an_agent_was_given_are_refused_after_its_run():
    toolkit, kept = MockToolkit(), []
    toolkit.mock("search", return_value=1)
    toolkit.run(lambda input, tools: kept.append(tools["search"]), "x")
    with pytest.raises(RunOverError):
        kept[0]()
    assert toolkit.get_tool("search").calls == []


# Running


class Wired:
    def __init__(self, tools):
        self.tools = tools

    def execute(self, query):
        return self.tools["search"](query=query)


def test_the_manual_wiring_of_the_specification_works_as_written():
    toolkit = MockToolkit()
    toolkit.mock("search", return_value=["Luigi's"])
    tools = toolkit.as_dict()
    my_custom_agent = Wired(tools=tools)
    result = toolkit.run_generic(lambda: my_custom_agent.execute("find restaurants"))
    assert result.tool_called_with("search", query="find restaurants")
    assert result.output == ["Luigi's"]
    assert result.trajectory.input == ""


def test_run_generic_takes_the_input_for_the_record():
    assert MockToolkit().run_generic(lambda: 1, input={"ask": 1}).trajectory.input == {"ask": 1}


class CallableAgent:
    def __call__(self, message, toolbox):
        return self.answer(message, tools=toolbox)

    def answer(self, message, *, tools, verbose=False):
        return tools["tool"](message=message)


AGENTS = {
    "function": lambda input, tools: tools["tool"](message=input),
    "other names": lambda message, toolbox: toolbox["tool"](message=message),
    "keyword tools": CallableAgent().answer,
    "object": CallableAgent(),
    "partial": functools.partial(lambda prefix, input, tools: tools["tool"](message=input), "p"),
    "default tools": lambda input, tools=None: tools["tool"](message=input),
    "more defaults": lambda input, tools, retries=3: tools["tool"](message=input),
}


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
@pytest.mark.parametrize("run", ["run", "run_callable"])
def test_a_plain_agent_may_be_any_callable_of_input_and_tools(agent, run):
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value="answer")
    result = getattr(toolkit, run)(agent, "hello")
    assert result.output == "answer"
    assert result.tool_called_with("tool", message="hello")


@pytest.mark.parametrize("agent", [object(), None, "agent", CallableAgent, lambda: 1, lambda a, b, c: 1, 5])
def test_what_no_adapter_knows_is_refused_with_what_to_do(agent):
    with pytest.raises(AdapterNotFoundError) as caught:
        MockToolkit().run(agent, "x")
    assert "agent(input, tools)" in str(caught.value)
    assert "run_generic" in str(caught.value)


def test_an_unknown_adapter_is_refused_with_the_known_ones():
    with pytest.raises(AdapterNotFoundError, match="generic"):
        MockToolkit().run(calling(), "x", adapter="langchainz")


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "60", True, [1]])
@pytest.mark.parametrize("run", [lambda t, s: t.run(calling(), "x", timeout=s), lambda t, s: t.run_generic(list, s)])
def test_a_time_limit_is_a_positive_number_or_none(run, timeout):
    with pytest.raises(InvalidArgumentError, match="timeout"):
        run(MockToolkit(), timeout)


def test_no_time_limit_is_a_time_limit_of_none():
    assert MockToolkit().run(lambda input, tools: "done", "x", timeout=None).output == "done"


@pytest.mark.parametrize("model", ["", 5, True])
def test_a_model_override_is_the_name_of_a_model(model):
    with pytest.raises(InvalidArgumentError, match="model_override"):
        MockToolkit().run(calling(), "x", model_override=model)


@pytest.mark.parametrize(
    "error", [ValueError("bad"), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration()]
)
def test_what_the_agent_raises_is_recorded_and_not_raised(error):
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)

    def agent(input, tools):
        tools["tool"]()
        raise error

    result = toolkit.run(agent, "x")
    assert result.error is error
    assert result.failed
    assert result.error_is(type(error))
    assert result.output is None
    assert result.call_order() == ["tool"]


def test_runs_of_one_toolkit_do_not_see_each_other():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    results = [toolkit.run(calling(*["tool"] * n), "x") for n in range(4)]
    assert [result.tool_call_count("tool") for result in results] == [0, 1, 2, 3]
    assert len({result.trajectory.run_id for result in results}) == 4
    assert len(toolkit.get_tool("tool").calls) == 6


def test_a_run_within_a_run_has_a_trajectory_of_its_own():
    outer, inner = MockToolkit(), MockToolkit()
    outer.mock("ask", return_value=1)
    inner.mock("look", return_value=2)
    results = []

    def agent(input, tools):
        tools["ask"]()
        results.append(inner.run(calling("look"), "inner"))
        tools["ask"]()

    result = outer.run(agent, "outer")
    assert result.call_order() == ["ask", "ask"]
    assert results[0].call_order() == ["look"]


def test_a_run_within_a_run_of_one_toolkit_takes_the_calls_that_are_made_in_it():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    tool = toolkit.as_dict()["tool"]
    inner = []

    def outer():
        tool(who="outer")
        inner.append(toolkit.run_generic(lambda: tool(who="inner")))
        tool(who="outer")

    result = toolkit.run_generic(outer)
    assert [call.args["who"] for call in result.get_calls("tool")] == ["outer", "outer"]
    assert [call.args["who"] for call in inner[0].get_calls("tool")] == ["inner"]


def test_a_tool_that_calls_another_tool_stands_before_it():
    toolkit = MockToolkit()
    tools = toolkit.as_dict
    toolkit.mock("outer", side_effect=lambda args: tools()["inner"]() + 1)
    toolkit.mock("inner", return_value=1)
    result = toolkit.run(calling("outer"), "x")
    assert result.call_order() == ["outer", "inner"]
    assert [step.tool_result for step in result.trajectory.steps] == [2, 1]


def test_tools_can_be_called_from_generators_and_callbacks():
    toolkit = MockToolkit()
    toolkit.mock("tool", side_effect=lambda args: args["n"])

    def agent(input, tools):
        def pages():
            for n in range(3):
                yield tools["tool"](n=n)

        generated = list(pages())
        mapped = list(map(tools["tool"], [{"n": 3}, {"n": 4}]))
        return generated + mapped + sorted([{"n": 6}, {"n": 5}], key=tools["tool"])

    result = toolkit.run(agent, "x")
    assert result.output == [0, 1, 2, 3, 4, {"n": 5}, {"n": 6}]
    assert [call.args["n"] for call in result.get_calls("tool")] == [0, 1, 2, 3, 4, 6, 5]


# Strict


@pytest.mark.parametrize("swallow", [False, True], ids=["let through", "swallowed"])
def test_a_tool_without_a_mock_ends_the_run_even_if_the_agent_swallows_the_error(swallow):
    toolkit = MockToolkit()
    toolkit.mock("lookup", return_value=1)

    def agent(input, tools):
        tools["lookup"]()
        try:
            tools["delete_order"](id=7)
        except Exception:
            if not swallow:
                raise
        return "all is well"

    with pytest.raises(UnmockedToolError) as caught:
        toolkit.run(agent, "x")
    text = str(caught.value)
    assert "delete_order(id=7)" in text
    assert "mocked: lookup" in text
    assert 'toolkit.allow("delete_order")' in text
    assert isinstance(caught.value.result, AgentRunResult)
    assert caught.value.result.call_order() == ["lookup", "delete_order"]
    assert isinstance(caught.value.result.get_call("delete_order").error, UnmockedToolError)


def test_the_first_violation_of_several_is_the_one_that_is_raised():
    def agent(input, tools):
        for name in ("first", "second"):
            try:
                tools[name]()
            except Exception:
                pass

    with pytest.raises(UnmockedToolError, match="the agent called first"):
        MockToolkit().run(agent, "x")


@pytest.mark.parametrize(
    ("mock", "error"),
    [
        ({"sequence": ["one"]}, MockExhaustedError),
        ({"conditional": [(lambda args: False, 1)]}, NoMatchingConditionError),
    ],
)
def test_a_mock_that_cannot_answer_ends_the_run_even_if_the_agent_swallows_the_error(mock, error):
    toolkit = MockToolkit()
    toolkit.mock("tool", **mock)

    def agent(input, tools):
        try:
            return tools["tool"](id=1), tools["tool"](id=2)
        except Exception:
            return "all is well"

    with pytest.raises(error, match="tool") as caught:
        toolkit.run(agent, "x")
    assert set(caught.value.result.call_order()) == {"tool"}


def test_a_tool_without_a_mock_that_is_not_called_does_not_matter():
    assert MockToolkit().run(lambda input, tools: bool(tools["delete_order"]), "x").output is True


def test_without_strict_an_unmocked_tool_warns_returns_none_and_is_recorded():
    toolkit = MockToolkit(strict=False)

    def agent(input, tools):
        with pytest.warns(UnmockedToolWarning, match="delete_order"):
            return tools["delete_order"](id=7) is None

    result = toolkit.run(agent, "x")
    assert result.output is True
    assert result.tool_called_with("delete_order", id=7)
    assert result.get_call("delete_order").result is None


def test_an_allowed_tool_runs_and_is_recorded():
    toolkit = MockToolkit()
    toolkit.allow("add", lambda a, b: a + b)
    result = toolkit.run(lambda input, tools: tools["add"](a=1, b=2), "x")
    assert result.output == 3
    assert result.tool_called_with("add", a=1, b=2)
    assert result.get_call("add").result == 3


def test_what_an_allowed_tool_raises_is_recorded_and_let_through():
    toolkit = MockToolkit()
    toolkit.allow("parse", int)
    result = toolkit.run(lambda input, tools: tools["parse"]("x"), "x")
    assert result.error_is(ValueError)
    assert result.get_call("parse").error is result.error


def test_an_allowed_tool_of_which_nothing_is_known_says_how_to_pass_it():
    toolkit = MockToolkit()
    toolkit.allow("add")
    with pytest.raises(UnmockedToolError, match=re.escape('toolkit.allow("add", add)')):
        toolkit.run(calling("add"), "x")


def test_a_mock_goes_before_an_allowed_tool():
    toolkit = MockToolkit()
    toolkit.allow("tool", lambda: "real")
    toolkit.mock("tool", return_value="mocked")
    assert toolkit.run(calling("tool"), "x").output == ["mocked"]


# Loops


@pytest.mark.parametrize("swallow", [False, True], ids=["let through", "swallowed"])
def test_a_tool_that_is_called_too_often_ends_the_run(swallow):
    toolkit = MockToolkit(max_tool_calls=5)
    toolkit.mock("poll", return_value="pending")

    def impatient(input, tools):
        while True:
            try:
                tools["poll"]()
            except Exception:
                if not swallow:
                    raise

    with Stopwatch() as watch:
        result = toolkit.run(impatient, "x", timeout=10)
    assert isinstance(result.error, AgentLoopDetectedError)
    assert result.tool_call_count("poll") == 5
    assert watch.fair < 5


def test_fifty_calls_are_allowed_unless_said_otherwise():
    toolkit = MockToolkit()
    toolkit.mock("poll", return_value=1)
    assert toolkit.run(calling(*["poll"] * 50), "x").succeeded
    assert toolkit.run(calling(*["poll"] * 51), "x").error_is(AgentLoopDetectedError)


def test_the_limit_is_for_each_tool_and_each_run():
    toolkit = MockToolkit(max_tool_calls=2)
    toolkit.mock("a", return_value=1)
    toolkit.mock("b", return_value=1)
    for _ in range(3):
        assert toolkit.run(calling("a", "b", "a", "b"), "x").succeeded


# Reset


def test_reset_forgets_calls_and_lets_sequences_begin_again():
    toolkit = MockToolkit()
    toolkit.mock("page", sequence=["one", "two"])
    first = toolkit.run(calling("page", "page"), "x")
    toolkit.reset()
    assert toolkit.get_tool("page").calls == []
    assert toolkit.run(calling("page", "page"), "x").output == ["one", "two"]
    assert first.call_order() == ["page", "page"]


def test_a_sequence_goes_on_from_run_to_run_without_a_reset():
    toolkit = MockToolkit()
    toolkit.mock("page", sequence=["one", "two"])
    assert [toolkit.run(calling("page"), "x").output for _ in range(2)] == [["one"], ["two"]]


# Model calls


def test_model_calls_that_the_agent_reports_are_priced_and_stand_among_the_tool_calls():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)

    def agent(input, tools):
        toolkit.record_llm_call("gpt-4o", 1_000_000, 0)
        tools["tool"]()
        toolkit.record_llm_call("gpt-4o", prompt_tokens=0, completion_tokens=1_000_000, agent_id="writer")

    result = toolkit.run(agent, "x")
    assert [step.step_type for step in result.trajectory.steps] == ["llm_call", "tool_call", "llm_call"]
    assert (result.llm_calls, result.total_tokens) == (2, 2_000_000)
    assert result.total_cost == pytest.approx(12.50)
    assert [step.agent_id for step in result.trajectory.steps] == [None, None, "writer"]


def test_an_unknown_price_is_an_error_and_never_zero():
    toolkit = MockToolkit()
    result = toolkit.run_generic(lambda: toolkit.record_llm_call("my-own-model", 100, 20))
    with pytest.raises(UnpricedModelError, match="my-own-model"):
        result.total_cost  # noqa: B018
    assert not result.within(cost=1000)
    assert result.total_tokens == 120


def test_a_cost_that_is_told_counts_exactly():
    toolkit = MockToolkit()

    def agent():
        for _ in range(10):
            toolkit.record_llm_call("my-own-model", 1, 1, cost=0.1)

    result = toolkit.run_generic(agent)
    assert result.total_cost == 1.0
    assert result.within(cost=1.0)


@pytest.mark.parametrize("tokens", [-1, 1.5, "3", None, 2**63])
def test_tokens_are_whole_numbers_of_at_least_zero(tokens):
    toolkit = MockToolkit()
    result = toolkit.run_generic(lambda: toolkit.record_llm_call("gpt-4o", tokens, 0))
    assert result.error_is(InvalidArgumentError)
    assert result.llm_calls == 0


@pytest.mark.parametrize("cost", [-0.1, float("nan"), float("-inf")])
def test_an_impossible_cost_is_refused(cost):
    toolkit = MockToolkit()
    result = toolkit.run_generic(lambda: toolkit.record_llm_call("gpt-4o", 1, 1, cost=cost))
    assert result.error_is(InvalidArgumentError)


def test_a_model_call_outside_any_run_is_refused():
    with pytest.raises(NoActiveRunError):
        MockToolkit().record_llm_call("gpt-4o", 1, 1)


# Copies


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda toolkit: pickle.loads(pickle.dumps(toolkit))])
def test_a_copy_has_the_mocks_where_they_stand_and_none_of_the_record(clone):
    toolkit = MockToolkit(strict=False, max_tool_calls=7)
    toolkit.mock("static", return_value={"a": [1]})
    toolkit.mock("page", sequence=["one", "two"])
    toolkit.mock("call", side_effect=delivered, signature=["id"])
    toolkit.mock("fail", side_effect=TimeoutError("down"))
    toolkit.allow("upper", str.upper)
    toolkit.run(calling("static", "page"), "x")

    twin = clone(toolkit)
    tools = twin.as_dict()
    assert twin.get_tool("static").calls == []
    assert (tools["static"](), tools["page"](), tools["call"](5)["id"], tools["upper"]("a")) == (
        {"a": [1]},
        "two",
        5,
        "A",
    )
    with pytest.raises(TimeoutError):
        tools["fail"]()
    assert len(toolkit.get_tool("static").calls) == 1
    assert toolkit.as_dict()["page"]() == "two"
    assert twin.run(calling(*["static"] * 8), "x").error_is(AgentLoopDetectedError)


def test_a_toolkit_shows_its_tools():
    toolkit = MockToolkit()
    assert repr(toolkit) == "<MockToolkit without tools>"
    toolkit.mock("a", return_value=1)
    toolkit.mock("b", return_value=1)
    assert repr(toolkit) == "<MockToolkit a, b>"
