"""The contract of the scripted model with the real clients of models. A new client is one entry in `table.py`
and passes the same suite.
"""

from __future__ import annotations

import json
import re

import pytest
from model_client import IMAGE, IMAGE_BASE64, SYSTEM, TOOL, drive
from table import variants

from unitai import MockToolkit, UnexpectedModelCallError, UnplayedScriptError, scripted_model
from unitai.script import call, fail, say, when

pytestmark = [
    pytest.mark.contract,
    # What the SDKs warn of is theirs.
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("no_connection"),
]

DELIVERED = {"status": "delivered"}
#: Why an answer ends, in each dialect's words: having said something, and having called a tool.
FINISHED = {
    "openai_chat": ("stop", "tool_calls"),
    "openai_responses": ("completed", "completed"),
    "anthropic": ("end_turn", "tool_use"),
    "gemini": ("STOP", "STOP"),
    "bedrock": ("end_turn", "tool_use"),
    "ollama": ("stop", "stop"),
    "cohere": ("COMPLETE", "TOOL_CALL"),
}
#: The classes of tokens that a dialect has words for, beside those of prompt and answer.
COUNTED = {
    "openai_chat": {"cache_read", "reasoning"},
    "openai_responses": {"cache_read", "cache_write", "reasoning"},
    "anthropic": {"cache_read", "cache_write", "reasoning"},
    "gemini": {"cache_read", "reasoning"},
    "bedrock": {"cache_read", "cache_write"},
    "ollama": set(),
    "cohere": {"cache_read"},
}


@pytest.fixture(params=variants(), ids=str)
def client(request):
    return request.param.make()


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock(TOOL, return_value=DELIVERED)
    return toolkit


def scripted(*steps):
    return scripted_model(steps, block_network=True)


def agent_of(client, *, replies=None, raised=None, image=None):
    """An agent that asks until the model calls no tool any more, sync or async as its client is."""

    async def converse(input, tools):
        conversation = client.begin(input, image=image)
        try:
            while True:
                reply = await client.ask(conversation)
                if replies is not None:
                    replies.append(reply)
                if not reply.calls:
                    return reply.text
                conversation += reply.turn
                conversation += client.results([(made, tools[made.name](**made.args)) for made in reply.calls])
        except Exception as error:
            if raised is not None:
                raised.append(error)
            raise
        finally:
            await client.close()

    return converse if client.is_async else lambda input, tools: drive(converse(input, tools))


def kinds(result):
    return [step.step_type for step in result.trajectory.steps]


def model_steps(result):
    return [step for step in result.trajectory.steps if step.step_type == "llm_call"]


def test_text_arrives(client, toolkit):
    replies = []
    with scripted(say("It was delivered on Monday.")) as model:
        result = toolkit.run(agent_of(client, replies=replies), "Where is my order?")

    assert (result.output, result.error) == ("It was delivered on Monday.", None)
    assert not client.is_streamed or replies[0].pieces > 1
    (request,) = model.requests
    assert (request.dialect, request.model, request.streamed) == (client.dialect, client.model, client.is_streamed)
    assert (request.system, request.last_message, request.tools) == (SYSTEM, "Where is my order?", [TOOL])


def test_text_arrives_outside_a_run(client):
    async def ask():
        try:
            return await client.ask(client.begin("Hello?"))
        finally:
            await client.close()

    with scripted(say("Hello!")) as model:
        if client.is_async:
            import asyncio

            reply = asyncio.run(ask())
        else:
            reply = drive(ask())

    assert reply.text == "Hello!"
    assert [request.last_message for request in model.requests] == ["Hello?"]


def test_a_tool_call_goes_to_its_mock_and_back(client, toolkit):
    with scripted(
        call(TOOL, order_id="123").using(100, 20), when(tool_result="delivered").then(say("Delivered.").using(150, 30))
    ) as model:
        result = toolkit.run(agent_of(client), "Where is order 123?")

    assert (result.output, result.error) == ("Delivered.", None)
    assert kinds(result) == ["llm_call", "tool_call", "llm_call"]
    assert result.tool_called_with(TOOL, order_id="123")
    ((tool, said),) = model.requests[1].tool_results
    assert tool == TOOL
    assert "delivered" in said
    assert model.requests[1].last_message == "Where is order 123?"


