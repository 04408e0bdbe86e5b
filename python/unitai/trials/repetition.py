"""One test being repeated: the first run measures, the others follow, and the money is watched."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from unitai._engine import Budget, shown_dollars
from unitai.errors import CostLimitExceeded, StatisticsWarning, UnitAIError
from unitai.traffic.purse import spending
from unitai.trials.arguments import Arguments
from unitai.trials.attempting import Attempts
from unitai.trials.crew import Crew
from unitai.trials.outcome import Outcome
from unitai.trials.plan import Plan
from unitai.trials.progress import Progress
from unitai.trials.result import StatisticalResult
from unitai.trials.warning import tell_unpriced, tell_unseen

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["Repetition"]


class Hands(Protocol):
    """Who does the runs: threads, or an executor."""

    outcomes: dict[int, Outcome]
    halted_by: BaseException | None

    def work(self, hands: int, runs: int | None, look_up: Callable[[], None] | None) -> None:
        """Does runs until there is none left, or this many."""


class Repetition:
    """A test being repeated, from the first run to the result."""

    def __init__(
        self, plan: Plan, function: Callable[..., Any], arguments: Arguments, executor: Executor | None
    ) -> None:
        self._plan = plan
        self._workers = _workers(plan, executor)
        self._series = plan.series(self._workers)
        self._name = getattr(function, "__name__", type(function).__name__)
        self._place = _place(function)
        self._budget = None if plan.budget is None else Budget(plan.budget, "these runs", plan.is_default_budget)
        self._spent = 0.0
        self._is_overspent = False
        self._estimate: CostLimitExceeded | None = None
        self._lock = threading.Lock()
        self._attempts = Attempts(function, arguments, plan.retries, plan.retry_delay)
        self._executor = executor

    def result(self) -> StatisticalResult:
        """Repeats the test."""
        # Of the project's own defaults the summary says enough: a test cannot help them.
        for note in self._series.notes() if self._plan.is_own else ():
            # Where the test is, and not where it is repeated.
            warnings.warn_explicit(note, StatisticsWarning, *self._place)
        if self._budget is None:
            return self._work()
        with spending(self._budget):
            return self._work()

    def _hands(self) -> Hands:
        if self._executor is None:
            return Crew(self._series, self._attempts, self._after)
        from unitai.trials.pool import Pool

        return Pool(self._series, self._attempts, self._after, self._executor, self._plan.retries)

    def _work(self) -> StatisticalResult:
        hands = self._hands()
        progress = Progress.of(self._plan.progress, self._name)
        look_up = None if progress is None else lambda: progress.show(self._series, self._plan.n, self._spent)
        try:
            if self._budget is not None and self._plan.n > 1:
                # One run alone says what the others will cost, and whether they can be done here.
                hands.work(1, 1, look_up)
                self._check_first(hands)
            if hands.halted_by is None and self._series.is_open():
                hands.work(self._workers, None, look_up)
        except BaseException as error:
            # Ctrl-C, or the limit of a whole test that another plugin sets: what was done is worth knowing.
            if hands.outcomes and hasattr(error, "add_note"):
                error.add_note(f"{self._name}: {self._made()} were made")
            raise
        finally:
            if progress is not None:
                progress.clear()
        end = self._end(hands)
        # What ended the runs after the verdict was settled changes nothing but their number; Ctrl-C always does.
        if end is not None and (not self._series.is_settled() or _is_interruption(end)):
            self._raise(hands, end)
        outcomes = [outcome for _, outcome in sorted(hands.outcomes.items())]
        skips = [outcome.skip for outcome in outcomes if outcome.skip is not None]
        if skips and len(skips) == len(outcomes):
            raise skips[0].error()
        self._tell_unseen([outcome for outcome in outcomes if outcome.unseen is not None])
        for model in {outcome.unpriced for outcome in outcomes} - {None}:
            tell_unpriced(str(model), self._plan.budget or 0, self._place)
        return self._result(hands, end)

    def _tell_unseen(self, outcomes: list[Outcome]) -> None:
        """Warns of runs that may have passed because no check asked how they ended."""
        for outcome in outcomes[:1]:
            runs = f" in {len(outcomes)} runs that passed" if len(outcomes) > 1 else " in a run that passed"
            tell_unseen(outcome.unseen or "", runs, self._place)

    def _after(self, outcome: Outcome) -> None:
        """Counts what a run cost, and begins no further one when the money is gone."""
        if not outcome.cost or self._plan.budget is None:
            return
        with self._lock:
            self._spent += outcome.cost
            if self._spent > self._plan.budget and self._series.is_open():
                self._is_overspent = True
                self._series.stop()

    def _check_first(self, hands: Hands) -> None:
        """Begins no other run if the first one skipped, or was so dear that the others would cost too much."""
        budget, n = self._plan.budget, self._plan.n
        if budget is None or not hands.outcomes or not self._series.is_open():
            return
        if (skip := hands.outcomes[0].skip) is not None and skip.kind != "xfail":
            self._series.stop()
            return
        first = hands.outcomes[0].cost
        if first is None or first * n <= budget:
            return
        remedy = f"raise it with budget={_rounded_up(first * n)}"
        if budget >= first:
            remedy += f", or ask for fewer runs with n={int(budget / first)}"
        error = CostLimitExceeded(
            f"{n} runs of {self._name} would cost about {shown_dollars(first * n)}",
            expected=f"at most {shown_dollars(budget)}, the budget of these runs",
            found=f"{shown_dollars(first)} spent by the first run; the other {n - 1} were not begun",
            remedy=remedy,
        )
        self._series.stop()
        self._estimate = error

    def _end(self, hands: Hands) -> BaseException | None:
        """What ended the runs before their number, if anything but a settled verdict did."""
        end = hands.halted_by or self._estimate
        return self._overspent() if end is None and self._is_overspent else end

    def _overspent(self) -> CostLimitExceeded:
        return CostLimitExceeded(
            f"the runs of {self._name} cost more than their budget",
            expected=f"at most {shown_dollars(self._plan.budget or 0)}",
            found=f"{shown_dollars(self._spent)} spent; no further run was begun",
            remedy="raise it with budget=..., or ask for fewer runs",
        )

    def _made(self) -> str:
        """The runs so far."""
        passed, failed, lost = self._series.counts()
        return f"{passed + failed + lost} of {self._plan.n} runs ({passed} passed, {failed} failed)"

    def _raise(self, hands: Hands, error: BaseException) -> NoReturn:
        """Raises what ended the test, with the runs so far."""
        if isinstance(error, CostLimitExceeded):
            error.stats = self._result(hands, error)
            if error is not self._estimate:
                error.found = "; ".join(filter(None, (error.found, f"{self._made()} were made")))
        raise error

    def _result(self, hands: Hands, end: BaseException | None) -> StatisticalResult:
        outcomes = [outcome for _, outcome in sorted(hands.outcomes.items())]
        counted = self._series.counted()
        runs, verdict = outcomes[:counted], self._series.verdict()
        # No run may have got as far as to say something of the agent.
        has_only_raised = verdict == "failed" and all(run.raised for run in runs if run.verdict == "failed")
        return StatisticalResult(
            self._plan,
            "error" if has_only_raised else verdict,
            runs,
            surplus=outcomes[counted:],
            ended_by=None if end is None else _in_a_line(end),
            notes=self._series.notes(),
            name=self._name,
        )


def _workers(plan: Plan, executor: Executor | None) -> int:
    """How many runs are under way at once."""
    workers = min(plan.max_workers, plan.n)
    most = getattr(executor, "_max_workers", None)
    # What waits in an executor's queue cannot be called back when the series is settled.
    return max(1, min(workers, most)) if isinstance(most, int) else workers


def _is_interruption(error: BaseException) -> bool:
    outcomes = sys.modules.get("_pytest.outcomes")
    return isinstance(error, (KeyboardInterrupt, SystemExit)) or (
        outcomes is not None and isinstance(error, outcomes.Exit)
    )


def _place(function: Callable[..., Any]) -> tuple[str, int]:
    """The file and the line of a function, as far as it has any."""
    code = getattr(function, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else ("<test>", 0)


def _in_a_line(error: BaseException) -> str:
    text = error.message if isinstance(error, UnitAIError) else f"{type(error).__name__}: {error}"
    return text.partition("\n")[0]


def _rounded_up(amount: float) -> str:
    """An amount that is surely enough, with cents."""
    return f"{-(-amount * 110 // 1) / 100:.2f}"
