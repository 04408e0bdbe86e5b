"""How people hear of what a test that passed does not show: an agent that raised, a model without a price."""

from __future__ import annotations

import warnings

from unitai._engine import shown_dollars
from unitai.errors import StatisticsWarning, UnseenErrorWarning

__all__ = ["tell_unpriced", "tell_unseen"]

#: The models without a price that were told in this process. Once is enough: many tests call the same one.
_unpriced: set[str] = set()


def tell_unseen(error: str, runs: str, place: tuple[str, int]) -> None:
    """Warns of it at the place of the test. Filtered by the user's warning filters like any other warning."""
    _warn(UnseenErrorWarning.about(error, runs), place)


def tell_unpriced(model: str, budget: float, place: tuple[str, int]) -> None:
    """Warns once that the budget that nobody asked for does not hold for a model."""
    if model in _unpriced:
        return
    _unpriced.add(model)
    message = (
        f"{model} has no known price, so its calls do not count against the default budget of {shown_dollars(budget)}\n"
        f"  to do:    say what it costs in [tool.unitai.prices], or drop the budget with budget=None"
    )
    _warn(StatisticsWarning(message), place)


def _warn(warning: Warning, place: tuple[str, int]) -> None:
    """Warns at the place of the test. Where warnings are errors, it stays a warning: the test has passed, and has
    results that an exception would take away.
    """
    try:
        warnings.warn_explicit(warning, None, *place)
    except type(warning):
        warnings.showwarning(warning, type(warning), *place)
