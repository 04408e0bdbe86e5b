"""The scripted model: answers every SDK's requests from a script, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import TracebackType
from typing import Any, TypeVar

from unitai._engine import ModelRequest, Script, close_traffic, open_traffic
from unitai.errors import InvalidArgumentError, UnitAIError, UnplayedScriptError, shown
from unitai.script import lines
from unitai.traffic.door import close_door, open_door
from unitai.traffic.sockets import guard_sockets, unguard_sockets

__all__ = ["ScriptedModel", "scripted_model"]

F = TypeVar("F", bound=Callable[..., Any])


class ScriptedModel:
    """A model that says what a script says. Made by `scripted_model`; works as a context manager and as a
    decorator.
    """

    def __init__(self, steps: Iterable[Any], *, across_runs: bool = False, block_network: bool = False) -> None:
        self._lines = lines(steps)
        self._options = {"across_runs": across_runs, "block_network": block_network}
        self._script: Script | None = None
        self._depth = 0

    @property
    def requests(self) -> list[ModelRequest]:
        """The requests that came, in order."""
        return [] if self._script is None else self._script.requests

    def __enter__(self) -> ScriptedModel:
        self._depth += 1
        if self._depth == 1:
            self._script = Script(self._lines, **self._options)
            open_door()
            guard_sockets()
            open_traffic(self._script)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth or self._script is None:
            return
        close_traffic(self._script)
        unguard_sockets()
        close_door()
        verdict = self._script.verdict()
        if verdict is None or verdict is error:
            return
        if error is None:
            raise verdict
        # What the test raises says more than what it left unplayed. But an error that is no assertion is
        # most likely what a client made of a request that the script did not expect.
        is_ours = isinstance(error, (AssertionError, UnitAIError)) or not isinstance(error, Exception)
        if not is_ours and not isinstance(verdict, UnplayedScriptError):
            raise verdict from error

    async def __aenter__(self) -> ScriptedModel:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    def __call__(self, function: F) -> F:
        """The function with the model scripted, from the script's beginning each time it is called."""
        if not callable(function) or isinstance(function, type) or _gives_pieces(function):
            raise InvalidArgumentError(
                f"a scripted model decorates functions, sync or async, not {shown(function)}",
                remedy="write `with scripted_model([...]):` inside of it",
            )

        def fresh() -> ScriptedModel:
            copy = ScriptedModel.__new__(ScriptedModel)
            copy._lines, copy._options, copy._script, copy._depth = self._lines, self._options, None, 0
            return copy

        if iscoroutinefunction(function):

            @wraps(function)
            async def scripted_async(*args: Any, **kwargs: Any) -> Any:
                with fresh():
                    return await function(*args, **kwargs)

            return scripted_async  # type: ignore[return-value]

        @wraps(function)
        def scripted(*args: Any, **kwargs: Any) -> Any:
            with fresh():
                return function(*args, **kwargs)

        return scripted  # type: ignore[return-value]


def _gives_pieces(function: Callable[..., Any]) -> bool:
    """Whether calling the function only begins it, so that a script around the call would end too early."""
    return isgeneratorfunction(function) or isasyncgenfunction(function)


def scripted_model(steps: Iterable[Any], *, across_runs: bool = False, block_network: bool = False) -> ScriptedModel:
    """A model that answers from a script: for any SDK, in any dialect, with no key and no network.

    A request that the script has no answer to, and a step that was not played, are errors. With a script on,
    no request to a model leaves the process.

    Args:
        steps: What the model says: see `unitai.script`.
        across_runs: One script for all runs together. Otherwise each run plays it from its beginning.
        block_network: Refuse every other connection to the outside, too.

    >>> from unitai import MockToolkit, scripted_model
    >>> from unitai.script import say
    >>> with scripted_model([say("Hello!")]) as model:
    ...     result = MockToolkit().run_generic(my_agent)  # doctest: +SKIP
    ...     model.requests[0].last_message  # doctest: +SKIP
    """
    return ScriptedModel(steps, across_runs=across_runs, block_network=block_network)
