"""Tools that are awaited: the call is over when its answer has been."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from unitai._engine import Ticket


async def settle(answer: Awaitable[Any], ticket: Ticket) -> Any:
    """Awaits a mock's answer and writes down how that ended."""
    try:
        value = await answer
    except BaseException as error:
        ticket.raised(error)
        raise
    return ticket.returned(value)


def awaitable(tool: Callable[..., Any], name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
    """The tool as an async function."""

    async def call(*args: Any, **kwargs: Any) -> Any:
        answer = tool(*args, **kwargs)
        return await answer if hasattr(type(answer), "__await__") else answer

    call.__name__ = call.__qualname__ = name
    return call
