"""An executor that does the runs of a repeated test: a process pool, a cluster, or threads of somebody else."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextvars import copy_context
from typing import Any
from uuid import uuid4

from unitai._engine import Lease, Series, count_elsewhere
from unitai.errors import CostLimitExceeded, InvalidArgumentError
from unitai.traffic.purse import standing_budgets
from unitai.trials.attempting import Attempts
from unitai.trials.crossing import Answer, do_elsewhere, do_here, pack, unpack
from unitai.trials.funding import Fund, LeasedFund, SharedFund
from unitai.trials.outcome import Outcome
from unitai.trials.sending import DIED, Sent, Tried

__all__ = ["Pool"]

#: How often whoever waits looks up, in seconds.
LOOKS = 0.05


class Pool:
    """Does the runs of a series by an executor, so many at a time. Each run counts once, whatever becomes of the
    worker that has it: one that was lost is tried again by itself, so that whoever ends its worker ends no other run.
    """

    def __init__(
        self,
        series: Series,
        attempts: Attempts,
        after: Callable[[Outcome], None],
        executor: Executor,
        retries: int,
    ) -> None:
        #: Each run once, by its index.
        self.outcomes: dict[int, Outcome] = {}
        self.halted_by: BaseException | None = None
        self._series = series
        self._attempts = attempts
        self._after = after
        self._executor = executor
        self._retries = retries
        self._context = copy_context()
        self._is_here = isinstance(executor, ThreadPoolExecutor)
        self._parcel = b"" if self._is_here else pack(attempts, executor)
        #: Made in the place of one that broke.
        self._own: Executor | None = None
        self._is_broken = False
        self._under_way: dict[Future[Any], Sent] = {}
        #: Runs to be tried again, each by itself.
        self._again: deque[Tried] = deque()
        self._left: int | None = None

    def work(self, hands: int, runs: int | None, look_up: Callable[[], None] | None) -> None:
        """Does runs until there is none left, or this many, and returns when all are done."""
        self._left = runs
        fund = self._fund()
        try:
            self._fill(fund, hands)
            while self._under_way:
                done, _ = wait(self._under_way, LOOKS, FIRST_COMPLETED)
                for future in done:
                    self._take(future)
                if look_up is not None:
                    look_up()
                self._fill(fund, hands)
        except BaseException:
            # Ctrl-C: nothing new begins. What is under way is left to itself, like the program.
            self._series.stop()
            for future in self._under_way:
                future.cancel()
            raise
        finally:
            if self._own is not None:
                self._own.shutdown(wait=not self._under_way, cancel_futures=True)
                self._own, self._is_broken = None, True
            self._close(fund)

    def _fund(self) -> Fund:
        if self._is_here:
            # The budgets reach there by themselves.
            return LeasedFund(())
        budgets = standing_budgets()
        return SharedFund(budgets) if isinstance(self._executor, ProcessPoolExecutor) else LeasedFund(budgets)

    def _close(self, fund: Fund) -> None:
        try:
            fund.close()
        except CostLimitExceeded as error:
            self._halt(error)

    def _fill(self, fund: Fund, hands: int) -> None:
        """Begins as many runs as may be under way."""
        while self.halted_by is None:
            if self._again and not self._series.is_open():
                run = self._again.popleft()
                self._count(run, run.lost())
            elif self._again:
                if self._under_way or (self._is_broken and not self._mend()):
                    return
                self._submit(self._again.popleft(), fund, 1)
            elif self._under_way and (self._is_broken or len(self._under_way) >= hands):
                return
            else:
                if self._left == 0 or not self._series.is_open():
                    return
                if self._is_broken and not self._mend():
                    return
                index = self._series.next()
                if index is None:
                    return
                if self._left is not None:
                    self._left -= 1
                self._submit(Tried(index), fund, hands - len(self._under_way))

    def _submit(self, run: Tried, fund: Fund, parts: int) -> None:
        executor = self._own or self._executor
        fare, lease = fund.begin(parts)
        future: Future[Any]
        try:
            if self._is_here:
                future = executor.submit(do_here, self._context.copy(), self._attempts, run.index, self._series.is_open)
            else:
                future = executor.submit(do_elsewhere, self._parcel, pickle.dumps(fare), run.index, uuid4().hex)
        except BrokenExecutor:
            _give_back(lease)
            # One that was broken when it came is nobody's fault; one that breaks at once will do so again.
            self._is_broken = True
            if self._own is None:
                self._again.append(run)
            else:
                self._retry(run, DIED)
            return
        except Exception as error:
            _give_back(lease)
            self._halt(
                InvalidArgumentError(
                    f"the executor takes no runs: {error}",
                    expected="an executor that is open",
                    remedy="let it be shut down after run() has returned",
                )
            )
            return
        self._under_way[future] = Sent(run, lease, is_alone=parts == 1 and not self._under_way)

    def _take(self, future: Future[Any]) -> None:
        """Counts a run that has come back, or sees to one that has not."""
        run, lease, is_alone = self._under_way.pop(future)
        try:
            answer = future.result() if self._is_here else unpack(future.result())
        except BrokenExecutor:
            self._is_broken = True
            self._retry(run, DIED)
        except CancelledError:
            self._count(run, run.lost("its future was cancelled"))
        except OSError as error:
            self._count(run, run.lost(f"the executor lost it: {type(error).__name__}"))
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                # The cluster has tried again by itself, as often as it does.
                self._count(run, run.lost(DIED))
            else:
                self._halt(_told(error))
        else:
            self._answer(run, answer, lease, is_alone)

    def _answer(self, run: Tried, answer: Answer, lease: Lease | None, is_alone: bool) -> None:
        came = answer.came
        if lease is not None:
            try:
                lease.settle(answer.spent)
            except CostLimitExceeded as error:
                self._halt(error)
        if isinstance(came, Outcome):
            if not self._is_here:
                for trajectory in came.trajectories:
                    count_elsewhere(trajectory)
            self._count(run, came)
        elif isinstance(came, CostLimitExceeded) and lease is not None and not is_alone and self.halted_by is None:
            # Its part was too small. There may be enough in the whole.
            run.paid += answer.spent
            run.cause = "its part of the budget was too small"
            self._again.append(run)
        elif isinstance(came, BaseException):
            self._halt(came)

    def _retry(self, run: Tried, cause: str) -> None:
        """A run of which nothing came back."""
        run.cause = cause
        if run.again == self._retries:
            self._count(run, run.lost())
        else:
            run.again += 1
            self._again.append(run)

    def _mend(self) -> bool:
        """Puts another pool in the place of one that broke; where that cannot be done, nothing more begins."""
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)
        self._own = _another(self._executor)
        self._is_broken = self._own is None
        if self._own is None:
            self._series.stop()
            while self._again:
                run = self._again.popleft()
                self._count(run, run.lost())
        return self._own is not None

    def _count(self, run: Tried, outcome: Outcome) -> None:
        if run.index in self.outcomes:
            return
        outcome = run.whole(outcome)
        self.outcomes[run.index] = outcome
        self._series.settle(run.index, outcome.verdict)
        self._after(outcome)

    def _halt(self, error: BaseException) -> None:
        self._series.stop()
        self._again.clear()
        if self.halted_by is None:
            self.halted_by = error


def _give_back(lease: Lease | None) -> None:
    if lease is not None:
        lease.settle(0.0)


def _another(pool: Executor) -> Executor | None:
    """A new pool of the same kind and size; `None` where it cannot be told how it was made."""
    if not isinstance(pool, ProcessPoolExecutor):
        return None
    try:
        made: dict[str, Any] = {
            "mp_context": pool._mp_context,
            "initializer": pool._initializer,
            "initargs": pool._initargs,
        }
        if getattr(pool, "_max_tasks_per_child", None) is not None:
            made["max_tasks_per_child"] = pool._max_tasks_per_child  # type: ignore[attr-defined]
        return type(pool)(pool._max_workers, **made)  # type: ignore[attr-defined]
    except Exception:
        return None


def _told(error: Exception) -> InvalidArgumentError:
    """What the executor could not do, for who chose it."""
    return InvalidArgumentError(
        f"the executor could not do a run: {type(error).__name__}: {error}",
        expected="an executor whose workers have unitai and the test installed",
    )
