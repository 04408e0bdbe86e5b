"""Goal 10: a scripted model call through the official openai client, next to an in-memory transport.

The cases themselves are in cases/model_call.py. All of a product run in one process, in turns, and each
round has a ratio of its own: the client costs milliseconds, and between two processes, or two seconds,
the machine changes by more than what is looked for.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from cases.model_call import AROUND, ASYNC, BARE_RUN, BASE, IN_A_RUN, PLAIN, SCRIPT, STREAMED
from lab import Lab
from measure import Spread, answer, progress, worker
from report import Goal, Report, Table, spread

#: Fewer rounds have no quartiles to speak of.
LEAST_ROUNDS = 9
LIMIT = 1.05

#: What the goal speaks of.
KINDS, OURS = (PLAIN, STREAMED), (SCRIPT, IN_A_RUN)

#: The middle of each round, in microseconds of CPU, by kind of call and case.
Figures = dict[str, dict[str, list[float]]]


def measure(lab: Lab) -> Report:
    """CPU of a call, plain, streamed and async; and of what is around it."""
    rounds = max(LEAST_ROUNDS, lab.rounds)
    with tempfile.TemporaryDirectory(prefix="unitai-bench-") as folder:
        # The script's own answers, so that both hand the client the same bytes.
        known = answer(worker(lab.pythons["clients"], "cases/model_call.py", "answers"))
        stored = Path(folder, "answers.json")
        stored.write_text(json.dumps(known))
        figures = {"unitai": _take(lab, "clients", "unitai", rounds, stored)}
        if lab.has("vcrpy"):
            figures["vcrpy"] = _take(lab, "vcrpy", "vcrpy", rounds, stored)
    around = figures["unitai"].pop(AROUND)
    goals = [
        Goal(f"{kind} call, {name}: lower quartile", _ratio(figures["unitai"][kind], name).low, LIMIT, f"x {BASE}")
        for kind in KINDS
        for name in OURS
    ]
    raw = {**figures, AROUND: around, "answers": known}
    return Report("model_call", [_calls(figures, known, rounds), _around(around)], goals, raw)


def _take(lab: Lab, environment: str, product: str, rounds: int, stored: Path) -> Figures:
    progress(f"model_call: {rounds} rounds, {product}")
    return answer(worker(lab.pythons[environment], "cases/model_call.py", product, rounds, stored))


def _ratio(cases: dict[str, list[float]], name: str) -> Spread:
    """Each round over the base of the same round."""
    return Spread.of([ours / base for ours, base in zip(cases[name], cases[BASE], strict=True)])


def _added(cases: dict[str, list[float]], name: str, base: str) -> Spread:
    return Spread.of([ours - base for ours, base in zip(cases[name], cases[base], strict=True)])


def _calls(figures: dict[str, Figures], known: dict[str, Any], rounds: int) -> Table:
    rows = []
    for kind in (PLAIN, STREAMED, ASYNC):
        for product, found in figures.items():
            cases = found.get(kind, {})
            for name, samples in cases.items():
                row = [kind, f"{name}, beside {product}" if name == BASE else name, spread(Spread.of(samples))]
                ratio = _ratio(cases, name)
                compared = [f"{ratio.middle:.3f}x", f"{ratio.low:.3f}x", spread(_added(cases, name, BASE))]
                rows.append([*row, *(["1", "", ""] if name == BASE else compared)])
    plain, streamed = known[PLAIN], known[STREAMED]
    title = (
        f"A model call through openai: {plain['asked']:,} bytes asked, {len(plain['body']):,} answered, "
        f"streams of {streamed['events']} events, {rounds} rounds"
    )
    return Table(title, ["kind", "case", "CPU us", "x base", "lower quartile", "added us"], rows)


def _around(cases: dict[str, list[float]]) -> Table:
    rows = []
    for name, samples in cases.items():
        is_run = name.startswith("a run") and name != BARE_RUN
        rows.append([name, spread(Spread.of(samples)), spread(_added(cases, name, BARE_RUN)) if is_run else ""])
    return Table("Around the calls, with the client loaded", ["case", "CPU us", "over the run without"], rows)
