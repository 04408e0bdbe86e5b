"""The event loop on which async agents run: one, in a thread of its own, for the whole process.

A loop for each run would break agents that keep connections: those belong to the loop that opened
them. A loop that an agent has blocked, or on which one cannot be stopped, is left to itself.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable
from contextvars import ContextVar
from typing import Any

from unitai.runner.interrupting import interrupt
from unitai.runner.job import LOOP_THREAD, Job

#: How long a loop may take to answer before it counts as blocked.
_ANSWERS_WITHIN = 0.02

_lock = threading.Lock()
_current: list[LoopThread] = []


def start(job: Job, awaitable: Awaitable[Any]) -> bool:
    """Awaits the job's awaitable on the loop; `False` if nobody waits for the job any more."""
    if job.waiter.name == LOOP_THREAD:
        # A loop that waits for a run cannot run it: an agent on the loop runs another agent.
        loop = LoopThread()
        job.on_over = loop.retire
        return loop.start(job, awaitable)
    with _lock:
        if not _current:
            _current.append(LoopThread())
        loop = _current[0]
    return loop.start(job, awaitable)


#: The job that the current context belongs to.
_job: ContextVar[Job | None] = ContextVar("unitai_job", default=None)


def _new_task(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> asyncio.Task[Any]:
    """A task, known to the job that began it: it may outlive it."""
    task: asyncio.Task[Any] = asyncio.Task(coro, loop=loop, **options)
    job = _job.get()
    # The loop itself ends generators that nobody reads any more, when it gets to it.
    if job is not None and type(coro).__name__ != "async_generator_athrow":
        job.begun.append(task)
    return task


class LoopThread:
    """An event loop that runs in a thread until it is retired."""

    def __init__(self) -> None:
        self._is_retired = False
        self._loop = asyncio.new_event_loop()
        self._loop.set_task_factory(_new_task)
        self._thread = threading.Thread(target=self._serve, name=LOOP_THREAD, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        while True:
            try:
                self._loop.run_forever()
            except BaseException:
                # SystemExit in a task of the agent's, or our own interruption. It has reached its
                # task; the loop goes on for the others.
                continue
            if self._is_retired:
                self._loop.close()
                return

    def start(self, job: Job, awaitable: Awaitable[Any]) -> bool:
        """Begins to await. A job that was abandoned meanwhile is closed, not begun."""
        if job.is_abandoned:
            close = getattr(awaitable, "close", None)
            if close is not None:
                close()
            return False
        job.thread = None
        task: list[asyncio.Task[None]] = []

        def begin() -> None:
            _job.set(job)
            own = self._loop.create_task(job.run_async(awaitable))
            # The job says by itself when it is over, a moment before its task is done.
            job.begun.remove(own)
            task.append(own)

        def cancel() -> None:
            for begun in task:
                begun.cancel()

        def stop() -> None:
            self._loop.call_soon_threadsafe(cancel)
            if not self._answers() and self._thread.ident is not None:
                job.thread = self._thread
                self.retire()
                interrupt(self._thread.ident)

        job.interrupt = stop
        self._loop.call_soon_threadsafe(begin, context=job.context)
        return True

    def _answers(self) -> bool:
        answered = threading.Event()
        self._loop.call_soon_threadsafe(answered.set)
        return answered.wait(_ANSWERS_WITHIN)

    def retire(self) -> None:
        """Begins nothing new here; the loop is closed when what it still does has ended."""
        with _lock:
            if self in _current:
                _current.remove(self)
            if self._is_retired:
                return
            self._is_retired = True
        self._loop.call_soon_threadsafe(self._close_when_idle)

    def _close_when_idle(self, _done: object = None) -> None:
        tasks = asyncio.all_tasks(self._loop)
        if tasks:
            next(iter(tasks)).add_done_callback(self._close_when_idle)
        else:
            self._loop.stop()


if hasattr(os, "register_at_fork"):
    # The threads of the parent do not exist in a forked child.
    os.register_at_fork(after_in_child=_current.clear)
