"""What the suite asks of a client, and what the clients share."""

from __future__ import annotations

import base64
import inspect
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

#: A red pixel. Its base64 is the same in both alphabets.
IMAGE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8gAAAMDAQGOkjhwAAAAAElFTkSuQmCC")
IMAGE_BASE64 = base64.b64encode(IMAGE).decode()

#: The tool that every client offers to the model, as a schema.
TOOL = "lookup_order"
TOOL_SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}},
    "required": ["order_id"],
    "additionalProperties": False,
}
#: The same as OpenAI writes it, which many have taken over.
OPENAI_TOOL = {
    "type": "function",
    "function": {"name": TOOL, "description": "Looks up an order.", "parameters": TOOL_SCHEMA},
}


@dataclass
class Call:
    """A tool call as the client gave it."""

    name: str
    args: dict[str, Any]
    id: str | None = None


@dataclass
class Reply:
    """An answer as the client gave it."""

    text: str
    calls: list[Call]
    #: What to add to the conversation so that the model remembers it, as the SDK's users do.
    turn: list[Any]
    #: Tokens of prompt and answer, where the client reports them.
    usage: tuple[int, int] | None = None
    #: How many pieces the text came in.
    pieces: int = field(default=1)


class ModelClient:
    """A client of a model, in one of its ways. Each SDK has one subclass for each of its APIs.

    Methods are coroutines even where the SDK is not: then they never wait.
    """

    #: In what dialect it speaks, and to what models.
    dialect: str
    model: str
    other_model: str
    #: The classes of the errors for the statuses 429 and 500.
    rate_limited: type[Exception]
    broken: type[Exception]
    #: Whether the SDK has a helper that makes an object of a JSON answer.
    has_structured_output = False

    def __init__(
        self, way: str = "plain", *, is_async: bool = False, base_url: str | None = None, has_retries: bool = False
    ) -> None:
        self.way = way
        self.is_async = is_async
        #: What turns off the SDK's own retries, which is not how its users have it.
        self.retries = {} if has_retries else {"max_retries": 0}
        #: The server to ask instead of the provider's own, as `http://127.0.0.1:8080`.
        self.base_url = base_url
        self.connect()

    @property
    def is_streamed(self) -> bool:
        return self.way != "plain"

    def connect(self) -> None:
        """Makes the SDK's client, with its defaults but for `retries`."""
        raise NotImplementedError

    def begin(self, text: str, *, image: bytes | None = None) -> list[Any]:
        """A conversation that begins with this. The system prompt is `SYSTEM`."""
        raise NotImplementedError

    async def ask(self, conversation: list[Any]) -> Reply:
        """Sends the conversation, with the tool on offer."""
        raise NotImplementedError

    def results(self, results: list[tuple[Call, Any]]) -> list[Any]:
        """What to add to the conversation for the results of tools."""
        raise NotImplementedError

    async def structured(self, conversation: list[Any], shape: type) -> Any:
        """Asks for an answer of this shape, a pydantic model."""
        raise NotImplementedError

    async def close(self) -> None:
        """Gives back what the client holds."""


SYSTEM = "Be kind."


async def settled(value: Any) -> Any:
    """The value, or what it becomes."""
    return await value if inspect.isawaitable(value) else value


async def every(stream: Any) -> list[Any]:
    """All that a stream brings, sync or async."""
    if hasattr(stream, "__aiter__"):
        return [item async for item in stream]
    return list(stream)


@asynccontextmanager
async def opened(manager: Any) -> AsyncIterator[Any]:
    """Enters a context manager, sync or async."""
    if hasattr(manager, "__aenter__"):
        async with manager as value:
            yield value
    else:
        with manager as value:
            yield value


def drive(coroutine: Any) -> Any:
    """Runs a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise RuntimeError("a sync client waited for something")


def parsed(text: str) -> dict[str, Any]:
    """Arguments that came as JSON."""
    return json.loads(text or "{}")
