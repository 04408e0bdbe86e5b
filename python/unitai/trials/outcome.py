"""What came of one run of a test that is repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from unitai._engine import Trajectory

__all__ = ["Blame", "Outcome"]


class Blame(NamedTuple):
    """Why a run did not pass."""

    #: The check that did not hold, or the class of what was raised.
    check: str
    #: What is compared to find equal causes: the text without what differs each time.
    cause: str
    #: What happened, on one line.
    text: str
    #: The whole report, as a single test would show it.
    report: str
    #: What the agent did, where it is known.
    trajectory: Trajectory | None = None


@dataclass(slots=True)
class Outcome:
    """One run, in its place among the others."""

    index: int
    verdict: Literal["passed", "failed", "inconclusive"]
    #: Seconds that its last attempt took.
    duration: float
    #: What the agent did, once for each call of `toolkit.run()` in the last attempt.
    trajectories: tuple[Trajectory, ...] = ()
    #: US dollars, all attempts included; `None` when that is unknown.
    cost: float | None = 0.0
    #: Tokens of the last attempt; `None` when they are unknown.
    tokens: int | None = 0
    #: Why it did not pass.
    blame: Blame | None = None
    #: How often it was tried again, because something around the test was not as needed.
    retries: int = 0
    #: What the agent raised in a run that passed, in a line, where no check asked how it ended.
    unseen: str | None = None
