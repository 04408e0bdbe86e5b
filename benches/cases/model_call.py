"""What does a model call through the official openai client cost when no network is there?

The base is an in-memory transport that hands out stored bytes: what remains is the client itself. The
scripted model also reads the request, finds the answer, writes it in the client's dialect, and keeps
both. The transport hands out the very bytes that the script answers with.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

URL = "https://api.openai.com/v1/chat/completions"
TEXT = " ".join(["deliveries"] * 19)
REQUEST: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "You are kind, and you look before you pay. " * 10},
        {"role": "user", "content": "Please have a look at this order. " * 18},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "lookup_order",
                "description": "Looks an order up.",
                "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}},
            },
        }
    ],
}

BASE = "in-memory transport"
SCRIPT, IN_A_RUN, FIRST = "scripted model", "scripted model, in a run", "scripted model, its first call"
PLAIN, STREAMED, ASYNC = "plain", "streamed", "async, plain"
#: What is paid around the calls. Its base is a run as it was before UnitAI saw model calls.
AROUND, BARE_RUN = "around", "a run that does nothing, without the door"
#: Calls of one timed sample: so few that a sample and its base meet the same moment of the machine.
CALLS = {PLAIN: 10, STREAMED: 5, ASYNC: 10}
#: Turns of one timed sample of what is not a call.
TURNS = 200
#: Calls before a sample that are not counted. Hooks that come or go empty caches of the interpreter; what that
#: costs has a case of its own.
EARLY = 2
#: Samples of a case that make up one round.
PARTS = 20

#: One timed sample, in microseconds of CPU a call.
Sample = Callable[[], float]
#: What a sample repeats, with the client given.
Call = Callable[[Any], Any]


def call_plain(client: Any) -> None:
    client.chat.completions.create(**REQUEST)


def call_streamed(client: Any) -> None:
    for _ in client.chat.completions.create(**REQUEST, stream=True):
        pass


async def call_async(client: Any) -> None:
    await client.chat.completions.create(**REQUEST)


SYNC: dict[str, Call] = {PLAIN: call_plain, STREAMED: call_streamed}


def timed(call: Callable[[], Any], turns: int, early: int = EARLY) -> float:
    gc.collect()
    for _ in range(early):
        call()
    start = time.process_time()
    for _ in range(turns):
        call()
    return (time.process_time() - start) / turns * 1e6


async def timed_async(call: Callable[[], Any], turns: int) -> float:
    gc.collect()
    for _ in range(EARLY):
        await call()
    start = time.process_time()
    for _ in range(turns):
        await call()
    return (time.process_time() - start) / turns * 1e6


def in_memory(answer: dict[str, Any]) -> Any:
    """A transport that knows one answer; for sync and async clients alike."""
    import httpx2

    headers, body = answer["headers"], answer["body"].encode()
    return httpx2.MockTransport(lambda request: httpx2.Response(200, headers=headers, content=body))


def base_client(answer: dict[str, Any]) -> Any:
    import openai

    return openai.OpenAI(api_key="x", http_client=openai.DefaultHttpxClient(transport=in_memory(answer)))


def script() -> Any:
    """A new one for each sample, so that its log of requests does not grow."""
    from unitai import scripted_model
    from unitai.script import say, when

    return scripted_model([when(model="gpt").always(say(TEXT))])


def answers() -> dict[str, Any]:
    """What the script answers with, byte for byte, and how large the request was."""
    import httpx2

    found: dict[str, Any] = {}
    with script(), httpx2.Client() as client:
        for name, body in ((PLAIN, REQUEST), (STREAMED, {**REQUEST, "stream": True})):
            response = client.post(URL, json=body)
            found[name] = {
                "headers": response.headers.multi_items(),
                "body": response.text,
                "asked": len(response.request.content),
                "events": response.text.count("data:"),
            }
    return found


def unitai(known: dict[str, Any]) -> dict[str, dict[str, Sample]]:
    """The script beside the transport, and what a script and a run cost by themselves."""
    import openai

    from unitai import MockToolkit

    client, loop = openai.OpenAI(api_key="x"), asyncio.new_event_loop()
    async_client = openai.AsyncOpenAI(api_key="x")
    async_http = openai.DefaultAsyncHttpxClient(transport=in_memory(known[PLAIN]))
    async_base = openai.AsyncOpenAI(api_key="x", http_client=async_http)

    def scripted(call: Call, turns: int, early: int = EARLY) -> float:
        with script() as model:
            spent = timed(lambda: call(client), turns, early)
        assert len(model.requests) == early + turns
        return spent

    def in_a_run(call: Call, turns: int) -> float:
        with script():
            result = MockToolkit().run_generic(lambda: timed(lambda: call(client), turns))
        assert result.llm_calls == EARLY + turns, result.error
        return result.output

    def awaited(client: Any, model: Any) -> float:
        with model:
            return loop.run_until_complete(timed_async(lambda: call_async(client), CALLS[ASYNC]))

    def cases(name: str, call: Call) -> dict[str, Sample]:
        base, turns = base_client(known[name]), CALLS[name]
        return {
            BASE: lambda: timed(lambda: call(base), turns),
            SCRIPT: lambda: scripted(call, turns),
            IN_A_RUN: lambda: in_a_run(call, turns),
            FIRST: lambda: scripted(call, 1, early=0),
        }

    return {
        **{name: cases(name, call) for name, call in SYNC.items()},
        ASYNC: {
            BASE: lambda: awaited(async_base, nullcontext()),
            SCRIPT: lambda: awaited(async_client, script()),
        },
        AROUND: around(),
    }


def around() -> dict[str, Sample]:
    """What is paid once for a script or a run, with the client loaded, so that there is something to hook."""
    from unitai import MockToolkit
    from unitai.mock import toolkit as module
    from unitai.traffic.door import close_door, open_door

    def opened_and_closed() -> None:
        open_door()
        close_door()

    def entered_and_left() -> None:
        with script():
            pass

    def runs() -> float:
        toolkit = MockToolkit()  # A new one: a toolkit keeps its runs.
        return timed(lambda: toolkit.run_generic(lambda: None), TURNS)

    def runs_without_door() -> float:
        module.open_door = module.close_door = lambda: None
        try:
            return runs()
        finally:
            module.open_door, module.close_door = open_door, close_door

    return {
        BARE_RUN: runs_without_door,
        "a run that does nothing": runs,
        "open_door and close_door": lambda: timed(opened_and_closed, TURNS),
        "scripted_model, made, entered and left": lambda: timed(entered_and_left, TURNS),
    }


def vcrpy(known: dict[str, Any], folder: Path) -> dict[str, dict[str, Sample]]:
    """The peer, at its best: one recorded call that may be repeated, from a cassette that is loaded already."""
    import openai
    import vcr

    def recorded(name: str, call: Call) -> tuple[str, Any]:
        path, server = str(folder / f"{name}.yaml"), serve(known[name])
        client = openai.OpenAI(api_key="x", base_url=f"http://127.0.0.1:{server.server_port}/v1", max_retries=0)
        with vcr.use_cassette(path):
            call(client)
        server.shutdown()
        server.server_close()  # From here on, only the cassette can answer.
        return path, client

    def replayed(path: str, call: Callable[[], Any], turns: int, *matched: str) -> float:
        options = {"record_mode": "none", "allow_playback_repeats": True, "match_on": matched}
        with vcr.use_cassette(path, **options) as cassette:
            spent = timed(call, turns)
        assert cassette.play_count == EARLY + turns
        return spent

    def cases(name: str, call: Call) -> dict[str, Sample]:
        path, client = recorded(name, call)
        base, turns = base_client(known[name]), CALLS[name]
        return {
            BASE: lambda: timed(lambda: call(base), turns),
            "vcrpy": lambda: replayed(path, lambda: call(client), turns, "method", "uri"),
            "vcrpy, body matched": lambda: replayed(path, lambda: call(client), turns, "method", "uri", "body"),
        }

    return {name: cases(name, call) for name, call in SYNC.items()}


def serve(answer: dict[str, Any]) -> ThreadingHTTPServer:
    """A model on this machine, for a recording."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = answer["body"].encode()
            self.send_response(200)
            for name, value in answer["headers"]:
                if name.lower() != "content-length":
                    self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def in_rounds(groups: dict[str, dict[str, Sample]], rounds: int) -> dict[str, dict[str, list[float]]]:
    """The middle of each case by round. Within a round the cases of a group take turns, A B C A B C."""
    found: dict[str, dict[str, list[float]]] = {group: {name: [] for name in cases} for group, cases in groups.items()}
    for cases in groups.values():
        for sample in cases.values():
            sample()  # Loads what is loaded late.
    gc.collect()
    gc.freeze()  # The client's own objects are not garbage of a call.
    for _ in range(rounds):
        for group, cases in groups.items():
            parts = [{name: sample() for name, sample in cases.items()} for _ in range(PARTS)]
            for name, taken in found[group].items():
                taken.append(statistics.median(part[name] for part in parts))
    return found


def work(what: str, rounds: int, known: dict[str, Any]) -> None:
    """One product in this process."""
    with TemporaryDirectory(prefix="unitai-bench-") as folder:
        groups = unitai(known) if what == "unitai" else vcrpy(known, Path(folder))
        print(json.dumps(in_rounds(groups, rounds)))


if __name__ == "__main__":
    if sys.argv[1] == "answers":
        print(json.dumps(answers()))
    else:
        work(sys.argv[1], int(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text()))
