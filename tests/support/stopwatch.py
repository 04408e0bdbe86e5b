"""A stopwatch for tests whose subject is time: how long a block took, and how much of that the machine was busy with other
work. A deadline holds on a busy machine if it holds by `fair`; without lag, `fair` is as strict as the clock.

What a block computes is not lag: a test of how much is computed asks `time.process_time` instead.
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
    #: How late this process was scheduled meanwhile: the delays of a thread that sleeps many times, and briefly.
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
        asleep, before = time.monotonic(), _run_delay()
        is_over = False
        while not is_over:
            is_over = self._over.wait(TICK)
            # What comes after the block does not count.
            awake, delay = min(time.monotonic(), self._ended), _run_delay()
            late = max(0.0, awake - asleep - TICK)
            self.lag += late if delay is None or before is None else min(late, delay - before)
            asleep, before = awake, delay


def _run_delay() -> float | None:
    """For how long this thread was ready to run and had no core, as Linux counts it. Waiting for the GIL does not count, so
    that code which keeps it while it blocks is not taken for lag. `None` elsewhere.
    """
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return None
