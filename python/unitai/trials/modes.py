"""Failures with the same cause, as one: how many runs failed in which way, and where they left the path of those that
passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unitai._engine import Trajectory, normalised_message, parting
from unitai.trials.outcome import Blame, Outcome

__all__ = ["FailureMode", "Parting", "group"]


class Parting(NamedTuple):
    """The first step at which runs that failed do something else than runs that passed."""

    #: The position among the tool calls, from 1.
    step: int
    #: What most of the failed runs do there; `None` where they had ended.
    failing: str | None
    #: What most of the passed runs do there.
    passing: str | None
    #: How likely such a difference is by chance (Fisher's exact test).
    p_value: float

    def __str__(self) -> str:
        def does(what: str | None) -> str:
            return "had ended" if what is None else f"called {what}"

        return (
            f"at tool call {self.step} failed runs {does(self.failing)}, passed runs {does(self.passing)}"
            f" (p = {self.p_value:.2g})"
        )


@dataclass(frozen=True)
class FailureMode:
    """One way in which runs failed."""

    #: What happened, on one line.
    text: str
    count: int
    #: The check that did not hold, or the class of what was raised.
    check: str
    #: The indices of the runs, from 0.
    runs: tuple[int, ...]
    #: The whole report of the first of them.
    report: str
    #: What the agent did in the first of them, where it is known.
    trajectory: Trajectory | None
    #: Where they left the path of the runs that passed.
    parting: Parting | None


def group(runs: Sequence[Outcome]) -> list[FailureMode]:
    """The failures by their cause, the most common first."""
    causes: dict[str, list[tuple[Outcome, Blame]]] = {}
    for run in runs:
        if run.verdict == "failed" and run.blame is not None:
            causes.setdefault(run.blame.cause, []).append((run, run.blame))
    passing = [run.trajectories[-1] for run in runs if run.verdict == "passed" and run.trajectories]
    modes = [_mode(members, passing) for members in causes.values()]
    return sorted(modes, key=lambda mode: -mode.count)


def _mode(members: list[tuple[Outcome, Blame]], passing: list[Trajectory]) -> FailureMode:
    first = members[0][1]
    texts = {blame.text for _, blame in members}
    failing = [run.trajectories[-1] for run, _ in members if run.trajectories]
    parted = parting(failing, passing) if failing and passing else None
    return FailureMode(
        # Where they differ in their numbers alone, the numbers of one would be wrong for the others.
        text=first.text if len(texts) == 1 else normalised_message(first.text),
        count=len(members),
        check=first.check,
        runs=tuple(run.index for run, _ in members),
        report=first.report,
        trajectory=first.trajectory,
        parting=None if parted is None else Parting(*parted),
    )
