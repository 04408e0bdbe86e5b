"""Goals 6 and 8: checks on a trajectory, and matching it against a reference, from 10 to 100,000 steps.

A finding is asked for its truth in every timed operation: a check that puts its work off would not win.
"""

from __future__ import annotations

import trajectory_rounds as rounds
from lab import Lab
from measure import instructions_per_loop, progress, worker
from report import Goal, Report, over

CHECKS = [
    "tool_called_before",
    "tool_called_with_partial",
    # The right call is the last of thousands of the same tool: no index helps here.
    "tool_called_with_partial, its last call",
    "call_order_contains",
    "failing tool_was_called, with its text",
]
#: What the goals speak of. The text of a failure has no floor: what it says is up to the product.
GATED = CHECKS[:4]

MATCHES = [
    "matches strict",
    "matches in_order",
    "matches unordered",
    "matches unordered, reversed",
    "matches strict, list of pairs",
    "matches unordered, names alone",
]

#: How much dearer a step may become between two sizes and still count as linear. Counted in
#: instructions: in time, the larger trajectory also pays for no longer fitting the processor's caches.
LINEAR = 1.1
GROWING = ["matches strict", "matches unordered"]
GROWS = (1_000, 10_000)


def measure(lab: Lab) -> Report:
    """Time of every check and every mode, beside floors and peers."""
    checks = rounds.take(lab, CHECKS, "checks")
    matches = rounds.take(lab, MATCHES, "matches")
    small, large = rounds.SIZES[0], rounds.SIZES[-1]
    goals = [
        *(Goal(f"{name}, {small} steps", rounds.middle(checks, small, name), 0.3, "us") for name in GATED),
        *(Goal(f"{name}, {large:,} steps", rounds.over_floor(checks, large, name), 2, "x bare Rust") for name in GATED),
        *(Goal(f"{name}, {small} steps", rounds.middle(matches, small, name), 5, "us") for name in MATCHES),
        *(
            Goal(f"{name}: instructions of a step at 10,000 over 1,000", growth(lab, name), LINEAR, "x")
            for name in GROWING
        ),
    ]
    tables = [rounds.table("Checks", checks), rounds.table("Matching a reference", matches)]
    return Report("checks", tables, goals, {"checks": checks, "matches": matches})


def growth(lab: Lab, operation: str) -> float | None:
    """How many more instructions a step takes in the larger trajectory; 1 is linear."""
    per_step = []
    for size in GROWS:
        progress(f"{operation}: instructions at {size:,} steps")
        command = worker(lab.pythons["unitai"], "cases/trajectories.py", "repeat", "unitai", size, operation)
        count = instructions_per_loop(command, few=1, many=5)
        per_step.append(None if count is None else count / size)
    return over(per_step[1], per_step[0])
