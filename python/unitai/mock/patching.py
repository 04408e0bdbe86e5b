"""Real functions that are replaced while a run is under way, wherever they are used.

What a test means is the function, not one of the places that hold it. So the function stays the same object and gets
other code (`mock/swapping.py`): whoever holds it, in a module, a list, a default or a partial, calls the mock. What has
no code of Python's is replaced in every module that holds it. In runs of other toolkits, and outside of runs, the real
one is called.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import getattr_static, signature
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, Protocol

from unitai._engine import run_here
from unitai.adapters.ports import Session, ToolCall
from unitai.errors import InvalidArgumentError, shown
from unitai.mock.swapping import Swap
from unitai.traffic.patches import Patch, Patches

__all__ = ["Target", "apply", "find", "real_of", "take_back"]


class Target(NamedTuple):
    """A function that is replaced."""

    #: Where it is: `package.module.function`, or `package.module.Class.method`.
    path: str
    #: The tool that stands in for it.
    tool: str


def find(path: object) -> tuple[Any, str, Any]:
    """The owner, the name and the function that a path leads to."""
    if not isinstance(path, str) or "." not in path:
        raise InvalidArgumentError(
            f"patch() takes the place of a function, 'package.module.function', not {shown(path)}"
        )
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
    if not isinstance(owner, (type, ModuleType)):
        raise InvalidArgumentError(
            f"{path} is a method of one object",
            found=shown(owner),
            remedy=f"name the method of its class: {type(owner).__module__}.{type(owner).__qualname__}.{rest[-1]}",
        )
    original = getattr_static(owner, rest[-1])
    if not callable(getattr(owner, rest[-1])) or isinstance(original, type):
        raise InvalidArgumentError(
            f"{path} is no function, but {shown(original)}", remedy="name a function, or a method of a class"
        )
    try:
        signature(real_of(original))
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"{path} does not say what it takes, so its calls cannot be told",
            found=shown(original),
            remedy="write a function around it, and patch that",
        ) from None
    return owner, rest[-1], original


def real_of(original: Any) -> Any:
    """The function itself, of a static or a class method, or of what stands in for it already."""
    function = original.__func__ if isinstance(original, (staticmethod, classmethod)) else original
    return function.__dict__.get("_unitai_real", function) if isinstance(function, FunctionType) else function


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


class _Replacement(Protocol):
    def undo(self) -> None: ...


class _Standing:
    """What is replaced at the moment, for all runs together."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        #: What replaces each function, by its identity, and how many runs need it. Several paths may lead to one.
        self.replaced: dict[int, tuple[_Replacement, int]] = {}
        #: The tools that stand in for functions, by the id of the run.
        self.tools: dict[str, dict[int, str]] = {}
        #: Runs that are over, with what they left behind.
        self.past: list[tuple[str, list[Any]]] = []


_standing = _Standing()


def apply(targets: list[Target], run_id: str) -> None:
    """Replaces the functions for a run: all of them, or none."""
    found = {target.path: find(target.path) for target in targets}
    with _standing.lock:
        tools = _standing.tools[run_id] = {}
        try:
            for target in targets:
                owner, name, original = found[target.path]
                function = id(real_of(original))
                if function not in tools:
                    known, needed = _standing.replaced.get(function) or (_replace(owner, name, original), 0)
                    _standing.replaced[function] = known, needed + 1
                tools[function] = target.tool
        except BaseException:
            _release(run_id)
            raise


def take_back(run_id: str, left_behind: list[Any]) -> None:
    """The run is over. What it left behind must not come to the real functions: they stay replaced until it ends."""
    with _standing.lock:
        past = [*_standing.past, (run_id, left_behind)]
        _standing.past = [(known, left) for known, left in past if any(each.is_alive() for each in left)]
        kept = {known for known, _ in _standing.past}
        for known, _ in past:
            if known not in kept:
                _release(known)


def _release(run_id: str) -> None:
    for function in _standing.tools.pop(run_id, ()):
        known, needed = _standing.replaced.pop(function)
        if needed > 1:
            _standing.replaced[function] = known, needed - 1
        else:
            known.undo()


def _replace(owner: Any, name: str, original: Any) -> _Replacement:
    real = real_of(original)
    has_self = isinstance(owner, type) and not isinstance(original, staticmethod)
    function = id(real)
    if isinstance(real, FunctionType):
        return Swap(real, lambda real: _answering(function, real, has_self=has_self))
    answer = _answering(function, real, has_self=has_self)

    @wraps(real)
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        return answer(args, kwargs)

    stand_in._unitai_real = real  # type: ignore[attr-defined]
    patches = Patches()
    for place, attribute in [(owner, name), *_elsewhere(owner, name, original)]:
        patches.apply(Patch(place, attribute, lambda _: stand_in))
    return patches


def _elsewhere(owner: Any, name: str, original: Any) -> list[tuple[Any, str]]:
    """The other modules that hold the same function."""
    found = []
    for module in list(sys.modules.values()):
        for attribute, value in list(getattr(module, "__dict__", {}).items()):
            if value is original and not (module is owner and attribute == name):
                found.append((module, attribute))
    return found


def _answering(function: int, real: Callable[..., Any], *, has_self: bool) -> Callable[..., Any]:
    """What a call is answered with: by the mock, in a run of a toolkit that replaces the function; else by itself."""
    shape = signature(real)

    def answer(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        run = run_here()
        tool = None if run is None else _standing.tools.get(run.run_id, {}).get(function)
        if run is None or tool is None:
            return real(*args, **kwargs)
        session = Session(run)
        try:
            bound = shape.bind(*args, **kwargs).arguments
        except TypeError as error:
            # Python itself says what is wrong with a call that does not fit.
            session.reject(ToolCall(tool, {**{f"arg{n}": arg for n, arg in enumerate(args)}, **kwargs}), error)
            raise
        for each in shape.parameters.values():
            if each.kind is each.VAR_KEYWORD:
                bound.update(bound.pop(each.name, {}))
        if has_self:
            bound.pop(next(iter(shape.parameters)), None)
        return session.answer(ToolCall(tool, dict(bound)), lambda: real(*args, **kwargs))

    return answer
