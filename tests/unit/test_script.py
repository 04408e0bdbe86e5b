"""Scripts: what a scripted model says, in which order, and what is wrong with it."""

from __future__ import annotations

import asyncio
import json
import re
import threading

import pytest

from tests.support.model import POOL, URL, ModelError, ask, chat
from unitai import (
    InvalidArgumentError,
    MockToolkit,
    ScriptedCallError,
    UnexpectedModelCallError,
    UnmockedToolError,
    UnplayedScriptError,
    scripted_model,
)
from unitai.match import regex
from unitai.script import call, choose, embed, fail, refuse, say, think, together, when

pytestmark = pytest.mark.unit


def test_steps_are_played_in_order():
    with scripted_model([say("one"), say("two")]):
        assert [ask("a"), ask("b")] == ["one", "two"]


def test_plain_text_is_a_step():
    with scripted_model(["hello"]):
        assert ask("a") == "hello"


def test_a_tool_call_has_its_arguments_as_json():
    with scripted_model([call("lookup", {"from": 1}, query="ü")]):
        (tool_call,) = chat("a", tools=["lookup"])["tool_calls"]
    assert tool_call["function"]["name"] == "lookup"
    assert json.loads(tool_call["function"]["arguments"]) == {"from": 1, "query": "ü"}


def test_a_list_is_one_answer():
    with scripted_model([[say("Let me look."), call("a"), call("b", x=1)]]):
        message = chat("a", tools=["a", "b"])
    assert message["content"] == "Let me look."
    assert [tool_call["function"]["name"] for tool_call in message["tool_calls"]] == ["a", "b"]
    assert len({tool_call["id"] for tool_call in message["tool_calls"]}) == 2


def test_reasoning_and_refusals_come_in_the_providers_way():
    with scripted_model([[think("hm"), say("yes")], refuse("no")]):
        assert chat("a")["reasoning_content"] == "hm"
        assert chat("a")["refusal"] == "no"


def test_a_failure_has_its_status_and_message():
    with scripted_model([fail(429, "slow down", retry_after=2), fail(500)]):
        with pytest.raises(ModelError, match="429: slow down"):
            ask("a")
        with pytest.raises(ModelError, match="500: the server had an error"):
            ask("a")


@pytest.mark.parametrize(
    "matcher",
    ["refund", re.compile("re.und"), regex("please refund"), lambda text: "refund" in text, "please refund"],
)
def test_a_condition_on_the_last_message_takes_every_kind_of_matcher(matcher):
    with scripted_model([say("other"), when(matcher).then(say("refunded"))]):
        assert ask("please refund") == "refunded"
        assert ask("hello") == "other"


def test_conditions_on_system_prompt_model_turn_and_tool_results():
    conversation = [
        {"role": "system", "content": "You are the researcher."},
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "search", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": '{"hits": 3}'},
    ]
    for condition in (
        when(system="researcher"),
        when(model=re.compile("^gpt")),
        when(turn=1),
        when(tool_result='"hits": 3'),
        when(tool="search"),
        when("go", system="researcher", turn=1),
    ):
        with scripted_model([condition.then(say("yes")), when(turn=2).always(say("no"))]):
            assert chat(conversation)["content"] == "yes"


def test_a_rule_gives_its_answers_one_after_the_other():
    with scripted_model([when("x").then(say("1"), say("2"))]):
        assert [ask("x"), ask("x")] == ["1", "2"]


def test_an_always_rule_answers_any_number_of_times_and_none():
    with scripted_model([when("x").always(say("1")), when("never").always(say("2"))]):
        assert [ask("x"), ask("x"), ask("x")] == ["1", "1", "1"]


def test_a_request_that_nothing_answers_is_an_error_that_shows_what_came_and_what_was_left():
    with pytest.raises(UnexpectedModelCallError) as caught, scripted_model([when("refund").then(say("x"))]):
        ask("hello there")
    text = str(caught.value)
    assert "hello there" in text
    assert 'when(last_message="refund").then(say("x"))' in text
    assert isinstance(caught.value.__cause__, ModelError)


def test_a_request_that_nothing_answers_fails_the_test_even_if_the_agent_swallows_it():
    def agent(input, tools):
        try:
            ask("one too many")
        except Exception:
            return "all is well"

    with pytest.raises(UnexpectedModelCallError, match="request 1"), scripted_model([]):
        result = MockToolkit().run(agent, "x")
        assert isinstance(result.error, UnexpectedModelCallError)
        assert result.trajectory.steps[0].llm_error.startswith("the script has no answer")


def test_steps_that_were_not_played_are_an_error_that_lists_them():
    with pytest.raises(UnplayedScriptError) as caught, scripted_model([say("a"), say("b"), call("c", d=1)]):
        ask("x")
    assert 'say("b"), call("c", d=1)' in str(caught.value)


