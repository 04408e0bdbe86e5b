"""Runs targets of the Makefile and measures them: how long each took, and how many tests it ran. They run one after
another, but those that mostly wait for other programs run side by side at the end.

    python scripts/targets.py lint rust            # both, even if the first fails
    python scripts/targets.py --all python         # the whole matrix of each
    python scripts/targets.py --write              # the last times of all targets into CONTRIBUTING.md

Every run leaves its times in target/times, from which the table of CONTRIBUTING.md is made.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MAKE = os.environ.get("MAKE", "make")
TIMES = ROOT / "target" / "times"
GUIDE = ROOT / "CONTRIBUTING.md"
#: What the closing lines of pytest, cargo and the conformance suite say.
CLOSING = re.compile(r"(?:^|\s)(\d+) (passed|failed|skipped)\b")
IS_CLOSING = re.compile(r"^(?:=+ )?(?:\d+ \w+, )*\d+ \w+(?:, \d+ \w+)* in [\d.]+s|^test result: |^Total: ")


#: Targets that leave a core idle when each runs alone. What one of them says is shown when it has ended.
WAITING = ("docs", "examples", "mcp", "agents")


class Measured(NamedTuple):
    """One target, run once."""

    target: str
    seconds: float
    passed: int
    skipped: int
    is_good: bool

    @property
    def row(self) -> str:
        tests = f"{self.passed:,}" if self.passed else ""
        skipped = f"{self.skipped:,}" if self.skipped else ""
        return f"| `make {self.target}` | {clock(self.seconds)} | {tests} | {skipped} |"


def main() -> int:
    if "--write" in sys.argv:
        return write()
    is_all = "--all" in sys.argv
    targets = [word for word in sys.argv[1:] if not word.startswith("-")]
    began = time.monotonic()
    measured = []
    for target in targets:
        if target not in WAITING:
            print(f"===== make {target}", flush=True)
            measured.append(run(target, is_all=is_all, show=show))
    waiting = [target for target in targets if target in WAITING]
    if waiting:
        print(f"===== make {', '.join(waiting)}, side by side", flush=True)
        # What they share is built once, and not by each of them at the same time.
        subprocess.run([MAKE, "--no-print-directory", "dev", "wheel-under-test"], cwd=ROOT, check=True)
        with ThreadPoolExecutor(len(waiting)) as pool:
            measured += pool.map(lambda target: run_quietly(target, is_all=is_all), waiting)
    for each in measured:
        keep(each, is_all=is_all)
    whole = Measured(
        "test-all" if is_all else "test",
        time.monotonic() - began,
        sum(each.passed for each in measured),
        sum(each.skipped for each in measured),
        all(each.is_good for each in measured),
    )
    keep(whole, is_all=is_all)
    print("\n=====")
    for each in [*measured, whole]:
        word = "passed" if each.is_good else "FAILED"
        print(f"{each.target:14} {word:8} {clock(each.seconds):>10} {each.passed:7,} tests passed")
    return 0 if whole.is_good else 1


def show(line: str) -> None:
    print(line, end="", flush=True)


def run_quietly(target: str, *, is_all: bool) -> Measured:
    """Runs one target beside others: what it says is shown in one piece."""
    said: list[str] = []
    measured = run(target, is_all=is_all, show=said.append)
    show(f"===== make {target}\n{''.join(said)}")
    return measured


def run(target: str, *, is_all: bool, show: Callable[[str], object]) -> Measured:
    """Runs one target, and shows each line that it says."""
    began = time.monotonic()
    command = [MAKE, "--no-print-directory", target, *(["ALL=1"] if is_all else [])]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for line in process.stdout:
        show(line)
        if IS_CLOSING.search(line):
            for number, word in CLOSING.findall(line):
                counts[word] += int(number)
    is_good = process.wait() == 0
    if is_good and not counts["passed"] and target != "lint":
        show(f"error: make {target} ran no test\n")
        is_good = False
    return Measured(target, time.monotonic() - began, counts["passed"], counts["skipped"], is_good)


def keep(measured: Measured, *, is_all: bool) -> None:
    TIMES.mkdir(parents=True, exist_ok=True)
    name = measured.target + ("-in-all" if is_all and measured.target != "test-all" else "")
    (TIMES / f"{name}.json").write_text(json.dumps(measured._asdict()), encoding="utf-8")


def clock(seconds: float) -> str:
    """`95 s` or `6 min 20 s`."""
    whole = round(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60:02} s"


def write() -> int:
    """Puts the last times into the guide, in the rows that it has. A target that has not run keeps its row."""
    text = GUIDE.read_text(encoding="utf-8")
    for path in sorted(TIMES.glob("*.json")):
        measured = Measured(**json.loads(path.read_text(encoding="utf-8")))
        if not measured.is_good:
            print(f"not written, because it failed: {measured.target}")
        elif path.stem == measured.target:
            row = re.compile(rf"^\| `make {re.escape(measured.target)}` \|[^|\n]*\|[^|\n]*\|[^|\n]*\|", re.MULTILINE)
            text = row.sub(measured.row, text)
    GUIDE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
