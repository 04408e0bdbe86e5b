"""Faults of model calls through every HTTP client: from a script, from recordings, and on what a real server says.
Each client raises what it raises when such a thing happens by itself.
"""

from __future__ import annotations

import json
import time
from contextlib import nullcontext

import pytest
import urllib3
from loopback import Answered
from provider_bodies import TEXT
from stopwatch import Stopwatch
from wire import ASYNC, CHAT, SYNC, Anywhere, ask, chat, post, reading, said

from unitai import Budget, MockToolkit, cassette, scripted_model
from unitai.faults import (
    corrupt,
    cut,
    faults,
    malformed,
    on_model,
    on_tool,
    rate_limit,
    reset,
    server_error,
    slow,
    timeout,
    wrong_schema,
)
from unitai.script import say, when

pytestmark = pytest.mark.integration

clients = pytest.mark.parametrize("client", [*SYNC, *ASYNC], ids=lambda client: client.__name__)
streamed = pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
voices = pytest.mark.parametrize("voice", ["script", "live", "replay"])

#: What a client raises when its connection is reset, when nothing comes in time, and when an answer is cut.
RAISED = {
    "with_urllib3": ("ProtocolError", "ReadTimeoutError", "ProtocolError"),
    "with_requests": ("ConnectionError", "ReadTimeout", "ChunkedEncodingError"),
    "with_httpx": ("ReadError", "ReadTimeout", "RemoteProtocolError"),
    "with_httpx2": ("ReadError", "ReadTimeout", "RemoteProtocolError"),
    "with_httpx_async": ("ReadError", "ReadTimeout", "RemoteProtocolError"),
    "with_aiohttp": ("ServerDisconnectedError", "SocketTimeoutError", "ClientPayloadError"),
}


@pytest.fixture
def where(voice, server, tmp_path, request):
    """Who answers, and where to ask. A recording is made first."""
    if voice == "script":
        return Anywhere.url, lambda: scripted_model([when(model="").always(say(TEXT))])
    if voice == "live":
        return server.url, nullcontext
    for stream in (False, True):
        with cassette("record", tmp_path / "cache"):
            MockToolkit().run_generic(lambda stream=stream: post(server.url + CHAT, chat(stream=stream)).data)
    server.respond = lambda asked: pytest.fail("it was not replayed")
    return server.url, lambda: cassette("replay", tmp_path / "cache")


def meet(client, where, fault, streamed, seen=lambda piece: None, seed=0):
    """What comes of a request that meets the fault."""
    url, voice = where
    agent = reading(client, url + CHAT, chat(stream=streamed), seen)
    with voice(), faults([on_model(nth=1).then(fault)], seed=seed):
        return MockToolkit().run(agent, "x")


def text_of(body, streamed):
    return said(body) if streamed else json.loads(body)["choices"][0]["message"]["content"]


@clients
@voices
@streamed
@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_refusal_comes_with_its_status(client, where, streamed, status, server):
    fault = rate_limit(retry_after=3) if status == 429 else server_error(status)
    asked = len(server.requests)
    result = meet(client, where, fault, streamed)
    (step,) = result.trajectory.steps
    assert step.llm_status == status
    assert step.fault.kind == ("rate_limit" if status == 429 else "server_error")
    assert "on purpose" in step.llm_error
    assert (step.cost, step.prompt_tokens) == (0, 0)
    assert len(server.requests) == asked


@clients
@voices
@streamed
@pytest.mark.parametrize(("fault", "place"), [(reset(), 0), (timeout(), 1)], ids=["reset", "timeout"])
def test_a_connection_breaks_as_it_does_by_itself(client, where, streamed, fault, place, server):
    asked = len(server.requests)
    with Stopwatch() as watch:
        result = meet(client, where, fault, streamed)
    assert type(result.error).__name__ == RAISED[client.__name__][place], repr(result.error)
    (step,) = result.trajectory.steps
    assert step.fault.kind == repr(fault)[:-2]
    assert step.llm_status is None
    assert (step.cost, step.prompt_tokens, step.unfinished) == (0, 0, False)
    assert len(server.requests) == asked
    assert watch.fair < 5


