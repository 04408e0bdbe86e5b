"""A thread for the plain methods of one plugin: what a library made in a thread may be usable only there."""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any

_Job = Callable[[], None]


class OwnThread:
    """Runs functions one after the other, all in one thread. A thread whose caller has given up on it may hang for
    ever, so the next function gets a new one.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] | None = None
        #: What callers of the thread wait for.
        self._awaited: list[asyncio.Future[Any]] = []

    async def run(self, function: Callable[[], Any]) -> Any:
        """What the function gives. Cancelling leaves it behind."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        context = contextvars.copy_context()

        def settle(value: Any, error: BaseException | None) -> None:
            if answer.done():
                return
            if error is None:
                answer.set_result(value)
            else:
                answer.set_exception(error)

        def job() -> None:
            if answer.cancelled():
                return
            value, error = None, None
            try:
                value = context.run(function)
            except BaseException as caught:
                # A future cannot hold a StopIteration.
                error = RuntimeError(f"StopIteration: {caught}") if isinstance(caught, StopIteration) else caught
            try:
                loop.call_soon_threadsafe(settle, value, error)
            except RuntimeError:
                pass  # The loop is closed, and nobody waits.

        # Asked before each function: a caller may have given up whose task has not heard of it yet.
        if any(awaited.cancelled() for awaited in self._awaited):
            self.leave()
        self._awaited = [awaited for awaited in self._awaited if not awaited.done()]
        self._awaited.append(answer)
        self._open().put(job)
        return await answer

    def leave(self) -> None:
        """Lets the thread end when it has done what it was given."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None
        self._awaited = []

    def _open(self) -> queue.SimpleQueue[_Job | None]:
        if self._jobs is None:
            self._jobs = queue.SimpleQueue()
            # A daemon: a function that never ends must not keep the process.
            threading.Thread(target=_work, args=(self._jobs,), name="unitai-plugin", daemon=True).start()
        return self._jobs


def _work(jobs: queue.SimpleQueue[_Job | None]) -> None:
    while True:
        job = jobs.get()
        if job is None:
            return
        job()
        del job
