"""What one run pays for, also outside of any agent: a budget around it that refuses nothing."""

from __future__ import annotations

from unitai._engine import Budget, Purse, standing_budgets

__all__ = ["Meter"]

#: Dollars. Beyond what any budget around it allows.
PLENTY = 1_000_000.0


class Meter:
    """Counts what is paid in the context that it was opened in, and knows what was refused there."""

    __slots__ = ("budget", "last", "purse")

    def __init__(self) -> None:
        #: Counts what is paid.
        self.budget = Budget(PLENTY, is_default=True)
        #: Knows the first call that a budget around it refused, also if nobody was told.
        self.purse = Purse.open(self.budget, private=True)
        #: What had been paid when somebody last looked.
        self.last = 0.0

    @staticmethod
    def here() -> Meter | None:
        """A meter in the current context. `None` where no budget stands: then calls need no price, and must not be
        asked for one.
        """
        return Meter() if standing_budgets() else None

    def paid(self) -> float:
        """Dollars that were paid since somebody last looked."""
        before, self.last = self.last, self.budget.spent
        return self.last - before
