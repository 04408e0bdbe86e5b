"""What an agent returns when it does not just return: awaitables, and streams that must be read to their end."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from types import AsyncGeneratorType, GeneratorType
from typing import Any


def is_awaitable(value: object) -> bool:
    """Whether the value can be awaited. Asked of its class: a value may do anything when it is asked itself."""
    return hasattr(type(value), "__await__")


def collect(call: Callable[[], Any]) -> Any:
    """Calls an agent. One that streams is read to its end, for otherwise it would never have run."""
    output = call()
    if type(output) is GeneratorType:
        return joined(output)
    if type(output) is AsyncGeneratorType:
        return _acollect(output)
    return output


async def _acollect(stream: AsyncIterable[Any]) -> Any:
    return joined([chunk async for chunk in stream])


def joined(chunks: Iterable[Any]) -> Any:
    """Chunks of text as one text; other chunks as a list."""
    parts = list(chunks)
    return "".join(parts) if parts and all(type(part) is str for part in parts) else parts
