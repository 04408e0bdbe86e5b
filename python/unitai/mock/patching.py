"""Real functions that are replaced while a run is under way, wherever they are used.

What a test means is the function, not one of the places that hold it. So the function stays the same object and gets
other code (`mock/swapping.py`): whoever holds it, in a module, a list, a default or a partial, calls the mock. Of an
object that is called, these are the functions behind it (`mock/tool_objects.py`). What has no code of Python's is
replaced in the places that hold it (`mock/holders.py`). In runs of other toolkits, and outside of runs, the real one is
called.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, Protocol

from unitai._engine import run_here
from unitai.adapters.ports import Session, ToolCall
from unitai.mock.holders import Holders
from unitai.mock.patch_target import PatchTarget, find
from unitai.mock.swapping import Swap
from unitai.mock.tool_objects import ToolFunction

__all__ = ["Target", "apply", "take_back"]


class Target(NamedTuple):
    """What is replaced."""

    #: Where it is: `package.module.function`, or `package.module.Class.method`.
    path: str
    #: The tool that stands in for it.
    tool: str


class _Replacement(Protocol):
    def undo(self) -> None: ...


class _StandIn(NamedTuple):
    """The tool that stands in for a function in one run."""

    tool: str
    of: ToolFunction


class _Standing:
    """What is replaced at the moment, for all runs together."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        #: What replaces each function, by its identity, and how many runs need it. Several paths may lead to one.
        self.replaced: dict[int, tuple[_Replacement, int]] = {}
        #: The tools that stand in for functions, by the id of the run.
        self.tools: dict[str, dict[int, list[_StandIn]]] = {}
        #: Runs that are over, with what they left behind.
        self.past: list[tuple[str, list[Any]]] = []


_standing = _Standing()


def apply(targets: list[Target], run_id: str) -> None:
    """Replaces the functions for a run: all of them, or none."""
    found = [(target, find(target.path)) for target in targets]
    with _standing.lock:
        tools = _standing.tools[run_id] = {}
        try:
            for target, place in found:
                for each in place.functions:
                    function = id(each.function)
                    if function not in tools:
                        known, needed = _standing.replaced.get(function) or (_replace(place, each), 0)
                        _standing.replaced[function] = known, needed + 1
                    others = [other for other in tools.get(function, []) if other.of.receiver is not each.receiver]
                    # What stands for one object goes before what stands for all.
                    stand_ins = [_StandIn(target.tool, each), *others]
                    tools[function] = sorted(stand_ins, key=lambda stand_in: stand_in.of.receiver is None)
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


def _replace(place: PatchTarget, each: ToolFunction) -> _Replacement:
    function = id(each.function)
    if not place.is_held:
        return Swap(each.function, lambda real: _answering(function, real))

    def make() -> Callable[..., Any]:
        answer = _answering(function, each.function)

        @wraps(each.function)
        def stand_in(*args: Any, **kwargs: Any) -> Any:
            return answer(args, kwargs)

        stand_in._unitai_real = each.function  # type: ignore[attr-defined]
        return stand_in

    return Holders(place.path, place.original, make)


def _answering(function: int, real: Callable[..., Any]) -> Callable[..., Any]:
    """What a call is answered with: by the mock, in a run of a toolkit that replaces the function; else by itself."""
    shape = signature(real)

    def answer(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        run = run_here()
        stand_ins = None if run is None else _standing.tools.get(run.run_id, {}).get(function)
        stand_in = None if stand_ins is None else _called(stand_ins, args)
        if run is None or stand_in is None:
            return real(*args, **kwargs)
        session, tool = Session(run), stand_in.tool
        try:
            bound = shape.bind(*args, **kwargs).arguments
        except TypeError as error:
            # Python itself says what is wrong with a call that does not fit.
            given = args[stand_in.of.is_method :]
            session.reject(ToolCall(tool, {**{f"arg{n}": arg for n, arg in enumerate(given)}, **kwargs}), error)
            raise
        for each in shape.parameters.values():
            if each.kind is each.VAR_KEYWORD:
                bound.update(bound.pop(each.name, {}))
        if stand_in.of.is_method:
            bound.pop(next(iter(shape.parameters)), None)
        for name in stand_in.of.injected:
            bound.pop(name, None)
        return session.answer(ToolCall(tool, dict(bound)), lambda: real(*args, **kwargs))

    return answer


def _called(stand_ins: list[_StandIn], args: tuple[Any, ...]) -> _StandIn | None:
    """What stands in for a call with these arguments: the first of a method is its object."""
    for stand_in in stand_ins:
        receiver = stand_in.of.receiver
        if receiver is None or (args and args[0] is receiver):
            return stand_in
    return None
