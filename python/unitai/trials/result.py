"""`StatisticalResult`: what a repeated test came to, how sure that is, and what it cost."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from unitai._engine import Trajectory, pass_at_k, pass_hat_k, wilson
from unitai.errors import (
    InconclusiveError,
    InvalidArgumentError,
    PassRateError,
    RunsRaisedError,
    UnpricedModelError,
    shown,
)
from unitai.trials.modes import FailureMode, group
from unitai.trials.outcome import Outcome
from unitai.trials.plan import Plan
from unitai.trials.telling import headline, raised, report, summary, why_stopped

if TYPE_CHECKING:
    from unitai.trials.baseline import Baseline, Comparison

__all__ = ["Interval", "StatisticalResult"]


class Interval(NamedTuple):
    """Where the true rate lies, at the stated confidence."""

    low: float
    high: float


class StatisticalResult:
    """What a repeated test came to. True when it passed.

    >>> from unitai import StatisticalRunner
    >>> stats = StatisticalRunner(n=20, threshold=0.8).run(lambda: None)
    >>> stats.overall_passed, stats.passed
    (True, 20)
    """

    def __init__(
        self,
        plan: Plan,
        verdict: Literal["passed", "failed", "inconclusive", "error"],
        runs: Sequence[Outcome],
        *,
        surplus: Sequence[Outcome] = (),
        ended_by: str | None = None,
        notes: Sequence[str] = (),
        name: str = "",
    ) -> None:
        #: What was asked for.
        self.plan = plan
        #: `"passed"`, `"failed"`, `"inconclusive"` (too little is known to say), or `"error"`: too few runs passed, and
        #: each that failed raised something else than an assertion.
        self.verdict = verdict
        #: The runs in their order, those that decided nothing included.
        self.runs = list(runs)
        #: Runs that were under way when the verdict was settled; they cost money, and are not counted.
        self.surplus = list(surplus)
        #: What ended the runs before the plan did, in a line: money that was spent, for one.
        self.ended_by = ended_by
        #: What is worth knowing about the plan: an `n` that is too small, for one.
        self.notes = list(notes)
        #: The test's name.
        self.name = name

    @cached_property
    def _counts(self) -> dict[str, int]:
        counts = {"passed": 0, "failed": 0, "inconclusive": 0}
        for run in self.runs:
            counts[run.verdict] += 1
        return counts

    @property
    def n(self) -> int:
        """Runs that count: those that passed or failed."""
        return self.passed + self.failed

    @property
    def planned(self) -> int:
        """Runs that were asked for."""
        return self.plan.n

    @property
    def passed(self) -> int:
        """Runs in which all assertions held."""
        return self._counts["passed"]

    @property
    def failed(self) -> int:
        """Runs in which one did not, or that raised."""
        return self._counts["failed"]

    @property
    def inconclusive(self) -> int:
        """Runs that decided nothing, because something around the test was not as needed."""
        return self._counts["inconclusive"]

    @property
    def retries(self) -> int:
        """How often a run was tried again for that reason."""
        return sum(run.retries for run in (*self.runs, *self.surplus))

    @property
    def pass_rate(self) -> float:
        """`passed / n`; 0 when no run counts."""
        return self.passed / self.n if self.n else 0.0

    @property
    def threshold(self) -> float:
        """The pass rate that is required."""
        return self.plan.threshold

    @property
    def overall_passed(self) -> bool:
        """Whether the test passed. Nothing undecided has."""
        return self.verdict == "passed"

    def __bool__(self) -> bool:
        return self.overall_passed

    @cached_property
    def modes(self) -> list[FailureMode]:
        """The ways in which runs failed, the most common first."""
        return group(self.runs)

    @property
    def failure_modes(self) -> dict[str, int]:
        """How many runs failed in each way."""
        counts: dict[str, int] = {}
        for mode in self.modes:
            counts[mode.text] = counts.get(mode.text, 0) + mode.count
        return counts

    @cached_property
    def causes(self) -> dict[str, int]:
        """Why runs decided nothing, with how many did for that reason."""
        causes: dict[str, int] = {}
        for run in self.runs:
            if run.verdict == "inconclusive" and run.blame is not None:
                causes[run.blame.text] = causes.get(run.blame.text, 0) + 1
        return causes

    @property
    def trajectories(self) -> list[Trajectory]:
        """What the agent did in the runs that count, in their order."""
        return [trajectory for run in self._counted for trajectory in run.trajectories]

    @property
    def _counted(self) -> list[Outcome]:
        return [run for run in self.runs if run.verdict != "inconclusive"]

    @property
    def total_cost(self) -> float:
        """US dollars of all runs, retries and surplus included. Raises `UnpricedModelError` when it is unknown."""
        if self._unpriced:
            raise UnpricedModelError(
                f"the cost of {len(self._unpriced)} of {len(self.runs)} runs is unknown",
                remedy="give the price of a model that has none with MockToolkit(prices={...}); what a worker spent "
                "that died is not known. known_cost is the sum of the others",
            )
        return self.known_cost

    @property
    def is_cost_known(self) -> bool:
        """Whether the cost of every run is known."""
        return not self._unpriced

    @property
    def known_cost(self) -> float:
        """US dollars of the runs whose cost is known."""
        return float(sum(run.cost or 0.0 for run in (*self.runs, *self.surplus)))

    @property
    def _unpriced(self) -> list[Outcome]:
        return [run for run in (*self.runs, *self.surplus) if run.cost is None]

    @property
    def mean_duration(self) -> float:
        """Seconds of a run that counts, on average."""
        counted = self._counted
        return sum(run.duration for run in counted) / len(counted) if counted else 0.0

    @property
    def mean_tokens(self) -> int:
        """Tokens of a run that counts, on average; runs whose tokens are unknown are left out."""
        known = [run.tokens for run in self._counted if run.tokens is not None]
        return round(sum(known) / len(known)) if known else 0

    @property
    def missing_runs(self) -> int:
        """Runs that were asked for and not made."""
        return max(0, self.planned - len(self.runs) - len(self.surplus))

    @property
    def stopped_early(self) -> bool:
        """Whether the plan ended the runs, before all of them were made."""
        return self.ended_by is None and self.missing_runs > 0

    @property
    def stopped(self) -> str | None:
        """Why fewer runs were made than were asked for, in words; `None` if all of them were."""
        return why_stopped(self)

    @property
    def saved_runs(self) -> int:
        """Runs that were asked for and not needed."""
        return self.missing_runs if self.stopped_early else 0

    @property
    def saved_cost(self) -> float:
        """About what they would have cost, in US dollars."""
        done = len(self.runs) + len(self.surplus)
        return self.saved_runs * self.known_cost / done if done else 0.0

    @property
    def interval(self) -> Interval:
        """Where the true pass rate lies, exactly: by the method of Clopper and Pearson where all runs were made that
        were asked for, and else by one that allows for the stopping. `interval_basis` says which.
        """
        return Interval(*self._claim[1:3])

    @property
    def interval_basis(self) -> Literal["fixed_n", "stopping_rule", "missing_runs"]:
        """What the interval allows for: nothing, because the number of runs was fixed; the rule by which they were
        stopped; or whatever the runs would have come to that are missing because something else ended the test.
        """
        return self._claim[3]

    @cached_property
    def _claim(self) -> tuple[str, float, float, Literal["fixed_n", "stopping_rule", "missing_runs"]]:
        return self.plan.series().claim(self.passed, self.failed, self.inconclusive)

    @property
    def wilson_interval(self) -> Interval:
        """The same by Wilson's method, which is shorter and not exact. Raises `InvalidArgumentError` unless the number
        of runs was fixed: of runs that were stopped it would be wrong.
        """
        if self.interval_basis != "fixed_n":
            raise InvalidArgumentError(
                "Wilson's interval is for a fixed number of runs, and these could stop before",
                remedy='use interval, which allows for that, or make all runs with mode="all"',
            )
        return Interval(*wilson(self.passed, self.n, self.plan.confidence))

    @property
    def claim(self) -> str:
        """What the runs prove about the threshold, in a sentence."""
        return raised(self) if self.verdict == "error" else self._claim[0]

    def pass_at(self, k: int) -> float:
        """pass@k: how likely at least one of `k` runs passes."""
        return self._of_k(k, pass_at_k(self.passed, self.n, _whole(k)))

    def pass_hat(self, k: int) -> float:
        """pass^k: how likely all of `k` runs pass."""
        return self._of_k(k, pass_hat_k(self.passed, self.n, _whole(k)))

    def _of_k(self, k: int, value: float | None) -> float:
        if value is None:
            raise InvalidArgumentError(
                f"{self.n} runs say nothing about {k} at a time", expected=f"a number from 1 to {self.n}"
            )
        return value

    def summary(self) -> str:
        """The result for people, a few lines."""
        return summary(self)

    def report(self, *, colour: bool = False) -> str:
        """The result as the report of a failed test shows it."""
        return report(self, colour)

    def save(self, baseline: str | os.PathLike[str], *, test: str | None = None) -> None:
        """Keeps how the test did, to compare a later result with it. What is kept of other tests stays.

        Args:
            baseline: A name, which is a file in `tests/baselines`, or a path.
            test: The id to keep it under; the test's name, unless given.
        """
        from unitai.trials.baseline import Baseline

        Baseline({test or self.name: self}).add(baseline)

    def compare(
        self, baseline: Baseline | str | os.PathLike[str], *, test: str | None = None, alpha: float = 0.05
    ) -> Comparison:
        """Whether the test got worse or better than it was when the baseline was saved.

        Args:
            baseline: A baseline, its name or its path.
            test: The id that it was kept under; the test's name, unless given.
            alpha: How likely a test that has not changed may be said to have.
        """
        from unitai.trials.baseline import compared

        return compared(self, baseline, test or self.name, alpha)

    def check(self) -> None:
        """Raises `PassRateError` if the test failed, `InconclusiveError` if it came to no verdict, and
        `RunsRaisedError` if each run that failed raised something else than an assertion.
        """
        if self.verdict == "failed":
            raise PassRateError(self._told(), stats=self)
        if self.verdict == "inconclusive":
            raise InconclusiveError(self._told(), stats=self)
        if self.verdict == "error":
            raise RunsRaisedError(self._told(), stats=self)

    def _told(self) -> str:
        return f"{headline(self)} (statistical)\n\n{self.report()}"

    def __repr__(self) -> str:
        rest = f", {self.inconclusive} inconclusive" if self.inconclusive else ""
        return f"<StatisticalResult {self.verdict}: {self.passed}/{self.n} passed{rest}, {self.threshold:.1%} required>"


def _whole(k: Any) -> int:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InvalidArgumentError(f"k must be a whole number of at least 1, not {shown(k)}")
    return k
