"""What came of one run of a test that is repeated."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Literal, NamedTuple

from unitai._engine import Trajectory

__all__ = ["Blame", "Outcome", "Skip"]


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


class Skip(NamedTuple):
    """A run that skipped, or failed as expected. Only words: the classes of pytest do not cross to other processes."""

    kind: Literal["skip", "xfail", "SkipTest"]
    reason: str

    @staticmethod
    def from_error(error: BaseException) -> Skip | None:
        """What was raised, if it is one of these. Who raised it has loaded its module."""
        outcomes, cases = sys.modules.get("_pytest.outcomes"), sys.modules.get("unittest.case")
        if outcomes is not None and isinstance(error, outcomes.Skipped):
            return Skip("skip", error.msg or "")
        if outcomes is not None and isinstance(error, outcomes.XFailed):
            return Skip("xfail", error.msg or "")
        if cases is not None and isinstance(error, cases.SkipTest):
            return Skip("SkipTest", str(error))
        return None

    def error(self) -> BaseException:
        """The same to be raised for the whole test."""
        if self.kind != "SkipTest":
            from _pytest import outcomes

            if self.kind == "xfail":
                return outcomes.XFailed(self.reason)
            # At the place of the test, and not here.
            return outcomes.Skipped(self.reason, _use_item_location=True)
        from unittest import SkipTest

        return SkipTest(self.reason)

    @property
    def text(self) -> str:
        """Why the run decided nothing."""
        what = "it failed as expected" if self.kind == "xfail" else "it was skipped"
        return f"{what}: {self.reason}" if self.reason else what


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
    #: That it failed by an exception that is no assertion.
    raised: bool = False
    #: How often it was tried again, because something around the test was not as needed.
    retries: int = 0
    #: That it skipped, where it did.
    skip: Skip | None = None
    #: What the agent raised in a run that passed, in a line, where no check asked how it ended.
    unseen: str | None = None
    #: A model without a price that a default budget let through.
    unpriced: str | None = None
