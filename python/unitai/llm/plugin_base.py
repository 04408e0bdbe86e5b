"""What a plugin is: a class whose public methods are tools of YAML tests."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Literal

from unitai.llm.coercion import coerced
from unitai.llm.own_thread import OwnThread
from unitai.llm.schemas import input_schema

#: What every plugin has, and no test calls by its own name.
_OWN = frozenset(("get_tools", "call_tool", "cleanup"))


class LLMPlugin:
    """Tools for YAML tests. A file in `tests/llm/plugins` holds a subclass; each of its public methods is a tool that
    is called `{name}_{method}`.

    >>> class Chart(LLMPlugin):
    ...     name = "chart"
    ...     async def zoom_in(self, factor: float) -> dict:
    ...         "Zooms in."
    ...         return {"factor": factor}
    >>> Chart().get_tools()[0]["name"]
    'chart_zoom_in'

    Plain methods run in a thread that belongs to the plugin. The instance is new for each test; with
    `scope = "session"` there is one for all of them.
    """

    #: What the names of its tools begin with.
    name: str = "plugin"
    #: How long an instance lives.
    scope: Literal["test", "session"] = "test"

    def __init__(self) -> None:
        #: A place for what a plugin remembers from call to call.
        self._state: dict[str, Any] = {}

    def get_tools(self) -> list[dict[str, Any]]:
        """Its tools, as MCP describes them."""
        return [
            {
                "name": f"{self.name}_{method}",
                "description": _first_line(call) or method,
                "inputSchema": input_schema(call),
            }
            for method, call in tools_of(self).items()
        ]

    async def call_tool(self, tool_name: str, arguments: dict[str, Any] | None = None) -> Any:
        """Calls a tool by its name, with or without `{name}_` before it."""
        tools = tools_of(self)
        short = tool_name.removeprefix(f"{self.name}_")
        method = short if short in tools else tool_name
        if method not in tools:
            if short == "cleanup":
                return await clean_up(self)
            raise ValueError(unknown_tool(tool_name, [f"{self.name}_{known}" for known in tools]))
        return await run_method(self, bound(tools[method], dict(arguments or {})))

    async def cleanup(self) -> None:
        """Called when the test is over, or the session: within five seconds, what is to be given back is."""


def tools_of(plugin: LLMPlugin) -> dict[str, Callable[..., Any]]:
    """The public methods of a plugin, in the order in which they are written, bases first."""
    found: dict[str, Callable[..., Any]] = {}
    for base in reversed(type(plugin).__mro__):
        if base in (LLMPlugin, object):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name in _OWN:
                continue
            if inspect.isfunction(value) or isinstance(value, (staticmethod, classmethod)):
                found[name] = getattr(plugin, name)
            else:
                # A property or a constant that took the place of a base's method.
                found.pop(name, None)
    return found


def bound(method: Callable[..., Any], args: dict[str, Any]) -> Callable[[], Any]:
    """The method with its arguments as its annotations ask for them, or why they do not fit."""
    parameters = inspect.signature(method).parameters.values()
    named = [it.name for it in parameters if it.kind not in (it.VAR_KEYWORD, it.VAR_POSITIONAL)]
    is_open = any(it.kind is it.VAR_KEYWORD for it in parameters)
    unknown = [name for name in args if name not in named]
    if unknown and not is_open:
        takes = f"it takes {', '.join(named)}" if named else "it takes none"
        raise TypeError(f"{method.__name__} has no argument `{unknown[0]}`{_nearest(unknown[0], named)}; {takes}")
    missing = [it.name for it in parameters if it.name in named and it.default is it.empty and it.name not in args]
    if missing:
        raise TypeError(f"{method.__name__} needs the argument `{missing[0]}`, which was not given")
    args = coerced(method, args)
    # What has no name for callers is given by its position.
    places = [it.name for it in parameters if it.kind is it.POSITIONAL_ONLY and it.name in args]
    return functools.partial(method, *[args.pop(name) for name in places], **args)


async def run_method(plugin: LLMPlugin, call: functools.partial[Any] | Callable[[], Any]) -> Any:
    """Runs a method: on the loop if it is one of its own, else in the plugin's thread."""
    if inspect.iscoroutinefunction(getattr(call, "func", call)):
        return await call()
    value = await thread_of(plugin).run(call)
    # A plain method may hand out the coroutine of another.
    return await value if inspect.isawaitable(value) else value


async def clean_up(plugin: LLMPlugin) -> None:
    """Calls `cleanup`, which a subclass may have written as a plain method."""
    await run_method(plugin, functools.partial(plugin.cleanup))


def thread_of(plugin: LLMPlugin) -> OwnThread:
    """The thread of a plugin. Made here: a subclass need not call our constructor."""
    thread: OwnThread | None = plugin.__dict__.get("_unitai_thread")
    if thread is None:
        thread = plugin.__dict__["_unitai_thread"] = OwnThread()
    return thread


def unknown_tool(name: str, known: list[str]) -> str:
    """What is said about a tool that is not there."""
    if not known:
        return f"there is no tool `{name}`: there are none at all"
    near = _nearest(name, known)
    return f"there is no tool `{name}`{near}" if near else f"there is no tool `{name}`; there are {', '.join(known)}"


def _nearest(name: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f", did you mean `{near[0]}`?" if near else ""


def _first_line(call: Callable[..., Any]) -> str:
    return next((line.strip() for line in (inspect.getdoc(call) or "").splitlines() if line.strip()), "")
