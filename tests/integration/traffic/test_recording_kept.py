"""What is kept: answers that came whole, and were answers. Nothing else is, and the next run asks again."""

from __future__ import annotations

import json
import sys
import threading
import time
import warnings

import pytest
import urllib3
from loopback import Answered, Server
from provider_bodies import TEXT, as_provider, refusal
from wire import ASYNC, CHAT, SYNC, chat, post, reading

from unitai import CacheMissError, MockToolkit, ReplayCache, cassette

# That something is not kept is what these tests are about.
pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::unitai.RecordingWarning")]

clients = pytest.mark.parametrize("client", [*SYNC, *ASYNC], ids=lambda client: client.__name__)

MESSAGES = "/v1/messages"


def pieces(stream=True):
    return as_provider(CHAT, json.dumps(chat(stream=stream)).encode())["body"]


def events(*data):
    return Answered([b"data: " + json.dumps(each).encode() + b"\n\n" for each in data], "text/event-stream")


BAD = {
    "429": (False, lambda: Answered(**refusal(CHAT, 429, "later"))),
    "500": (False, lambda: Answered(**refusal(CHAT, 500, "broken"))),
    "503 page": (False, lambda: Answered(b"<html>Bad gateway</html>", "text/html", 503)),
    "200 with an error": (False, lambda: Answered(json.dumps({"error": {"message": "overloaded"}}).encode())),
    "200 with an error text": (False, lambda: Answered(b'{"error": "overloaded"}')),
    "half a JSON": (False, lambda: Answered(pieces(False)[:40])),
    "no JSON": (False, lambda: Answered(b"<html>200 and no model</html>", "text/html")),
    "empty": (False, lambda: Answered(b"")),
    "JSON of something else": (False, lambda: Answered(b'{"hello": "world"}')),
    "a list": (False, lambda: Answered(b"[]")),
    "cut body": (False, lambda: Answered(pieces(False), is_cut=True)),
    "cut stream": (True, lambda: Answered(pieces()[:3], "text/event-stream", is_cut=True)),
    "stream without its end": (True, lambda: Answered(pieces()[:3], "text/event-stream")),
    "stream with an error": (
        True,
        lambda: Answered([*pieces()[:3], b'data: {"error": {"message": "overloaded"}}\n\n'], "text/event-stream"),
    ),
    "stream that begins with an error": (True, lambda: events({"error": {"message": "overloaded"}})),
    "stream of nonsense": (True, lambda: Answered([b"data: {\n\n"], "text/event-stream")),
    "an empty stream": (True, lambda: Answered([b"\n"], "text/event-stream")),
}


@clients
@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_answer_is_not_kept_and_is_asked_again(client, bad, server, tmp_path):
    stream, respond = BAD[bad]
    toolkit = MockToolkit()
    agent = reading(client, server.url + CHAT, chat(stream=stream), lambda piece: None)
    for mode in ("record", "auto", "auto"):
        server.respond = lambda asked: respond()
        before = len(server.requests)
        with cassette(mode, tmp_path) as tape:
            toolkit.run(agent, "x")
        assert (tape.recorded, tape.replayed, len(server.requests) - before) == (0, 0, 1)
    assert list(tmp_path.glob("*.json")) == []

    server.respond = lambda asked: Answered(**as_provider(asked.path, asked.body))
    with cassette("auto", tmp_path) as tape:
        good = toolkit.run(agent, "x")
    assert (good.error, tape.recorded) == (None, 1)
    sent = len(server.requests)
    with cassette("replay", tmp_path):
        assert toolkit.run(agent, "x").output == good.output
    assert len(server.requests) == sent