def test_a_model_call_is_recorded_with_all_that_is_known_of_it(client, toolkit):
    replies = []
    with scripted(call(TOOL, order_id="123").using(100, 20), say("Delivered.").using(150, 30)):
        result = toolkit.run(agent_of(client, replies=replies), "Where is order 123?")

    said, called = FINISHED[client.dialect]
    first, last = model_steps(result)
    assert (first.finish_reason, last.finish_reason) == (called, said)
    assert [(step.prompt_tokens, step.completion_tokens) for step in (first, last)] == [(100, 20), (150, 30)]
    assert [reply.usage for reply in replies if reply.usage] in ([], [(100, 20), (150, 30)])
    assert result.total_tokens == 300
    for step in (first, last):
        assert (step.model, step.dialect, step.source) == (client.model, client.dialect, "script")
        assert step.streamed is client.is_streamed
        assert re.fullmatch("[0-9a-f]{64}", step.request_digest)
        assert (step.llm_status, step.llm_error, step.usage_is_estimated) == (None, None, False)
        assert step.latency >= 0
    assert first.request_digest != last.request_digest
    assert result.total_cost == pytest.approx(first.cost + last.cost, rel=1e-12)
    # A model on this machine is free.
    assert (result.total_cost == 0) if client.dialect == "ollama" else (first.cost > 0 and last.cost > 0)


def test_each_class_of_tokens_is_counted_and_priced(client):
    price = {"input": 1.0, "output": 10.0, "cached_input": 0.1, "cache_write": 2.0, "cache_write_long": 4.0}
    toolkit = MockToolkit(prices={client.model: price})
    counted = COUNTED[client.dialect]
    cached = {f"{kind}_tokens": 8 for kind in counted}
    with scripted(say("Hello!").using(100, 20, **cached)):
        result = toolkit.run(agent_of(client), "Hi")

    (step,) = model_steps(result)
    assert (step.prompt_tokens, step.completion_tokens) == (100, 20)
    assert (step.cache_read_tokens or 0) == (8 if "cache_read" in counted else 0)
    assert (step.cache_write_tokens or 0) == (8 if "cache_write" in counted else 0)
    assert (step.reasoning_tokens or 0) == (8 if "reasoning" in counted else 0)
    read, written = step.cache_read_tokens or 0, step.cache_write_tokens or 0
    dollars = ((100 - read - written) * 1.0 + read * 0.1 + written * 2.0 + 20 * 10.0) / 1e6
    assert step.cost == pytest.approx(dollars, rel=1e-12)


def test_two_tool_calls_in_one_answer_are_two(client, toolkit):
    replies = []
    with scripted([call(TOOL, order_id="1"), call(TOOL, order_id="2")], say("Both were delivered.")) as model:
        result = toolkit.run(agent_of(client, replies=replies), "Where are 1 and 2?")

    assert (result.output, result.error) == ("Both were delivered.", None)
    assert kinds(result) == ["llm_call", "tool_call", "tool_call", "llm_call"]
    assert [made.args for made in result.get_calls(TOOL)] == [{"order_id": "1"}, {"order_id": "2"}]
    assert [tool for tool, _ in model.requests[1].tool_results] == [TOOL, TOOL]
    ids = [made.id for made in replies[0].calls if made.id is not None]
    assert len(set(ids)) == len(ids)


def test_text_and_a_tool_call_in_one_answer_both_arrive(client, toolkit):
    replies = []
    with scripted([say("Let me look."), call(TOOL, order_id="123")], say("Delivered.")):
        result = toolkit.run(agent_of(client, replies=replies), "Where is 123?")

    assert (result.output, result.error) == ("Delivered.", None)
    assert replies[0].text == "Let me look."
    assert [made.name for made in replies[0].calls] == [TOOL]