def test_a_script_that_nobody_plays_is_an_error():
    with pytest.raises(UnplayedScriptError, match="no request came"), scripted_model([say("a")]):
        pass


def test_an_assertion_of_the_test_is_not_hidden_by_what_was_not_played():
    with pytest.raises(AssertionError, match="mine") as caught, scripted_model([say("a")]):
        raise AssertionError("mine")
    assert not isinstance(caught.value, UnplayedScriptError)


def test_an_error_of_the_test_is_not_hidden_by_what_was_not_played():
    with pytest.raises(KeyError), scripted_model([say("a")]):
        {}["x"]


def test_a_run_that_asks_nothing_has_not_played_the_script():
    toolkit = MockToolkit()
    with pytest.raises(UnplayedScriptError, match="by run 2 of 2"), scripted_model([say("one")]):
        toolkit.run_generic(lambda: ask("a"))
        toolkit.run_generic(lambda: "lazy")


def test_a_run_that_is_refused_need_not_play_the_rest():
    toolkit = MockToolkit()
    with scripted_model([say("one"), say("two")]):
        with pytest.raises(UnmockedToolError):
            toolkit.run_generic(lambda: [ask("a"), toolkit.as_dict()["refund"]()])
        with pytest.raises(UnmockedToolError):
            toolkit.run_generic(toolkit.as_dict()["refund"])


def test_the_other_runs_of_its_script_must():
    toolkit = MockToolkit()
    with pytest.raises(UnplayedScriptError, match="by run 2 of 2"), scripted_model([say("one"), say("two")]):
        with pytest.raises(UnmockedToolError):
            toolkit.run_generic(lambda: [ask("a"), toolkit.as_dict()["refund"]()])
        toolkit.run_generic(lambda: ask("a"))


def test_a_refusal_under_one_script_across_runs_ends_it():
    toolkit = MockToolkit()
    with scripted_model([say("one"), say("two"), say("three")], across_runs=True):
        toolkit.run_generic(lambda: ask("a"))
        with pytest.raises(UnmockedToolError):
            toolkit.run_generic(lambda: [ask("a"), toolkit.as_dict()["refund"]()])


@pytest.mark.parametrize("ends", [lambda: 1 / 0, lambda: [ask("a"), 1 / 0]], ids=["at once", "after a request"])
def test_a_run_that_its_own_error_ends_must_play_the_rest(ends):
    with pytest.raises(UnplayedScriptError), scripted_model([say("one"), say("two")]):
        assert MockToolkit().run_generic(ends).failed


def test_a_refusal_does_not_hide_an_unexpected_request():
    toolkit = MockToolkit()
    with pytest.raises(UnexpectedModelCallError), scripted_model([say("one")]):
        toolkit.run_generic(lambda: [ask("a"), ask("b")])
        with pytest.raises(UnmockedToolError):
            toolkit.run_generic(toolkit.as_dict()["refund"])


def test_several_answers_at_once_are_refused():
    with pytest.raises(UnexpectedModelCallError, match="3 answers"), scripted_model([say("one")]):
        ask("a", n=3)


def test_each_run_plays_the_script_from_its_beginning():
    toolkit = MockToolkit()
    with scripted_model([say("one"), say("two")]):
        for _ in range(3):
            assert toolkit.run_generic(lambda: [ask("a"), ask("b")]).output == ["one", "two"]


def test_one_run_that_stops_early_is_found_among_others():
    toolkit = MockToolkit()
    with pytest.raises(UnplayedScriptError, match="by run 2 of 2"), scripted_model([say("one"), say("two")]):
        toolkit.run_generic(lambda: [ask("a"), ask("b")])
        toolkit.run_generic(lambda: ask("a"))


def test_one_script_can_go_on_across_runs():
    toolkit = MockToolkit()
    with scripted_model([say("one"), say("two")], across_runs=True):
        assert [toolkit.run_generic(lambda: ask("a")).output for _ in range(2)] == ["one", "two"]


def test_a_script_is_a_decorator_too_for_async_functions_as_well():
    @scripted_model([say("one")])
    def twice():
        return ask("x")

    @scripted_model([say("one")])
    async def later():
        return await asyncio.to_thread(ask, "x")

    assert [twice(), twice(), asyncio.run(later()), asyncio.run(later())] == ["one"] * 4
    assert twice.__name__ == "twice"


def test_inner_scripts_answer_before_outer_ones():
    with scripted_model([say("outer")]):
        with scripted_model([say("inner")]):
            assert ask("x") == "inner"
        assert ask("x") == "outer"


