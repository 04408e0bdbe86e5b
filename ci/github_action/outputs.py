"""The outputs of the action: `outputs.py RESULTS JUNIT [FILE...]` writes them as lines for `$GITHUB_OUTPUT`.

RESULTS is what `unitai results --json` said, and JUNIT the file of the run, for a UnitAI that does not know that
command. Names of tests and words of models are in both; only numbers leave here, and paths between marks that nobody
can guess.
"""

from __future__ import annotations

import json
import math
import secrets
import sys
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree


class Outcome(NamedTuple):
    """What is told of a run; `None` is unknown."""

    passed: int | None
    failed: int | None
    cost: float | None


UNKNOWN = Outcome(None, None, None)


def main(arguments: list[str]) -> int:
    results, junit, *files = arguments
    outcome = of_results(Path(results)) or of_junit(Path(junit)) or UNKNOWN
    lines = [
        f"pass-count={_shown(outcome.passed)}",
        f"fail-count={_shown(outcome.failed)}",
        f"total-cost={_dollars(outcome.cost)}",
    ]
    mark = secrets.token_hex(16)
    lines += [f"files<<{mark}", *(file for file in files if file.isprintable()), mark]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def of_results(path: Path) -> Outcome | None:
    """What `unitai results --json` said, if it did."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    counts = _counts(told) if isinstance(told, dict) else None
    if counts is None:
        return None
    cost = told.get("cost")
    is_amount = isinstance(cost, (int, float)) and not isinstance(cost, bool) and math.isfinite(cost) and cost >= 0
    return Outcome(*counts, float(cost) if is_amount else None)


def _counts(told: dict[str, Any]) -> tuple[int, int] | None:
    """Those that passed, and those that did not. Without the first two nothing is known."""
    values = [told.get(name) for name in ("passed", "failed", "errors", "inconclusive")]
    if values[0] is None or values[1] is None:
        return None
    numbers = [0 if value is None else value for value in values]
    if not all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in numbers):
        return None
    return numbers[0], sum(numbers[1:])


def of_junit(path: Path) -> Outcome | None:
    """What the JUnit file counts. It knows no cost."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    cases = list(root.iter("testcase"))
    red = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return Outcome(len(cases) - red - skipped, red, None)


def _shown(number: int | None) -> str:
    return "" if number is None else str(number)


def _dollars(amount: float | None) -> str:
    return "" if amount is None else f"{amount:.6f}".rstrip("0").rstrip(".")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
