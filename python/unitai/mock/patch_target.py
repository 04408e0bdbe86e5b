"""Where a path leads that a test patches: a function, a method, an object that is called, a framework's tool."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from inspect import getattr_static, signature
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from unitai.errors import InvalidArgumentError, shown
from unitai.mock.tool_objects import ToolFunction, functions_behind, tool_functions, tool_name

__all__ = ["PatchTarget", "find", "real_of"]


class PatchTarget(NamedTuple):
    """What a path leads to."""

    path: str
    #: Where it is.
    owner: Any
    attribute: str
    #: The tool's own name, or the function's.
    tool: str
    #: The functions that are called when it is.
    functions: list[ToolFunction]
    #: No code of Python's can be replaced: it is replaced where it is held.
    is_held: bool = False

    def original(self) -> Any:
        """What is there. It is not kept here, as whoever holds it is looked for."""
        return getattr_static(self.owner, self.attribute)

    def parameters(self) -> list[str] | None:
        """The names of what the tool takes, in order; `None` where its functions differ in that."""
        if len(self.functions) != 1:
            return None
        (each,) = self.functions
        shapes = list(signature(each.function).parameters.values())[each.is_method :]
        return [shape.name for shape in shapes if shape.kind < shape.VAR_POSITIONAL and shape.name not in each.injected]


def find(path: object) -> PatchTarget:
    """What a path leads to."""
    if not isinstance(path, str) or "." not in path:
        raise InvalidArgumentError(
            f"patch() takes the place of a function, 'package.module.function', not {shown(path)}"
        )
    owner, name = _walk(path)
    value, is_in_place = getattr(owner, name), isinstance(owner, (type, ModuleType))
    original = getattr_static(owner, name) if is_in_place else value
    # What a tool holds may be the framework's wrapper, whose signature is not that of its calls: smolagents' `forward`.
    of_tool = tool_functions(original) if is_in_place else (tool_functions(owner, name) or tool_functions(original))
    if of_tool is None and (not callable(value) or isinstance(original, type)):
        raise InvalidArgumentError(
            f"{path} is no function, but {shown(original)}",
            remedy=(
                "name a function, a method or an object that can be called; a tool of a framework that has an adapter "
                f'is mocked by its name: toolkit.mock("{name}", ...)'
            ),
        )
    if of_tool is None:
        found = _functions(owner, original)
    elif _binds(owner, original):
        found = [each._replace(is_method=True) for each in of_tool]
    else:
        found = of_tool
    is_held = not found and is_in_place and of_tool is None
    if is_held:
        found = [ToolFunction(real_of(original), is_method=_binds(owner, original))]
    if not found:
        raise InvalidArgumentError(
            f"{path} calls nothing that is written in Python, so its calls cannot be redirected",
            found=shown(original),
            remedy="write a function around it, hand that one to the agent, and patch it",
        )
    for each in found:
        _check_signature(path, each.function, original)
    tool = tool_name(original) or tool_name(owner, name) or name
    return PatchTarget(path, owner, name, tool, found, is_held)


def _walk(path: str) -> tuple[Any, str]:
    """The owner of what a path leads to, and its name there."""
    parts = path.split(".")
    owner, rest = _module_of(parts)
    for at, name in enumerate(rest):
        if not hasattr(owner, name):
            known = [each for each in dir(owner) if callable(getattr(owner, each, None)) and not each.startswith("_")]
            raise InvalidArgumentError(
                f"{'.'.join(parts[: len(parts) - len(rest) + at])} has no {name}",
                expected=f"one of: {', '.join(known[:20]) or 'nothing that can be called'}",
                found=path,
            )
        if at < len(rest) - 1:
            owner = getattr(owner, name)
    return owner, rest[-1]


def _functions(owner: Any, original: Any) -> list[ToolFunction]:
    """The functions of Python that a call of this runs."""
    function = real_of(original)
    if isinstance(original, (FunctionType, staticmethod, classmethod)):
        is_method = isinstance(owner, type) and not isinstance(original, staticmethod)
        return [ToolFunction(function, is_method=is_method)] if isinstance(function, FunctionType) else []
    # A partial is more than the function in it, which others may call, too.
    return [] if isinstance(original, partial) else list(functions_behind(original))


def real_of(original: Any) -> Any:
    """The function itself, of a static or a class method, or of what stands in for it already."""
    function = original.__func__ if isinstance(original, (staticmethod, classmethod)) else original
    return function.__dict__.get("_unitai_real", function) if isinstance(function, FunctionType) else function


def _binds(owner: Any, original: Any) -> bool:
    """Whether an attribute of a class is handed the object that it is called on."""
    return isinstance(owner, type) and not isinstance(original, staticmethod) and hasattr(type(original), "__get__")


def _check_signature(path: str, function: Any, original: Any) -> None:
    try:
        signature(function)
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"{path} does not say what it takes, so its calls cannot be told",
            found=shown(original),
            remedy="write a function around it, and patch that",
        ) from None


def _module_of(parts: list[str]) -> tuple[Any, list[str]]:
    """The module that a path begins with, and the rest of the path."""
    for cut in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:cut])
        try:
            return import_module(name), parts[cut:]
        except ModuleNotFoundError as error:
            # A module that lacks what it needs itself says so; one that is a class is looked for one step up.
            if not name.startswith(error.name or ""):
                raise
    raise InvalidArgumentError(f"there is no module {parts[0]}", found=".".join(parts))
