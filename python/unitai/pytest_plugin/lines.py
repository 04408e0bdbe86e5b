"""Lines about repeated tests, where pytest writes: how far they are, on a terminal in one line and elsewhere now and
then, and at the end how they did.
"""

from __future__ import annotations

from contextlib import nullcontext
from time import monotonic
from typing import Any

from unitai._engine import rate_line


class PlainLines:
    """Lines of their own, now and then: for CI and files, where nothing that is written can be taken back."""

    def __init__(self, writer: Any, capturing: Any) -> None:
        self._writer = writer
        self._capturing = capturing
        self._next = monotonic() + EVERY

    def show(self, text: str) -> None:
        """Writes a line, if the last one was long ago."""
        now = monotonic()
        if now < self._next:
            return
        self._next = now + EVERY
        with nullcontext() if self._capturing is None else self._capturing.global_and_fixture_disabled():
            if self._writer.width_of_current_line:
                self._writer.line()
            self._writer.line(text)
            self._writer.flush()

    def clear(self) -> None:
        """What is written stays."""


#: Seconds between two of them.
EVERY = 10.0


class TerminalLine:
    """The rest of the line on which pytest shows how its tests do."""

    def __init__(self, writer: Any, capturing: Any) -> None:
        self._writer = writer
        self._capturing = capturing
        self._is_shown = False

    def show(self, text: str) -> None:
        """Writes to the end of the line, and leaves the cursor's place as it was."""
        room = self._writer.fullwidth - self._writer.width_of_current_line - 2
        if room < 30:
            return
        # Back to where it began, if it was there before: no terminal forgets a place that is saved once.
        self._write(f"{'' if self._is_shown else SAVE}{RESTORE} {text[:room]}{ERASE}")
        self._is_shown = True

    def clear(self) -> None:
        """Takes it away."""
        if self._is_shown:
            self._write(f"{RESTORE}{ERASE}")
            self._is_shown = False

    def _write(self, text: str) -> None:
        with nullcontext() if self._capturing is None else self._capturing.global_and_fixture_disabled():
            self._writer._file.write(text)
            self._writer._file.flush()


#: What terminals are told: save the cursor's place, go back to it, erase to the end of the line.
SAVE, RESTORE, ERASE = "\x1b7", "\x1b8", "\x1b[K"


def rates(terminal: Any, repeated: list[tuple[str, str]]) -> None:
    """Says how the runs of repeated tests did, each given with its statistics as JSON of the run events."""
    if repeated:
        terminal.section("repeated tests", sep="-")
        for test, statistics in repeated:
            terminal.write_line(rate_line(test, statistics))
