"""Tool calls that code answered which UnitAI cannot see: what the wire alone says of them, and what must be left alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.support.model import chat
from unitai import (
    AgentRunResult,
    MockToolkit,
    TrajectoryStep,
    UnknownToolError,
    UnmockedToolError,
    UnmockedToolWarning,
    UnreachableToolError,
    scripted_model,
)
from unitai.script import call, say

pytestmark = pytest.mark.unit

STEPS = [call("refund", order="123"), say("Done.")]


def refund(order: str) -> str:
    """The real one. A test that gets here has paid real money."""
    return f"really refunded {order}"


def lookup(order: str) -> str:
    return f"really looked up {order}"


REAL: dict[str, Callable[..., str]] = {"refund": refund, "lookup": lookup}


def loop(
    tools: dict[str, Callable[..., Any]] = REAL,
    *,
    offered: tuple[str, ...] = ("refund", "lookup"),
    schema: dict[str, Any] | None = None,
    begun: Iterable[dict[str, Any]] = (),
) -> str:
    """A home-made agent: it asks the model, runs what the model requests, and sends the results."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Refund order 123."}]
    while True:
        answer = chat([*messages, *begun], tools=offered, schema=schema)
        if not answer.get("tool_calls"):
            return answer["content"]
        messages.append(answer)
        for wanted in answer["tool_calls"]:
            function = tools[wanted["function"]["name"]]
            result = function(**json.loads(wanted["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": wanted["id"], "content": str(result)})


def tool_steps(result: AgentRunResult) -> list[TrajectoryStep]:
    return [step for step in result.trajectory.steps if step.step_type == "tool_call"]


def mocked(**options: Any) -> MockToolkit:
    toolkit = MockToolkit(**options)
    toolkit.mock("refund", return_value="mocked")
    return toolkit


def test_a_mock_that_nothing_routes_to_is_an_error_that_names_the_ways_out():
    toolkit = mocked()
    with pytest.raises(UnreachableToolError) as caught, scripted_model(STEPS):
        toolkit.run_generic(loop)
    text = str(caught.value)
    assert "refund is mocked, but its calls do not reach the mock" in text
    assert "really refunded 123" in text
    for way_out in ("toolkit.patch(", "toolkit.as_dict()", 'toolkit.allow("refund")', "adapter"):
        assert way_out in text
    (step,) = tool_steps(caught.value.result)
    assert (step.tool_name, step.unseen, step.tool_result) == ("refund", True, "really refunded 123")


def test_a_tool_without_a_mock_is_refused_as_one_with_a_mock_is():
    with pytest.raises(UnreachableToolError, match="neither mocked nor allowed"), scripted_model(STEPS):
        MockToolkit().run_generic(loop)


def test_an_allowed_tool_runs_and_is_a_step_that_was_seen_on_the_wire():
    toolkit = MockToolkit()
    toolkit.allow("refund")
    with scripted_model(STEPS):
        result = toolkit.run_generic(loop)
    assert result.output == "Done."
    (step,) = tool_steps(result)
    assert (step.tool_args, step.unseen, step.rejected) == ({"order": "123"}, True, False)
    assert result.tool_called_with("refund", order="123")


def test_without_strictness_it_is_a_warning_and_a_step():
    with scripted_model(STEPS), pytest.warns(UnmockedToolWarning, match="cannot see answered refund"):
        result = mocked(strict=False).run_generic(loop)
    assert result.output == "Done."
    assert [step.unseen for step in tool_steps(result)] == [True]


def test_tools_of_the_toolkit_are_left_alone():
    toolkit = mocked()
    toolkit.mock("lookup", return_value="found")
    steps = [[call("lookup", order="123"), call("refund", order="123")], say("Done.")]
    with scripted_model(steps):
        result = toolkit.run_generic(lambda: loop(toolkit.as_dict()))
    assert result.call_order() == ["lookup", "refund"]
    assert not any(step.unseen for step in tool_steps(result))


def test_a_replaced_function_is_left_alone(monkeypatch):
    toolkit = MockToolkit()
    toolkit.patch(f"{__name__}.refund", return_value="patched")
    with scripted_model(STEPS):
        result = toolkit.run_generic(lambda: loop({"refund": sys.modules[__name__].refund}))
    assert result.call_order() == ["refund"]
    assert result.output == "Done."


def test_one_call_of_two_that_goes_astray_is_noticed():
    toolkit = mocked()
    toolkit.mock("lookup", return_value="found")
    tools = {"lookup": toolkit.as_dict()["lookup"], "refund": refund}
    steps = [call("lookup", order="123"), call("refund", order="123"), say("Done.")]
    with pytest.raises(UnreachableToolError, match="refund is mocked"), scripted_model(steps):
        toolkit.run_generic(lambda: loop(tools))


def loop_of_functions(tools: dict[str, Callable[..., Any]] = REAL) -> str:
    """The same as it was written before there were `tools`: one `function_call` in an answer, and no ids."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Refund order 123."}]
    functions = [{"name": name, "parameters": {"type": "object"}} for name in REAL]
    while True:
        answer = chat(messages, functions=functions)
        wanted = answer.get("function_call")
        if not wanted:
            return answer["content"]
        result = tools[wanted["name"]](**json.loads(wanted["arguments"]))
        messages += [answer, {"role": "function", "name": wanted["name"], "content": str(result)}]


def test_real_code_behind_functions_is_noticed_as_that_behind_tools_is():
    for toolkit, message in ((mocked(), "refund is mocked"), (MockToolkit(), "neither mocked nor allowed")):
        with pytest.raises(UnreachableToolError, match=message), scripted_model(STEPS):
            toolkit.run_generic(loop_of_functions)


def test_functions_of_the_toolkit_are_left_alone():
    toolkit = mocked()
    toolkit.mock("lookup", return_value="found")
    steps = [call("lookup", order="123"), call("refund", order="123"), call("refund", order="124"), say("Done.")]
    with scripted_model(steps):
        result = toolkit.run_generic(lambda: loop_of_functions(toolkit.as_dict()))
    assert result.call_order() == ["lookup", "refund", "refund"]
    assert not any(step.unseen for step in tool_steps(result))


GUARDED = [call("lookup", order="123"), call("refund", order="123"), say("Not this time.")]


def guarded(tools: dict[str, Callable[..., Any]]) -> str:
    """An agent whose own code refuses refunds."""
    return loop({"lookup": tools["lookup"], "refund": lambda order: f"Not done: nobody approved {order}."})


class TestRefusals:
    """The agent's own code answers a call in the place of a tool that it could have called."""

    def toolkit(self) -> MockToolkit:
        toolkit = mocked()
        toolkit.mock("lookup", return_value="found")
        return toolkit

    def check(self, result: AgentRunResult) -> None:
        assert result.output == "Not this time."
        assert result.tool_was_called("lookup")
        assert not result.tool_was_called("refund")
        assert result.tool_call_count("refund") == 0
        assert result.tool_call_attempted("refund")
        *_, step = tool_steps(result)
        assert (step.tool_name, step.rejected, step.unseen) == ("refund", True, False)
        assert str(step.tool_error) == "unitai.errors.RefusedByAgent: Not done: nobody approved 123."

    def test_a_guard_that_the_test_allows_is_left_alone(self):
        toolkit = self.toolkit()
        toolkit.allow_refusal("refund")
        with scripted_model(GUARDED):
            self.check(toolkit.run(lambda question, tools: guarded(tools), "Refund order 123."))
        twin = toolkit.copy()
        with scripted_model(GUARDED):
            self.check(twin.run_generic(lambda: guarded(twin.as_dict())))

    def test_only_what_is_mocked_may_be_refused(self):
        with pytest.raises(UnknownToolError, match="no mock named refnud"):
            self.toolkit().allow_refusal("refund", "refnud")

    @pytest.mark.parametrize("is_handed", [False, True])
    def test_a_guard_that_lets_other_calls_through_is_allowed_as_one_that_lets_none(self, is_handed):
        def agent(tools: dict[str, Callable[..., Any]]) -> str:
            refusals = ["Not done: look the order up first."]
            return loop({**tools, "refund": lambda order: refusals.pop() if refusals else tools["refund"](order)})

        first, second = call("refund", order="123"), call("refund", order="123")
        toolkit = self.toolkit()
        toolkit.allow_refusal("refund")
        with scripted_model([first, call("lookup", order="123"), second, say("Done.")]):
            if is_handed:
                tools = toolkit.as_dict()
                result = toolkit.run_generic(lambda: agent(tools))
            else:
                result = toolkit.run(lambda question, tools: agent(tools), "Refund order 123.")
        assert [step.rejected for step in tool_steps(result)] == [True, False, False]

    def test_an_agent_that_is_handed_its_tools_and_never_calls_this_one_may_have_another(self):
        with (
            scripted_model([call("lookup", order="123"), *STEPS]),
            pytest.raises(UnreachableToolError, match="refund is mocked, but its calls do not reach") as caught,
        ):
            self.toolkit().run(lambda question, tools: loop({**tools, "refund": refund}), "Refund order 123.")
        assert 'toolkit.allow_refusal("refund")' in str(caught.value)
        *_, step = tool_steps(caught.value.result)
        assert (step.unseen, step.tool_result) == (True, "really refunded 123")

    @pytest.mark.parametrize("is_prefilled", [False, True], ids=["", "the request begins the answer"])
    def test_the_real_function_beside_the_mock_is_an_error(self, is_prefilled):
        def agent(tools: dict[str, Callable[..., Any]]) -> str:
            ways = [refund, tools["refund"]]

            def either(order: str) -> str:
                return ways.pop()(order)

            begun = [{"role": "assistant", "content": "So: "}] if is_prefilled else []
            return loop({"refund": either}, begun=begun)

        with (
            scripted_model([call("refund", order="1"), *STEPS]),
            pytest.raises(UnreachableToolError, match="refund is mocked, but its calls do not reach") as caught,
        ):
            mocked().run(lambda question, tools: agent(tools), "Refund order 123.")
        result = caught.value.result
        assert not result.tool_not_called("refund")
        assert [(step.unseen, step.tool_result) for step in tool_steps(result)] == [
            (False, "mocked"),
            (True, "really refunded 123"),
        ]

    def test_so_is_that_of_an_agent_below_one_that_holds_the_mock(self):
        def agent(question: str, tools: dict[str, Callable[..., Any]]) -> str:
            return loop({**tools, "lookup": lambda order: loop({"refund": refund})})

        toolkit = mocked()
        toolkit.allow("lookup")
        first, below = call("refund", order="1"), [call("refund", order="2"), say("Paid.")]
        with (
            scripted_model([first, call("lookup", order="1"), *below, say("Done.")]),
            pytest.raises(UnreachableToolError, match="refund is mocked"),
        ):
            toolkit.run(agent, "Refund orders 1 and 2.")

    def test_a_call_with_arguments_that_the_schema_refuses_may_be_refused_beside_others(self):
        def checked(tools: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
            return {"refund": lambda order: tools["refund"](order) if isinstance(order, str) else "order: no text"}

        def agent(question: str, tools: dict[str, Callable[..., Any]]) -> str:
            return loop(checked(tools), schema={"type": "object", "properties": {"order": {"type": "string"}}})

        with scripted_model([call("refund", order=123).unchecked(), *STEPS]):
            result = mocked().run(agent, "Refund order 123.")
        assert [step.rejected for step in tool_steps(result)] == [True, False]
        with (
            scripted_model([call("refund", order=123).unchecked(), say("Done.")]),
            pytest.raises(UnreachableToolError, match="order: no text"),
        ):
            mocked().run(agent, "Refund order 123.")

    def test_a_replaced_function_may_be_refused_beside_other_calls(self):
        toolkit = MockToolkit()
        toolkit.patch(f"{__name__}.refund", return_value="mocked")

        def agent() -> str:
            refusals = ["Limit reached."]
            return loop({"refund": lambda order: refusals.pop() if order == "9" else refund(order)})

        with scripted_model([*STEPS[:1], call("refund", order="9"), say("Done.")]):
            result = toolkit.run_generic(agent)
        assert [step.rejected for step in tool_steps(result)] == [False, True]
        with pytest.raises(UnreachableToolError, match="Limit reached"):
            with scripted_model([call("refund", order="9"), say("Done.")]):
                toolkit.run_generic(agent)

    def test_a_real_function_that_answers_where_a_refusal_is_allowed_is_a_rejected_step(self):
        toolkit = mocked()
        toolkit.allow_refusal("refund")
        with scripted_model(STEPS):
            result = toolkit.run_generic(loop)
        (step,) = tool_steps(result)
        assert (step.rejected, step.tool_error.message) == (True, "really refunded 123")
        assert not result.tool_not_called("refund")

    def test_a_real_function_behind_a_mock_that_raises_is_not_seen_unless_it_is_patched(self):
        toolkit = MockToolkit()
        toolkit.mock("refund", side_effect=ConnectionError("the bank is away"))

        def agent(question: str, tools: dict[str, Callable[..., Any]]) -> str:
            def either(order: str) -> str:
                try:
                    return tools["refund"](order=order)
                except ConnectionError:
                    return refund(order)

            return loop({"refund": either})

        with scripted_model(STEPS):
            result = toolkit.run(agent, "Refund order 123.")
        (step,) = tool_steps(result)
        assert str(step.tool_error) == "the bank is away"
        toolkit.patch(f"{__name__}.refund", name="bank")
        with scripted_model(STEPS), pytest.raises(UnmockedToolError, match="bank"):
            toolkit.run(agent, "Refund order 123.")

    def test_without_strictness_it_is_a_warning(self):
        toolkit = mocked(strict=False)
        with scripted_model(STEPS), pytest.warns(UnmockedToolWarning, match="cannot see answered refund"):
            toolkit.run(lambda question, tools: loop(REAL), "Refund order 123.")

    def test_what_the_agent_has_kept_of_a_mock_is_no_refusal(self):
        kept: dict[str, str] = {}

        def agent(tools: dict[str, Callable[..., Any]]) -> str:
            return loop({"refund": lambda order: kept.setdefault(order, kept.get(order) or tools["refund"](order))})

        with scripted_model([call("refund", order="123"), *STEPS]):
            result = mocked().run(lambda question, tools: agent(tools), "Refund order 123.")
        assert result.call_order() == ["refund"]
        assert len(tool_steps(result)) == 1

    def test_what_a_mock_has_said_of_another_order_is_not_kept_for_this_one(self):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")

        def agent(question: str, tools: dict[str, Callable[..., Any]]) -> str:
            return loop({"refund": lambda order: tools["refund"](order) if order == "1" else refund(order)})

        with (
            scripted_model([call("refund", order="1"), *STEPS]),
            pytest.raises(UnreachableToolError, match="really refunded 123"),
        ):
            toolkit.run(agent, "Refund order 123.")


def test_a_real_tool_that_uses_a_mocked_one_on_its_way_is_noticed():
    toolkit = mocked()
    toolkit.mock("lookup", return_value="found")
    tools = toolkit.as_dict()

    def real(order: str) -> str:
        return f"{tools['lookup'](order=order)} and refunded"[9:]

    for mocks in (toolkit, MockToolkit(strict=True)):
        with pytest.raises(UnreachableToolError, match="refund"), scripted_model(STEPS):
            mocks.run_generic(lambda: loop({"refund": real}))


def test_a_conversation_that_an_earlier_run_began_is_watched():
    toolkit = mocked()
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Refund order 123."}]

    def ask() -> str:
        messages.append(chat(messages, tools=("refund",)))
        return messages[-1]["content"]

    def approved() -> str:
        wanted = messages[-1]["tool_calls"][0]["id"]
        messages.append({"role": "tool", "tool_call_id": wanted, "content": refund("123")})
        return ask()

    # The test holds the tools, so that a call which waits for approval is no error.
    toolkit.as_dict()
    with scripted_model(STEPS[:1]):
        assert toolkit.run_generic(ask).output is None
    with pytest.raises(UnreachableToolError, match="really refunded 123"), scripted_model(STEPS[1:]):
        toolkit.run_generic(approved)


def test_a_tool_that_was_never_offered_is_made_up_by_the_model():
    toolkit = mocked()
    tools = {**toolkit.as_dict(), "no_such_tool": lambda: "There is no such tool."}
    with scripted_model([call("no_such_tool").unchecked(), *STEPS]):
        result = toolkit.run_generic(lambda: loop(tools, offered=("refund",)))
    assert result.call_order() == ["refund"]
    assert result.tool_call_attempted("no_such_tool")
    assert str(tool_steps(result)[0].tool_error) == "unitai.errors.RefusedByAgent: There is no such tool."


def test_results_of_an_earlier_conversation_are_no_calls_of_this_run():
    history = [
        {"role": "user", "content": "Refund order 1."},
        {
            "role": "assistant",
            "tool_calls": [{"id": "old", "type": "function", "function": {"name": "refund", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "old", "content": "refunded"},
    ]
    with scripted_model([say("As I said.")]):
        result = mocked().run_generic(lambda: chat(history, tools=["refund"])["content"])
    assert result.output == "As I said."


def test_an_agent_that_ends_before_it_sends_the_result_is_noticed_too():
    def one_shot() -> str:
        (wanted,) = chat("Refund order 123.", tools=["refund"])["tool_calls"]
        return refund(**json.loads(wanted["function"]["arguments"]))

    with pytest.raises(UnreachableToolError, match="the mock was never called"), scripted_model(STEPS[:1]):
        mocked().run_generic(one_shot)


@pytest.mark.parametrize(
    "text",
    [
        "Thought: I pay it back.\n```py\nresult = refund(order='123')\nfinal_answer(result)\n```",
        'Thought: money back\nAction: refund\nAction Input: {"order": "123"}',
        '{"name": "refund", "arguments": {"order": "123"}}',
    ],
)
def test_a_mock_that_an_answer_calls_in_its_text_and_nothing_reached_is_an_error(text):
    def agent() -> str:
        chat("Refund order 123.")
        return refund("123")

    with pytest.raises(UnreachableToolError, match="in its text"), scripted_model([say(text)]):
        mocked().run_generic(agent)


ACTION = 'Thought: money back\nAction: refund\nAction Input: {"order": "123"}'


def acting(function: Callable[[str], str]) -> str:
    """An agent whose model acts in its text: it is told what came of it, and says the last word."""
    chat("Refund order 123.")
    return chat(f"Observation: {function('123')}")["content"]


class TestHeldTools:
    """An agent that is handed its tools may use others, all the same."""

    def test_a_call_in_a_text_that_passes_them_by_is_an_error(self):
        with pytest.raises(UnreachableToolError, match="in its text"), scripted_model([say(ACTION), say("Done.")]):
            mocked().run(lambda question, tools: acting(refund), "Refund order 123.")
        toolkit = mocked()
        tools = toolkit.as_dict()
        with pytest.raises(UnreachableToolError, match="in its text"), scripted_model([say(ACTION), say("Done.")]):
            toolkit.run_generic(lambda: acting(refund) if tools else "")

    def test_a_call_in_a_text_that_comes_to_them_is_left_alone(self):
        with scripted_model([say(ACTION), say("Done.")]):
            result = mocked().run(lambda question, tools: acting(tools["refund"]), "Refund order 123.")
        assert result.call_order() == ["refund"]

    def test_a_call_whose_result_the_model_is_told_in_words_is_an_error(self):
        def agent(question: str, tools: dict[str, Callable[..., Any]]) -> str:
            (wanted,) = chat(question, tools=["refund"])["tool_calls"]
            return chat("It said: " + refund(**json.loads(wanted["function"]["arguments"])))["content"]

        with pytest.raises(UnreachableToolError, match="the mock was never called"), scripted_model(STEPS):
            mocked().run(agent, "Refund order 123.")

    @pytest.mark.parametrize(
        ("step", "offered"), [(say(ACTION), []), (call("refund", order="123"), ["refund"])], ids=["text", "call"]
    )
    def test_an_agent_that_asks_a_person_first_is_left_alone(self, step, offered):
        def agent(question: str, tools: dict[str, Callable[..., Any]]) -> str:
            return f"Shall I? {chat(question, tools=offered)}"

        with scripted_model([step]):
            result = mocked().run(agent, "Refund order 123.")
        assert result.tool_not_called("refund")


def test_a_refusal_of_a_call_in_a_text_may_be_allowed():
    toolkit = mocked()
    toolkit.allow_refusal("refund")
    with scripted_model([say(ACTION), say("Sorry.")]):
        assert toolkit.run_generic(lambda: acting(lambda order: "nobody approved it")).output == "Sorry."


def test_so_may_one_that_ends_the_agent():
    toolkit = mocked()
    toolkit.allow_refusal("refund")
    with scripted_model(STEPS[:1]):
        result = toolkit.run_generic(lambda: str(chat("Refund order 123.", tools=["refund"])["content"]))
    assert result.tool_not_called("refund")


def test_a_tool_that_the_model_is_made_to_call_is_what_the_agent_wants_of_it():
    def agent(**options: Any) -> str:
        messages: list[dict[str, Any]] = [{"role": "user", "content": "What is it about?"}]
        while True:
            answer = chat(messages, tools=["classify"], **options)
            (wanted,) = answer["tool_calls"]
            if "unknown" not in wanted["function"]["arguments"]:
                # The next question is another conversation, and nothing is told of this one.
                return chat("Answer it.")["content"]
            messages += [answer, {"role": "tool", "tool_call_id": wanted["id"], "content": "Not one of the kinds."}]

    steps = [call("classify", kind="unknown"), call("classify", kind="refund"), say("Done.")]
    for choice in ({"type": "function", "function": {"name": "classify"}}, "required"):
        with scripted_model(steps):
            assert MockToolkit().run_generic(lambda choice=choice: agent(tool_choice=choice)).output == "Done."
    with pytest.raises(UnreachableToolError, match="classify"), scripted_model(steps):
        MockToolkit().run_generic(agent)
    toolkit = MockToolkit()
    toolkit.mock("classify", return_value="mocked")
    with pytest.raises(UnreachableToolError, match="classify is mocked"), scripted_model(steps):
        toolkit.run_generic(lambda: agent(tool_choice="required"))


@pytest.mark.parametrize(
    "text", ["I cannot refund that.", "Shall I refund it?", "Our refund policy: ask within 14 days.", "refunds()"]
)
def test_a_text_that_only_mentions_a_mock_is_left_alone(text):
    with scripted_model([say(text)]):
        assert mocked().run_generic(lambda: chat("May I have a refund?")["content"]).output == text


def test_a_call_in_a_form_of_the_agents_own_is_not_known():
    with scripted_model([say("refund > 123"), say("Done.")]):
        assert mocked().run_generic(lambda: acting(refund)).output == "Done."


def test_code_of_an_answer_that_calls_the_mock_is_left_alone():
    toolkit = mocked()

    def agent() -> str:
        chat("Refund order 123.")
        return toolkit.as_dict()["refund"](order="123")

    with scripted_model([say("refund(order='123')")]):
        assert toolkit.run_generic(agent).output == "mocked"


def test_code_that_calls_a_function_of_its_own_accord_is_not_seen_unless_it_is_patched():
    agent = lambda: sys.modules[__name__].refund("123")  # noqa: E731
    toolkit = mocked()
    assert toolkit.run_generic(agent).output == "really refunded 123"
    toolkit.patch(f"{__name__}.refund", return_value="patched", name="refund_function")
    assert toolkit.run_generic(agent).output == "patched"


def test_calls_in_texts_are_looked_for_in_the_first_megabyte_of_answers():
    def agent() -> str:
        chat("Refund order 123.")
        return refund("123")

    with scripted_model([say(" " * (1 << 20) + "refund(order='123')")]):
        assert mocked().run_generic(agent).output == "really refunded 123"


def test_a_mock_that_is_called_without_its_namespace_is_no_unseen_code():
    toolkit = mocked()
    tools = {"shop__refund": lambda order: toolkit.as_dict()["refund"](order=order, currency="EUR")}
    with scripted_model([call("shop__refund", order="123"), say("Done.")]):
        result = toolkit.run_generic(lambda: loop(tools, offered=("shop__refund",)))
    assert [step.tool_name for step in tool_steps(result)] == ["refund"]


def test_code_that_calls_a_mock_of_a_similar_name_is_unseen_all_the_same():
    toolkit = mocked()
    tools = {"process_refund": lambda order: toolkit.as_dict()["refund"](order=order, currency="EUR")}
    with pytest.raises(UnreachableToolError, match="answered process_refund"):
        with scripted_model([call("process_refund", order="123")]):
            toolkit.run_generic(lambda: loop(tools, offered=("process_refund",)))
