"""Sixteen processes that record into one folder while one prunes it and one reads it, and are killed at random points.

`python killing.py FOLDER ACKNOWLEDGEMENTS URL KILLS SEED`. Each process writes what was kept to a file of its own
after it was told so. Forked, since starting Python for each would take longer than everything else.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import urllib3

from unitai import ReplayCache, cassette

WORKERS = 16
FOLDER, ACKNOWLEDGED, URL = sys.argv[1], Path(sys.argv[2]), sys.argv[3]


class Acknowledging:
    """A file that has a line for all that was kept."""

    def __init__(self, name: str) -> None:
        self._file = os.open(ACKNOWLEDGED / name, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def __call__(self, *words: object) -> None:
        os.write(self._file, ("\t".join(map(str, words)) + "\n").encode())
        os.fsync(self._file)


def ask(pool: Any, text: str) -> str:
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}]}
    answer = pool.request("POST", URL, json=body).json()
    return str(answer["choices"][0]["message"]["content"])


def records(number: int, kept: Acknowledging) -> None:
    """Distinct questions, and one that everybody asks, each in a scope of its own."""
    pool = urllib3.PoolManager(retries=False)
    with cassette("record", FOLDER, scope=f"worker {number}") as tape:
        for n in count():
            question = "what all ask" if n % 4 == 0 else f"worker {number} asks {n}"
            said = ask(pool, question)
            if tape.recorded != n + 1:
                raise AssertionError(f"{tape.recorded} of {n + 1} were kept")
            kept("asked", f"worker {number}", question, said)


def fills(number: int, kept: Acknowledging) -> None:
    """Questions that others ask too, at the same time and in the same scope."""
    pool = urllib3.PoolManager(retries=False)
    for n in count():
        question = f"what is new in {n // 2}"
        with cassette("auto", FOLDER, scope="everybody") as tape:
            said = ask(pool, question)
        if tape.recorded:
            kept("asked", "everybody", question, said)


def puts(number: int, kept: Acknowledging) -> None:
    """Values put by hand: own ones, and ones that others replace."""
    cache = ReplayCache(FOLDER)
    for n in count():
        key = f"shared-{n % 7}" if n % 3 == 0 else f"own-{number}-{n}"
        cache.put(key, {"key": key, "by": number, "fill": "x" * random.randrange(9000)})
        kept("put", key)


def prunes(number: int, kept: Acknowledging) -> None:
    cache = ReplayCache(FOLDER, ttl_hours=1)
    while True:
        cache.prune()
        time.sleep(0.01)


def reads(number: int, kept: Acknowledging) -> None:
    """Every file that is there can be read, whenever."""
    cache = ReplayCache(FOLDER)
    for n in count():
        for file in sorted(Path(FOLDER).glob("*.json")):
            found = cache.get(file.stem)
            if found is not None and "-" in file.stem and found.response["key"] != file.stem:
                raise AssertionError(f"{file.stem} is {found.response['key']}")
        kept("read", n)


def start(number: int, work: Callable[[int, Acknowledging], None]) -> int:
    child = os.fork()
    if child:
        return child
    random.seed(number)
    try:
        work(number, Acknowledging(f"{work.__name__}-{number}"))
    except BaseException:
        import traceback

        (ACKNOWLEDGED / f"failed-{number}").write_text(traceback.format_exc())
    finally:
        os._exit(1)


def main() -> None:
    kills, chance = int(sys.argv[4]), random.Random(int(sys.argv[5]))
    numbers = count()
    kinds = [records] * 6 + [fills] * 5 + [puts] * 5
    assert len(kinds) == WORKERS
    alive = {start(next(numbers), work): work for work in [*kinds, prunes, reads]}
    for _ in range(kills):
        time.sleep(chance.random() / 4)
        victim = chance.choice(sorted(alive))
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        work = alive.pop(victim)
        alive[start(next(numbers), work)] = work
    # In the midst of it all.
    for child in alive:
        os.kill(child, signal.SIGKILL)
    for child in alive:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
