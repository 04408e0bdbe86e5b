"""How a mocked tool answers: one class for each way.

A strategy turns the arguments of a call into an answer, or raises. Recording is not its business.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from unitai._engine import copy_value
from unitai.errors import MockExhaustedError, MockStrategyError, NoMatchingConditionError, shown

__all__ = [
    "DEFAULT",
    "MISSING",
    "STATELESS",
    "CallableStrategy",
    "ConditionalStrategy",
    "ErrorStrategy",
    "ResponseStrategy",
    "SequenceStrategy",
    "StaticStrategy",
]

#: The key of a conditional's default.
DEFAULT = "__default__"

#: The most answers that a sequence may have: an iterator may have no end.
MAX_ANSWERS = 100_000

#: Stands for an argument that was not given, where `None` is a value like any other.
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "..."})()


class ResponseStrategy:
    """The base of all strategies. Write your own by overriding `respond`."""

    #: The tool that answers by it, for messages; set by the toolkit.
    tool = "the mock"

    def respond(self, args: dict[str, Any]) -> Any:
        """The answer to a call with these arguments."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forgets what earlier calls changed."""


class StaticStrategy(ResponseStrategy):
    """Always the same value, copied for each call.

    >>> StaticStrategy([1]).respond({})
    [1]
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def respond(self, args: dict[str, Any]) -> Any:
        return copy_value(self.value)


class SequenceStrategy(ResponseStrategy):
    """One value after the other; an exception among them is raised. Then there is nothing left.

    >>> pages = SequenceStrategy(["a", TimeoutError("slow"), "b"])
    >>> pages.respond({})
    'a'
    """

    def __init__(self, values: Iterable[Any]) -> None:
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
            raise MockStrategyError(
                f"a sequence is a list of answers, not {type(values).__name__}",
                remedy="write sequence=[first, second, ...]",
            )
        self.values = list(islice(values, MAX_ANSWERS + 1))
        if len(self.values) > MAX_ANSWERS:
            raise MockStrategyError(
                f"a sequence has at most {MAX_ANSWERS} answers",
                remedy="for answers without end write side_effect=lambda args: next(answers)",
            )
        if not self.values:
            raise MockStrategyError("a sequence needs at least one answer", remedy="write sequence=[first, ...]")
        for value in self.values:
            check_class(value)
        self.position = 0
        self._lock = threading.Lock()

    def respond(self, args: dict[str, Any]) -> Any:
        with self._lock:
            position = self.position
            self.position += 1
        if position >= len(self.values):
            raise MockExhaustedError(
                f"the sequence of {self.tool} has no answer left",
                expected=f"at most {len(self.values)} calls",
                found=f"call {position + 1}",
                remedy="add answers to the sequence, or use return_value for a tool that is called any number of times",
            )
        return answer_or_raise(self.values[position])

    def reset(self) -> None:
        self.position = 0

    def __reduce__(self) -> tuple[Any, ...]:
        # A lock neither pickles nor copies; the position does.
        return (SequenceStrategy, (self.values,), {"position": self.position, "tool": self.tool})


class ConditionalStrategy(ResponseStrategy):
    """The value of the first condition that accepts the arguments.

    >>> lookup = ConditionalStrategy({lambda args: args["id"] == 1: "one", "__default__": "other"})
    >>> lookup.respond({"id": 1}), lookup.respond({"id": 2})
    ('one', 'other')
    """

    def __init__(self, conditions: Mapping[Any, Any] | Iterable[tuple[Any, Any]], default: Any = MISSING) -> None:
        pairs = list(conditions.items()) if isinstance(conditions, Mapping) else list(conditions)
        if not pairs:
            raise MockStrategyError("a conditional needs at least one condition")
        self.conditions: list[tuple[Callable[[dict[str, Any]], Any], Any]] = []
        self.default: tuple[Any, ...] = () if default is MISSING else (default,)
        for pair in pairs:
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise MockStrategyError(
                    f"a condition is a pair of test and answer, not {shown(pair)}",
                    remedy="write conditional=[(lambda args: ..., answer), ...]",
                )
            condition, value = pair
            if isinstance(condition, str) and condition == DEFAULT:
                self.default = (value,)
            elif callable(condition):
                check_class(value)
                self.conditions.append((condition, value))
            else:
                raise MockStrategyError(
                    f"a condition is a function of the arguments, or {DEFAULT!r}; found {shown(condition)}",
                    remedy='write conditional={lambda args: args["id"] == 1: answer, "__default__": other}',
                )

    def respond(self, args: dict[str, Any]) -> Any:
        for n, (condition, value) in enumerate(self.conditions, 1):
            try:
                is_met = bool(condition(args))
            except Exception as error:
                raise MockStrategyError(
                    f"condition {n} of {self.tool} raised {shown(error)}",
                    found=f"the arguments {shown(args)}",
                    remedy="write conditions that work for any arguments, for example with args.get(...)",
                ) from error
            if is_met:
                return answer_or_raise(value)
        if self.default:
            return answer_or_raise(self.default[0])
        raise NoMatchingConditionError(
            f"no condition of {self.tool} matched, and there is no default",
            expected=f"arguments that one of {len(self.conditions)} conditions accepts",
            found=shown(args),
            remedy='add a condition for these arguments, or a default: "__default__": value',
        )


class ErrorStrategy(ResponseStrategy):
    """Always raises.

    >>> ErrorStrategy(TimeoutError("down")).respond({})
    Traceback (most recent call last):
    TimeoutError: down
    """

    def __init__(self, exception: BaseException | type[BaseException]) -> None:
        if not is_exception(exception):
            raise MockStrategyError(f"an error is an exception or a class of them, not {shown(exception)}")
        check_class(exception)
        self.exception = exception

    def respond(self, args: dict[str, Any]) -> Any:
        # What a mock is told to raise is no mistake of ours.
        __tracebackhide__ = True
        raise fresh(self.exception)


class CallableStrategy(ResponseStrategy):
    """Whatever a function of the arguments returns; the function may be async.

    >>> CallableStrategy(lambda args: args["n"] * 2).respond({"n": 21})
    42
    """

    def __init__(self, fn: Callable[[dict[str, Any]], Any]) -> None:
        if not callable(fn):
            raise MockStrategyError(
                f"a side_effect is a function or an exception, not {shown(fn)}",
                remedy="for one answer after the other write sequence=[...]; for one answer, return_value=...",
            )
        self.fn = fn

    def respond(self, args: dict[str, Any]) -> Any:
        return self.fn(args)


#: Strategies that no call changes, so that toolkits can share them.
STATELESS = {StaticStrategy, ConditionalStrategy, ErrorStrategy, CallableStrategy}


def is_exception(value: object) -> bool:
    """Whether this is something to raise."""
    return isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException))


def check_class(value: object) -> None:
    """Refuses a class of exceptions that cannot be raised without arguments."""
    if isinstance(value, type) and issubclass(value, BaseException):
        try:
            value()
        except TypeError as error:
            raise MockStrategyError(
                f"{value.__name__} cannot be raised without arguments: {error}",
                remedy=f"give an instance: {value.__name__}(...)",
            ) from None


def answer_or_raise(value: Any) -> Any:
    """Raises an exception; any other value is copied and returned."""
    if is_exception(value):
        __tracebackhide__ = True
        raise fresh(value)
    return copy_value(value)


def fresh(exception: BaseException | type[BaseException]) -> BaseException:
    """The exception without the traceback and context of an earlier call."""
    if isinstance(exception, type):
        return exception()
    exception.__context__ = None
    return exception.with_traceback(None)