@clients
@voices
@streamed
@pytest.mark.parametrize("fault", [cut(), cut(0), cut(bytes=30), cut(10**6)], ids=repr)
def test_an_answer_is_cut_as_it_is_by_itself(client, where, streamed, fault):
    pieces = []
    result = meet(client, where, fault, streamed, seen=pieces.append)
    assert type(result.error).__name__ == RAISED[client.__name__][2], repr(result.error)
    (step,) = result.trajectory.steps
    assert step.fault.kind == "cut"
    got = b"".join(pieces)
    if repr(fault) == "cut(bytes=30)":
        # What arrived at once with the break may be lost with it, as on a real wire.
        assert len(got) in (0, 30)
    elif repr(fault) == "cut(0)":
        assert got == b""
    if repr(fault) != "cut(1000000)":
        assert step.llm_error == "the answer was cut before its end"


@clients
@voices
@streamed
def test_a_malformed_answer_is_no_json(client, where, streamed):
    result = meet(client, where, malformed(), streamed)
    assert result.error is None
    with pytest.raises(json.JSONDecodeError):
        text_of(result.output, streamed)
    again = meet(client, where, malformed(), streamed)
    assert again.output == result.output
    (step,) = result.trajectory.steps
    # What the provider counted is known all the same.
    assert step.fault.kind == "malformed"
    assert step.completion_tokens > 0


@clients
@voices
@streamed
def test_an_answer_of_another_schema_is_json(client, where, streamed):
    result = meet(client, where, wrong_schema(), streamed)
    assert result.error is None
    lines = [line[6:] for line in result.output.decode().splitlines() if line.startswith("data: {")]
    documents = [json.loads(line) for line in lines] if streamed else [json.loads(result.output)]
    assert documents
    assert all(document == {"unexpected": True} for document in documents)
    assert result.trajectory.steps[0].completion_tokens > 0


@clients
@voices
@streamed
def test_a_late_answer_comes_whole(client, where, streamed):
    result = meet(client, where, slow(0.1), streamed)
    assert text_of(result.output, streamed) == TEXT
    (step,) = result.trajectory.steps
    assert step.fault.text == "first byte after 0.1 s"
    assert step.latency >= 0.1 or step.source == "live"
    assert result.duration >= 0.1


@clients
@voices
def test_a_slow_stream_comes_part_by_part(client, where):
    at = []
    result = meet(client, where, slow(pace=0.02), True, seen=lambda piece: at.append(time.monotonic()))
    assert said(result.output) == TEXT
    assert len(at) > 1
    assert at[-1] - at[0] >= 0.02


@pytest.mark.parametrize("fault", [cut(), malformed(), wrong_schema()], ids=repr)
@pytest.mark.parametrize("voice", ["script", "replay"])
def test_who_asks_again_gets_the_answer_that_was_spoiled(fault, where):
    """A script has one answer for the request, and so has the recording."""
    url, voice = where
    if "openai.com" in url:
        voice = lambda: scripted_model([say(TEXT)])  # noqa: E731

    def agent():
        try:
            post(url + CHAT, chat()).json()["choices"]
        except (json.JSONDecodeError, KeyError, urllib3.exceptions.ProtocolError):
            return text_of(post(url + CHAT, chat()).data, False)

    with voice(), faults([on_model(nth=1).then(fault)]):
        result = MockToolkit().run_generic(agent)
    assert result.output == TEXT
    assert result.recovered_from()
    assert result.retried_at_most(1)
    assert [step.fault is None for step in result.trajectory.steps] == [False, True]


def test_a_faulted_request_takes_no_step_of_a_script():
    with scripted_model([say("first"), say("second")]) as model, faults([on_model(nth=[1, 3]).then(server_error())]):
        result = MockToolkit().run_generic(lambda: [post(Anywhere.url + CHAT, chat()).status for _ in range(4)])
    assert result.output == [500, 200, 500, 200]
    assert len(model.requests) == 2


