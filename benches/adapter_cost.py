"""What an adapter adds to a framework's own run: the same agent, the same script, in one process and in turns.

The cases themselves are in cases/adapter_cost.py; the agents are those of tests/contract/adapters.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lab import ROOT, Lab, environment_of
from measure import instructions_by_name, progress, worker
from report import Goal, Report, Table

sys.path.insert(0, str(ROOT / "scripts"))

#: Runs of either kind; the counts of a second process differ by less than one in a thousand.
RUNS = 10
LIMIT = 1.05


def measure(lab: Lab) -> Report:
    """Instructions of a run with each framework, over those of its bare run: repeatable, as times are not."""
    from adapters import FRAMEWORKS, requirements

    rows, goals, raw = [], [], {}
    for name, framework in FRAMEWORKS.items():
        progress(f"adapter_cost: {name}")
        needs = [*requirements(framework.extra), *framework.besides, "urllib3"]
        python: Path = environment_of(f"adapter-{name}", needs)
        counts = instructions_by_name(worker(python, "cases/adapter_cost.py", name, RUNS))
        goal = f"{name}: a run by the adapter"
        if counts is None:
            goals.append(Goal(goal, None, LIMIT, "x the bare run"))
            continue
        raw[name] = counts
        bare, ours = counts["bare"] / RUNS, counts["adapter"] / RUNS
        rows.append([name, f"{bare:,.0f}", f"{ours:,.0f}", f"{ours / bare:.3f}x", f"{ours - bare:,.0f}"])
        goals.append(Goal(goal, ours / bare, LIMIT, "x the bare run"))
    title = f"A run of two tool calls and three model calls, mean of {RUNS}"
    heads = ["framework", "bare, instructions", "adapter, instructions", "ratio", "added"]
    return Report("adapter_cost", [Table(title, heads, rows)], goals, raw)
