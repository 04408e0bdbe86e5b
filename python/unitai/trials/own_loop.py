"""An event loop for each thread that repeats async tests. It is kept from run to run, because connections that a
client pools belong to the loop that opened them.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable
from typing import Any

__all__ = ["await_here", "close_loop"]

_kept = threading.local()


def await_here(awaitable: Awaitable[Any]) -> Any:
    """What the awaitable comes to. This thread must not run a loop already."""
    import asyncio

    async def whole() -> Any:
        return await awaitable

    own = getattr(_kept, "own", None)
    if own is None:
        own = _kept.own = _Own(asyncio.new_event_loop())
    loop = own.loop
    try:
        return loop.run_until_complete(whole())
    finally:
        # What a run leaves behind must not go on in the next.
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))


def close_loop() -> None:
    """Closes the event loop of this thread, if it has one."""
    own = getattr(_kept, "own", None)
    if own is None:
        return
    del _kept.own
    try:
        own.loop.run_until_complete(own.loop.shutdown_asyncgens())
    finally:
        own.loop.close()


class _Own:
    """The loop of one thread. It is closed with its thread: those of an executor end where nobody sees it."""

    def __init__(self, loop: Any) -> None:
        self.loop = loop

    def __del__(self) -> None:
        self.loop.close()
