"""Recorded against a server on this machine, replayed with it stopped: every client, the very same answers."""

from __future__ import annotations

import asyncio
import gc
import json
import re
from pathlib import Path

import pytest
from loopback import Answered, Server
from model_client import TOOL, drive
from provider import COOKIE, Provider
from provider_bodies import as_provider
from stopwatch import Stopwatch
from table import variants

from unitai import CacheMissError, MockToolkit, cassette, gateway

pytestmark = [
    pytest.mark.integration,
    # What the SDKs warn of is theirs.
    pytest.mark.filterwarnings("ignore"),
]

PRICE = {"input": 1.0, "output": 10.0, "cached_input": 0.1}


@pytest.fixture(scope="module", autouse=True)
def nothing_left():
    """What the SDKs have not closed is theirs, and must not trouble the tests after these."""
    yield
    gc.collect()


def counting(server):
    """A server whose every answer is another one."""

    def respond(asked):
        return Answered(**as_provider(asked.path, asked.body, text=f"answer number {len(server.requests)}"))

    server.respond = respond
    return server


def agent_of(client):
    async def ask(input, tools):
        try:
            return await client.ask(client.begin(input))
        finally:
            await client.close()

    return ask if client.is_async else lambda input, tools: drive(ask(input, tools))


def said(result):
    """All that the SDK made of the answer. LangChain gives each run an id of its own."""
    return re.sub("lc_run--[0-9a-f-]+", "lc_run", repr(result.output))


def shape(result):
    """The trajectory without what is different each time: times, and who answered."""
    steps = result.trajectory.to_dict()["steps"]
    for step in steps:
        step.pop("timestamp")
        for name in ("latency", "time_to_first_token", "recorded_latency", "source"):
            step["exchange"].pop(name, None)
    return steps


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_a_replay_with_the_server_stopped_is_the_same_in_everything(variant, tmp_path, monkeypatch):
    with Server() as server:
        counting(server)
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        model = variant.make(server.url).model
        toolkit = MockToolkit(prices={model: PRICE})
        with cassette("record", tmp_path) as tape:
            recorded = [toolkit.run(agent_of(variant.make(server.url)), "Hi") for _ in range(3)]
        assert tape.recorded == len(server.requests) == 3
        assert [result.output.text for result in recorded] == [f"answer number {n}" for n in (1, 2, 3)]

    with cassette("replay", tmp_path) as tape:
        replayed = [toolkit.run(agent_of(variant.make(server.url)), "Hi") for _ in range(3)]
        assert tape.replayed == 3
    assert [said(result) for result in replayed] == [said(result) for result in recorded]
    assert [shape(result) for result in replayed] == [shape(result) for result in recorded]
    assert {step.source for result in replayed for step in result.trajectory.steps} == {"replay"}
    assert sum(result.total_cost for result in replayed) == sum(result.total_cost for result in recorded) > 0
    gc.collect()


def two_calls(client):
    """Asks twice with one client, as an agent does."""

    async def ask(input, tools):
        try:
            return [await client.ask(client.begin(f"{input} {n}")) for n in (1, 2)]
        finally:
            await client.close()

    return ask if client.is_async else lambda input, tools: drive(ask(input, tools))


#: Those whose users leave it to them to try again.
TRY_AGAIN = {"openai", "anthropic", "langchain-openai", "langchain-anthropic"}
#: Those that keep cookies.
KEEP_COOKIES = {"openai", "anthropic"}


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_two_calls_of_a_client_with_its_defaults_against_a_provider_like_the_real_ones(variant, tmp_path, monkeypatch):
    package = variant.entry.package
    with Provider(is_busy=package in TRY_AGAIN) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        # What the client takes is what it gets, where nothing is recorded.
        live = MockToolkit().run(two_calls(variant.make(server.url, has_retries=True)), "Hi")
        assert live.succeeded
        compressed = list(server.edge.encodings)
        server.answers = 0
        with cassette("record", tmp_path) as tape:
            recorded = MockToolkit().run(two_calls(variant.make(server.url, has_retries=True)), "Hi")
        assert recorded.succeeded
        assert (tape.recorded, tape.redacted) == (2, 0)
        assert len(server.requests) == (8 if package in TRY_AGAIN else 4)
        # Where usage is asked for in the client's place, it is taken out of the stream again, which is not compressed then.
        assert compressed or variant.way != "plain" or package == "boto3", "nothing was compressed"
        assert server.edge.encodings == compressed, "an answer that is recorded was compressed"
        assert server.edge.cookies_returned or package not in KEEP_COOKIES, "the cookie was not sent back"
    with cassette("replay", tmp_path) as tape:
        replayed = MockToolkit().run(two_calls(variant.make(server.url, has_retries=True)), "Hi")
        assert tape.replayed == 2
    assert replayed.succeeded
    assert said(replayed) == said(recorded) == said(live)
    assert shape(replayed) == answered(recorded)
    assert all(COOKIE.encode() not in file.read_bytes() for file in tmp_path.glob("*.json"))
    gc.collect()


def answered(result):
    """The steps whose calls were answered, in the form of `shape`: a replay has no refusals."""
    return [step for step in shape(result) if step["exchange"]["end"] == "answered"]


