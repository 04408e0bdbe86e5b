"""Threads that run agents. A thread is used again as long as its agents end by themselves."""

from __future__ import annotations

import os
import threading

from unitai.runner.interrupting import interrupt
from unitai.runner.job import Job, RunCancelled
from unitai.runner.streams import collect, is_awaitable

_idle: list[Worker] = []


def start(job: Job) -> None:
    """Runs the job in a thread of its own."""
    try:
        worker = _idle.pop()
    except IndexError:
        worker = Worker()
    worker.start(job)


class Worker:
    """A thread that runs one job after the other."""

    def __init__(self) -> None:
        self._job: Job | None = None
        self._wake = threading.Lock()
        self._wake.acquire()
        self._thread = threading.Thread(target=self._work, name="unitai-agent", daemon=True)
        self._thread.start()

    def start(self, job: Job) -> None:
        """Begins a job. Only an idle worker may be asked."""
        job.thread = self._thread
        job.interrupt = self._interrupt
        self._job = job
        self._wake.release()

    def _interrupt(self) -> None:
        if self._thread.ident is not None:
            interrupt(self._thread.ident)

    def _work(self) -> None:
        try:
            while True:
                self._wake.acquire()
                job, self._job = self._job, None
                if job is None or not self._run(job):
                    return
                del job
        except RunCancelled:
            return  # The interruption came after the agent's code had ended.

    def _run(self, job: Job) -> bool:
        """Runs a job; says whether this thread may be used again."""
        job.run.enter_thread()
        try:
            output = job.context.run(collect, job.call)
            is_async = is_awaitable(output)
        except BaseException as error:
            job.run.leave_thread()
            is_awaited = job.end(error=error)
        else:
            job.run.leave_thread()
            if is_async:
                # From here on the job is the loop's; this thread is free for the next. Loaded here,
                # because asyncio is large and most agents under test are plain functions.
                from unitai.runner import loops

                if not loops.start(job, output):
                    return False
                _idle.append(self)
                return True
            is_awaited = job.end(output)
        is_reusable = is_awaited and not job.is_interrupted
        if is_reusable:
            # Idle before the bell: who hears it may have the next job ready.
            _idle.append(self)
        job.ring()
        return is_reusable


if hasattr(os, "register_at_fork"):
    # The threads of the parent do not exist in a forked child.
    os.register_at_fork(after_in_child=_idle.clear)
