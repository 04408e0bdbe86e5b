"""One mocked tool and the calls that it writes down, without a run."""

import copy
import pickle
import time

import pytest

from unitai import (
    MockExhaustedError,
    MockTool,
    MockToolCall,
    MockToolkit,
    NoMatchingConditionError,
    UnknownToolError,
    UnmockedToolError,
)
from unitai.mock.strategies import CallableStrategy, SequenceStrategy, StaticStrategy

pytestmark = pytest.mark.unit


def tool_of(**mock):
    toolkit = MockToolkit()
    toolkit.mock("tool", **mock)
    return toolkit.get_tool("tool")


def test_a_tool_by_itself_answers_and_writes_its_calls_down():
    tool = MockTool("lookup", StaticStrategy("found"))
    before = time.time()
    answer = tool.invoke({"id": 1})
    (call,) = tool.calls
    assert (answer, call.args, call.result, call.error) == ("found", {"id": 1}, "found", None)
    assert before - 1 <= call.timestamp <= time.time() + 1


def test_calls_are_in_the_order_in_which_they_were_made():
    tool = tool_of(side_effect=lambda args: args["n"] * 2)
    for n in range(20):
        tool(n=n)
    assert [(call.args["n"], call.result) for call in tool.calls] == [(n, n * 2) for n in range(20)]
    assert [call.timestamp for call in tool.calls] == sorted(call.timestamp for call in tool.calls)


def test_a_call_that_raises_is_recorded_with_its_error():
    error = TimeoutError("down")
    tool = tool_of(side_effect=error)
    with pytest.raises(TimeoutError):
        tool(id=1)
    (call,) = tool.calls
    assert (call.args, call.result) == ({"id": 1}, None)
    assert isinstance(call.error, TimeoutError)
    assert str(call.error) == "down"


@pytest.mark.parametrize(
    "call",
    [
        lambda tool: tool(a=1, b=2),
        lambda tool: tool({"a": 1, "b": 2}),
        lambda tool: tool(1, 2),
        lambda tool: tool(1, b=2),
        lambda tool: tool.invoke({"a": 1, "b": 2}),
    ],
    ids=["keywords", "one mapping", "positionals", "mixed", "invoke"],
)
@pytest.mark.parametrize("signature", [["a", "b"], lambda a, b: None], ids=["names", "function"])
def test_every_form_of_call_gives_the_same_arguments_where_the_signature_is_known(call, signature):
    tool = tool_of(return_value=None, signature=signature)
    call(tool)
    assert tool.calls[0].args == {"a": 1, "b": 2}


def test_positionals_are_numbered_where_the_signature_is_not_known():
    tool = tool_of(return_value=None)
    tool("x", "y", z=3)
    assert tool.calls[0].args == {"arg0": "x", "arg1": "y", "z": 3}


def test_a_mapping_that_does_not_fit_the_signature_is_an_argument_itself():
    tool = tool_of(return_value=None, signature=["payload"])
    tool({"id": 1})
    assert tool.calls[0].args == {"payload": {"id": 1}}


@pytest.mark.parametrize("call", [lambda tool: tool(1, 2, 3), lambda tool: tool(1, a=2)], ids=["too many", "twice"])
def test_a_call_that_the_real_function_would_refuse_is_refused(call):
    tool = tool_of(return_value=None, signature=["a", "b"])
    with pytest.raises(TypeError, match=r"tool\(\)"):
        call(tool)
    assert tool.calls == []


def test_arguments_may_have_any_name():
    tool = tool_of(return_value=None)
    names = ("self", "name", "args", "kwargs", "tool", "run", "py", "cls", "class")
    tool(**dict.fromkeys(names, 1))
    assert tool.calls[0].args == dict.fromkeys(names, 1)


def test_what_the_agent_changes_after_the_call_does_not_change_the_record():
    tool = tool_of(return_value={"items": [1]})
    given = {"ids": [1, 2]}
    answer = tool(query=given)
    given["ids"].append(3)
    answer["items"].append(2)
    (call,) = tool.calls
    assert (call.args, call.result) == ({"query": {"ids": [1, 2]}}, {"items": [1]})


def test_what_a_test_does_to_a_recorded_value_does_not_change_the_record():
    tool = tool_of(return_value={"items": [1]})
    tool(ids=[1])
    tool.calls[0].args["ids"].append(2)
    tool.calls[0].result["items"].append(2)
    tool.calls.clear()
    assert (tool.calls[0].args, tool.calls[0].result) == ({"ids": [1]}, {"items": [1]})