TEXTS = {
    "other alphabets": "Grüße, 你好, \U0001f9e1 e\u0301!",
    "marks of JSON": 'a "quoted" \\ back\nline\ttab {"a": [1]} data: [DONE]',
    "ends of lines": "one\r\ntwo\x85three\u2028four\u2029five\x0bsix\x0c",
    "a long text": ("word" * 500 + " ") * 40,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_arrives_as_it_was_scripted(client, toolkit, text):
    with scripted(call(TOOL, order_id=text), say(text)) as model:
        result = toolkit.run(agent_of(client), text)

    assert (result.output, result.error) == (text, None)
    assert result.get_call(TOOL).args == {"order_id": text}
    assert model.requests[0].last_message == text


@pytest.mark.parametrize("status", [429, 500])
def test_a_failure_is_the_clients_own_error(client, toolkit, status):
    raised = []
    with scripted(fail(status, "out of patience")):
        result = toolkit.run(agent_of(client, raised=raised), "Hi")

    assert isinstance(result.error, client.rate_limited if status == 429 else client.broken)
    assert result.error is raised[0]
    assert "out of patience" in str(result.error)
    (step,) = result.trajectory.steps
    assert (step.step_type, step.llm_status, step.model) == ("llm_call", status, client.model)
    assert "out of patience" in step.llm_error
    assert (step.prompt_tokens, step.completion_tokens, step.cost) == (0, 0, 0)


def test_a_failure_after_an_answer_leaves_both_in_the_record(client, toolkit):
    with scripted(call(TOOL, order_id="1"), fail(500)):
        result = toolkit.run(agent_of(client), "Hi")

    assert isinstance(result.error, client.broken)
    assert kinds(result) == ["llm_call", "tool_call", "llm_call"]
    assert [step.llm_status for step in model_steps(result)] == [None, 500]


def test_a_request_too_many_ends_the_run_and_fails_the_script(client, toolkit):
    reached, raised = [], []
    agent = agent_of(client, raised=raised)

    if client.is_async:

        async def outer(input, tools):
            reached.append(await agent(input, tools))

    else:

        def outer(input, tools):
            reached.append(agent(input, tools))

    results = []
    with pytest.raises(UnexpectedModelCallError, match="request 2"):
        with scripted(call(TOOL, order_id="1")):
            results.append(toolkit.run(outer, "Hi"))

    (result,) = results
    assert isinstance(result.error, UnexpectedModelCallError)
    assert reached == []
    assert not any(isinstance(error, (client.rate_limited, client.broken)) for error in raised)
    assert kinds(result) == ["llm_call", "tool_call", "llm_call"]
    assert "the script has no answer" in model_steps(result)[-1].llm_error


def test_a_request_too_many_outside_a_run_fails_the_script(client):
    async def ask():
        try:
            return await client.ask(client.begin("Hello?"))
        finally:
            await client.close()

    with pytest.raises(UnexpectedModelCallError), scripted():
        if client.is_async:
            import asyncio

            asyncio.run(ask())
        else:
            drive(ask())


def test_a_step_that_was_not_asked_for_fails_the_script(client, toolkit):
    with pytest.raises(UnplayedScriptError, match="left over"), scripted(say("One."), say("Two.")):
        toolkit.run(agent_of(client), "Hi")


def test_another_model_takes_the_place_of_the_agents_own(client, toolkit):
    with scripted(call(TOOL, order_id="1"), say("Done.")) as model:
        result = toolkit.run(agent_of(client), "Hi", model_override=client.other_model)

    assert result.error is None
    assert [request.model for request in model.requests] == [client.other_model] * 2
    assert [step.model for step in model_steps(result)] == [client.other_model] * 2


def test_an_image_arrives_intact(client, toolkit):
    with scripted(say("A red pixel.")) as model:
        result = toolkit.run(agent_of(client, image=IMAGE), "What is this?")

    assert (result.output, result.error) == ("A red pixel.", None)
    (request,) = model.requests
    assert request.last_message == "What is this?"
    media = [part for message in request.messages for part in message["parts"] if part["type"] == "media"]
    assert len(media) == 1
    assert IMAGE_BASE64 in json.dumps(media[0]["value"])


def test_structured_output_becomes_an_object(client, toolkit):
    if not client.has_structured_output:
        pytest.skip("the SDK has no helper for it")
    from shapes import Order

    async def ask(input, tools):
        try:
            return await client.structured(client.begin(input), Order)
        finally:
            await client.close()

    with scripted(say('{"order_id": "123", "items": 2}')) as model:
        result = toolkit.run(ask if client.is_async else lambda input, tools: drive(ask(input, tools)), "Which order?")

    assert result.error is None
    assert isinstance(result.output, Order)
    assert (result.output.order_id, result.output.items) == ("123", 2)
    assert "order_id" in json.dumps(model.requests[0].settings)


def test_an_answer_that_takes_its_time_arrives_whole(client, toolkit):
    replies = []
    with scripted(say("One two three.").after(0.02, pace=0.005).using(10, 3)):
        result = toolkit.run(agent_of(client, replies=replies), "Count.")

    assert (result.output, result.error) == ("One two three.", None)
    (step,) = model_steps(result)
    assert (step.prompt_tokens, step.completion_tokens) == (10, 3)
    assert step.latency >= 0.02


def test_the_same_script_gives_the_same_record_twice(client, toolkit):
    def told(result):
        return [
            (step.step_type, step.model, step.tool_args, step.request_digest, step.prompt_tokens, step.cost)
            for step in result.trajectory.steps
        ]

    with scripted(call(TOOL, order_id="1"), say("Done.")):
        once = toolkit.run(agent_of(client), "Hi")
        client.connect()
        again = toolkit.run(agent_of(client), "Hi")

    assert told(once) == told(again)
    assert once.error is None
