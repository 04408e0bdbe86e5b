"""MCP, as far as a host of tools needs it: JSON-RPC in lines, one task for each request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from unitai.llm.host.stage import NoSuchToolError, Stage
from unitai.llm.host.values import failure, legal, result

#: The versions that are spoken, the newest last.
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602


class RefusedError(Exception):
    """A request that cannot be answered."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Protocol:
    """Answers requests. What it writes goes through `send`, one line each."""

    def __init__(self, stage: Stage, send: Callable[[str], None]) -> None:
        self._stage = stage
        self._send = send
        self._tasks: dict[str | int, asyncio.Task[None]] = {}
        #: Those that nobody waits for any more.
        self._cancelled: set[asyncio.Task[Any]] = set()

    def receive(self, line: bytes) -> None:
        """Takes a line."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._refuse(None, RefusedError(PARSE_ERROR, f"this is not JSON: {error}"))
            return
        if not isinstance(message, dict):
            self._refuse(None, RefusedError(INVALID_REQUEST, "a message is a JSON object"))
            return
        method, number = message.get("method"), message.get("id")
        if method is None and ("result" in message or "error" in message):
            return  # An answer, and we never ask.
        if not isinstance(method, str) or not isinstance(number, (str, int, type(None))):
            self._refuse(
                None, RefusedError(INVALID_REQUEST, "a request has a `method` and an `id`, which is a text or a number")
            )
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if number is None:
            self._notice(method, params)
            return
        task = asyncio.ensure_future(self._handle(number, method, params))
        self._tasks[number] = task
        task.add_done_callback(lambda _: self._forget(number, task))

    def _notice(self, method: str, params: dict[str, Any]) -> None:
        number = params.get("requestId")
        if method == "notifications/cancelled" and isinstance(number, (str, int)):
            task = self._tasks.get(number)
            if task is not None:
                self._cancelled.add(task)
                task.cancel()

    def _forget(self, number: str | int, task: asyncio.Task[None]) -> None:
        self._cancelled.discard(task)
        if self._tasks.get(number) is task:
            del self._tasks[number]

    def _is_cancelled(self) -> bool:
        """Whether nobody waits for the request that is being answered."""
        return asyncio.current_task() in self._cancelled

    async def _handle(self, number: str | int, method: str, params: dict[str, Any]) -> None:
        try:
            answer = await self._answer(method, params)
        except RefusedError as refusal:
            self._refuse(number, refusal)
        else:
            # Also if its tool would not be stopped.
            if not self._is_cancelled():
                self._write({"jsonrpc": "2.0", "id": number, "result": answer})

    async def _answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            asked = params.get("protocolVersion")
            return {
                "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "unitai-plugins", "version": "1"},
            }
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": await self._stage.listing()}
        if method == "tools/call":
            return await self._call(params)
        raise RefusedError(METHOD_NOT_FOUND, f"there is no method {method}")

    async def _call(self, params: dict[str, Any]) -> dict[str, Any]:
        name, args = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise RefusedError(INVALID_PARAMS, "a call needs the `name` of a tool")
        if not isinstance(args, (dict, type(None))):
            raise RefusedError(INVALID_PARAMS, "the `arguments` of a call are a JSON object")
        try:
            if name in _OURS:
                return result(await _OURS[name](self._stage))
            return result(await self._stage.call(name, args or {}))
        except NoSuchToolError as error:
            raise RefusedError(INVALID_PARAMS, legal(str(error))) from None
        except asyncio.CancelledError as error:
            if self._is_cancelled():
                raise
            return failure(error)  # A tool has cancelled itself, or its test is over.
        except BaseException as error:
            # Also an exit: a tool must not end the process for all others.
            return failure(error)

    def _refuse(self, number: str | int | None, refusal: RefusedError) -> None:
        self._write({"jsonrpc": "2.0", "id": number, "error": {"code": refusal.code, "message": refusal.message}})

    def _write(self, message: dict[str, Any]) -> None:
        self._send(json.dumps(message, allow_nan=False, separators=(",", ":")))


async def _close(stage: Stage) -> dict[str, Any]:
    return {"troubles": await stage.close()}


async def _shutdown(stage: Stage) -> dict[str, Any]:
    return {"troubles": await stage.shutdown()}


#: Tools that are in no list: the engine says with them when a test begins and ends, and when the session does.
_OURS = {"_unitai_open": Stage.open, "_unitai_close": _close, "_unitai_shutdown": _shutdown}
