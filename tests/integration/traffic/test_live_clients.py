"""The real clients against a server on this machine: what goes over the wire, and what is recorded of it."""

from __future__ import annotations

import gc
import json

import pytest
from loopback import Answered
from model_client import TOOL, drive
from provider_bodies import CACHED, PROMPT, REASONED, SAID, TEXT, as_provider, refusal
from table import variants

from unitai import InvalidArgumentError, MockToolkit

pytestmark = [
    pytest.mark.integration,
    # What the SDKs warn of is theirs.
    pytest.mark.filterwarnings("ignore"),
]

PRICE = {"input": 1.0, "output": 10.0, "cached_input": 0.1}


@pytest.fixture(params=variants(), ids=str)
def client(request, server):
    return request.param.make(server.url)


@pytest.fixture(scope="module", autouse=True)
def nothing_left():
    """What the SDKs have not closed is theirs, and must not trouble the tests after these."""
    yield
    gc.collect()


def agent_of(client):
    async def ask(input, tools):
        try:
            return await client.ask(client.begin(input))
        finally:
            await client.close()

    return ask if client.is_async else lambda input, tools: drive(ask(input, tools))


def text_of(result):
    assert result.error is None, result.error
    return result.output.text


def is_chat_stream(client):
    return client.dialect == "openai_chat" and client.is_streamed


def test_usage_is_metered_exactly(client, server):
    result = MockToolkit().run(agent_of(client), "Hi")

    assert text_of(result) == TEXT
    assert result.output.usage in (None, (PROMPT, SAID))
    assert len(server.requests) == 1
    (step,) = result.trajectory.steps
    assert (step.model, step.dialect, step.source) == (client.model, client.dialect, "live")
    assert (step.prompt_tokens, step.completion_tokens, step.usage_is_estimated) == (PROMPT, SAID, False)
    assert (step.cache_read_tokens or 0) == (0 if client.dialect == "ollama" else CACHED)
    assert (step.reasoning_tokens or 0) == (0 if client.dialect in ("ollama", "bedrock", "cohere") else REASONED)
    assert (step.streamed, step.llm_error, step.unfinished) == (client.is_streamed, None, False)
    assert step.finish_reason
    assert step.latency > 0
    # A model on this machine is free.
    assert (result.total_tokens, result.total_cost) == (PROMPT + SAID, 0)


def test_a_price_of_ones_own_holds_on_this_machine_too(client, server):
    result = MockToolkit(prices={client.model: PRICE}).run(agent_of(client), "Hi")

    assert text_of(result) == TEXT
    cached = 0 if client.dialect == "ollama" else CACHED
    dollars = ((PROMPT - cached) * 1.0 + cached * 0.1 + SAID * 10.0) / 1e6
    assert result.total_cost == pytest.approx(dollars, rel=1e-12)


def test_usage_of_a_stream_is_asked_for_where_it_must_be(client, server):
    result = MockToolkit().run(agent_of(client), "Hi")

    assert text_of(result) == TEXT
    sent = server.requests[0].json
    if is_chat_stream(client):
        # The client has seen no chunk of it: it checks each.
        assert sent["stream_options"]["include_usage"] is True
    else:
        assert "stream_options" not in sent


def test_usage_is_not_asked_for_where_that_is_not_wanted(client, server, other_server):
    result = MockToolkit(ask_for_usage=False).run(agent_of(client), "Hi")
    with_us = server.requests[0].json

    run_alone(client, other_server)
    alone = other_server.requests[0].json
    assert text_of(result) == TEXT
    assert with_us == alone
    if is_chat_stream(client) and "stream_options" not in alone and not client.model.startswith("mistral"):
        (step,) = result.trajectory.steps
        assert (step.prompt_tokens, step.cost) == (None, None)


def run_alone(client, server):
    client.base_url = server.url
    client.connect()
    agent = agent_of(client)
    if client.is_async:
        import asyncio

        return asyncio.run(agent("Hi", {}))
    return agent("Hi", {})


def test_a_run_that_asks_for_nothing_changes_nothing_on_the_wire(client, server, other_server):
    MockToolkit(ask_for_usage=False).run(agent_of(client), "Hi")
    assert run_alone(client, other_server).text == TEXT

    (watched,), (alone,) = server.requests, other_server.requests
    assert (alone.method, alone.path, alone.body) == (watched.method, watched.path, watched.body)
    changing = {"host", "amz-sdk-invocation-id", "authorization", "x-amz-date", "amz-sdk-request"}
    if client.dialect == "bedrock":
        # boto3 lists what it uses in the order of a set, and more of it with each client of the process.
        changing.add("user-agent")
    assert {n: v for n, v in alone.headers.items() if n not in changing} == {
        n: v for n, v in watched.headers.items() if n not in changing
    }


def test_another_model_goes_over_the_wire(client, server):
    toolkit, agent = MockToolkit(), agent_of(client)
    if client.dialect == "bedrock":
        # Its requests are signed: a changed one would be worth nothing.
        with pytest.raises(InvalidArgumentError, match="signed"):
            toolkit.run(agent, "Hi", model_override=client.other_model)
        assert server.requests == []
        return
    result = toolkit.run(agent, "Hi", model_override=client.other_model)
    assert text_of(result) == TEXT
    (asked,) = server.requests
    assert client.model not in asked.path + json.dumps(asked.json)
    assert client.other_model in (asked.path if client.dialect == "gemini" else asked.json["model"])
    assert int(asked.headers["content-length"]) == len(asked.body)
    assert result.trajectory.steps[0].model == client.other_model


@pytest.mark.parametrize("status", [429, 500])
def test_a_failure_is_recorded_and_not_tried_again_by_us(client, server, status):
    server.respond = lambda asked: Answered(**refusal(asked.path, status, "out of patience"))
    result = MockToolkit().run(agent_of(client), "Hi")

    assert isinstance(result.error, client.rate_limited if status == 429 else client.broken)
    assert len(server.requests) == 1
    (step,) = result.trajectory.steps
    assert (step.llm_status, step.prompt_tokens, step.cost) == (status, 0, 0)
    assert "out of patience" in step.llm_error


def test_bytes_that_come_one_by_one_are_read_all_the_same(client, server):
    def slowly(asked):
        answer = as_provider(asked.path, asked.body)
        whole = answer["body"] if isinstance(answer["body"], bytes) else b"".join(answer["body"])
        return Answered(**{**answer, "body": [whole[at : at + 1] for at in range(len(whole))]})

    server.respond = slowly
    result = MockToolkit().run(agent_of(client), "Hi")

    assert text_of(result) == TEXT
    (step,) = result.trajectory.steps
    assert (step.prompt_tokens, step.completion_tokens) == (PROMPT, SAID)


def test_the_request_that_the_server_gets_offers_the_tool(client, server):
    MockToolkit().run(agent_of(client), "Hi")
    assert TOOL in server.requests[0].body.decode()
