"""Real functions that are replaced while a run is under way, wherever they are used.

A function that another module imported by name is replaced there, too: what a test means is the function, not one of
the places that hold it. In runs of other toolkits, and outside of runs, the real one is called.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import iscoroutinefunction, signature
from typing import Any, NamedTuple

from unitai._engine import run_here
from unitai.adapters.ports import Session, ToolCall
from unitai.errors import InvalidArgumentError, shown
from unitai.traffic.patches import Patch, Patches

__all__ = ["Target", "apply", "find", "take_back"]


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
        if name not in vars(owner) and not hasattr(owner, name):
            known = [each for each in dir(owner) if callable(getattr(owner, each, None)) and not each.startswith("_")]
            raise InvalidArgumentError(
                f"{'.'.join(parts[: len(parts) - len(rest) + at])} has no {name}",
                expected=f"one of: {', '.join(known[:20]) or 'nothing that can be called'}",
                found=path,
            )
        if at < len(rest) - 1:
            owner = getattr(owner, name)
    original = vars(owner).get(rest[-1], getattr(owner, rest[-1]))
    if not callable(getattr(owner, rest[-1])) or isinstance(original, type):
        raise InvalidArgumentError(
            f"{path} is no function, but {shown(original)}", remedy="name a function, or a method of a class"
        )
    return owner, rest[-1], original


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


#: A path, and the identity of what it led to.
Place = tuple[str, int]


class _Standing:
    """What is replaced at the moment, for all runs together."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        #: What is replaced for each place, and how many runs need it. A module that was loaded anew is another place.
        self.patches: dict[Place, tuple[Patches, int]] = {}
        #: The tools that stand in for functions, by the id of the run.
        self.tools: dict[str, dict[str, str]] = {}
        #: The places that a run needs.
        self.places: dict[str, list[Place]] = {}


_standing = _Standing()


def apply(targets: list[Target], run_id: str) -> None:
    """Replaces the functions for a run."""
    found = {target.path: find(target.path) for target in targets}
    with _standing.lock:
        _standing.tools[run_id] = {target.path: target.tool for target in targets}
        _standing.places[run_id] = [(path, id(owner)) for path, (owner, *_) in found.items()]
        for path, (owner, name, original) in found.items():
            patches, needed = _standing.patches.get((path, id(owner)), (Patches(), 0))
            _standing.patches[path, id(owner)] = patches, needed + 1
            if needed:
                continue
            stand_in = _stand_in(path, original, is_method=isinstance(owner, type))
            for place, attribute in [(owner, name), *_elsewhere(owner, name, original)]:
                patches.apply(Patch(place, attribute, _always(stand_in)))


def _always(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


def take_back(run_id: str, *, is_left_behind: bool) -> None:
    """The run is over. What it left behind must not come to the real functions, so then they stay replaced."""
    if is_left_behind:
        return
    with _standing.lock:
        del _standing.tools[run_id]
        for place in _standing.places.pop(run_id):
            patches, needed = _standing.patches.pop(place)
            if needed > 1:
                _standing.patches[place] = patches, needed - 1
            else:
                patches.undo()


def _elsewhere(owner: Any, name: str, original: Any) -> list[tuple[Any, str]]:
    """The other modules that hold the same function."""
    if isinstance(owner, type):
        return []
    found = []
    for module in list(sys.modules.values()):
        for attribute, value in list(getattr(module, "__dict__", {}).items()):
            if value is original and not (module is owner and attribute == name):
                found.append((module, attribute))
    return found


def _stand_in(path: str, original: Any, *, is_method: bool) -> Any:
    kind = type(original) if isinstance(original, (staticmethod, classmethod)) else None
    real: Callable[..., Any] = original.__func__ if kind is not None else original
    has_self = is_method and kind is not staticmethod
    shape = signature(real)

    def answer(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        run = run_here()
        tool = None if run is None else _standing.tools.get(run.run_id, {}).get(path)
        if run is None or tool is None:
            return real(*args, **kwargs)
        # Python itself says what is wrong with a call that does not fit.
        bound = shape.bind(*args, **kwargs).arguments
        for each in shape.parameters.values():
            if each.kind is each.VAR_KEYWORD:
                bound.update(bound.pop(each.name, {}))
        if has_self:
            bound.pop(next(iter(shape.parameters)), None)
        return Session(run).answer(ToolCall(tool, dict(bound)), lambda: real(*args, **kwargs))

    if iscoroutinefunction(real):

        @wraps(real)
        async def stand_in(*args: Any, **kwargs: Any) -> Any:
            given = answer(args, kwargs)
            return await given if hasattr(type(given), "__await__") else given

    else:

        @wraps(real)
        def stand_in(*args: Any, **kwargs: Any) -> Any:
            return answer(args, kwargs)

    return stand_in if kind is None else kind(stand_in)
