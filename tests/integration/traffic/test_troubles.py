"""What goes wrong on the way: recorded as it happened, and the client gets what it would have got without us."""

from __future__ import annotations

import json
import time

import pytest
import urllib3
from loopback import Answered
from provider_bodies import PROMPT, TEXT, as_provider, refusal
from wire import ASYNC, CHAT, SYNC, ask, chat, post, reading

from unitai import MockToolkit

pytestmark = pytest.mark.integration

clients = pytest.mark.parametrize("client", [*SYNC, *ASYNC], ids=lambda client: client.__name__)
PRICE = {"gpt-4o-mini": {"input": 1.0, "output": 10.0}}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 529])
def test_an_error_status_is_a_step_and_is_not_tried_again(server, status):
    server.respond = lambda asked: Answered(**refusal(asked.path, status, "not today"))
    result = MockToolkit(prices=PRICE).run(lambda input, tools: post(server.url + CHAT, chat()).status, "x")

    assert result.output == status
    assert len(server.requests) == 1
    (step,) = result.trajectory.steps
    assert (step.llm_status, step.llm_error, step.finish_reason) == (status, "not today", None)
    assert (step.prompt_tokens, step.completion_tokens, step.cost) == (0, 0, 0)


def test_an_error_that_is_no_json_is_a_step_too(server):
    page = b"<html>Bad gateway</html>"
    server.respond = lambda asked: Answered(page, "text/html", 502)
    result = MockToolkit().run(lambda input, tools: post(server.url + CHAT, chat()).data, "x")

    assert result.output == page
    (step,) = result.trajectory.steps
    assert step.llm_status == 502
    assert step.llm_error


def test_retries_of_the_client_are_calls_of_their_own(server):
    left = [503, 429]

    def grudgingly(asked):
        if left:
            return Answered(**refusal(asked.path, left.pop(0), "not yet"))
        return Answered(**as_provider(asked.path, asked.body))

    server.respond = grudgingly
    retries = urllib3.Retry(3, status_forcelist=[429, 503], allowed_methods=None, backoff_factor=0)

    def agent(input, tools):
        with urllib3.PoolManager() as pool:
            return pool.request("POST", server.url + CHAT, json=chat(), retries=retries).json()["model"]

    result = MockToolkit().run(agent, "x")
    assert result.output == "gpt-4o-mini"
    assert len(server.requests) == 3
    assert [step.llm_status for step in result.trajectory.steps] == [503, 429, None]


@clients
@pytest.mark.parametrize("stream", [False, True])
def test_a_connection_that_breaks_is_a_call_that_was_cut(client, stream, server):
    def halfway(asked):
        answer = as_provider(asked.path, asked.body)
        body = answer["body"][:3] if stream else answer["body"][:40]
        return Answered(**{**answer, "body": body, "is_cut": True})

    server.respond = halfway
    pieces = []
    toolkit = MockToolkit(prices=PRICE)
    result = toolkit.run(reading(client, server.url + CHAT, chat(stream=stream), pieces.append), "x")

    assert isinstance(result.error, Exception)
    (step,) = result.trajectory.steps
    assert (step.unfinished, step.finish_reason) == (False, None)
    # What came was taken, and is estimated.
    assert step.usage_is_estimated is True
    assert step.prompt_tokens > 0
    assert step.cost > 0
    assert not stream or b"Hello" in b"".join(pieces)


@clients
def test_a_server_that_is_not_there_is_a_call_that_failed(client):
    result = MockToolkit().run(reading(client, "http://127.0.0.1:9" + CHAT, chat(), lambda piece: None), "x")

    assert isinstance(result.error, Exception)
    (step,) = result.trajectory.steps
    assert step.llm_error
    # Nothing was sent, so nothing was taken.
    assert (step.llm_status, step.prompt_tokens, step.cost, step.unfinished) == (None, 0, 0.0, False)


class EnoughError(Exception):
    """The client has read enough."""


@clients
def test_a_client_that_closes_midway_has_a_call_that_was_cut(client, server):
    def at_length(asked):
        answer = as_provider(asked.path, asked.body)
        first, second, *_ = answer["body"]

        def pieces():
            yield first
            while True:
                time.sleep(0.005)
                yield second

        return Answered(**{**answer, "body": pieces()})

    server.respond = at_length
    count = []

    def until_enough(piece):
        count.append(piece)
        if len(count) == 5:
            raise EnoughError

    toolkit = MockToolkit(prices=PRICE)
    result = toolkit.run(reading(client, server.url + CHAT, chat(stream=True), until_enough), "x")

    assert isinstance(result.error, EnoughError)
    (step,) = result.trajectory.steps
    assert (step.unfinished, step.usage_is_estimated, step.finish_reason) == (False, True, None)
    assert step.completion_tokens > 0
    assert step.cost > 0


