"""Streams through every HTTP client: nothing is held back, and usage that only we asked for is not shown."""

from __future__ import annotations

import json
import threading

import pytest
from loopback import Answered
from provider_bodies import PROMPT, SAID, TEXT, as_provider
from wire import ASYNC, CHAT, SYNC, chat, reading, said

from unitai import MockToolkit

pytestmark = pytest.mark.integration

clients = pytest.mark.parametrize("client", [*SYNC, *ASYNC], ids=lambda client: client.__name__)


@clients
def test_the_first_piece_arrives_before_the_last_is_sent(client, server):
    arrived, in_time = threading.Event(), []

    def with_pause(asked):
        answer = as_provider(asked.path, asked.body)
        *first, last = answer["body"]

        def pieces():
            yield from first
            in_time.append(arrived.wait(5))
            yield last

        return Answered(**{**answer, "body": pieces()})

    server.respond = with_pause
    agent = reading(client, server.url + CHAT, chat(stream=True), lambda piece: arrived.set())
    result = MockToolkit().run(agent, "x")

    assert result.error is None
    assert in_time == [True]
    assert said(result.output) == TEXT
    step = result.trajectory.steps[0]
    assert step.time_to_first_token <= step.latency


@clients
def test_usage_that_only_we_asked_for_is_not_shown(client, server):
    result = MockToolkit().run(reading(client, server.url + CHAT, chat(stream=True), lambda piece: None), "x")

    assert server.requests[0].json == {**chat(stream=True), "stream_options": {"include_usage": True}}
    assert b"prompt_tokens" not in result.output
    assert said(result.output) == TEXT
    step = result.trajectory.steps[0]
    assert (step.prompt_tokens, step.completion_tokens, step.streamed) == (PROMPT, SAID, True)


@clients
def test_usage_that_the_client_asked_for_is_shown(client, server):
    body = chat(stream=True, stream_options={"include_usage": True})
    result = MockToolkit().run(reading(client, server.url + CHAT, body, lambda piece: None), "x")

    assert server.requests[0].json == body
    assert result.output == b"".join(as_provider(CHAT, json.dumps(body).encode())["body"])
    assert result.trajectory.steps[0].prompt_tokens == PROMPT


@clients
def test_other_options_of_the_stream_are_kept(client, server):
    body = chat(stream=True, stream_options={"include_obfuscation": False})
    MockToolkit().run(reading(client, server.url + CHAT, body, lambda piece: None), "x")

    sent = server.requests[0].json["stream_options"]
    assert sent == {"include_obfuscation": False, "include_usage": True}


@clients
def test_usage_is_left_alone_where_that_is_wanted(client, server):
    toolkit = MockToolkit(ask_for_usage=False)
    result = toolkit.run(reading(client, server.url + CHAT, chat(stream=True), lambda piece: None), "x")

    assert server.requests[0].json == chat(stream=True)
    assert said(result.output) == TEXT
    step = result.trajectory.steps[0]
    # Not known is not nothing.
    assert (step.prompt_tokens, step.completion_tokens, step.cost) == (None, None, None)


def asking_in_memory(httpx, url, body, content_of):
    """An agent whose client has a transport that needs no network; notes what it was given to send."""
    sent = []

    def answer(request):
        sent.append(json.loads(request.content))
        given = as_provider(CHAT, request.content)
        kind = given.get("content_type", "application/json")
        return httpx.Response(200, content=content_of(given["body"]), headers={"content-type": kind})

    def agent(input, tools):
        with httpx.Client(transport=httpx.MockTransport(answer)) as client:
            return client.post(url, json=body).content

    return agent, sent


libraries = pytest.mark.parametrize("library", ["httpx", "httpx2"])


@libraries
@pytest.mark.parametrize(
    ("host", "model", "is_asked"),
    [("api.openai.com", "gpt-4o-mini", True), ("api.mistral.ai", "mistral-small-latest", False)],
)
def test_a_provider_is_asked_for_usage_only_if_it_takes_the_question(library, host, model, is_asked):
    # Mistral gives the usage unasked, and refuses a request with an option that it does not know.
    httpx = pytest.importorskip(library)
    agent, sent = asking_in_memory(httpx, f"https://{host}{CHAT}", chat(stream=True, model=model), iter)

    result = MockToolkit().run(agent, "x")
    assert said(result.output) == TEXT
    assert ("stream_options" in sent[0]) is is_asked
    assert result.trajectory.steps[0].prompt_tokens == PROMPT


@libraries
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_was_never_on_a_wire_is_metered_too(library, stream):
    # A transport of the test's own may give a response that is read already.
    httpx = pytest.importorskip(library)
    whole = b"".join if stream else bytes
    agent, _ = asking_in_memory(httpx, f"https://api.openai.com{CHAT}", chat(stream=stream), whole)

    result = MockToolkit().run(agent, "x")
    assert not stream or said(result.output) == TEXT
    step = result.trajectory.steps[0]
    assert (step.prompt_tokens, step.completion_tokens, step.unfinished) == (PROMPT, SAID, False)
