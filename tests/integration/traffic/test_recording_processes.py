"""Recordings and other processes: many at once, killed at any point, and forked ones."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from loopback import Answered, Server
from provider_bodies import as_provider
from stopwatch import Stopwatch
from wire import post

from unitai import ReplayCache, cassette

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
]

HERE = Path(__file__).parent


def numbering(server):
    numbers = count(1)

    def respond(asked):
        text = f"{asked.json['messages'][-1]['content']}, answer {next(numbers)}"
        return Answered(**as_provider(asked.path, asked.body, text=text))

    server.respond = respond


def aged(file):
    """A recording as it was years ago."""
    text = re.sub(r'"recorded_at": "\d{4}', '"recorded_at": "2020', file.read_text())
    entry = text.partition('"entry": ')[2].removesuffix("\n}\n")
    seal = hashlib.sha256(entry.encode()).hexdigest()
    file.write_text(f'{{\n"checksum": "sha256:{seal}",\n"entry": {entry}\n}}\n')


def test_16_processes_that_are_killed_at_50_points_lose_nothing_that_was_acknowledged(tmp_path):
    folder, acknowledged = tmp_path / "cache", tmp_path / "acknowledged"
    acknowledged.mkdir()
    old = [f"old-{n}" for n in range(20)]
    for key in old:
        ReplayCache(folder).put(key, {"key": key})
        aged(folder / f"{key}.json")
    with Server() as server:
        numbering(server)
        url = f"{server.url}/v1/chat/completions"
        done = subprocess.run(
            [sys.executable, str(HERE / "killing.py"), str(folder), str(acknowledged), url, "50", "1"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    failed = [file.read_text() for file in acknowledged.glob("failed-*")]
    assert failed == [], failed[0]

    # The next start, with whatever is left behind.
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "what is new in 0"}]}
    with Stopwatch() as watch:
        cache = ReplayCache(folder)
        cache.put("next", 1)
        with cassette("replay", folder, scope="everybody"):
            assert post(url, body).status == 200
    assert watch.fair < 1
    cache.prune()
    assert [name for name in os.listdir(folder) if name.startswith(".unfinished")] == []

    assert [key for key in old if (folder / f"{key}.json").exists()] == []
    entries = {}
    for file in folder.glob("*.json"):
        assert cache.get(file.stem) is not None
        entries[file.stem] = json.loads(file.read_text())["entry"]
    kept = Counter()
    for entry in entries.values():
        if entry["asked"]["to"] == "model":
            question = entry["asked"]["body"]["messages"][0]["content"]
            for slot in entry["slots"]:
                kept[slot["scope"], question, slot["chunks"][0]["json"]["choices"][0]["message"]["content"]] += 1
    lines = [line.split("\t") for file in acknowledged.iterdir() for line in file.read_text().splitlines()]
    asked = [tuple(words) for kind, *words in lines if kind == "asked"]
    put = {words[0] for kind, *words in lines if kind == "put"}
    reads = [words for kind, *words in lines if kind == "read"]
    assert [one for one in asked if kept[one] != 1] == []
    assert put - set(entries) == set()
    # There was something to lose.
    assert len(asked) > 50, (len(asked), len(put))
    assert len(put) > 20
    assert reads
    assert list((folder / "quarantine").glob("*")) == []


SCRIPT = """
import faulthandler, multiprocessing, os, sys, threading, time
import urllib3
from unitai import ReplayCache, cassette

mode, folder, url, way = sys.argv[1:]

def ask(text):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}]}
    answer = urllib3.PoolManager(retries=False).request("POST", url, json=body)
    assert answer.status == 200, answer.data
    return answer.json()["choices"][0]["message"]["content"]

def child(n):
    # The cassette was opened before the fork. A spawned process knows nothing of it and opens its own.
    faulthandler.dump_traceback_later(5, exit=True)
    if way == "spawn":
        with cassette(mode, folder, scope="s"):
            said = [ask(f"child {n} asks {m}") for m in range(3)]
    else:
        said = [ask(f"child {n} asks {m}") for m in range(3)]
    faulthandler.cancel_dump_traceback_later()
    return said

def forked(n):
    pid = os.fork()
    if pid:
        return pid
    try:
        for said in child(n):
            os.write(1, (said + "\\n").encode())
        os._exit(0)
    finally:
        os._exit(1)

def main():
    with cassette(mode, folder, scope="s"):
        print(ask("parent asks first"), flush=True)
        # Threads that record all the time, so that forks come in the midst of it.
        stop = threading.Event()
        def busy(number):
            cache = ReplayCache(folder)
            n = 0
            while not stop.is_set():
                cache.put(f"busy-{number}-{n % 50}", "x" * 1000)
                n += 1
        threads = [threading.Thread(target=busy, args=(number,)) for number in range(2 if way == "threads" else 0)]
        for thread in threads:
            thread.start()
        if way in ("fork", "threads"):
            for pid in [forked(n) for n in range(20 if way == "threads" else 3)]:
                assert os.waitpid(pid, 0)[1] == 0
        else:
            method = way.removeprefix("multi")
            with multiprocessing.get_context(method).Pool(3) as pool:
                for said in pool.map(child, range(3)):
                    print(*said, sep="\\n", flush=True)
        stop.set()
        for thread in threads:
            thread.join()
        print(ask("parent asks last"), flush=True)

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("way", ["fork", "threads", "multifork", "spawn"])
def test_what_a_child_records_is_kept_and_replayed_in_a_child(way, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)

    def run(mode, url):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(script), mode, str(tmp_path / "cache"), url, way],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return sorted(done.stdout.splitlines())

    children = 20 if way == "threads" else 3
    with Server() as server:
        numbering(server)
        url = f"{server.url}/v1/chat/completions"
        recorded = run("record", url)
        assert len(recorded) == len(set(recorded)) == len(server.requests) == 2 + 3 * children
    assert run("replay", url) == recorded
