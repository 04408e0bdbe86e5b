"""The streams of the process: the protocol has its own, and whatever a plugin prints goes to standard error."""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable

#: How much is read at once.
_CHUNK = 1 << 16


class Streams:
    """The standard streams as the process was given them. What is left in their place: an empty input, and an output
    that is standard error, also for C code and child processes.
    """

    def __init__(self) -> None:
        # Copies are not inherited: no child holds the protocol open.
        self._input = os.dup(0)
        self._output = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="unitai-output", daemon=True)

    def start(self, receive: Callable[[bytes], None], over: Callable[[], None]) -> None:
        """Reads lines until there are no more, and writes those that are sent."""
        self._writer.start()
        threading.Thread(target=self._read_all, args=(receive, over), name="unitai-input", daemon=True).start()

    def send(self, line: str) -> None:
        """Writes a line, when those before it are written: whoever reads slowly stops no plugin."""
        self._lines.put(line)

    def finish(self, seconds: float) -> None:
        """Writes what is left, if somebody reads it."""
        self._lines.put(None)
        self._writer.join(seconds)

    def _read_all(self, receive: Callable[[bytes], None], over: Callable[[], None]) -> None:
        rest: list[bytes] = []
        while True:
            try:
                chunk = os.read(self._input, _CHUNK)
            except OSError:
                chunk = b""
            if not chunk:
                break
            *lines, last = chunk.split(b"\n")
            for line in lines:
                whole = b"".join([*rest, line])
                rest.clear()
                if whole.strip():
                    receive(whole)
            rest.append(last)
        over()

    def _write_all(self) -> None:
        while True:
            line = self._lines.get()
            if line is None:
                return
            data = memoryview(line.encode() + b"\n")
            try:
                while data:
                    data = data[os.write(self._output, data) :]
            except OSError:
                return  # Nobody reads any more. That the input is over is told to its reader.
