"""What one run pays for, also outside of any agent: a budget around it that refuses nothing."""

from __future__ import annotations

from unitai._engine import Budget, Purse, standing_budgets

__all__ = ["Meter"]

#: Dollars. Beyond what any budget around it allows.
PLENTY = 1_000_000.0


class Meter:
    """Counts what is paid in the context that it was opened in, and knows what was refused there."""

    __slots__ = ("_budget", "_purse")

    def __init__(self) -> None:
        self._budget = Budget(PLENTY)
        self._purse = Purse.open(self._budget, private=True)

    @staticmethod
    def here() -> Meter | None:
        """A meter in the current context. `None` where no budget stands: then calls need no price, and must not be
        asked for one.
        """
        return Meter() if standing_budgets() else None

    @property
    def spent(self) -> float:
        """Dollars that were paid so far."""
        return self._budget.spent

    @property
    def trouble(self) -> BaseException | None:
        """The first call that a budget around this one refused, also if nobody was told."""
        return self._purse.trouble
