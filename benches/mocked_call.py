"""Goals 4 and 5: a mocked, recorded tool call next to the closure that a test author would write.

The cases themselves are in cases/mocked_call.py; they run in the environment of their product.
"""

from __future__ import annotations

from cases.mocked_call import BASE, CASES
from lab import Lab
from measure import Spread, answer, instructions_per_loop, interleaved, progress, worker
from report import Goal, Report, Table, number, over, ratio, spread

#: Calls of one timed sample.
CALLS = 100_000
#: Calls whose memory is weighed: enough that pages are a fine enough measure.
KEPT_CALLS = 300_000
#: The two loops between which instructions are counted.
FEW, MANY = 2_000, 6_000

#: Reported as ours in the goals.
OURS = ("unitai, one mapping", "unitai, keywords", "unitai, in a run")


def measure(lab: Lab) -> Report:
    """Instructions, time and memory of every case."""
    names = [name for name, (environment, _) in CASES.items() if lab.has(environment)]
    counts = {name: _instructions(lab, name) for name in names}
    times = {name: Spread.of(samples) for name, samples in _times(lab, names).items()}
    kept = {name: _bytes(lab, name) for name in names}
    # list.append keeps the caller's dictionary and one pointer; what is left is the dictionary.
    dictionary = kept["list.append"] - 8
    own = {name: max(0.0, kept[name] - (0 if name in OURS or "bare" in name else dictionary)) for name in names}

    rows = [
        [
            name,
            number(counts[name]),
            ratio(counts[name], counts[BASE]),
            spread(times[name]),
            ratio(times[name].middle, times[BASE].middle),
            number(kept[name]),
            number(own[name]),
        ]
        for name in names
    ]
    header = ["case", "instructions", "x base", "CPU ns", "x base", "bytes kept", "own bytes"]
    goals = [Goal(f"{name}: instructions", over(counts[name], counts[BASE]), 1.5, f"x {BASE}") for name in OURS]
    goals += [Goal(f"{name}: memory of a call", kept[name], 160, "bytes") for name in OURS]
    figures = {"instructions": counts, "cpu_ns": times, "bytes": kept, "own_bytes": own}
    title = f"One mocked, recorded call (base: {BASE})"
    return Report("mocked_call", [Table(title, header, rows)], goals, figures)


def _command(lab: Lab, name: str, what: str) -> list[str]:
    return worker(lab.pythons[CASES[name][0]], "cases/mocked_call.py", name, what)


def _instructions(lab: Lab, name: str) -> float | None:
    progress(f"mocked_call: instructions, {name}")
    return instructions_per_loop(_command(lab, name, "time"), FEW, MANY)


def _times(lab: Lab, names: list[str]) -> dict[str, list[float]]:
    def case(name: str) -> float:
        return answer([*_command(lab, name, "time"), str(CALLS)])["ns"]

    return interleaved({name: lambda name=name: case(name) for name in names}, lab.rounds, "mocked_call")


def _bytes(lab: Lab, name: str) -> float:
    progress(f"mocked_call: memory, {name}")
    return answer([*_command(lab, name, "memory"), str(KEPT_CALLS)])["bytes"]
