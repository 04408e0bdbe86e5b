"""What the hooks of all client libraries share: waiting as a slow model does, and counting a call once."""

from __future__ import annotations

import time
from contextvars import ContextVar

#: Where the request goes that an outer layer already takes care of. A client may run on top of another
#: (httpx over aiohttp, say), and their request is one model call.
handled: ContextVar[str] = ContextVar("unitai_handled_request", default="")


def is_handled(url: str) -> bool:
    """Whether an outer layer takes care of this request. One to elsewhere, made meanwhile, is another."""
    outer = handled.get()
    return outer != "" and _place(outer) == _place(url)


def _place(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]


#: A thread can be interrupted only between two sleeps, so none is longer than this.
_NAP = 0.02


def pause(seconds: float) -> None:
    """Waits, and can be interrupted meanwhile."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _NAP))


async def pause_async(seconds: float) -> None:
    """Waits in whatever event loop runs here."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        import anyio  # type: ignore[import-not-found, unused-ignore]

        await anyio.sleep(seconds)
    else:
        await asyncio.sleep(seconds)


def why(error: BaseException) -> str:
    """The error as a reason: its type and its text."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
