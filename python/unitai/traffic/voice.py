"""What speaks for the model while a block of code runs: a script, or recordings."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import TracebackType
from typing import Any, Generic, TypeVar

from unitai._engine import Cassette, Script, close_traffic, open_traffic
from unitai.errors import (
    CacheMissError,
    DamagedRecordingError,
    InvalidArgumentError,
    UnitAIError,
    UnplayedScriptError,
    shown,
)
from unitai.traffic.door import close_door, open_door
from unitai.traffic.sockets import guard_sockets, unguard_sockets

__all__ = ["Voice"]

F = TypeVar("F", bound=Callable[..., Any])
E = TypeVar("E", Script, Cassette)
V = TypeVar("V", bound="Voice[Any]")


class Voice(Generic[E]):
    """Speaks for the model from `with` to the end of the block; also a decorator."""

    #: Its name in messages.
    _name = "a voice"

    def __init__(self) -> None:
        self._engine: E | None = None
        self._depth = 0
        self._guards = False

    def _begin(self) -> E | None:
        """What the engine answers from; `None` to leave everything as it is."""
        raise NotImplementedError

    def _guarded(self, engine: E) -> bool:
        """Whether no connection to a model may be opened meanwhile."""
        raise NotImplementedError

    def __enter__(self: V) -> V:
        if self._depth == 0:
            self._engine = engine = self._begin()
            if engine is not None:
                open_door()
                self._guards = self._guarded(engine)
                if self._guards:
                    guard_sockets()
                open_traffic(engine)
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth or self._engine is None:
            return
        close_traffic(self._engine)
        if self._guards:
            unguard_sockets()
        close_door()
        self.judge(error)

    def judge(self, error: BaseException | None) -> None:
        """Raises what is wrong so far. `error` is what the block raised itself."""
        if self._engine is None:
            return
        verdict = self._engine.verdict()
        if verdict is None or verdict is error:
            return
        if error is None:
            raise verdict
        if isinstance(error, UnitAIError) or not isinstance(error, Exception):
            return
        # What was never recorded explains whatever came of it. But what an assertion says is more than a step
        # that was left unplayed; and an error that is no assertion is most likely what a client made of a
        # request that was not expected.
        explains = isinstance(verdict, (CacheMissError, DamagedRecordingError))
        is_assertion = isinstance(error, AssertionError)
        if explains or not (is_assertion or isinstance(verdict, UnplayedScriptError)):
            raise verdict from error

    async def __aenter__(self: V) -> V:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    def _fresh(self: V) -> V:
        """The same, not begun."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__, _engine=None, _depth=0)
        return copy

    def __call__(self, function: F) -> F:
        """The function with the model spoken for, from the beginning each time it is called."""
        if not callable(function) or isinstance(function, type) or _gives_pieces(function):
            raise InvalidArgumentError(
                f"{self._name} decorates functions, sync or async, not {shown(function)}",
                remedy="use it with `with` inside",
            )
        if iscoroutinefunction(function):

            @wraps(function)
            async def spoken_for_async(*args: Any, **kwargs: Any) -> Any:
                with self._fresh():
                    return await function(*args, **kwargs)

            return spoken_for_async  # type: ignore[return-value]

        @wraps(function)
        def spoken_for(*args: Any, **kwargs: Any) -> Any:
            with self._fresh():
                return function(*args, **kwargs)

        return spoken_for  # type: ignore[return-value]


def _gives_pieces(function: Callable[..., Any]) -> bool:
    """Whether calling the function only begins it, so that a block around the call would end too early."""
    return isgeneratorfunction(function) or isasyncgenfunction(function)
