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

    loop = getattr(_kept, "loop", None)
    if loop is None:
        loop = _kept.loop = asyncio.new_event_loop()
    return loop.run_until_complete(whole())


def close_loop() -> None:
    """Closes the event loop of this thread, if it has one."""
    loop = getattr(_kept, "loop", None)
    if loop is None:
        return
    del _kept.loop
    try:
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
