"""How people hear of an agent that raised in a test that passed."""

from __future__ import annotations

import warnings

from unitai.errors import UnseenErrorWarning

__all__ = ["tell_unseen"]


def tell_unseen(error: str, runs: str, place: tuple[str, int]) -> None:
    """Warns of it at the place of the test. Who ignores such warnings hears nothing; where warnings are errors, it
    stays a warning: the test has passed, and has results that an exception would take away.
    """
    told = UnseenErrorWarning.about(error, runs)
    try:
        warnings.warn_explicit(told, None, *place)
    except UnseenErrorWarning:
        warnings.showwarning(told, UnseenErrorWarning, *place)
