"""Warnings that show the user's own line, however many of ours lie between."""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn_user"]


def warn_user(message: str, category: type[Warning]) -> None:
    """Warns at the innermost line that is not of this package. From Python 3.12 on, `skip_file_prefixes` does that."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "unitai":
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