def test_what_was_asked_can_be_looked_at():
    with scripted_model([say("ok")]) as model:
        conversation = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hello"}]
        chat(conversation, tools=["f"], temperature=0.5, max_tokens=7)
    (request,) = model.requests
    assert (request.dialect, request.model, request.system) == ("openai_chat", "gpt-4o", "Be kind.")
    assert (request.last_message, request.tools, request.max_output) == ("hello", ["f"], 7)
    assert (request.settings, request.streamed, request.tool_results) == ({"temperature": 0.5}, False, [])
    assert [message["role"] for message in request.messages] == ["system", "user"]


def test_usage_is_as_given_or_counted_from_the_texts():
    toolkit = MockToolkit()
    given = say("x").using(1000, 100, cache_read_tokens=600, reasoning_tokens=40)
    with scripted_model([given]):
        (step,) = toolkit.run_generic(lambda: ask("hi")).trajectory.steps
    assert (step.prompt_tokens, step.completion_tokens) == (1000, 100)
    assert (step.cache_read_tokens, step.cache_write_tokens, step.reasoning_tokens) == (600, 0, 40)
    # gpt-4o for a million: $2.50 fresh, $1.25 cached, $10 out. 400 * 2.5 + 600 * 1.25 + 100 * 10 = 2750.
    assert step.cost == pytest.approx(0.00275, abs=1e-12)
    with scripted_model([say("eight by")]):
        (step,) = toolkit.run_generic(lambda: ask("hi")).trajectory.steps
    assert step.completion_tokens == 2


def test_an_answer_can_let_wait():
    with scripted_model([say("x").after(0.05)]):
        (step,) = MockToolkit().run_generic(lambda: ask("hi")).trajectory.steps
    assert step.latency >= 0.05


def test_a_seeded_choice_repeats_and_runs_differ():
    def play():
        with scripted_model([choose(say("a"), say("b"), fail(500), seed=3)]):
            toolkit = MockToolkit()
            return [str(toolkit.run_generic(lambda: ask("x")).output) for _ in range(40)]

    first = play()
    assert first == play()
    assert set(first) == {"a", "b", "None"}


def test_a_condition_that_raises_is_told():
    with (
        pytest.raises(UnexpectedModelCallError, match="could not be decided") as caught,
        scripted_model([when(lambda text: 1 / 0).then(say("x"))]),
    ):
        ask("x")
    assert "ZeroDivisionError" in str(caught.value)


def test_threads_without_context_are_answered_by_the_only_script():
    with scripted_model([say("x")]):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(ask("y")))
        thread.start()
        thread.join()
    assert answers == ["x"]


def test_a_model_host_that_no_script_can_answer_is_refused():
    from tests.support.model import POOL

    with pytest.raises(UnexpectedModelCallError, match="no script can answer"), scripted_model([]):
        POOL.request("POST", "https://api.openai.com/v1/embeddings", json={"model": "m", "input": "x"})


def generator():
    yield 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: scripted_model("hello"),
        lambda: scripted_model(say("x")),
        lambda: scripted_model([5]),
        lambda: scripted_model([when("x")]),
        lambda: scripted_model([[]]),
        lambda: scripted_model([[fail(500)]]),
        lambda: say(5),
        lambda: say("x", finish="because"),
        lambda: say("\ud800"),
        lambda: think(1),
        lambda: refuse(None),
        lambda: call("f", [1]),
        lambda: call("f", {1: 2}),
        lambda: choose(say("x"), weights=["x"]),
        lambda: call("f", x="\ud800"),
        lambda: fail(429, 3),
        lambda: choose(say("x"), weights=[float("nan")]),
        lambda: choose(say("x"), seed="x"),
        lambda: scripted_model(None),
        lambda: scripted_model({"a": 1}),
        lambda: call(""),
        lambda: call("f", x=object()),
        lambda: call("f", x=float("nan")),
        lambda: fail(200),
        lambda: fail(True),
        lambda: fail(429, retry_after=-1),
        when,
        lambda: when(turn=0),
        lambda: when("x").then(),
        choose,
        lambda: choose(say("x"), weights=[1, 2]),
        lambda: choose(say("x"), weights=[-1]),
        lambda: say("x").after(-1),
        lambda: say("x").using(-1, 2),
        lambda: say("x").using(1, 2, cache_read_tokens=5),
        lambda: say("x").using(1, 2, reasoning_tokens=5),
        together,
        lambda: scripted_model([])(5),
        lambda: scripted_model([])(ModelError),
        lambda: scripted_model([])(generator),
    ],
)
def test_a_wrong_script_is_refused_at_once(wrong):
    with pytest.raises(InvalidArgumentError):
        wrong()


def test_steps_look_like_what_one_writes():
    steps = [say("a"), call("f", x=1), together(say("a"), call("f")), fail(429), choose(say("a"), fail(500))]
    texts = ["say('a')", "call('f', x=1)", "[say('a'), call('f')]", "fail(429)", "choose(say('a'), fail(500))"]
    assert [repr(step) for step in steps] == texts
    assert repr(when("x", turn=1).always(say("y"))) == "when(last_message='x', turn=1).always(say('y'))"