def test_a_stream_that_is_dropped_without_a_word_is_a_call_that_was_cut(server):
    kept = []

    def agent(input, tools):
        pool = urllib3.PoolManager(retries=False)
        answer = pool.request("POST", server.url + CHAT, json=chat(stream=True), preload_content=False)
        kept.extend([pool, answer])
        return next(answer.stream(16))

    result = MockToolkit(prices=PRICE).run(agent, "x")
    kept[1].close()
    kept[0].clear()
    (step,) = result.trajectory.steps
    assert (step.unfinished, step.usage_is_estimated, step.finish_reason) == (False, True, None)
    assert step.cost > 0


@pytest.mark.parametrize("body", [b'{"choices": [', b"", b"[]", b"null", b'{"usage": "many"}', b"\xff\xfe"])
def test_an_answer_that_makes_no_sense_reaches_the_client_as_it_is(body, server):
    server.respond = lambda asked: Answered(body)
    result = MockToolkit().run(lambda input, tools: post(server.url + CHAT, chat()).data, "x")

    assert (result.output, result.error) == (body, None)
    (step,) = result.trajectory.steps
    assert (step.model, step.unfinished) == ("gpt-4o-mini", False)
    assert step.finish_reason is None


@pytest.mark.parametrize("events", [b"data: {\n\n", b"data: 7\n\ndata: [DONE]\n\n", b"nonsense\n\n", b"\xff\xfe\n\n"])
def test_a_stream_that_makes_no_sense_reaches_the_client_as_it_is(events, server):
    server.respond = lambda asked: Answered([events], "text/event-stream")
    result = MockToolkit().run(lambda input, tools: post(server.url + CHAT, chat(stream=True)).data, "x")

    assert (result.output, result.error) == (events, None)
    assert len(result.trajectory.steps) == 1


def test_a_redirect_is_followed_and_counted_once(server):
    def elsewhere(asked):
        if asked.path == CHAT:
            return Answered(b"", status=307, headers={"location": f"{server.url}/eu{CHAT}"})
        return Answered(**as_provider(asked.path, asked.body))

    server.respond = elsewhere

    def agent(input, tools):
        with urllib3.PoolManager() as pool:
            return pool.request("POST", server.url + CHAT, json=chat()).json()

    result = MockToolkit().run(agent, "x")
    assert result.output["choices"][0]["message"]["content"] == TEXT
    assert [asked.path for asked in server.requests] == [CHAT, "/eu" + CHAT]
    assert result.total_tokens == 120


class Rude(BaseException):
    """Nothing that code usually expects."""


def test_an_error_of_the_agent_between_two_calls_leaves_both_in_the_record(server):
    def agent(input, tools):
        ask(server)
        ask(server)
        raise Rude

    result = MockToolkit().run(agent, "x")
    assert isinstance(result.error, Rude)
    assert [step.prompt_tokens for step in result.trajectory.steps] == [PROMPT, PROMPT]


# What is none of ours.


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/orders", None),
        ("GET", CHAT, None),
        ("POST", "/orders", b'{"order": 1}'),
        ("POST", "/messages", b'{"to": "Ann", "text": "Hi"}'),
        ("POST", "/v1/messages", b'{"messages": "three"}'),
        ("POST", "/v1/messages", b"to=Ann&text=Hi"),
        ("POST", "/survey/responses", b'{"answers": [1, 2]}'),
        ("POST", "/api/chat", b'{"room": 7, "message": "Hi"}'),
        ("POST", CHAT, b"no json at all"),
        ("POST", CHAT, b""),
        ("DELETE", "/v1/responses/resp_1", None),
    ],
)
def test_traffic_that_is_no_models_is_neither_changed_nor_recorded(method, path, body, server):
    reply = bytes(range(256)) * 8
    server.respond = lambda asked: Answered(reply, "application/octet-stream", 201, {"x-token": "t"})

    def send():
        with urllib3.PoolManager(retries=False) as pool:
            answer = pool.request(method, server.url + path, body=body, headers={"x-own": "1"})
            return answer.status, answer.data, answer.headers["x-token"]

    alone = send()
    result = MockToolkit(budget=1.0, prices=PRICE).run(lambda input, tools: send(), "x", model_override="another-model")

    assert result.output == alone == (201, reply, "t")
    assert result.trajectory.steps == []
    first, second = server.requests
    assert (first.path, first.headers, first.body) == (second.path, second.headers, second.body)


def test_a_model_call_after_the_run_is_nobodys(server):
    result = MockToolkit().run(lambda input, tools: ask(server), "x")
    assert ask(server) == TEXT
    assert len(result.trajectory.steps) == 1
    assert json.loads(server.requests[1].body) == chat()
