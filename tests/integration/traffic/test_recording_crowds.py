"""Many at once: what is sent is recorded, once each, and replayed to whom it belongs, in whatever order they ask."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from loopback import Answered, Server
from provider_bodies import as_provider
from wire import CHAT, ask, chat

from unitai import CacheMissError, MockToolkit, cassette

pytestmark = pytest.mark.integration

WORKERS, CALLS, SHUFFLES = 64, 5, 20


def numbering(server):
    """A server that repeats each question, with another number each time."""
    numbers = count(1)

    def respond(asked):
        time.sleep(random.random() / 200)
        text = f"{asked.json['messages'][-1]['content']}, answer {next(numbers)}"
        return Answered(**as_provider(asked.path, asked.body, text=text))

    server.respond = respond
    return server


def question(worker, n):
    """Each worker asks its own, and one of them again and again."""
    return f"worker {worker} asks {0 if n == CALLS - 1 else n}"


def pause(shuffled):
    return shuffled.random() / 500 if shuffled else 0


def threads(server, workers, shuffled=None):
    """Each worker in a thread, with a run of its own; gives their results."""
    start = threading.Barrier(len(workers))

    def work(worker):
        def agent(input, tools):
            said = []
            for n in range(CALLS):
                time.sleep(pause(shuffled))
                said.append(ask(server, question(worker, n)))
            return said

        start.wait()
        return worker, MockToolkit().run(agent, "x")

    with ThreadPoolExecutor(len(workers)) as pool:
        return dict(pool.map(work, workers))


def tasks(client):
    """The crowd that asks with this client. Without its package the test is skipped."""

    def tasks(server, workers, shuffled=None):
        """Each worker in a task, with a run of its own; gives their results."""

        pytest.importorskip(client)

        async def work(worker):
            async def agent(input, tools):
                said = []
                async with posting(client, server) as post:
                    for n in range(CALLS):
                        await asyncio.sleep(pause(shuffled))
                        said.append(await post(question(worker, n)))
                return said

            return worker, await MockToolkit().arun(agent, "x")

        async def main():
            return dict(await asyncio.gather(*(work(worker) for worker in workers)))

        return asyncio.run(main())

    return tasks


@contextlib.asynccontextmanager
async def posting(client, server):
    """Asks with an async client, or with a blocking one in a thread."""
    url = server.url + CHAT
    if client == "urllib3":
        yield lambda text: asyncio.to_thread(ask, server, text)
    elif client == "httpx":
        import httpx

        async with httpx.AsyncClient(trust_env=False, timeout=30) as session:

            async def post(text):
                return (await session.post(url, json=chat(text))).json()["choices"][0]["message"]["content"]

            yield post
    else:
        import aiohttp

        async with aiohttp.ClientSession() as session:

            async def post(text):
                async with session.post(url, json=chat(text)) as answer:
                    return (await answer.json())["choices"][0]["message"]["content"]

            yield post


def digest(result):
    """The trajectory as a number, without times and without who answered."""
    steps = result.trajectory.to_dict()["steps"]
    for step in steps:
        step.pop("timestamp")
        for name in ("latency", "time_to_first_token", "recorded_latency", "source"):
            step["exchange"].pop(name, None)
    return hashlib.sha256(json.dumps([steps, result.output]).encode()).hexdigest()


def slots_of(folder):
    entries = [json.loads(file.read_text())["entry"] for file in folder.glob("*.json")]
    return [slot for entry in entries for slot in entry["slots"]]


@pytest.mark.parametrize(
    ("crowd", "shuffles"),
    [(threads, SHUFFLES), (tasks("urllib3"), SHUFFLES), (tasks("httpx"), 3), (tasks("aiohttp"), 3)],
    ids=["threads", "tasks", "tasks-httpx", "tasks-aiohttp"],
)
def test_what_64_record_at_once_they_get_back_in_any_order(crowd, shuffles, tmp_path):
    workers = list(range(WORKERS))
    with Server() as server:
        numbering(server)
        with cassette("record", tmp_path) as tape:
            recorded = crowd(server, workers)
        assert {result.error for result in recorded.values()} == {None}
        assert tape.recorded == len(server.requests) == WORKERS * CALLS
    said = [text for result in recorded.values() for text in result.output]
    assert len(slots_of(tmp_path)) == len(set(said)) == WORKERS * CALLS
    for worker, result in recorded.items():
        assert [text.partition(",")[0] for text in result.output] == [question(worker, n) for n in range(CALLS)]
        assert len(result.trajectory.steps) == CALLS

    digests = {worker: digest(result) for worker, result in recorded.items()}
    for seed in range(shuffles):
        shuffled = random.Random(seed)
        shuffled.shuffle(workers)
        with cassette("replay", tmp_path) as tape:
            replayed = crowd(server, workers, shuffled)
        assert tape.replayed == WORKERS * CALLS
        assert {worker: digest(result) for worker, result in replayed.items()} == digests


def test_the_same_question_of_64_gets_each_answer_once(tmp_path):
    def everybody(server):
        def agent(input, tools):
            return [ask(server, "the same of all") for _ in range(2)]

        with ThreadPoolExecutor(WORKERS) as pool:
            results = list(pool.map(lambda _: MockToolkit().run(agent, "x"), range(WORKERS)))
        return Counter(text for result in results for text in result.output)

    with Server() as server:
        numbering(server)
        with cassette("record", tmp_path) as tape:
            recorded = everybody(server)
        assert tape.recorded == len(server.requests) == WORKERS * 2
    assert set(recorded.values()) == {1}
    assert len(recorded) == len(slots_of(tmp_path)) == WORKERS * 2
    for _ in range(3):
        with cassette("replay", tmp_path):
            assert everybody(server) == recorded


def test_20_runs_of_a_warm_cache_are_20_answers_and_one_more_is_a_miss(tmp_path):
    def run(server):
        return MockToolkit().run(lambda input, tools: ask(server), "x").output

    with Server() as server:
        numbering(server)
        with cassette("auto", tmp_path) as tape:
            recorded = [run(server) for _ in range(20)]
        assert (tape.recorded, tape.replayed, len(server.requests)) == (20, 0, 20)
        assert len(set(recorded)) == 20

        with cassette("auto", tmp_path) as tape:
            assert [run(server) for _ in range(20)] == recorded
        assert (tape.recorded, tape.replayed, len(server.requests)) == (0, 20, 20)

        with pytest.raises(CacheMissError) as caught, cassette("replay", tmp_path):
            assert [run(server) for _ in range(20)] == recorded
            run(server)
        assert "request 21 to gpt-4o-mini (openai_chat) has no recording: the same was recorded 20 times" in str(
            caught.value
        )
        assert len(server.requests) == 20

        with cassette("auto", tmp_path) as tape:
            assert [run(server) for _ in range(21)] == [*recorded, "Hi, answer 21"]
        assert (tape.recorded, tape.replayed, len(server.requests)) == (1, 20, 21)
    with cassette("replay", tmp_path):
        assert len({run(server) for _ in range(21)}) == 21
