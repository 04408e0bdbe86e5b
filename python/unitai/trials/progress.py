"""A line that says how far a repeated test is. On a terminal alone: in a file or a pipe it would be noise."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TextIO

from unitai._engine import Series
from unitai.trials.telling import dollars

__all__ = ["Progress", "terminal"]

#: Nothing is shown of what is over sooner, in seconds.
PATIENCE = 0.5

#: Where to show it, set by whoever has taken the terminal over (pytest does); standard error unless set.
terminal: list[TextIO] = []


class Progress:
    """One line, written over itself."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._begun = monotonic()
        self._width = 0

    @staticmethod
    def of(wanted: bool | None, name: str) -> Progress | None:
        """The progress of a test; `None` where nothing is to be shown."""
        stream = terminal[-1] if terminal else sys.stderr
        if wanted is False or stream is None:
            return None
        if wanted is None and not _is_terminal(stream):
            return None
        return Progress(stream, name)

    def show(self, series: Series, planned: int, spent: float) -> None:
        """Shows how far it is."""
        elapsed = monotonic() - self._begun
        if elapsed < PATIENCE:
            return
        passed, failed, lost = series.counts()
        done = passed + failed + lost
        parts = [f"{self._name}: {done}/{planned} runs", f"{passed} passed"]
        if spent:
            parts.append(dollars(spent))
        if done:
            parts.append(f"{_time((planned - done) * elapsed / done)} left at most")
        line = ", ".join(parts)[:120]
        self._write("\r" + line.ljust(self._width))
        self._width = len(line)

    def clear(self) -> None:
        """Takes the line away."""
        if self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._width = 0


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
