"""Matchers: values that are equal to more than one thing.

They work wherever Python compares with `==`: in checks, in references, in plain assertions.

>>> from unitai.match import approx, partial
>>> {"amount": 49.990000001, "currency": "EUR"} == partial({"amount": approx(49.99)})
True
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from unitai._engine import clean

__all__ = ["any_of_type", "approx", "ignoring", "one_of", "partial", "predicate", "regex"]


class Matcher:
    """The base of all matchers: equal to what it accepts."""

    def accepts(self, value: Any) -> bool:
        """Whether the value fits."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return self is other or self.accepts(other)

    # Equal to many things, so equal to none as a key.
    __hash__ = None  # type: ignore[assignment]


class approx(Matcher):
    """A number near to `value`.

    >>> 0.1 + 0.2 == approx(0.3)
    True
    """

    def __init__(self, value: float, *, rel: float = 1e-6, abs: float = 1e-12) -> None:
        self.value, self.rel, self.abs = value, rel, abs

    def accepts(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        return math.isclose(value, self.value, rel_tol=self.rel, abs_tol=self.abs)

    def __repr__(self) -> str:
        return f"approx({self.value!r})"


class regex(Matcher):
    r"""A string in which the pattern is found.

    >>> "order 123" == regex(r"\d+")
    True
    """

    def __init__(self, pattern: str | re.Pattern[str], flags: int = 0) -> None:
        self.pattern = re.compile(pattern, flags)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and self.pattern.search(value) is not None

    def __repr__(self) -> str:
        return clean(f"regex({self.pattern.pattern!r})")


class one_of(Matcher):
    """One of several values.

    >>> "EUR" == one_of("EUR", "USD")
    True
    """

    def __init__(self, *values: Any) -> None:
        self.values = values

    def accepts(self, value: Any) -> bool:
        return any(candidate == value for candidate in self.values)

    def __repr__(self) -> str:
        return clean(f"one_of({', '.join(map(repr, self.values))})")


class any_of_type(Matcher):
    """Any value of these types. `True` is not taken for an `int`.

    >>> "abc" == any_of_type(str)
    True
    >>> True == any_of_type(int)
    False
    """

    def __init__(self, *types: type) -> None:
        self.types = types

    def accepts(self, value: Any) -> bool:
        if isinstance(value, bool) and bool not in self.types:
            return object in self.types
        return isinstance(value, self.types)

    def __repr__(self) -> str:
        return f"any_of_type({', '.join(kind.__name__ for kind in self.types)})"


class predicate(Matcher):
    """Whatever a function accepts.

    >>> 4 == predicate(lambda n: n % 2 == 0, "an even number")
    True
    """

    def __init__(self, accepts: Callable[[Any], Any], name: str | None = None) -> None:
        self._accepts = accepts
        self.name = name or getattr(accepts, "__name__", repr(accepts))

    def accepts(self, value: Any) -> bool:
        return bool(self._accepts(value))

    def __repr__(self) -> str:
        return f"predicate({self.name})"


class partial(Matcher):
    """A dictionary that has these entries, and perhaps others; at every level.

    >>> {"user": {"id": 1, "name": "A"}, "at": 5} == partial({"user": {"id": 1}})
    True
    """

    def __init__(self, expected: Mapping[Any, Any]) -> None:
        self.expected = expected

    def accepts(self, value: Any) -> bool:
        return _fits(self.expected, value)

    def __repr__(self) -> str:
        return clean(f"partial({self.expected!r})")


def _fits(expected: Any, value: Any) -> bool:
    if isinstance(expected, Mapping):
        return isinstance(value, Mapping) and all(
            key in value and _fits(wanted, value[key]) for key, wanted in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(value, list) and len(value) == len(expected) and all(map(_fits, expected, value))
    return bool(expected == value)


class ignoring:
    """Leaves fields out of a comparison.

    >>> {"q": "cafes", "request_id": "a1"} == ignoring("request_id")({"q": "cafes"})
    True

    In a check: `result.tool_called_with("search", ignoring("request_id"), q="cafes")`.
    """

    def __init__(self, *fields: str) -> None:
        self.fields = fields

    def __call__(self, expected: Mapping[Any, Any]) -> Matcher:
        return _Ignoring(self.fields, expected)

    def __repr__(self) -> str:
        return f"ignoring({', '.join(map(repr, self.fields))})"


class _Ignoring(Matcher):
    def __init__(self, fields: tuple[str, ...], expected: Mapping[Any, Any]) -> None:
        self.fields, self.expected = fields, self._rest(expected, fields)

    @staticmethod
    def _rest(value: Mapping[Any, Any], fields: tuple[str, ...]) -> dict[Any, Any]:
        return {key: item for key, item in value.items() if key not in fields}

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and self.expected == self._rest(value, self.fields)

    def __repr__(self) -> str:
        return clean(f"ignoring({', '.join(map(repr, self.fields))})({self.expected!r})")