def test_what_the_author_changes_after_the_first_call_does_not_change_the_answers():
    value = {"status": "delivered"}
    tool = tool_of(return_value=value)
    tool()
    value["status"] = "lost"
    assert tool() == {"status": "delivered"}
    assert [call.result["status"] for call in tool.calls] == ["delivered", "delivered"]


def test_a_side_effect_that_changes_its_arguments_does_not_change_the_record():
    def greedy(args):
        args["ids"].clear()
        args["new"] = 1
        return args

    tool = tool_of(side_effect=greedy)
    assert tool(ids=[1]) == {"ids": [], "new": 1}
    assert tool.calls[0].args == {"ids": [1]}
    assert tool.calls[0].result == {"ids": [], "new": 1}


def test_an_object_keeps_its_identity_on_the_way_in_and_out():
    handle, answer = object(), object()
    tool = tool_of(return_value=answer)
    assert tool(handle=handle) is answer
    assert tool.calls[0].args["handle"] is handle
    assert tool.calls[0].result is answer


@pytest.mark.parametrize("by", ["invoke", "dictionary"])
def test_tools_called_by_hand_stay_usable_after_one_cannot_answer(by):
    toolkit = MockToolkit(max_tool_calls=3)
    toolkit.mock("page", sequence=["first"])
    toolkit.mock("order", conditional={lambda args: args["id"] == 1: "delivered"})
    toolkit.mock("mail", return_value="sent")
    tools = toolkit.as_dict()

    def call(name, **args):
        return tools[name](**args) if by == "dictionary" else toolkit.get_tool(name).invoke(args)

    assert call("page") == "first"
    for _ in range(2):
        with pytest.raises(MockExhaustedError):
            call("page")
        assert call("mail") == "sent"
        with pytest.raises(NoMatchingConditionError):
            call("order", id=2)
        assert call("order", id=1) == "delivered"
        with pytest.raises(UnmockedToolError if by == "dictionary" else UnknownToolError):
            call("delete")
        assert call("mail") == "sent"
    errors = [type(made.error) for made in toolkit.get_tool("page").calls]
    assert errors == [type(None), MockExhaustedError, MockExhaustedError]
    assert len(toolkit.get_tool("mail").calls) == 4
    # In a run they end it, as ever.
    with pytest.raises(MockExhaustedError):
        toolkit.run(lambda input, tools: tools["page"](), "go")


def test_a_tool_knows_its_name_and_strategy():
    strategy = SequenceStrategy([1])
    tool = MockTool("next_page", strategy)
    assert (tool.name, tool.__name__, tool.strategy) == ("next_page", "next_page", strategy)
    assert repr(tool) == "<MockTool next_page>"


def test_a_tool_may_call_itself_through_its_side_effect():
    def countdown(args):
        return [args["n"], *(tool.invoke({"n": args["n"] - 1}) if args["n"] else [])]

    tool = MockTool("countdown", CallableStrategy(countdown))
    assert tool.invoke({"n": 3}) == [3, 2, 1, 0]
    assert [call.args["n"] for call in tool.calls] == [3, 2, 1, 0]


def test_a_call_can_be_made_by_hand_and_compared():
    call = MockToolCall(args={"id": 1}, result=[1], timestamp=5.0)
    assert (call.args, call.result, call.error, call.timestamp) == ({"id": 1}, [1], None, 5.0)
    assert call == MockToolCall(args={"id": 1}, result=[1], timestamp=5.0)
    assert call != MockToolCall(args={"id": 2}, result=[1], timestamp=5.0)
    assert call != "call"


def test_a_call_survives_pickle_and_copies():
    tool = tool_of(return_value={"n": (1, 2)})
    tool(tags={"a", "b"})
    (call,) = tool.calls
    assert pickle.loads(pickle.dumps(call)) == call
    assert copy.deepcopy(call) == call
    assert copy.copy(call) == call


def test_the_repr_of_a_call_shows_how_it_ended():
    assert repr(MockToolCall(args={"id": 1}, result=True)) == 'MockToolCall(args={"id": 1}, result=True)'
    assert "ValueError: bad" in repr(MockToolCall(args={}, error=ValueError("bad")))
