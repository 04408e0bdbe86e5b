"""Frees the loop from a tool that blocks it. A tool that is `async def` may call what blocks all the same, and then
nothing else of the host runs: no teardown, no cleanup. When nobody waits for such a call any more, it gets what a
cancelled coroutine gets, by a signal, as Ctrl-C would reach it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from types import FrameType

#: Seconds that the loop may take to hear of a cancelled call, and how often it is reminded.
PATIENCE, TIMES = 0.2, 20

#: The loop's code and ours: what runs there is no tool.
_LOOP = os.path.dirname(asyncio.__file__) + os.sep
_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
#: Nobody uses it, and who knows nothing of it ignores it.
_SIGNAL = getattr(signal, "SIGURG", None)


class Nudging:
    """Watches whether the loop hears of cancelled calls. Made in the thread of the loop, the main one."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread = threading.get_ident()
        #: What the loop has not heard of.
        self._unheard: threading.Event | None = None
        if _SIGNAL is not None:
            signal.signal(_SIGNAL, self._interrupt)

    def after(self, line: bytes) -> None:
        """A line has been handed to the loop, by another thread."""
        if _SIGNAL is not None and b"notifications/cancelled" in line:
            heard = threading.Event()
            self._loop.call_soon_threadsafe(heard.set)
            threading.Thread(target=self._insist, args=(heard,), name="unitai-nudging", daemon=True).start()

    def _insist(self, heard: threading.Event) -> None:
        for _ in range(TIMES):
            if heard.wait(PATIENCE):
                return
            self._unheard = heard
            assert _SIGNAL is not None
            signal.pthread_kill(self._thread, _SIGNAL)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        is_heard = self._unheard is None or self._unheard.is_set()
        if not is_heard and _is_in_a_tool(frame):
            raise asyncio.CancelledError("nobody waits for this call any more")


def _is_in_a_tool(frame: FrameType | None) -> bool:
    """Whether the loop has handed over to code that is neither its own nor ours."""
    has_others = False
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_LOOP) and frame.f_code.co_name == "_run":
            return has_others
        has_others = has_others or not file.startswith((_LOOP, _OURS))
        frame = frame.f_back
    return False
