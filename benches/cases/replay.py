"""What does a replayed model call through the official openai client cost, with 5, 1,000 and 20,000 recordings?

The base is an in-memory transport that hands out the very same bytes. Every call asks something else, as in a
suite: its recording is found, read from its file, checked and handed out. vcrpy replays the same from a cassette
of its own, with the body matched, because a replay that does not look at the body answers anything.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

# As a script, this file is found by itself, and its neighbour by the folder above.
sys.path.insert(0, str(Path(__file__).parent.parent))
from cases.model_call import (
    BASE,
    PLAIN,
    REQUEST,
    STREAMED,
    Sample,
    answers,
    base_client,
    in_rounds,
    serve,
    timed,
)

SIZES = (5, 1_000, 20_000)
#: Calls of one timed sample.
CALLS = {PLAIN: 10, STREAMED: 5}


def asked(number: int, *, streamed: bool = False) -> dict[str, Any]:
    """One question of many."""
    messages = [*REQUEST["messages"], {"role": "user", "content": f"It is order {number}."}]
    return {**REQUEST, "messages": messages, **({"stream": True} if streamed else {})}


def call(client: Any, body: dict[str, Any]) -> None:
    answer = client.chat.completions.create(**body)
    if body.get("stream"):
        for _ in answer:
            pass


def case(size: int) -> str:
    return f"replay, {size:,} recordings"


def record_one(folder: Path, answer: dict[str, Any], body: dict[str, Any]) -> Path:
    """A recording as the product makes it: the others are made after it."""
    import openai

    from unitai import MockToolkit, cassette

    server = serve(answer)
    client = openai.OpenAI(api_key="x", base_url=f"http://127.0.0.1:{server.server_port}/v1", max_retries=0)
    with cassette("record", folder, scope=""):
        # As in the base, nobody asks for usage.
        result = MockToolkit(ask_for_usage=False).run_generic(lambda: call(client, body))
        assert result.error is None, result.error
    server.shutdown()
    server.server_close()
    (path,) = folder.glob("*.json")
    return path


def fill(folder: Path, answer: dict[str, Any], size: int, *, streamed: bool) -> None:
    """So many recordings, byte for byte as the product writes them."""
    first = asked(0, streamed=streamed)
    model = record_one(folder, answer, first).read_text()
    head, middle = model.index('"entry": ') + len('"entry": '), "\n}\n"
    entry = model[head : -len(middle)]
    for number in range(size):
        body = asked(number, streamed=streamed)
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        parts = ["openai_chat", body["model"], "streamed" if streamed else "whole", canonical]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        mine = entry.replace("It is order 0.", f"It is order {number}.")
        mine = mine.replace(json.loads(entry)["key"], key)
        checksum = hashlib.sha256(mine.encode()).hexdigest()
        text = f'{{\n"checksum": "sha256:{checksum}",\n"entry": {mine}{middle}'
        if number == 0:
            assert text == model, "the product writes them otherwise"
        (folder / f"{key}.json").write_text(text)


def turning(size: int, *, streamed: bool) -> Callable[[], dict[str, Any]]:
    """One question after the other, from the first again after the last."""
    bodies: Iterator[dict[str, Any]] = (asked(number % size, streamed=streamed) for number in count())
    return lambda: next(bodies)


def unitai(known: dict[str, Any], folder: Path) -> dict[str, dict[str, Sample]]:
    """Replays beside the transport."""
    import openai

    from unitai import cassette

    client = openai.OpenAI(api_key="x", max_retries=0)

    def replayed(place: Path, size: int, turns: int, question: Callable[[], dict[str, Any]]) -> float:
        # As many as there are in a small cassette, and then it is opened anew: each is asked once.
        most = min(turns, size - 1)
        with cassette("replay", place, scope="", ttl_hours=0) as tape:
            asking = [question() for _ in range(most + 1)]
            waiting = iter(asking)
            spent = timed(lambda: call(client, next(waiting)), most, early=1)
        assert tape.replayed == most + 1
        return spent

    def cases(kind: str) -> dict[str, Sample]:
        streamed = kind == STREAMED
        base, turns = base_client(known[kind]), CALLS[kind]
        body = asked(0, streamed=streamed)
        found: dict[str, Sample] = {BASE: lambda: timed(lambda: call(base, body), turns)}
        for size in SIZES:
            place = folder / f"{kind}-{size}"
            fill(place, known[kind], size, streamed=streamed)
            question = turning(size, streamed=streamed)
            found[case(size)] = lambda place=place, size=size, question=question: replayed(place, size, turns, question)
        return found

    return {PLAIN: cases(PLAIN), STREAMED: cases(STREAMED), "opening": opening(folder)}


def opening(folder: Path) -> dict[str, Sample]:
    """To open a cassette and get one answer of it, with no client: microseconds of CPU."""
    from unitai import cassette
    from unitai._engine import decide

    def first(size: int) -> float:
        body = json.dumps(asked(size - 1)).encode()
        start = time.process_time()
        with cassette("replay", folder / f"{PLAIN}-{size}", scope="", ttl_hours=0):
            reply = decide("POST", "https://api.openai.com/v1/chat/completions", "", body, {})
        assert reply is not None
        assert reply.body
        return (time.process_time() - start) * 1e6

    return {case(size): (lambda size=size: first(size)) for size in SIZES}


def vcrpy(known: dict[str, Any], folder: Path) -> dict[str, dict[str, Sample]]:
    """The peer, with a cassette of five for each sample, as its users have, and with one of 200."""
    import openai
    import vcr

    options = {"match_on": ("method", "uri", "body")}

    def cases(kind: str) -> dict[str, Sample]:
        streamed = kind == STREAMED
        base, turns = base_client(known[kind]), CALLS[kind]
        body = asked(0, streamed=streamed)
        found: dict[str, Sample] = {BASE: lambda: timed(lambda: call(base, body), turns)}
        for size in (5, 200):
            path, server = str(folder / f"{kind}-{size}.yaml"), serve(known[kind])
            client = openai.OpenAI(api_key="x", base_url=f"http://127.0.0.1:{server.server_port}/v1", max_retries=0)
            with vcr.use_cassette(path, **options):
                for number in range(size):
                    call(client, asked(number, streamed=streamed))
            server.shutdown()
            server.server_close()

            def replayed(path: str = path, client: Any = client, size: int = size) -> float:
                waiting = iter([asked(number, streamed=streamed) for number in range(size)])
                with vcr.use_cassette(path, record_mode="none", **options):
                    return timed(lambda: call(client, next(waiting)), min(turns, size - 1), early=1)

            found[f"vcrpy, body matched, {size} recordings"] = replayed
        return found

    return {kind: cases(kind) for kind in (PLAIN, STREAMED)}


def work(what: str, rounds: int, known: dict[str, Any]) -> None:
    """One product in this process."""
    with TemporaryDirectory(prefix="unitai-bench-") as folder:
        groups = unitai(known, Path(folder)) if what == "unitai" else vcrpy(known, Path(folder))
        print(json.dumps(in_rounds(groups, rounds)))


if __name__ == "__main__":
    if sys.argv[1] == "answers":
        print(json.dumps(answers()))
    else:
        work(sys.argv[1], int(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text()))
