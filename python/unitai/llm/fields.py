"""What the fields of a model may hold: each kind takes a value as files and programs write it, or says why not."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from unitai.errors import InvalidArgumentError, shown

#: The default of a field that has none.
REQUIRED: Any = object()

#: Makes a value of what was given, at a path such as `steps[2].args`.
Kind = Callable[[Any, str], Any]


class Field(NamedTuple):
    """One field of a model."""

    kind: Kind
    default: Any = REQUIRED

    def initial(self) -> Any:
        """Its default, as a value of its own."""
        return copy.copy(self.default)


def refused(path: str, expected: str, value: Any) -> InvalidArgumentError:
    """What is said about a value that a field does not take."""
    return InvalidArgumentError(
        f"{path} cannot be used", expected=expected, found=f"{shown(value)} ({type(value).__name__})",
        remedy=f"give `{path.rpartition('.')[2]}` {expected}",
    )  # fmt: skip


def text(value: Any, path: str) -> str:
    """A text."""
    if isinstance(value, str):
        return value
    raise refused(path, "a text", value)


def count(value: Any, path: str) -> int:
    """A whole number from 0; also one that is written as a text, as a file may do."""
    number = _number(value)
    if number is not None and number >= 0 and (isinstance(number, int) or number.is_integer()):
        return int(number)
    raise refused(path, "a whole number from 0", value)


def seconds(value: Any, path: str) -> float:
    """A number of seconds from 0; also one that is written as a text."""
    number = _number(value)
    if number is not None and 0 <= number < math.inf:
        return number
    raise refused(path, "a number of seconds from 0", value)


def limit(value: Any, path: str) -> float | None:
    """A number of seconds, or none."""
    return None if value is None else seconds(value, path)


def attempts(value: Any, path: str) -> int | dict[str, Any]:
    """A whole number from 0, or a mapping that says more, which the engine reads."""
    return dict(value) if isinstance(value, Mapping) else count(value, path)


def _number(value: Any) -> float | None:
    """The number that a value is, or that a text says."""
    if isinstance(value, str):
        try:
            return float(value) if "." in value else int(value)
        except ValueError:
            return None
    return value if isinstance(value, (int, float)) else None


def mapping(value: Any, path: str) -> dict[str, Any]:
    """A mapping by texts. Nothing at all is an empty one."""
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return dict(value)
    raise refused(path, "a mapping whose keys are texts", value)


def texts(value: Any, path: str) -> list[str]:
    """A list of texts; a single one may stand alone."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)):
        return [text(item, f"{path}[{n}]") for n, item in enumerate(value)]
    raise refused(path, "a list of texts", value)


def word(*words: str) -> Kind:
    """One of these words."""

    def read(value: Any, path: str) -> str:
        if value in words and isinstance(value, str):
            return value
        raise refused(path, f"one of {', '.join(words)}", value)

    return read


def anything(value: Any, path: str) -> Any:
    """Any value."""
    return value


def listing(kind: Kind) -> Kind:
    """A list of a kind. Nothing at all is an empty one."""

    def read(value: Any, path: str) -> list[Any]:
        if value is None:
            return []
        if isinstance(value, (list, tuple)):
            return [kind(item, f"{path}[{n}]") for n, item in enumerate(value)]
        raise refused(path, "a list", value)

    return read
