"""How the process ends: when its input is over or a signal comes, plugins are cleaned up, and nothing waits longer than
that may take. Also where a plugin blocks the loop and nobody else could act.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from typing import Any, NoReturn

#: Seconds from the first call for an end to the last moment.
LIMIT = 5.0


class Ending:
    """Waits for a call for an end, in a thread of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, finish: Callable[[], Any]) -> None:
        self._loop = loop
        self._finish = finish
        self._is_done = threading.Event()
        self._asked, self._bell = os.pipe()
        os.set_blocking(self._bell, False)

    def watch(self) -> None:
        """Begins to wait."""
        # Python writes the number of a signal here at once, also while its main thread is busy elsewhere.
        signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        threading.Thread(target=self._wait, name="unitai-ending", daemon=True).start()

    def ask(self) -> None:
        """Calls for an end."""
        os.write(self._bell, b"\0")

    def _wait(self) -> None:
        status = 0
        while True:
            (number,) = os.read(self._asked, 1)
            # A plugin may use signals of its own.
            if number in (0, signal.SIGINT, signal.SIGTERM):
                status = 128 + number if number else 0
                break
        self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._end()))
        self._is_done.wait(LIMIT)
        leave(status)

    async def _end(self) -> None:
        try:
            await self._finish()
        finally:
            self._is_done.set()


def leave(status: int) -> NoReturn:
    """Ends the process without waiting for threads that hang."""
    os._exit(status)