def test_urllib3_tries_again_by_its_own_rules_and_each_try_is_a_step():
    rules = [on_model(nth=1).then(reset()), on_model(nth=2).then(timeout()), on_model(nth=3).then(server_error(503))]
    retries = urllib3.Retry(total=5, backoff_factor=0, status_forcelist=[503], allowed_methods=None)

    def agent():
        with urllib3.PoolManager(retries=retries) as pool:
            return pool.request("POST", Anywhere.url + CHAT, json=chat()).json()["choices"][0]["message"]["content"]

    with scripted_model([say("at last")]), faults(rules):
        result = MockToolkit().run_generic(agent)
    assert result.output == "at last"
    kinds = [step.fault and step.fault.kind for step in result.trajectory.steps]
    assert kinds == ["reset", "timeout", "server_error", None]
    assert result.recovered_from("timeout")
    assert result.retried_at_most(3)
    assert not result.retried_at_most(2)


def test_a_time_out_can_take_its_time():
    def agent():
        with urllib3.PoolManager(retries=False, timeout=0.1) as pool:
            return pool.request("POST", Anywhere.url + CHAT, json=chat())

    with scripted_model([when(model="").always(say("x"))]), faults([on_model().then(timeout(after=5))]):
        with Stopwatch() as watch:
            result = MockToolkit().run_generic(agent)
    assert result.duration >= 0.1
    assert watch.fair < 3
    assert type(result.error).__name__ == "ReadTimeoutError"


def test_a_request_that_fails_on_purpose_costs_nothing_of_the_budget():
    budget = Budget(0.01)
    with scripted_model([when(model="").always(say("x"))]), faults([on_model(nth=1).then(reset())]):
        kit = MockToolkit(budget=budget, prices={"gpt-4o-mini": {"input": 1.0, "output": 10.0}})
        kit.run_generic(lambda: post(Anywhere.url + CHAT, chat(max_tokens=20)))
        assert (budget.spent, budget.reserved) == (0, 0)


def test_conditions_look_at_the_request():
    with scripted_model([when(model="").always(say("x"))]), faults([on_model("refund").then(server_error(500))]):
        result = MockToolkit().run_generic(
            lambda: [post(Anywhere.url + CHAT, chat(text)).status for text in ("hello", "a refund", "bye")]
        )
    assert result.output == [200, 500, 200]


def test_a_script_without_a_run_meets_faults_too():
    with scripted_model([say("x")]), faults([on_model(nth=1).then(rate_limit())]):
        statuses = [post(Anywhere.url + CHAT, chat()).status for _ in range(2)]
    assert statuses == [429, 200]


def test_the_same_seed_gives_the_same_trajectory():
    def told(seed):
        kit = MockToolkit(
            faults=faults([on_model(chance=0.4).then(server_error()), on_tool(chance=0.3).then(corrupt())], seed=seed)
        )
        kit.mock("lookup", return_value={"status": "delivered"})

        def agent(input, tools):
            for n in range(12):
                post(Anywhere.url + CHAT, chat(f"question {n}"))
                tools["lookup"](n=n)

        with scripted_model([when(model="").always(say("x"))]):
            steps = kit.run(agent, "x").trajectory.steps
        return [(s.step_type, s.request_digest, s.tool_args, s.tool_result, s.llm_status, s.fault) for s in steps]

    assert told(3) == told(3)
    assert told(3) != told(4)


def test_what_is_recorded_is_what_the_provider_said(server, tmp_path):
    """A fault changes what the agent gets, not what is kept."""
    with cassette("record", tmp_path / "c"), faults([on_model(nth=1).then(wrong_schema())]):
        spoiled = MockToolkit().run_generic(lambda: post(server.url + CHAT, chat()).json())
    assert spoiled.output == {"unexpected": True}
    server.respond = lambda asked: Answered(b"", status=500)
    with cassette("replay", tmp_path / "c"):
        assert MockToolkit().run_generic(lambda: ask(server)).output == TEXT
