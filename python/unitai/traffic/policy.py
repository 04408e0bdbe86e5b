"""What a toolkit says about the model traffic of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from unitai._engine import Budget, Policy
from unitai.errors import InvalidArgumentError, shown

__all__ = ["TrafficOptions", "read_budget", "read_prices"]


class TrafficOptions(NamedTuple):
    """The options as they were written."""

    budget: float | Budget | None = None
    prices: Mapping[str, Mapping[str, float]] | None = None
    block_network: bool = False
    ask_for_usage: bool = True

    def policy(self) -> Policy | None:
        """The options as the engine uses them; `None` when nothing was said."""
        if self == TrafficOptions():
            return None
        return Policy(
            budget=None if self.budget is None else read_budget(self.budget),
            prices=None if self.prices is None else read_prices(self.prices),
            block_network=bool(self.block_network),
            ask_for_usage=bool(self.ask_for_usage),
        )


def read_budget(budget: float | Budget) -> Budget:
    """A budget as it may be written."""
    if isinstance(budget, Budget):
        return budget
    if isinstance(budget, bool) or not isinstance(budget, (int, float)):
        raise InvalidArgumentError(f"budget must be an amount of dollars or a Budget, not {shown(budget)}")
    return Budget(budget)


def read_prices(prices: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Prices as they may be written."""
    try:
        return {model: dict(price) for model, price in prices.items()}
    except (AttributeError, TypeError, ValueError):
        raise InvalidArgumentError(
            f"prices are a dictionary by model, not {shown(prices)}",
            remedy='write prices={"my-model": {"input": 2.50, "output": 10.0}}, in dollars for a million tokens',
        ) from None
