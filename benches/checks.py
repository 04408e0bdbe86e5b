"""Goals 6 and 8: checks on a trajectory, and matching it against a reference, from 10 to 100,000 steps.

A finding is asked for its truth in every timed operation: a check that puts its work off would not win.
"""

from __future__ import annotations

import trajectory_rounds as rounds
from lab import Lab
from report import Goal, Report

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
]

#: How much dearer a step may become between 1,000 and 100,000 steps and still count as linear: the
#: larger trajectory no longer fits the processor's caches.
LINEAR = 2.0


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
            Goal(
                f"{name}: a step at 100,000 over one at 1,000", rounds.growth(matches, name, 1_000, large), LINEAR, "x"
            )
            for name in MATCHES
        ),
    ]
    tables = [rounds.table("Checks", checks), rounds.table("Matching a reference", matches)]
    return Report("checks", tables, goals, {"checks": checks, "matches": matches})