@pytest.mark.parametrize("variant", [v for v in variants() if v.way == "stream"], ids=str)
def test_one_changed_word_is_a_miss_that_shows_it(variant, tmp_path, monkeypatch):
    with Server() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        with cassette("record", tmp_path):
            MockToolkit().run(agent_of(variant.make(server.url)), "Refund order 123 at once, please")
    with pytest.raises(CacheMissError) as caught, cassette("replay", tmp_path):
        MockToolkit().run(agent_of(variant.make(server.url)), "Refund order 124 at once, please")
    assert "Refund order [-123-]{+124+} at once, please" in str(caught.value)


@pytest.mark.parametrize("variant", [v for v in variants() if v.way == "plain"], ids=str)
def test_the_file_can_be_read_and_holds_no_key(variant, tmp_path, monkeypatch):
    with Server() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        with cassette("record", tmp_path):
            MockToolkit().run(agent_of(variant.make(server.url)), "Hi")
    (file,) = tmp_path.glob("*.json")
    entry = json.loads(file.read_text())["entry"]
    assert entry["key"] == file.stem
    assert entry["asked"]["model"] in json.dumps(entry)
    assert TOOL in json.dumps(entry["asked"]["body"])
    (slot,) = entry["slots"]
    assert slot["status"] == 200
    assert slot["scope"].endswith(f"[{variant}]")
    assert "Hello world" in json.dumps(slot["chunks"][0]["json"])
    assert {name for name, _ in slot["headers"]} <= {"content-type"}


def test_the_recording_of_one_client_serves_another(tmp_path):
    """What matters is what is asked, not by whom: the same question over httpx and over urllib3."""
    httpx = pytest.importorskip("httpx")
    import urllib3

    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    with Server() as server:
        path = "/v1/chat/completions"
        with cassette("record", tmp_path, scope="x"):
            with httpx.stream("POST", server.url + path, json=body, headers={"authorization": "Bearer a"}) as response:
                first = list(response.iter_raw())
    with cassette("replay", tmp_path, scope="x"):
        pool = urllib3.PoolManager(retries=False)
        response = pool.request("POST", "https://api.openai.com" + path, json=body, preload_content=False)
        assert b"".join(response.stream()) == b"".join(first)
    assert len(first) > 3


def test_pieces_come_as_they_came(tmp_path):
    httpx = pytest.importorskip("httpx")
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    pieces = [b"data: {}\n", b"\n", b"data: \xe2\x82", b"\xac\n\ndata: ", b"[DONE]\n\n"]

    def ask(url):
        with httpx.stream("POST", f"{url}/v1/chat/completions", json=body) as response:
            return list(response.iter_raw())

    import time

    def slowly():
        for piece in pieces:
            yield piece
            time.sleep(0.05)

    with Server() as server:
        server.respond = lambda asked: Answered(slowly(), "text/event-stream")
        with cassette("record", tmp_path, scope=""):
            recorded = MockToolkit(ask_for_usage=False).run_generic(lambda: ask(server.url)).output
    assert recorded == pieces
    with cassette("replay", tmp_path, scope=""):
        with Stopwatch() as watch:
            assert MockToolkit().run_generic(lambda: ask(server.url)).output == pieces
        assert watch.fair < 0.2
    with cassette("replay", tmp_path, scope="", paced=True):
        with Stopwatch() as watch:
            assert MockToolkit().run_generic(lambda: ask(server.url)).output == pieces
        assert watch.seconds >= 0.2


def test_everything_is_in_files_of_the_user_alone(tmp_path):
    folder = tmp_path / "deep" / "cache"
    with Server() as server:
        import urllib3

        with cassette("record", folder):
            body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
            urllib3.PoolManager().request("POST", f"{server.url}/v1/chat/completions", json=body)
    assert list(folder.glob("*.json"))
    for path in [folder, *folder.iterdir()]:
        assert Path(path).stat().st_mode & 0o077 == 0


THROUGH_THE_GATEWAY = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "google-genai": "gemini",
}


@pytest.mark.parametrize("variant", [v for v in variants() if v.entry.name in THROUGH_THE_GATEWAY], ids=str)
def test_the_other_door_records_and_replays_the_same(variant, tmp_path):
    """Through the gateway: recorded against a server, replayed with it stopped; and either door reads what the
    other recorded."""
    provider = THROUGH_THE_GATEWAY[variant.entry.name]

    def ask(base_url):
        client = variant.make(base_url.removesuffix("/v1"))
        agent = agent_of(client)
        return asyncio.run(agent("Hi", {})) if client.is_async else agent("Hi", {})

    with Server() as server:
        counting(server)
        with gateway("record", tmp_path, upstreams={provider: server.url}, scope="x") as door:
            recorded = [ask(door.base_urls[provider]) for _ in range(3)]
        assert len(server.requests) == 3
        assert [reply.text for reply in recorded] == [f"answer number {n}" for n in (1, 2, 3)]
        live = door.trajectory

    with gateway("replay", tmp_path, upstreams={provider: server.url}, scope="x") as door:
        replayed = [ask(door.base_urls[provider]) for _ in range(3)]
    assert [repr(reply) for reply in replayed] == [repr(reply) for reply in recorded]
    assert [step.source for step in door.trajectory.steps] == ["replay"] * 3
    assert [step.request_digest for step in door.trajectory.steps] == [step.request_digest for step in live.steps]
    assert door.trajectory.total_tokens == live.total_tokens > 0

    with cassette("replay", tmp_path, scope="x"):
        here = [ask("https://the.provider") for _ in range(3)]
    assert [repr(reply) for reply in here] == [repr(reply) for reply in recorded]
    # Sockets that the SDKs have not closed go now, and not in a test of others.
    gc.collect()
