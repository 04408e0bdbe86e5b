"""A run on the thread that asks for it, where somebody else watches the clock.

A run has a thread of its own so that the wait for it can end while it does not. A thread that repeats a test needs no
second one for that: it is expendable itself, and whoever repeats the test watches it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from time import monotonic
from typing import Any

from unitai._engine import Run, Toolbox
from unitai.adapters.ports import Session
from unitai.runner.ending import GRACE, Ending, Lingering, left_behind, timeout_error
from unitai.runner.interrupting import interrupt
from unitai.runner.job import RunCancelled
from unitai.runner.streams import collect

__all__ = ["Inline", "Watcher"]


class Watcher:
    """One expendable thread, and the run that it is busy with."""

    def __init__(self) -> None:
        self.inline: Inline | None = None

    def run(self, call: Callable[[], Any], timeout: float, session: Session) -> Ending:
        """Runs the call here and now. An awaitable is handed back as the output."""
        run = session._run
        before = threading.enumerate()
        context = copy_context()
        context.run(Toolbox.enter_context, run)
        run.end_within(timeout)
        inline = Inline(run, timeout)
        self.inline = inline
        run.enter_thread()
        output: Any = None
        error: BaseException | None = None
        try:
            try:
                output = context.run(collect, call)
            except BaseException as raised:
                error = raised
            ended = monotonic()
            inline.end()
        except RunCancelled:
            # It was told to stop when it had just ended.
            ended = monotonic()
            inline.end()
        self.inline = None
        run.leave_thread()
        left: list[Lingering] = [*left_behind(before, is_over=True)]
        is_late = inline.is_interrupted or run.was_cut_off or ended > inline.deadline
        if run.doomed_by is None and is_late:
            late = timeout_error(timeout, ended - (inline.deadline - timeout))
            if not isinstance(error, RunCancelled):
                late.__cause__ = error
            return Ending(error=late, left_behind=left)
        return Ending(output, error, left_behind=left)


class Inline:
    """A run under way on an expendable thread."""

    __slots__ = ("_ident", "_is_over", "_lock", "_told_at", "deadline", "is_interrupted", "run", "timeout")

    def __init__(self, run: Run, timeout: float) -> None:
        self.run = run
        self.timeout = timeout
        self.deadline = monotonic() + timeout
        self.is_interrupted = False
        self._is_over = False
        self._ident = threading.get_ident()
        self._lock = threading.Lock()
        self._told_at: float | None = None

    def end(self) -> None:
        """The code returned or raised. An exception that is still on its way to this thread is taken here."""
        with self._lock:
            self._is_over = True
        if self.is_interrupted:
            try:
                for _ in range(1000):
                    pass
            except RunCancelled:
                pass

    def is_stuck(self, now: float) -> bool:
        """Looks after the run: ends it when its time is over or it is doomed. True if nothing helps."""
        if self._told_at is None:
            if now >= self.deadline or self.run.doomed_by is not None:
                # First by its tools, which is clean: an agent that is at work ends at its next call.
                self.run.revoke()
                self._told_at = now
            return False
        with self._lock:
            if self._is_over:
                return False
            if not self.is_interrupted:
                self.is_interrupted = True
                interrupt(self._ident)
                return False
        return now > self._told_at + GRACE
