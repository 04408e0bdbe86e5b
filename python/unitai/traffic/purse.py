"""Budgets that stand around a block of code, whoever calls a model in it."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

from unitai._engine import Budget, Purse, standing_budgets
from unitai.traffic.door import close_door, open_door
from unitai.traffic.policy import read_budget, read_prices

__all__ = ["spending", "standing_budgets"]


class spending:
    """Lets a budget pay for every model call of a block: those of runs that begin in it, whatever toolkit they are
    of, and those that belong to no run. Budgets add up: a call is paid for in each that stands, or is refused.

    A call outside any run that a budget does not allow raises `CostLimitExceeded` where it is made, and from the
    block, where an SDK turned it into an error of its own.

    Args:
        budget: The budget, or an amount of dollars.
        prices: What models cost in calls outside any run, as for `MockToolkit`.
        alone: Do not add it to the budgets that stand already: it was taken from them.

    >>> from unitai import Budget, spending
    >>> from unitai.traffic.purse import standing_budgets
    >>> with spending(Budget(0.50, name="this test")) as budget:
    ...     standing_budgets()
    (<Budget of this test: $0.00 spent of $0.50>,)
    """

    def __init__(
        self,
        budget: Budget | float,
        *,
        prices: Mapping[str, Mapping[str, float]] | None = None,
        alone: bool = False,
    ) -> None:
        self._budget = read_budget(budget)
        self._prices = None if prices is None else read_prices(prices)
        self._alone = alone
        self._open: list[Purse] = []

    @property
    def trouble(self) -> BaseException | None:
        """What a call met first in the block: a refusal, or an overspent budget. It may be this budget's or one's
        around it; that of a toolkit inside is no concern of the block.
        """
        return self._open[-1].trouble if self._open else None

    def __enter__(self) -> Budget:
        open_door()
        try:
            self._open.append(Purse.open(self._budget, self._prices, self._alone))
        except BaseException:
            close_door()
            raise
        return self._budget

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        purse = self._open.pop()
        untold = purse.close()
        close_door()
        if error is None:
            if untold is not None:
                raise untold
            return
        # An SDK makes a failed connection of a refusal.
        trouble = purse.trouble
        if trouble is not None and trouble is not error and _came_of(error, trouble):
            raise trouble from error


def _came_of(error: BaseException, trouble: BaseException) -> bool:
    """Whether an error was raised from another, or from one that was, and so on."""
    seen: set[int] = set()
    while error is not trouble and id(error) not in seen:
        seen.add(id(error))
        error = error.__cause__ or error.__context__ or error
    return error is trouble
