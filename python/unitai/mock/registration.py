"""What `mock()` was given, turned into what a mock needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter, iscoroutinefunction, signature
from typing import Any

from unitai.errors import InvalidArgumentError, MockStrategyError, shown
from unitai.mock.strategies import (
    MISSING,
    CallableStrategy,
    ConditionalStrategy,
    ErrorStrategy,
    ResponseStrategy,
    SequenceStrategy,
    StaticStrategy,
    is_exception,
)

__all__ = ["check_callable", "check_name", "choose_strategy", "is_async", "parameter_names"]


def check_callable(run: object) -> None:
    """Refuses what cannot be run."""
    if not callable(run):
        raise InvalidArgumentError(
            f"run_generic() takes a function that runs the agent, not {shown(run)}",
            remedy="write run_generic(lambda: agent.execute(...)), and pass a coroutine function uncalled",
        )


def check_name(name: object) -> None:
    """Refuses what cannot be the name of a tool."""
    if not isinstance(name, str) or not name:
        raise InvalidArgumentError(f"a tool's name is a string that is not empty, not {shown(name)}")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"a tool's name holds no lone surrogates: {shown(name)}") from None


def choose_strategy(
    tool: str, return_value: Any, side_effect: Any, sequence: Any, conditional: Any, strategy: Any
) -> ResponseStrategy:
    """The one strategy that was given. `None` beside another is that of the specification's signature: not given."""
    if side_effect is sequence is conditional is strategy is MISSING and return_value is not MISSING:
        return StaticStrategy(return_value)  # As most mocks are; the long way is for the others.
    ways = (
        ("return_value", return_value),
        ("side_effect", side_effect),
        ("sequence", sequence),
        ("conditional", conditional),
        ("strategy", strategy),
    )
    named = [way for way in ways if way[1] is not MISSING]
    given = [way for way in named if way[1] is not None]
    if not given:
        given = [way for way in named if way[0] == "return_value"]
    if len(given) != 1:
        raise MockStrategyError(
            f"the mock of {tool} needs exactly one way to answer",
            expected="one of return_value, side_effect, sequence, conditional",
            found=" and ".join(name for name, _ in given)
            or " and ".join(f"{name}=None" for name, _ in named)
            or "none of them",
            remedy=f'write for example mock("{tool}", return_value=None)',
        )
    ((name, value),) = given
    if name == "return_value":
        return StaticStrategy(value)
    if name == "sequence":
        return SequenceStrategy(value)
    if name == "conditional":
        return ConditionalStrategy(value)
    if name == "strategy":
        if not callable(getattr(value, "respond", None)):
            raise MockStrategyError(f"a strategy has a method respond(args); {shown(value)} has none")
        return value  # type: ignore[no-any-return]
    return ErrorStrategy(value) if is_exception(value) else CallableStrategy(value)


def is_async(side_effect: Any) -> bool:
    """Whether calling this gives a coroutine."""
    if side_effect is MISSING or side_effect is None:
        return False
    return iscoroutinefunction(side_effect) or iscoroutinefunction(getattr(side_effect, "__call__", None))  # noqa: B004


def parameter_names(real: Callable[..., Any] | Iterable[str] | None) -> list[str] | None:
    """The names to which positional arguments are bound; `None` where they are unknown."""
    if real is None:
        return None
    if callable(real):
        named = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        return [name for name, found in signature(real).parameters.items() if found.kind in named]
    return [str(name) for name in real]