def test_a_script_that_is_opened_inside_of_a_run_answers_it():
    def agent():
        with scripted_model([say("inner")]):
            return ask("x")

    assert MockToolkit().run_generic(agent).output == "inner"


def test_what_goes_on_after_its_script_is_refused_and_does_not_go_out():
    begun, go_on = threading.Event(), threading.Event()
    results = []

    def agent():
        begun.set()
        go_on.wait(10)
        return ask("late")

    with scripted_model([]):
        thread = threading.Thread(target=lambda: results.append(MockToolkit().run_generic(agent)))
        thread.start()
        begun.wait(10)
    go_on.set()
    thread.join()
    assert isinstance(results[0].error, UnexpectedModelCallError)
    assert "after its script was over" in str(results[0].error)


REFUND = {
    "type": "object",
    "properties": {"order": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["order"],
    "additionalProperties": False,
}


def offer(*tools: tuple[str, dict[str, object]]) -> list[dict[str, object]]:
    return [{"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in tools]


class TestCallsThatNoModelCouldMake:
    def test_a_tool_that_the_request_does_not_offer_is_named_beside_those_it_offers(self):
        with pytest.raises(ScriptedCallError) as caught, scripted_model([call("refnd", order="1"), say("x")]):
            chat("a", tools=["refund", "lookup"])
        text = str(caught.value)
        assert "refnd, which the request does not offer; did you mean refund?" in text
        assert "refund, lookup" in text
        assert "call(...).unchecked()" in text

    def test_a_request_without_tools_can_be_answered_by_no_call(self):
        with pytest.raises(ScriptedCallError, match="the request offers no tools"), scripted_model([call("refund")]):
            chat("a")

    @pytest.mark.parametrize(
        ("arguments", "wrong"),
        [
            ({}, '"order" is a required property'),
            ({"order": 5}, 'order: 5 is not of type "string"'),
            ({"order": "1", "amount": "ten"}, "amount"),
            ({"order": "1", "reason": "x"}, "reason"),
        ],
    )
    def test_arguments_that_the_schema_refuses_are_named(self, arguments, wrong):
        with (
            pytest.raises(ScriptedCallError, match=re.escape(wrong)),
            scripted_model([call("refund", arguments), say("x")]),
        ):
            POOL.request("POST", URL, json={"model": "m", "messages": [], "tools": offer(("refund", REFUND))})

    def test_the_agent_cannot_swallow_it(self):
        def agent() -> str:
            try:
                return ask("a")
            except Exception:
                return "never mind"

        with pytest.raises(ScriptedCallError), scripted_model([call("refund")]):
            MockToolkit().run_generic(agent)

    def test_a_call_that_fits_is_played(self):
        with scripted_model([call("refund", order="1", amount=5)]):
            answer = POOL.request("POST", URL, json={"model": "m", "messages": [], "tools": offer(("refund", REFUND))})
        assert answer.json()["choices"][0]["message"]["tool_calls"]

    def test_unchecked_calls_are_played_whatever_is_offered(self):
        steps = [call("refnd", order=5).unchecked(), [say("hm"), call("refund", order=5).unchecked()]]
        with scripted_model(steps):
            assert chat("a")["tool_calls"][0]["function"]["name"] == "refnd"
            assert chat("a", tools=["refund"])["tool_calls"][0]["function"]["name"] == "refund"

    def test_unchecked_is_for_calls(self):
        with pytest.raises(InvalidArgumentError, match="calls no tool"):
            say("x").unchecked()

    def test_its_text_says_so(self):
        assert repr(call("f", x=1).unchecked()) == "call('f', x=1).unchecked()"


def embedded(text, host="https://api.openai.com", **more):
    body = {"model": "text-embedding-3-small", "input": text, **more}
    return POOL.request("POST", f"{host}/v1/embeddings", json=body).json()["data"][0]["embedding"]


def test_embeddings_are_answered_where_the_script_says_so():
    with scripted_model([embed()]):
        assert len(embedded("hi")) == 1536
        assert embedded("hi") == embedded("Hi!") != embedded("bye")
        assert len(embedded("hi", host="http://localhost:1", dimensions=8)) == 8
    with scripted_model([embed(dimensions=3)]):
        assert len(embedded("hi")) == 3


def test_embeddings_are_a_line_of_their_own():
    with pytest.raises(InvalidArgumentError, match="a line of its own"):
        when("hi").always(embed())
    with pytest.raises(InvalidArgumentError):
        scripted_model([[embed()]])
    for dimensions in (0, True, 2.5, 1 << 20):
        with pytest.raises(InvalidArgumentError, match="dimensions"):
            embed(dimensions=dimensions)
