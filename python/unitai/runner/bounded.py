"""Running an agent's code within a time limit.

The wait ends at the deadline, whatever the code does: it runs in a thread that can be left behind.
A run also ends early when the engine says so: a loop was detected, or a tool was called that must
not run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from time import monotonic
from typing import Any

from unitai._engine import Toolbox, usual_timeout
from unitai.adapters.ports import Session
from unitai.attempt import current
from unitai.errors import InvalidArgumentError
from unitai.runner import threads
from unitai.runner.ending import GRACE, Ending, Lingering, Task, left_behind, timeout_error
from unitai.runner.job import Job, RunCancelled
from unitai.runner.streams import is_awaitable

#: Seconds that a run may take, if nobody says otherwise. This very object stands for "nobody said", and then the
#: setting counts.
PATIENCE = 60.0


def check_timeout(timeout: float | None) -> None:
    """Refuses a time limit that is none."""
    if timeout is None:
        return
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < 1e8:
        raise InvalidArgumentError(f"timeout must be a positive number of seconds or None, not {timeout!r}")


def check_event_loop() -> None:
    """Refuses to wait where no event loop of asyncio runs."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise InvalidArgumentError(
            "arun() is for code that asyncio runs, and here it runs none", remedy="use run(...), which works anywhere"
        ) from None


def run_bounded(call: Callable[[], Any], timeout: float | None, session: Session) -> Ending:
    """Runs the call and waits for its end, the deadline or a doomed run, whichever comes first."""
    if timeout is not PATIENCE:
        # A limit that the test gave itself must end its wait, and not only the run.
        return _wait(call, timeout, session)
    timeout, attempt = usual_timeout(), current.get()
    if attempt is not None and attempt.watcher is not None:
        ending = attempt.watcher.run(call, timeout, session)
        if not is_awaitable(ending.output):
            return ending
        output = ending.output
        return _wait(lambda: output, timeout, session)
    return _wait(call, timeout, session)


def _wait(call: Callable[[], Any], timeout: float | None, session: Session) -> Ending:
    wait = Wait(call, timeout, session)
    try:
        while wait.goes_on():
            wait.job.wait(wait.remaining())
    except BaseException as error:
        return wait.interrupted(error)
    if not wait.job.is_over:
        for pause in wait.stopping():
            wait.job.wait(pause)
    return wait.ending()


async def arun_bounded(call: Callable[[], Any], timeout: float | None, session: Session) -> Ending:
    """As `run_bounded`, without blocking the event loop that waits."""
    import asyncio

    loop = asyncio.get_running_loop()
    rang = asyncio.Event()
    timeout = usual_timeout() if timeout is PATIENCE else timeout

    def ring() -> None:
        try:
            loop.call_soon_threadsafe(rang.set)
        except RuntimeError:
            pass  # The loop that waited is closed, so nobody waits.

    wait = Wait(call, timeout, session, ring)

    async def pause(seconds: float | None) -> None:
        try:
            await asyncio.wait_for(rang.wait(), seconds)
        except asyncio.TimeoutError:
            return
        rang.clear()

    try:
        while wait.goes_on():
            await pause(wait.remaining())
        if not wait.job.is_over:
            for seconds in wait.stopping():
                await pause(seconds)
    except BaseException as error:
        return wait.interrupted(error)
    return wait.ending()


class Wait:
    """The state of one wait, whoever does the waiting."""

    def __init__(
        self,
        call: Callable[[], Any],
        timeout: float | None,
        session: Session,
        on_ring: Callable[[], None] | None = None,
    ) -> None:
        self._timeout = timeout
        self._run = session._run
        self._before = threading.enumerate()
        context = copy_context()
        context.run(Toolbox.enter_context, session._run)
        self.job = Job(call, context, session._run)
        self.job.on_ring = on_ring
        self._run.on_doom(self.job.ring)
        self._is_too_late = False
        self._began = monotonic()
        self._deadline = None
        if timeout is not None:
            self._deadline = self._began + timeout
            # The engine keeps the limit, too: whoever waits may be late to say that it is over.
            self._run.end_within(timeout)
        threads.start(self.job)

    def remaining(self) -> float | None:
        """Seconds until the deadline."""
        return None if self._deadline is None else self._deadline - monotonic()

    def goes_on(self) -> bool:
        """Whether there is still something to wait for."""
        if self.job.is_over or self._run.doomed_by is not None:
            return False
        remaining = self.remaining()
        return remaining is None or remaining > 0

    def stopping(self) -> Iterator[float]:
        """Stops the code; gives how long to wait each time, until it has ended or the grace is over."""
        until = monotonic() + GRACE
        self._is_too_late = self._run.doomed_by is None
        # First by its tools, which is clean: an agent that is at work ends at its next call.
        self._run.revoke()
        yield GRACE / 4
        if not self.job.is_over:
            self.job.stop()
        while not self.job.is_over and monotonic() < until:
            yield until - monotonic()

    def _left_behind(self) -> list[Lingering]:
        left: list[Lingering] = [*left_behind(self._before, self.job.is_over)]
        if self.job.is_abandoned:
            left.append(self.job if self.job.thread is None else self.job.thread)
        left += [Task(task) for task in self.job.begun if not task.done()]
        return left

    def interrupted(self, error: BaseException) -> Ending:
        """The wait was interrupted from outside."""
        self.job.abandon()
        self.job.stop()
        return Ending(None, error, error, self._left_behind(), self.job.is_abandoned)

    def ending(self) -> Ending:
        """What came of it. An agent that was stopped at its deadline did not end in time, whatever it
        returned or raised when it was told.
        """
        still_runs = self.job.abandon()
        left_behind = self._left_behind()
        ended = self.job.ended_at or monotonic()
        # Code that let no other thread work may have ended before whoever waits could look at the clock.
        is_late = self._deadline is not None and ended > self._deadline
        if self._is_too_late or ((is_late or self._run.was_cut_off) and self._run.doomed_by is None):
            thread = self.job.thread if still_runs else None
            error = timeout_error(self._timeout or 0.0, ended - self._began, thread, still_runs)
            if not isinstance(self.job.error, RunCancelled):
                error.__cause__ = self.job.error
            return Ending(error=error, left_behind=left_behind, is_abandoned=still_runs)
        if still_runs:
            return Ending(error=self._run.doomed_by, left_behind=left_behind, is_abandoned=True)
        return Ending(self.job.output, self.job.error, left_behind=left_behind)
