"""Runs that were sent to an executor, and what was met on the way to their outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from unitai._engine import Lease
from unitai.trials.outcome import Blame, Outcome

__all__ = ["DIED", "Sent", "Tried"]

#: Why a run decided nothing.
DIED = "its worker process died"


class Tried:
    """A run, and what was met on the way to its outcome."""

    def __init__(self, index: int) -> None:
        self.index = index
        #: How often it was tried again because nothing came back.
        self.again = 0
        #: What attempts cost that came to nothing.
        self.paid = 0.0
        #: Why it has to be tried again.
        self.cause = DIED

    def lost(self, cause: str | None = None) -> Outcome:
        """The outcome of a run of which nothing came back."""
        why = cause or self.cause
        return Outcome(self.index, "inconclusive", 0.0, (), None, None, Blame("worker", why, why, why))

    def whole(self, outcome: Outcome) -> Outcome:
        """The outcome with all attempts. What a worker spent that died is not known."""
        cost = None if outcome.cost is None or self.again else outcome.cost + self.paid
        return replace(outcome, cost=cost, retries=outcome.retries + self.again)


class Sent(NamedTuple):
    """A run under way."""

    run: Tried
    lease: Lease | None
    #: Whether the lease was all that there was.
    is_alone: bool
