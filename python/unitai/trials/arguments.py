"""What each run of a repeated test is given: toolkits of its own, and everything else as it is."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from inspect import Parameter, isasyncgenfunction, isgeneratorfunction, signature
from typing import Any

from unitai.attempt import current
from unitai.errors import InvalidArgumentError, shown
from unitai.mock.toolkit import MockToolkit

__all__ = ["Arguments", "check_function"]

#: The parameter that is filled without being asked.
TOOLKIT = "mock_toolkit"


def check_function(function: Any) -> None:
    """Refuses what cannot be repeated."""
    if not callable(function) or isinstance(function, type):
        raise InvalidArgumentError(f"a test is a function, not {shown(function)}")
    call = function if hasattr(function, "__code__") else getattr(function, "__call__", function)  # noqa: B004
    for kind, is_kind in (("a generator", isgeneratorfunction), ("an async generator", isasyncgenfunction)):
        if is_kind(function) or is_kind(call):
            raise InvalidArgumentError(
                f"{_name(function)} is {kind} function, and calling it would only begin it",
                expected="a function, sync or async, that runs to its end",
                remedy="take the yield out of the test",
            )


class Arguments:
    """The arguments of a repeated test."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, dict(kwargs)
        self._fill(function)
        self._own = [value for value in (*self.args, *self.kwargs.values()) if _is_own(value)]

    @property
    def is_shared(self) -> bool:
        """Whether every run gets the very same arguments."""
        return not self._own

    def fresh(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of one run."""
        # A toolkit that is given twice, by two fixtures, stays one.
        twins = {id(value): own(value) for value in self._own}
        args = tuple([twins.get(id(value), value) for value in self.args])
        return args, {name: twins.get(id(value), value) for name, value in self.kwargs.items()}

    def _fill(self, function: Callable[..., Any]) -> None:
        """Adds a toolkit where the function wants one and was given none; refuses what does not fit."""
        try:
            parameters = signature(function)
        except (TypeError, ValueError):
            return
        wanted = parameters.parameters.get(TOOLKIT)
        try:
            given = parameters.bind_partial(*self.args, **self.kwargs).arguments
        except TypeError as error:
            raise InvalidArgumentError(
                f"{_name(function)} cannot be called with these arguments: {error}",
                expected=f"arguments for {_name(function)}{parameters}",
            ) from None
        if wanted is not None and TOOLKIT not in given and wanted.kind is not Parameter.POSITIONAL_ONLY:
            self.kwargs[TOOLKIT] = MockToolkit()
            given[TOOLKIT] = None
        missing = [
            name
            for name, parameter in parameters.parameters.items()
            if name not in given
            and parameter.default is Parameter.empty
            and parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        ]
        if missing:
            raise InvalidArgumentError(
                f"{_name(function)} needs {', '.join(missing)}, and nobody gives it",
                expected=f"arguments for {_name(function)}{parameters}",
                remedy=f"pass it to run(), as in run({_name(function)}, {missing[0]}=...); fixtures are given by "
                "pytest alone: for those use @statistical, or the marker unitai_statistical",
            )


def _is_own(value: Any) -> bool:
    return isinstance(value, MockToolkit) or _is_case(value)


def _is_case(value: Any) -> bool:
    """Whether this is a test case with a toolkit. Who has one has loaded its class; unittest is large."""
    module = sys.modules.get("unitai.core.testcase")
    return module is not None and isinstance(value, module.AgentTestCase)


def own(value: Any) -> Any:
    """A copy for one run: the mocks are the same, and nothing is recorded yet."""
    if _is_case(value):
        case = copy.copy(value)
        case.toolkit = own(value.toolkit)
        return case
    twin = value.copy()
    twin._attempt = current.get()
    return twin


def _name(function: Any) -> str:
    return getattr(function, "__name__", None) or type(function).__name__
