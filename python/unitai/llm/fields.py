"""What the fields of a model may hold: each kind takes a value as files and programs write it, or says why not."""

from __future__ import annotations

import copy
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
    number = value
    if isinstance(value, str):
        try:
            number = float(value) if "." in value else int(value)
        except ValueError:
            number = None
    is_whole = isinstance(number, int) or (isinstance(number, float) and number.is_integer())
    if is_whole and number >= 0:
        return int(number)
    raise refused(path, "a whole number from 0", value)


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
