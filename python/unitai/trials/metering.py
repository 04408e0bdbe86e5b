"""What one run pays for, also outside of any agent: a budget around it that refuses nothing."""

from __future__ import annotations

from unitai._engine import Budget, Purse, standing_budgets

__all__ = ["metering"]

#: Dollars. Beyond what any budget around it allows.
PLENTY = 1_000_000.0


def metering() -> Budget | None:
    """A budget that counts what is paid in the current context from here on. `None` where no budget stands: then calls
    need no price, and must not be asked for one.
    """
    if not standing_budgets():
        return None
    meter = Budget(PLENTY)
    Purse.open(meter, private=True)
    return meter
