"""Goals 10 and 14: a replayed model call next to an in-memory transport, flat from 5 to 20,000 recordings.

The cases themselves are in cases/replay.py.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from cases.model_call import BASE, PLAIN, STREAMED
from cases.replay import SIZES, case
from lab import Lab
from measure import Spread, answer, progress, worker
from report import Goal, Report, Table, spread

LEAST_ROUNDS = 9
LIMIT = 1.05
#: Microseconds of CPU in which a folder of 20,000 recordings must be open and have answered.
OPENING = 20_000

Figures = dict[str, dict[str, list[float]]]


def measure(lab: Lab) -> Report:
    """CPU of a replayed call, plain and streamed, by the number of recordings; and of opening a folder of them."""
    rounds = max(LEAST_ROUNDS, lab.rounds)
    with tempfile.TemporaryDirectory(prefix="unitai-bench-") as folder:
        known = answer(worker(lab.pythons["clients"], "cases/replay.py", "answers"))
        stored = Path(folder, "answers.json")
        stored.write_text(json.dumps(known))
        figures = {"unitai": _take(lab, "clients", "unitai", rounds, stored)}
        if lab.has("vcrpy"):
            figures["vcrpy"] = _take(lab, "vcrpy", "vcrpy", rounds, stored)
    opening = figures["unitai"].pop("opening")
    goals = [
        Goal(
            f"{kind} call, {case(size)}: lower quartile",
            _ratio(figures["unitai"][kind], case(size)).low,
            LIMIT,
            f"x {BASE}",
        )
        for kind in (PLAIN, STREAMED)
        for size in SIZES
    ]
    most = case(SIZES[-1])
    goals.append(Goal(f"opened and first answer, {most}", Spread.of(opening[most]).middle, OPENING, "us CPU"))
    return Report("replay", [_calls(figures, rounds), _opening(opening)], goals, {**figures, "opening": opening})


def _take(lab: Lab, environment: str, product: str, rounds: int, stored: Path) -> Figures:
    progress(f"replay: {rounds} rounds, {product}")
    return answer(worker(lab.pythons[environment], "cases/replay.py", product, rounds, stored))


def _ratio(cases: dict[str, list[float]], name: str) -> Spread:
    return Spread.of([ours / base for ours, base in zip(cases[name], cases[BASE], strict=True)])


def _calls(figures: dict[str, Figures], rounds: int) -> Table:
    rows = []
    for kind in (PLAIN, STREAMED):
        for product, found in figures.items():
            cases = found[kind]
            for name, samples in cases.items():
                ratio = _ratio(cases, name)
                shown = f"{name}, beside {product}" if name == BASE else name
                compared = ["1", ""] if name == BASE else [f"{ratio.middle:.3f}x", f"{ratio.low:.3f}x"]
                rows.append([kind, shown, spread(Spread.of(samples)), *compared])
    title = f"A replayed model call through openai, each asked once, {rounds} rounds"
    return Table(title, ["kind", "case", "CPU us", "x base", "lower quartile"], rows)


def _opening(cases: dict[str, list[float]]) -> Table:
    rows = [[name, spread(Spread.of(samples))] for name, samples in cases.items()]
    return Table("To open a folder of recordings and get one answer, without a client", ["case", "CPU us"], rows)
