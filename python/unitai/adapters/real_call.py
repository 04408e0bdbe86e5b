"""Which real tool runs here: one that the test allows, and whose call is in the record already.

A tool of a framework that lives on an MCP server goes on to the client of that server, where calls are recorded, too.
What it calls there under its own name is still the same call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import Any

__all__ = ["call_real", "is_part_of_real_call"]

#: The run, and the names of the tool. Only the innermost counts: what a tool calls under another name is another call.
_running: ContextVar[tuple[str, frozenset[str]] | None] = ContextVar("unitai_real_tool", default=None)


def call_real(run_id: str, names: Iterable[str], real: Callable[[], Any]) -> Any:
    """Calls a real tool, whose call was recorded under one of these names."""
    running = (run_id, frozenset(names))
    token = _running.set(running)
    try:
        answer = real()
    finally:
        _running.reset(token)
    return _awaited(running, answer) if hasattr(type(answer), "__await__") else answer


async def _awaited(running: tuple[str, frozenset[str]], answer: Awaitable[Any]) -> Any:
    # Not reset: a coroutine may be closed in another context than it ran in, and what awaits it may go on in this one.
    outer = _running.get()
    _running.set(running)
    try:
        return await answer
    finally:
        _running.set(outer)


def is_part_of_real_call(run_id: str, name: str) -> bool:
    """Whether a call of a tool from here belongs to a call of this name that the run has let through.

    >>> call_real("run", ["refund"], lambda: is_part_of_real_call("run", "refund"))
    True
    >>> call_real("run", ["refund"], lambda: is_part_of_real_call("run", "lookup"))
    False
    """
    running = _running.get()
    return running is not None and running[0] == run_id and name in running[1]
