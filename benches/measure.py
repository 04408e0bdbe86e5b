"""How a figure is taken: instructions by callgrind, CPU by the kernel's account, both in a child process.

Times on a shared machine say little by themselves. So every round runs every case once, and what is
read is the ratio within a round's worth of noise. What is near 1x is gated on instructions, which
repeat almost to the digit.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Finished:
    """A process that ended well."""

    output: str
    #: User and system time.
    cpu_seconds: float


@dataclass(frozen=True)
class Spread:
    """Several samples of one figure."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, samples: list[float]) -> Spread:
        """The median between the quartiles; between the extremes where there are few samples."""
        if len(samples) < 4:
            return cls(statistics.median(samples), min(samples), max(samples))
        low, middle, high = statistics.quantiles(samples, n=4)
        return cls(middle, low, high)


def environment() -> dict[str, str]:
    """The variables of a child: byte-code is read and written, hashes repeat, nothing leaks in."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV", "PYTEST_ADDOPTS")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "PYTHONHASHSEED": "0"}


def run(command: list[str], cwd: Path | None = None, allowed: tuple[int, ...] = (0,)) -> Finished:
    """Runs a command to its end; one that fails stops the bench. A linter fails only in that it found something."""
    child = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert child.stdout is not None
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in allowed:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}:\n{output[-2000:]}")
    return Finished(output, usage.ru_utime + usage.ru_stime)


def instructions(command: list[str], cwd: Path | None = None) -> int | None:
    """The instructions that a command executes, all threads together; `None` without valgrind."""
    try:
        done = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], cwd)
    except FileNotFoundError:
        return None
    found = re.search(r"Collected : (\d+)", done.output)
    return int(found.group(1)) if found else None


def instructions_per_loop(command: list[str], few: int, many: int) -> float | None:
    """Instructions of one turn of a loop. Start-up cancels out between two loops of different length."""
    run([*command, str(few)])  # Writes byte-code that is not there yet; else the first count alone pays for it.
    counts = [instructions([*command, str(turns)]) for turns in (few, many)]
    if counts[0] is None or counts[1] is None:
        return None
    return (counts[1] - counts[0]) / (many - few)


def instructions_by_name(command: list[str]) -> dict[str, int] | None:
    """The instructions of each part of a command that tells callgrind by itself when to count and dump; `None` without
    valgrind.
    """
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out"]
        try:
            run([*valgrind, *command])
        except FileNotFoundError:
            return None
        texts = [dump.read_text() for dump in Path(folder).iterdir()]
    found = (re.search(r"^desc: Trigger: dump (\w+)$.*^totals: (\d+)$", text, re.M | re.S) for text in texts)
    return {each.group(1): int(each.group(2)) for each in found if each}


def worker(python: Path, script: str, *arguments: object) -> list[str]:
    """The command that runs a bench's own file inside one of the environments."""
    return [str(python), str(HERE / script), *map(str, arguments)]


def answer(command: list[str]) -> Any:
    """The JSON that a worker prints."""
    return json.loads(run(command).output.strip().splitlines()[-1])


def interleaved(cases: dict[str, Callable[[], Any]], rounds: int, what: str) -> dict[str, list[Any]]:
    """Runs every case once a round, so that a slow minute of the machine meets all of them."""
    samples: dict[str, list[Any]] = {name: [] for name in cases}
    for n in range(rounds):
        for name, case in cases.items():
            progress(f"{what}: round {n + 1} of {rounds}, {name}")
            samples[name].append(case())
    return samples


def progress(text: str) -> None:
    """One line to the terminal, apart from the tables."""
    print(f"  {text}", file=sys.stderr, flush=True)
