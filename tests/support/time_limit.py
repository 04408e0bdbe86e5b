"""A time limit for tests that could hang."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def nothing_hangs(seconds: int) -> Iterator[None]:
    """Raises in the main thread when the block takes longer."""

    def bark(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"it hangs: nothing came of it in {seconds} seconds")

    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
