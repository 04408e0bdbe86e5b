"""How a failed test shows where it failed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import pytest

from unitai.frames import telling


@contextmanager
def abridged(excinfo: pytest.ExceptionInfo[BaseException], config: pytest.Config) -> Iterator[None]:
    """While it lasts, the traceback of a failure has the frames that are worth a look. `--full-trace` shows all."""
    # Where a test was skipped is looked up in the traceback, too, and may be our own line.
    if config.getoption("fulltrace", False) or isinstance(excinfo.value, pytest.skip.Exception):
        yield
        return
    whole = excinfo.traceback
    # Made anew, since pytest cuts off what is before the test, and follows the entries themselves for that.
    chain = None
    for entry in reversed(telling(excinfo.value)):
        chain = TracebackType(chain, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    if chain is not None:
        excinfo.traceback = type(whole)(chain)
    try:
        yield
    finally:
        excinfo.traceback = whole