@pytest.mark.parametrize(
    ("body", "kind", "why"),
    [
        (b'{"choices": [{"logprob": NaN}]}', "application/json", "its body is not valid JSON (expected value"),
        (b'{"choices": [{"message": {"content": "\\ud83d hi"}}]}', "application/json", "its body is not valid JSON ("),
        (b"<html>Sign in</html>", "text/html", "its body is text/html and not valid JSON ("),
        (b'{"error": {"message": "overloaded"}}', "application/json", "it is an error: overloaded"),
    ],
)
def test_an_answer_that_is_not_kept_says_once_why(body, kind, why, server, tmp_path):
    server.respond = lambda asked: Answered(body, kind)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with cassette("record", tmp_path) as tape:
            post(server.url + CHAT, chat())
    assert tape.recorded == 0
    (told,) = [str(warning.message) for warning in told]
    assert told.startswith(f"an answer was not recorded, and a replay will miss it: gpt-4o-mini: {why}")


@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_is_no_answer_and_says_nothing(status, server, tmp_path):
    server.respond = lambda asked: Answered(**refusal(asked.path, status, "later"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with cassette("record", tmp_path) as tape:
            post(server.url + CHAT, chat())
    assert tape.recorded == 0


def test_a_retry_is_kept_and_what_it_retried_is_not(server, tmp_path):
    left = [429, 503]

    def grudgingly(asked):
        if left:
            return Answered(**refusal(asked.path, left.pop(), "not yet"))
        return Answered(**as_provider(asked.path, asked.body))

    server.respond = grudgingly
    retries = urllib3.Retry(3, status_forcelist=[429, 503], allowed_methods=None, backoff_factor=0)

    def agent(input, tools):
        with urllib3.PoolManager() as pool:
            return pool.request("POST", server.url + CHAT, json=chat(), retries=retries).json()

    with cassette("record", tmp_path) as tape:
        recorded = MockToolkit().run(agent, "x")
    assert (tape.recorded, len(server.requests)) == (1, 3)
    with cassette("replay", tmp_path) as tape:
        assert MockToolkit().run(agent, "x").output == recorded.output
    assert tape.replayed == 1


class EnoughError(Exception):
    """The client has read enough."""


@clients
def test_a_client_that_leaves_early_has_nothing_kept(client, server, tmp_path):
    def at_length(asked):
        first, second, *_ = pieces()

        def slowly():
            yield first
            while True:
                time.sleep(0.005)
                yield second

        return Answered(slowly(), "text/event-stream")

    def enough(piece):
        raise EnoughError

    server.respond = at_length
    with cassette("record", tmp_path) as tape:
        result = MockToolkit().run(reading(client, server.url + CHAT, chat(stream=True), enough), "x")
    assert isinstance(result.error, EnoughError)
    assert tape.recorded == 0
    assert list(tmp_path.glob("*.json")) == []


def until_done(client, url, body):
    """An agent that reads a stream up to `[DONE]` and closes it, as many a client does."""
    seen = []

    def stop(piece):
        seen.append(piece)
        if b"[DONE]" in b"".join(seen):
            raise EnoughError

    agent = reading(client, url, body, stop)
    return agent, seen


@clients
def test_a_client_that_stops_at_done_has_its_answer_kept(client, tmp_path):
    with Server() as server:

        def hesitating(asked):
            def slowly():
                yield from as_provider(asked.path, asked.body)["body"]
                # The end of the body comes later than that of the answer.
                time.sleep(0.3)

            return Answered(slowly(), "text/event-stream")

        server.respond = hesitating
        with cassette("record", tmp_path) as tape:
            agent, recorded = until_done(client, server.url + CHAT, chat(stream=True))
            MockToolkit().run(agent, "x")
        assert tape.recorded == 1
    with cassette("replay", tmp_path):
        agent, replayed = until_done(client, server.url + CHAT, chat(stream=True))
        MockToolkit().run(agent, "x")
    assert b"".join(replayed) == b"".join(recorded)
    assert TEXT.split()[0].encode() in b"".join(replayed)


def test_an_answer_that_says_why_it_ended_early_is_an_answer(server, tmp_path):
    """`length` and `content_filter` are what the model said."""
    body = pieces(False).replace(b'"finish_reason":"stop"', b'"finish_reason":"length"')
    server.respond = lambda asked: Answered(body)
    with cassette("record", tmp_path) as tape:
        post(server.url + CHAT, chat())
    assert tape.recorded == 1


def test_an_answer_that_is_not_json_is_not_kept_for_another_dialect_either(server, tmp_path):
    request = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    for answer in (Answered(json.dumps(overloaded).encode()), Answered(b'{"type": "message"')):
        server.respond = lambda asked, answer=answer: answer
        with cassette("record", tmp_path) as tape:
            post(server.url + MESSAGES, request)
        assert tape.recorded == 0
    stream = {**request, "stream": True}
    cut = Answered(
        [b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n'],
        "text/event-stream",
    )
    server.respond = lambda asked: cut
    with cassette("record", tmp_path) as tape:
        post(server.url + MESSAGES, stream)
    assert tape.recorded == 0
    assert list(tmp_path.glob("*.json")) == []


API_BAD = {
    "429": lambda: Answered(b'{"detail": "later"}', status=429),
    "500": lambda: Answered(b"", status=500),
    "200 with an error": lambda: Answered(b'{"error": {"message": "x"}}'),
    "cut": lambda: Answered(b'{"vector": [1, 2', is_cut=True),
    "half a JSON": lambda: Answered(b'{"vector": [1, 2'),
}


@pytest.mark.parametrize("bad", API_BAD)
def test_other_apis_are_kept_by_the_same_rule(bad, server, tmp_path):
    url = server.url + "/v1/embed"

    def embed():
        try:
            return post(url, {"input": "x"}).data
        except urllib3.exceptions.HTTPError as error:
            return error

    server.respond = lambda asked: API_BAD[bad]()
    for mode in ("record", "auto"):
        with cassette(mode, tmp_path, apis=[server.url]) as tape:
            embed()
        assert tape.recorded == 0
    assert list(tmp_path.glob("*.json")) == []
    server.respond = lambda asked: Answered(b'{"vector": [1, 2]}')
    with cassette("auto", tmp_path, apis=[server.url]) as tape:
        assert embed() == b'{"vector": [1, 2]}'
    assert tape.recorded == 1
    server.respond = lambda asked: Answered(b'{"vector": [3]}')
    with cassette("replay", tmp_path, apis=[server.url]):
        assert embed() == b'{"vector": [1, 2]}'
    with pytest.raises(CacheMissError), cassette("replay", tmp_path, apis=[server.url]):
        post(url, {"input": "y"})
    assert ReplayCache(tmp_path).stats().entries == 1


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_an_answer_that_is_read_in_a_loop_comes_to_its_end(stream, server, tmp_path):
    """As `requests` does for `iter_content(None)`: it reads on until the body says that it is closed."""

    def read():
        with urllib3.PoolManager(retries=False) as pool:
            answer = pool.request("POST", server.url + CHAT, json=chat(stream=stream), preload_content=False)
            body = b"".join(piece for piece, _ in zip(answer.stream(None), range(100)))
            assert answer.closed
            return body

    with cassette("record", tmp_path):
        recorded = read()
    with cassette("replay", tmp_path):
        assert read() == recorded


@pytest.mark.skipif(sys.platform == "win32", reason="the lock of the folder is taken by flock")
def test_a_run_that_ends_while_an_answer_is_being_stored_waits_for_it(server, tmp_path):
    """The recording is written by the thread that read the answer. The run that ends meanwhile must hold its usage."""
    import fcntl

    toolkit = MockToolkit()
    readers = []
    with cassette("record", tmp_path) as tape, (tmp_path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        def agent(input, tools):
            has_read = threading.Event()

            def read():
                with urllib3.PoolManager() as pool:
                    response = pool.request("POST", server.url + CHAT, json=chat(stream=True), preload_content=False)
                    for chunk in response.stream():
                        if b"[DONE]" in chunk:
                            has_read.set()

            readers.append(threading.Thread(target=read))
            readers[0].start()
            assert has_read.wait(30)
            # Time for the thread to begin writing, which it cannot end while the lock is held.
            time.sleep(0.2)
            threading.Timer(0.3, fcntl.flock, (lock, fcntl.LOCK_UN)).start()
            return "done"

        result = toolkit.run(agent, "Hi")
        assert tape.recorded == 1
        readers[0].join()
    assert result.total_tokens == 120
