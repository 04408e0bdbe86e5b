"""The money of runs in other processes, where the budgets of this one do not reach."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from unitai._engine import Budget, Lease
from unitai.errors import BrokenLedgerError
from unitai.traffic.purse import spending

__all__ = ["Fare", "Fund", "LeasedFund", "SharedFund"]

#: Whose the money is, where no budget has a name.
NAME = "these runs"

#: Of which nothing can be paid: no budget is of nothing.
NOTHING = 1e-12


class Fare(NamedTuple):
    """What one run may spend. It crosses to the process that does the run."""

    #: Budgets whose ledger is a file.
    shared: tuple[Budget, ...] = ()
    #: Dollars for this run alone, whose they are, and whether nobody asked for the budget that they are of.
    lease: tuple[float, str, bool] | None = None

    @contextmanager
    def paying(self) -> Iterator[Budget | None]:
        """Lets the fare pay for a block of code, and nothing else. Gives the budget of the lease, if there is one."""
        own = None if self.lease is None else Budget(*self.lease)
        with ExitStack() as stack:
            for place, budget in enumerate(self.shared if own is None else (*self.shared, own)):
                # What stands in this process besides is not meant: the fare was taken from it.
                stack.enter_context(spending(budget, alone=place == 0))
            yield own


class Fund(Protocol):
    """Where the fares come from."""

    def begin(self, parts: int) -> tuple[Fare, Lease | None]:
        """The fare of a run, and what was set aside for it alone. `parts` say how many runs share what is left."""

    def close(self) -> None:
        """No run is under way any more. Raises `CostLimitExceeded` if they cost more than there was."""


class SharedFund:
    """For processes of this machine: a ledger in a file, from which all runs pay. What was spent by a process that
    died is known, too.
    """

    def __init__(self, budgets: tuple[Budget, ...]) -> None:
        own = [budget for budget in budgets if budget.path is None]
        shared = tuple(budget for budget in budgets if budget.path is not None)
        self._lease: Lease | None = None
        if own:
            self._folder = Path(tempfile.mkdtemp(prefix="unitai-"))
            self._lease = lease = Lease.take(own, 1)
            limit = max(lease.amount, NOTHING)
            self._ledger = Budget.shared(self._folder / "ledger", limit, lease.whose or NAME, _is_default(own))
            shared = (*shared, self._ledger)
        self._fare = Fare(shared)

    def begin(self, parts: int) -> tuple[Fare, Lease | None]:
        return self._fare, None

    def close(self) -> None:
        if self._lease is None:
            return
        try:
            # What is still set aside belongs to calls that nobody waits for; they may be billed.
            spent = self._ledger.spent + self._ledger.reserved
        except BrokenLedgerError:
            spent = self._lease.amount
        finally:
            # From here on whoever was left behind finds no money.
            shutil.rmtree(self._folder, ignore_errors=True)
        self._lease.settle(spent)


class LeasedFund:
    """For processes wherever they are: each run gets a part of what is left."""

    def __init__(self, budgets: tuple[Budget, ...]) -> None:
        self._budgets = budgets

    def begin(self, parts: int) -> tuple[Fare, Lease | None]:
        if not self._budgets:
            return Fare(), None
        lease = Lease.take(self._budgets, parts)
        return Fare(lease=(max(lease.amount, NOTHING), lease.whose or NAME, _is_default(self._budgets))), lease

    def close(self) -> None:
        """Each lease was settled by itself."""


def _is_default(budgets: Sequence[Budget]) -> bool:
    return all(budget.is_default for budget in budgets)
