"""What an agent returns when it does not just return: awaitables, and streams that must be read to their end."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from types import GeneratorType
from typing import Any


def is_awaitable(value: object) -> bool:
    """Whether the value can be awaited. Asked of its class: a value may do anything when it is asked itself."""
    return hasattr(type(value), "__await__")


def collect(call: Callable[[], Any]) -> Any:
    """Calls an agent. One that streams is read to its end, for otherwise it would never have run."""
    output = call()
    kind = type(output)
    if kind is GeneratorType:
        return joined(output)
    # Whatever is read later is read outside of the run: tools that it calls would be real ones. What has a length is
    # there already, and so is a mock that can do anything. A file is for whoever gets it.
    if hasattr(kind, "__len__") or hasattr(kind, "read"):
        return output
    is_iterator = hasattr(kind, "__next__") and not hasattr(kind, "__await__")
    # What can be read in either way is read as it was asked for.
    if is_iterator or (is_stream(output) and hasattr(kind, "__iter__")):
        return joined(output)
    return acollect(output) if is_stream(output) else output


def is_stream(output: object) -> bool:
    """Whether it is to be read piece by piece, in an event loop."""
    return hasattr(type(output), "__aiter__") and not hasattr(type(output), "__len__")


async def acollect(stream: AsyncIterable[Any]) -> Any:
    """All that a stream gives."""
    return joined([chunk async for chunk in stream])


def joined(chunks: Iterable[Any]) -> Any:
    """Chunks of text as one text; other chunks as a list."""
    parts = list(chunks)
    return "".join(parts) if parts and all(type(part) is str for part in parts) else parts
