"""The clients of MCP servers, which agents without a framework call tools by, and frameworks without an adapter.

Every call of a tool goes through `ClientSession`, or through `Client` before it. In a run that place asks the mock, and
gives its answer as the server would have: with content, structured content, or an error in the result. The server may
be listed, read and asked for prompts as ever. A framework's tool that was let through, and comes here under its own
name, is in the record already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

from unitai.adapters.awaiting import awaited
from unitai.adapters.frameworks import require
from unitai.adapters.ports import Session, ToolCall
from unitai.adapters.real_call import is_part_of_real_call
from unitai.errors import UnitAIError, UnmockedToolError, WrongArgumentsError
from unitai.traffic.patches import Patch

__all__ = ["redirects"]

_DISTRIBUTION = "mcp"
#: The parts that the content of a result is made of. Older releases lack some.
_BLOCKS = ("TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource")
#: What each server said of its tools, by their names.
_listed: WeakKeyDictionary[Any, dict[str, dict[str, Any]]] = WeakKeyDictionary()


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the package."""
    if module.__name__ == "mcp.client.client":
        wanted = [("Client", "call_tool", _call_tool)]
    else:
        session = "ClientSession"
        wanted = [
            (session, "call_tool", _call_tool),
            (session, "list_tools", _list_tools),
            (session, "send_request", _send_request),
        ]
    for owner, name, _ in wanted:
        require(module, owner, _DISTRIBUTION)
        require(getattr(module, owner), name, _DISTRIBUTION)
    return [Patch(getattr(module, owner), name, make) for owner, name, make in wanted]


def _call_tool(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where a tool is called by its name."""

    @wraps(original)
    async def call_tool(self: Any, name: str, arguments: Any = None, *args: Any, **options: Any) -> Any:
        session = _session_for(name)
        if session is None:
            return await original(self, name, arguments, *args, **options)
        told = _listed.get(getattr(self, "session", self), {}).get(name)
        return await _answer(session, name, arguments, told, lambda: original(self, name, arguments, *args, **options))

    return call_tool


def _send_request(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where every request is sent: also calls of tools that were not made by `call_tool`."""

    @wraps(original)
    async def send_request(self: Any, request: Any, *args: Any, **options: Any) -> Any:
        asked = getattr(request, "root", request)
        is_call = getattr(asked, "method", None) == "tools/call"
        session = _session_for(asked.params.name) if is_call else None
        if session is None:
            return await original(self, request, *args, **options)
        name = asked.params.name
        if getattr(asked.params, "task", None) is not None and session.stance(name) != "allowed":
            error = UnmockedToolError(
                f"{name} was called as a task of its MCP server, which no mock can stand for",
                remedy=f'call it by session.call_tool("{name}", ...); or let it run: toolkit.allow("{name}")',
            )
            session.fail(error)
            raise error
        told = _listed.get(self, {}).get(name)
        return await _answer(
            session, name, asked.params.arguments, told, lambda: original(self, request, *args, **options)
        )

    return send_request


def _list_tools(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where a server says what its tools take and return."""

    @wraps(original)
    async def list_tools(self: Any, *args: Any, **options: Any) -> Any:
        listing = await original(self, *args, **options)
        tools = {tool.name: tool.model_dump(by_alias=True) for tool in listing.tools}
        _listed.setdefault(self, {}).update(tools)
        return listing

    return list_tools


def _session_for(name: str) -> Session | None:
    """The run that is to answer a call of this tool; `None` if none is under way, or the call is in its record."""
    session = Session.here(is_framework=False)
    return None if session is None or is_part_of_real_call(session.run_id, name) else session


async def _answer(session: Session, name: str, arguments: Any, told: Any, real: Callable[[], Any]) -> Any:
    """The result of a call. `told` is what the server said of the tool, if it was asked."""
    is_real = False

    def noted_real() -> Any:
        nonlocal is_real
        is_real = True
        return real()

    call = ToolCall(name, dict(arguments or {}), schema=None if told is None else told.get("inputSchema"))
    try:
        answer = await awaited(session.answer(call, noted_real))
    except Exception as error:
        is_unitais = isinstance(error, UnitAIError) and not isinstance(error, WrongArgumentsError)
        if is_real or is_unitais or isinstance(error, _protocol_error()):
            raise
        text = error.message if isinstance(error, WrongArgumentsError) else f"Error executing tool {name}: {error}"
        return _result([_text(text)], is_error=True)
    if is_real or isinstance(answer, _types().CallToolResult):
        return answer
    return _result(_content(answer), structured=_structured(answer, told))


def _types() -> Any:
    return sys.modules["mcp.types"]


def _protocol_error() -> type[Exception]:
    """What the client itself raises: for a connection that is lost, a time limit, a tool that the server lacks."""
    errors = sys.modules["mcp.shared.exceptions"]
    found: type[Exception] = getattr(errors, "MCPError", None) or errors.McpError
    return found


def _result(content: list[Any], *, structured: Any = None, is_error: bool = False) -> Any:
    fields = {"content": content, "isError": is_error}
    if structured is not None:
        fields["structuredContent"] = structured
    return _types().CallToolResult.model_validate(fields)


def _content(value: Any) -> list[Any]:
    """What a server makes of the value that a tool returned: a text for each item, of JSON where it is none."""
    if value is None:
        return []
    if isinstance(value, tuple(getattr(_types(), kind) for kind in _BLOCKS if hasattr(_types(), kind))):
        return [value]
    if isinstance(value, list | tuple):
        return [block for item in value for block in _content(item)]
    return [_text(value if isinstance(value, str) else _core().to_json(value, indent=2, fallback=str).decode())]


def _text(text: str) -> Any:
    return _types().TextContent(type="text", text=text)


def _structured(value: Any, told: Any) -> Any:
    """The value as structured content. A server has it for what says what it returns, and wraps what is no object."""
    plain = _core().to_jsonable_python(value, fallback=str)
    if told is None:
        return plain if isinstance(plain, dict) else None
    schema = told.get("outputSchema")
    if schema is None:
        return None
    is_wrapped = list(schema.get("properties", ())) == ["result"]
    if is_wrapped and not (isinstance(plain, dict) and list(plain) == ["result"]):
        return {"result": plain}
    return plain if isinstance(plain, dict) else None


def _core() -> Any:
    """What the package itself makes JSON by."""
    return sys.modules["pydantic_core"]
