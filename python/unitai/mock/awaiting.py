"""Tools that are awaited: the call is over when its answer has been."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from typing import Any

from unitai._engine import Ticket
from unitai.traffic.serving import pause, pause_async

#: Whether whoever calls a tool here awaits its answer.
_is_awaited: ContextVar[bool] = ContextVar("unitai_awaited_tool", default=False)


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
        token = _is_awaited.set(True)
        try:
            answer = tool(*args, **kwargs)
        finally:
            _is_awaited.reset(token)
        return await answer if hasattr(type(answer), "__await__") else answer

    call.__name__ = call.__qualname__ = name
    return call


def late(seconds: float, call: Callable[[], Any]) -> Any:
    """Calls a tool after a while. Where its answer is awaited, the wait is, too."""
    if _is_awaited.get():
        return _late(seconds, call)
    pause(seconds)
    return call()


async def _late(seconds: float, call: Callable[[], Any]) -> Any:
    await pause_async(seconds)
    answer = call()
    return await answer if hasattr(type(answer), "__await__") else answer
