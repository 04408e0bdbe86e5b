"""A stopwatch for tests whose subject is time: it tells how long a block took, and how much of that was only the machine
being busy with other work. A deadline holds on a busy machine if it holds by `fair`.

Without lag, `fair` is as strict as the clock. Two limits are to be known. Code that waits without letting other threads
of Python run (a call into C that keeps the GIL and sleeps) looks like lag, so a test of exactly that needs another way.
And what a block computes is not lag: a test of how much is computed asks `time.process_time` instead.
"""

from __future__ import annotations

import math
import threading
import time
from types import TracebackType

#: How long the measuring thread sleeps at a time.
TICK = 0.01


class Stopwatch:
    """Measures a block: `with Stopwatch() as watch: ...`, and then `assert watch.fair < 2`."""

    #: How long the block took by the clock.
    seconds = 0.0
    #: How late this process was scheduled meanwhile, by the overshoot of many short sleeps.
    lag = 0.0

    def __init__(self) -> None:
        self._began, self._ended = 0.0, math.inf
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._measure, name="stopwatch", daemon=True)

    @property
    def fair(self) -> float:
        """How long the block would have taken if the process had been scheduled whenever it was ready."""
        return max(0.0, self.seconds - self.lag)

    def __enter__(self) -> Stopwatch:
        self._thread.start()
        self._began = time.monotonic()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended = time.monotonic()
        self.seconds = self._ended - self._began
        self._over.set()
        self._thread.join()

    def _measure(self) -> None:
        asleep, computed_before = time.monotonic(), time.process_time()
        is_over = False
        while not is_over:
            is_over = self._over.wait(TICK)
            # What comes after the block does not count.
            awake, computed = min(time.monotonic(), self._ended), time.process_time()
            late = awake - asleep - TICK
            if late > 0:
                # While the process computes, it is scheduled: this thread is late because another one keeps the GIL.
                share = min(1.0, (computed - computed_before) / (awake - asleep))
                self.lag += late * (1 - share)
            asleep, computed_before = awake, computed
