"""Goal 7: a trajectory to JSON and back, from 10 to 100,000 steps.

Peers write dictionaries with Python's json; what they read back is dictionaries too, while ours and
trajai's round trips end in a trajectory.
"""

from __future__ import annotations

import trajectory_rounds as rounds
from lab import Lab
from report import Goal, Report

OPERATIONS = ["to JSON", "to JSON, recorded in a run", "round trip"]


def measure(lab: Lab) -> Report:
    """Time to write, and to write and read."""
    figures = rounds.take(lab, OPERATIONS, "json_round_trip")
    large = rounds.SIZES[-1]
    round_trip = rounds.middle(figures, large, "round trip")
    goals = [
        *(
            Goal(f"to JSON, {size:,} steps", rounds.over_floor(figures, size, "to JSON"), 3, "x bare Rust")
            for size in rounds.SIZES
        ),
        Goal(f"round trip, {large:,} steps", None if round_trip is None else round_trip / 1000, 60, "ms"),
    ]
    return Report("json_round_trip", [rounds.table("Trajectory and JSON", figures)], goals, {"us": figures})
