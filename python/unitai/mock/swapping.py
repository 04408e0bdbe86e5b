"""Another inside for a Python function, which stays the same object."""

from __future__ import annotations

from collections.abc import Callable
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, signature
from types import CodeType, FunctionType
from typing import Any

__all__ = ["Swap"]

#: Whom the new code calls. A constant of the code, since the function keeps its own global names.
_MARK = "unitai: whom to call"

_SYNC = f"""
    def code(*args, **kwargs):
        {{free}}
        whom = {_MARK!r}
        return whom(args, kwargs)
"""
_ASYNC = f"""
    async def code(*args, **kwargs):
        {{free}}
        whom = {_MARK!r}
        answer = whom(args, kwargs)
        return await answer if hasattr(type(answer), "__await__") else answer
"""
_PIECES = f"""
    def code(*args, **kwargs):
        {{free}}
        whom = {_MARK!r}
        return (yield from whom(args, kwargs))
"""
_ASYNC_PIECES = f"""
    async def code(*args, **kwargs):
        {{free}}
        whom = {_MARK!r}
        pieces = whom(args, kwargs)
        if hasattr(type(pieces), "__await__"):
            pieces = await pieces
        if hasattr(type(pieces), "__aiter__"):
            async for piece in pieces:
                yield piece
        else:
            for piece in pieces:
                yield piece
"""


class Swap:
    """A function whose code is another's, until `undo`. `make` gets the real function, under another identity, and
    gives what is called with the arguments of each call, as a tuple and a dictionary.
    """

    def __init__(self, function: FunctionType, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._function = function
        self._code = function.__code__
        self._ours = _code(function.__code__)
        self._had_signature = "__signature__" in function.__dict__
        real = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        real.__kwdefaults__ = function.__kwdefaults__
        real.__dict__.update(function.__dict__)
        real.__annotations__ = function.__annotations__
        called = make(real)
        if not self._had_signature:
            # Whoever asks what the function takes is told what it took.
            function.__signature__ = signature(function)  # type: ignore[attr-defined]
        function.__code__ = self._ours = self._ours.replace(
            co_consts=tuple(called if each == _MARK else each for each in self._ours.co_consts)
        )

    def undo(self) -> None:
        """Gives the function its own code back, unless somebody gave it another meanwhile."""
        if self._function.__code__ is self._ours:
            self._function.__code__ = self._code
        if not self._had_signature:
            self._function.__dict__.pop("__signature__", None)


def _code(original: CodeType) -> CodeType:
    """Code of the same kind, with as many variables from outside: Python insists."""
    kinds = ((CO_ASYNC_GENERATOR, _ASYNC_PIECES), (CO_GENERATOR, _PIECES), (CO_COROUTINE, _ASYNC))
    text = next((text for flag, text in kinds if original.co_flags & flag), _SYNC)
    names = [f"free{n}" for n in range(len(original.co_freevars))]
    # Named, and never read: they may be empty by now.
    free = f"if False: ({', '.join(names)},)" if names else "pass"
    source = f"def around({', '.join(names)}):{text.format(free=free)}    return code"
    made: dict[str, Any] = {}
    exec(source, made)
    code: FunctionType = made["around"](*[None for _ in names])
    return code.__code__.replace(co_name=original.co_name, co_filename=original.co_filename)
