"""The functions that a callable object runs: those are replaced, and so whoever holds the object calls the mock.

An object with `__call__` runs that method. A tool of a framework runs the function that a person wrote, and the
framework calls it by methods of its own: which function that is, and what the model knows the tool by, is a row of the
table below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from inspect import signature
from types import FunctionType, MethodType
from typing import Any, NamedTuple

__all__ = ["ToolFunction", "functions_behind", "tool_functions", "tool_name"]


class ToolFunction(NamedTuple):
    """A function that is called when a tool is."""

    #: One of Python; of C where that is all there is.
    function: Any
    #: Only calls on this object are calls of the tool; `None` if all are.
    receiver: Any = None
    #: The first argument is an object or a class, and none of the tool's.
    is_method: bool = False
    #: Parameters that the framework fills and the model does not know.
    injected: frozenset[str] = frozenset()


class _ToolClass(NamedTuple):
    """A framework's class of tools."""

    #: The package and the name of the class. Its module may move between releases.
    package: str
    name: str
    #: The attributes that hold what a person wrote.
    functions: tuple[str, ...]
    #: The name that the model knows.
    tool_name: Callable[[Any], Any]
    #: The parameters that the model knows.
    parameters: Callable[[Any], Iterable[str]]


_TOOL_CLASSES = (
    _ToolClass(
        "strands",
        "DecoratedFunctionTool",
        ("_tool_func",),
        lambda tool: tool.tool_name,
        lambda tool: tool.tool_spec["inputSchema"]["json"]["properties"],
    ),
    _ToolClass("smolagents", "Tool", ("forward",), lambda tool: tool.name, lambda tool: tool.inputs),
    _ToolClass(
        "agno", "Function", ("entrypoint",), lambda tool: tool.name, lambda tool: tool.parameters.get("properties", ())
    ),
    _ToolClass(
        "llama_index",
        "FunctionTool",
        ("fn", "async_fn"),
        lambda tool: tool.metadata.name,
        lambda tool: tool.metadata.get_parameters_dict()["properties"],
    ),
    _ToolClass(
        "autogen_core",
        "FunctionTool",
        ("_func",),
        lambda tool: tool.name,
        lambda tool: tool.schema["parameters"]["properties"],
    ),
    *(
        _ToolClass("langchain_core", name, functions, lambda tool: tool.name, lambda tool: tool.args)
        for name, functions in (
            ("StructuredTool", ("func", "coroutine")),
            ("Tool", ("func", "coroutine")),
            ("BaseTool", ("_run", "_arun")),
        )
    ),
)
#: Frameworks wrap what a person wrote, by themselves or by Pydantic.
_WRAPS_TOO = "pydantic"


def tool_functions(tool: Any, attribute: str | None = None) -> list[ToolFunction] | None:
    """The functions behind a framework's tool, or behind one of its attributes; `None` for what is no tool of a
    framework in the table, and for attributes that hold none of its functions.
    """
    known = _class_of(type(tool))
    if known is None or attribute not in (None, *known.functions):
        return None
    found: list[ToolFunction] = []
    for each_attribute in known.functions if attribute is None else (attribute,):
        for each in functions_behind(getattr(tool, each_attribute, None), known.package):
            if all(each.function is not other.function for other in found):
                found.append(each._replace(injected=_injected(each, known.parameters(tool))))
    return found


def tool_name(tool: Any, attribute: str | None = None) -> str | None:
    """The name by which the model knows a framework's tool, or the tools of a class of it. Where the attribute is
    given, only if that holds the tool's function.
    """
    known = _class_of(tool if isinstance(tool, type) else type(tool))
    if known is None or attribute not in (None, *known.functions):
        return None
    try:
        name = known.tool_name(tool)
    except AttributeError:  # A class may leave the name to its objects.
        return None
    return name if isinstance(name, str) else None


def functions_behind(called: Any, package: str | None = None) -> Iterator[ToolFunction]:
    """What runs when this is called, as far as it is written in Python, and not by the framework of that package."""
    if isinstance(called, FunctionType):
        while package is not None and _package(called) in (package, _WRAPS_TOO):
            inner = getattr(called, "__wrapped__", None)
            if inner is None:
                return
            if not isinstance(inner, FunctionType):
                yield from functions_behind(inner, package)
                return
            called = inner
        yield ToolFunction(called)
    elif isinstance(called, MethodType):
        if isinstance(called.__func__, FunctionType) and _package(called.__func__) != package:
            yield ToolFunction(called.__func__, called.__self__, is_method=True)
    elif isinstance(called, partial):
        yield from functions_behind(called.func, package)
    elif called is not None and not isinstance(called, type):
        call = getattr(type(called), "__call__", None)  # noqa: B004
        if isinstance(call, FunctionType):
            yield ToolFunction(call, called, is_method=True)


def _class_of(kind: type) -> _ToolClass | None:
    """The row of a class or of the nearest one that it inherits from."""
    for base in kind.__mro__:
        package = base.__module__.partition(".")[0]
        for known in _TOOL_CLASSES:
            if known.name == base.__name__ and known.package == package:
                return known
    return None


def _package(function: FunctionType) -> str:
    """Where a function was written. `functools.wraps` copies `__module__`, but not this."""
    return str(function.__globals__.get("__name__", "")).partition(".")[0]


def _injected(each: ToolFunction, parameters: Iterable[str]) -> frozenset[str]:
    shapes = signature(each.function).parameters.values()
    named = {shape.name for shape in shapes if shape.kind not in (shape.VAR_POSITIONAL, shape.VAR_KEYWORD)}
    known = named.intersection(parameters)
    # A schema that a person wrote may speak of something else.
    return frozenset(named - known) if known else frozenset()
