"""Answers that may have to be awaited: a mock is sync or async as the test likes, whatever the framework expects."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from unitai.adapters.ports import Session

__all__ = ["awaited", "waited"]


async def awaited(answer: Any) -> Any:
    """The answer to somebody who awaits it."""
    return await answer if hasattr(type(answer), "__await__") else answer


def waited(answer: Any) -> Any:
    """The answer to somebody who does not await it."""
    if not hasattr(type(answer), "__await__"):
        return answer
    if asyncio._get_running_loop() is None:
        return asyncio.run(_while_it_runs(answer))
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, asyncio.run, _while_it_runs(answer)).result()


async def _while_it_runs(answer: Any) -> Any:
    """Awaits in a thread that nobody can cancel: it looks by itself whether the run is over."""
    task = asyncio.ensure_future(answer)
    try:
        while not (await asyncio.wait({task}, timeout=0.05))[0]:
            Session.here()
        return task.result()
    finally:
        task.cancel()
