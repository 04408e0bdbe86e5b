"""Threads that share the runs of a repeated test among them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from time import monotonic, sleep

from unitai._engine import Series, watch_findings
from unitai.runner.ending import timeout_error
from unitai.runner.inline import Inline, Watcher
from unitai.trials.attempting import Attempts, Halt
from unitai.trials.blaming import blame
from unitai.trials.metering import Meter
from unitai.trials.outcome import Outcome
from unitai.trials.own_loop import close_loop

__all__ = ["Crew"]

#: How often whoever waits looks after the threads, in seconds; and how soon for the first time.
LOOKS, FIRST_LOOK = 0.05, 0.003

#: How long a thread waits for others of a sequential test before it looks again, in seconds.
WAITS = 0.002

#: Runs that are shorter than this, in seconds, are not done sooner by more threads: they have nothing to wait for.
SHORT = 0.001


class Crew:
    """Does the runs of a series in threads. Each takes the next run until the series is settled."""

    def __init__(self, series: Series, attempts: Attempts, after: Callable[[Outcome], None]) -> None:
        #: Each run once, by its index.
        self.outcomes: dict[int, Outcome] = {}
        self.halted_by: BaseException | None = None
        self._series = series
        self._attempts = attempts
        self._after = after
        self._context = copy_context()
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._seats: list[Seat] = []

    def work(self, hands: int, runs: int | None, look_up: Callable[[], None] | None) -> None:
        """Does runs until there is none left, or this many, and returns when all are done."""
        self._bell.clear()
        left = None if runs is None else [runs]
        pause, done = FIRST_LOOK, len(self.outcomes)
        try:
            self._hire(left)
            hands -= 1
            while not self._bell.wait(pause):
                if hands and len(self.outcomes) - done < pause / SHORT:
                    for _ in range(hands):
                        self._hire(left)
                    hands = 0
                pause, done = LOOKS, len(self.outcomes)
                if look_up is not None:
                    look_up()
                self._look_after()
        except BaseException:
            # Ctrl-C: nothing new begins. What is under way is left to itself, like the program.
            self._series.stop()
            raise

    def _hire(self, left: list[int] | None) -> None:
        seat = Seat(self, left)
        with self._lock:
            self._seats.append(seat)
        seat.thread.start()

    def serve(self, seat: Seat) -> None:
        """What each thread does."""
        series, run, context, watcher = self._series, self._attempts.run, self._context, seat.watcher
        is_open, outcomes, left = series.is_open, self.outcomes, seat.left
        context = context.copy()
        meter = context.run(Meter.here)
        watch_findings(True)
        try:
            index = self._next(left)
            while index is not None:
                seat.index = index
                outcome = context.copy().run(run, index, is_open, watcher, meter)
                # Given up meanwhile: another has its place.
                if outcomes.setdefault(index, outcome) is not outcome:
                    return
                if outcome.cost:
                    self._after(outcome)
                if left is None:
                    index = series.advance(index, outcome.verdict)
                    if index is None:
                        index = self._next(left)
                else:
                    series.settle(index, outcome.verdict)
                    index = self._next(left)
        except Halt as halt:
            self._halt(halt.error)
        except BaseException as error:
            self._halt(error)
        finally:
            watch_findings(False)
            close_loop()
            self._leave(seat)

    def _next(self, left: list[int] | None) -> int | None:
        """The next run, if there is one for this thread. One of a sequential test may have to wait for others."""
        if left is not None:
            if left[0] == 0:
                return None
            left[0] -= 1
        index = self._series.next()
        while index is None and self._series.must_wait():
            sleep(WAITS)
            index = self._series.next()
        return index

    def _leave(self, seat: Seat) -> None:
        with self._lock:
            if seat in self._seats:
                self._seats.remove(seat)
            if not self._seats:
                self._bell.set()

    def _halt(self, error: BaseException) -> None:
        self._series.stop()
        with self._lock:
            if self.halted_by is None:
                self.halted_by = error

    def _look_after(self) -> None:
        """Ends runs whose time is over. One that cannot be ended keeps its thread, and another takes its place."""
        now = monotonic()
        for seat in list(self._seats):
            inline = seat.watcher.inline
            if inline is not None and inline.is_stuck(now):
                self._give_up(seat, inline)

    def _give_up(self, seat: Seat, inline: Inline) -> None:
        took = monotonic() - (inline.deadline - inline.timeout)
        error = timeout_error(inline.timeout, took, seat.thread, still_runs=True)
        try:
            result = inline.run.finish(None, error)
        except ValueError:
            return  # It ended by itself just now.
        index = seat.index
        if index is None:
            return
        lost = Outcome(index, "failed", inline.timeout, (result.trajectory,), None, None, blame(error, [result], None))
        if self.outcomes.setdefault(index, lost) is not lost:
            return
        self._series.settle(index, lost.verdict)
        self._hire(seat.left)
        self._leave(seat)


class Seat:
    """A thread of the crew, and the run that it is busy with."""

    def __init__(self, crew: Crew, left: list[int] | None) -> None:
        self.left = left
        self.index: int | None = None
        self.watcher = Watcher()
        self.thread = threading.Thread(target=crew.serve, args=(self,), name="unitai-run", daemon=True)
