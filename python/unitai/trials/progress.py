"""A line that says how far a repeated test is. On a terminal alone: in a file or a pipe it would be noise."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Protocol, TextIO

from unitai._engine import Series, shown_dollars

__all__ = ["Line", "Progress", "lines"]

#: Nothing is shown of what is over sooner, and no line more often, in seconds.
PATIENCE, PAUSE = 0.5, 0.2


class Line(Protocol):
    """Somewhere to write one line over and over."""

    def show(self, text: str) -> None:
        """Writes the line in the place of what it said before."""

    def clear(self) -> None:
        """Takes it away."""


#: Where to show it, set by whoever has taken the terminal over (pytest does); standard error unless set.
lines: list[Line] = []


class Progress:
    """How far one repeated test is."""

    def __init__(self, line: Line, name: str) -> None:
        self._line = line
        self._name = name
        self._begun = monotonic()
        self._next = self._begun + PATIENCE

    @staticmethod
    def of(wanted: bool | None, name: str) -> Progress | None:
        """The progress of a test; `None` where nothing is to be shown."""
        if wanted is False:
            return None
        if lines:
            return Progress(lines[-1], name)
        stream = sys.stderr
        if stream is None or (wanted is None and not _is_terminal(stream)):
            return None
        return Progress(StreamLine(stream), name)

    def show(self, series: Series, planned: int, spent: float) -> None:
        """Shows how far it is."""
        now = monotonic()
        if now < self._next:
            return
        self._next = now + PAUSE
        elapsed = now - self._begun
        passed, failed, lost = series.counts()
        done = passed + failed + lost
        parts = [f"{self._name}: {done}/{planned} runs", f"{passed} passed"]
        if spent:
            parts.append(shown_dollars(spent))
        if done:
            parts.append(f"{_time((planned - done) * elapsed / done)} left at most")
        self._line.show(", ".join(parts))

    def clear(self) -> None:
        """Takes the line away."""
        self._line.clear()


class StreamLine:
    """A line of its own on a stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._width = 0

    def show(self, text: str) -> None:
        """Writes the line in the place of what it said before."""
        text = text[:120]
        self._write("\r" + text.ljust(self._width))
        self._width = len(text)

    def clear(self) -> None:
        """Takes it away."""
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
