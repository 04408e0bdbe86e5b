"""What an adapter adds to a framework's own run: the same agent, the same script, in one process and in turns.

The cases themselves are in cases/adapter_cost.py; the agents are those of tests/contract/adapters.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lab import ROOT, Lab, environment_of
from measure import Spread, answer, progress, worker
from report import Goal, Report, Table, spread

sys.path.insert(0, str(ROOT / "scripts"))

#: Fewer rounds have no quartiles to speak of.
LEAST_ROUNDS = 9
LIMIT = 1.05


def measure(lab: Lab) -> Report:
    """CPU of a run with each framework, over its bare run in the same round."""
    from adapters import FRAMEWORKS, requirements

    rounds = max(LEAST_ROUNDS, lab.rounds)
    rows, goals, raw = [], [], {}
    for name, framework in FRAMEWORKS.items():
        progress(f"adapter_cost: {rounds} rounds, {name}")
        needs = [*requirements(framework.extra), *framework.besides, "urllib3"]
        python: Path = environment_of(f"adapter-{name}", needs)
        figures = raw[name] = answer(worker(python, "cases/adapter_cost.py", name, rounds))
        bare, ours = figures["bare"], figures["adapter"]
        ratio = Spread.of([one / other for one, other in zip(ours, bare, strict=True)])
        added = Spread.of([one - other for one, other in zip(ours, bare, strict=True)])
        rows.append([name, spread(Spread.of(bare)), spread(Spread.of(ours)), f"{ratio.middle:.3f}x", spread(added)])
        goals.append(Goal(f"{name}: a run by the adapter", ratio.middle, LIMIT, "x the bare run"))
    title = f"A run of two tool calls and three model calls, {rounds} rounds"
    heads = ["framework", "bare, CPU us", "adapter, CPU us", "ratio", "added us"]
    return Report("adapter_cost", [Table(title, heads, rows)], goals, raw)
