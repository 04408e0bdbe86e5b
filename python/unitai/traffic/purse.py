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

    A call outside any run that a budget does not allow raises `CostLimitExceeded` where it is made.

    Args:
        budget: The budget, or an amount of dollars.
        prices: What models cost in calls outside any run, as for `MockToolkit`.

    >>> from unitai import Budget
    >>> from unitai.traffic.purse import spending, standing_budgets
    >>> with spending(Budget(0.50, name="this test")) as budget:
    ...     standing_budgets()
    (<Budget of this test: $0.00 spent of $0.50>,)
    """

    def __init__(self, budget: Budget | float, *, prices: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self._budget = read_budget(budget)
        self._prices = None if prices is None else read_prices(prices)
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
            self._open.append(Purse.open(self._budget, self._prices))
        except BaseException:
            close_door()
            raise
        return self._budget

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        untold = self._open.pop().close()
        close_door()
        # What the block raises itself says more.
        if untold is not None and error is None:
            raise untold
