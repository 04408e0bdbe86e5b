"""One call of an agent's code, and the bell that rings when it is over."""

from __future__ import annotations

import sys
import threading
from collections.abc import Awaitable, Callable
from contextvars import Context
from functools import cache
from time import monotonic
from typing import Any

from unitai._engine import Run
from unitai.runner.streams import acollect, is_stream

#: The name of every thread that runs an event loop of ours.
LOOP_THREAD = "unitai-loop"


class RunCancelled(BaseException):
    """What the agent's code sees when its run has been ended. No `Exception`, so that an agent that
    catches all errors and tries again is stopped too.
    """


def cancellation(is_own_thread: bool) -> RunCancelled:
    """What a call of a run that has been ended raises here. `is_own_thread`: this thread works for the run alone."""
    if is_own_thread or "asyncio" not in sys.modules or threading.current_thread().name == LOOP_THREAD:
        return RunCancelled(_ENDED)
    return _task_cancelled()(_ENDED)


_ENDED = "the run has been ended"


@cache
def _task_cancelled() -> type[RunCancelled]:
    """An event loop that serves others, such as that of a `TestClient` around the run, must survive the end of the run.
    A cancelled task does it no harm, while anyio's portal is shut down by any other `BaseException`.
    """
    import asyncio

    class RunCancelledInTask(RunCancelled, asyncio.CancelledError):
        """`RunCancelled` in an event loop that is not the run's, or in a thread that works for it."""

    return RunCancelledInTask


def _nothing() -> None:
    pass


class Job:
    """A call under way. It ends once; whoever waits is told by the bell, which may also ring for
    another reason.
    """

    def __init__(self, call: Callable[[], Any], context: Context, run: Run) -> None:
        self.call = call
        self.context = context
        self.run = run
        self.output: Any = None
        self.error: BaseException | None = None
        self.is_over = False
        #: When it ended, as `monotonic` says.
        self.ended_at: float | None = None
        #: Set by who waits, when it waits no longer: the thread must not be used again.
        self.is_abandoned = False
        #: Set when the code was told to stop: an exception may still be on its way to the thread.
        self.is_interrupted = False
        #: How the code is stopped, as far as that is possible; set by whoever runs it.
        self.interrupt: Callable[[], None] = _nothing
        #: Who waits; async code must not be run by the thread that does.
        self.waiter = threading.current_thread()
        self.thread: threading.Thread | None = None
        #: What it began on the event loop.
        self.begun: list[Any] = []
        #: Told when an async job is over; set by whoever runs it.
        self.on_over: Callable[[], None] = _nothing
        #: Told in addition to the bell, for waiters that cannot block.
        self.on_ring: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._bell = threading.Lock()
        self._bell.acquire()

    def end(self, output: Any = None, error: BaseException | None = None) -> bool:
        """The code returned or raised. Says whether somebody still waits for it."""
        with self._lock:
            if not self.is_abandoned:
                self.output, self.error = output, error
            self.ended_at = monotonic()
            self.is_over = True
            return not self.is_abandoned

    def is_alive(self) -> bool:
        """Whether the code still runs."""
        return not self.is_over

    def stop(self) -> None:
        """Tells the code to stop, unless it has ended: its thread may be at work for another by then."""
        with self._lock:
            if self.is_over:
                return
            self.is_interrupted = True
        self.interrupt()

    def abandon(self) -> bool:
        """Nobody waits any longer. Says whether the code was still running."""
        with self._lock:
            self.is_abandoned = not self.is_over
            self.on_ring = None
            return self.is_abandoned

    def ring(self) -> None:
        """Wakes whoever waits."""
        try:
            self._bell.release()
        except RuntimeError:
            pass  # It rang already, and nobody has come yet.
        on_ring = self.on_ring
        if on_ring is not None:
            on_ring()

    def wait(self, seconds: float | None) -> bool:
        """Waits for the bell. Ctrl-C comes through."""
        return self._bell.acquire(timeout=-1 if seconds is None else max(0.0, min(seconds, threading.TIMEOUT_MAX)))

    async def run_async(self, awaitable: Awaitable[Any]) -> None:
        """Awaits the agent. Even SystemExit ends here: it must not end the event loop."""
        try:
            output = await awaitable
            if is_stream(output):
                output = await acollect(output)
        except BaseException as error:
            self.end(error=error)
        else:
            self.end(output)
        self.on_over()
        self.ring()
