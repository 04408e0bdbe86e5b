"""Telling a thread to stop: an exception that comes wherever the thread is."""

from __future__ import annotations

import sys
from typing import Any

from unitai._engine import interrupt_thread
from unitai.runner.job import RunCancelled

__all__ = ["interrupt"]


def interrupt(ident: int) -> None:
    """Has the thread raise `RunCancelled`."""
    _expect_it_anywhere()
    interrupt_thread(ident, RunCancelled)


def _expect_it_anywhere() -> None:
    """It may come while the thread cleans up an object, where Python can only complain about it; pytest makes that an
    error of whatever test is running. It is ours, and says nothing about anybody's code.
    """
    before = sys.unraisablehook
    if getattr(before, "is_unitai", False):
        return

    def hook(unraisable: Any) -> None:
        if unraisable.exc_type is not RunCancelled:
            before(unraisable)

    hook.is_unitai = True  # type: ignore[attr-defined]
    sys.unraisablehook = hook
