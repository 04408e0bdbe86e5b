"""Snapshots: output that changes on purpose only. The fixture `snapshot` is one of these."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Sequence
from typing import Any

from unitai._engine import Snapshots
from unitai.errors import InvalidArgumentError

__all__ = ["Snapshot"]


class Snapshot:
    """What was kept of a test's values: readable files beside the test, one for each name.

    Args:
        file: The file of the test.
        names: The names of its classes, its function and its parameters.
        root: The folder from which paths are told.
        update: Whether values are kept instead of compared.
        option: The option that updates them, which a failing test names.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        names: Sequence[str],
        *,
        root: str | os.PathLike[str] = "",
        update: bool = False,
        option: str = "--snapshot-update",
    ) -> None:
        self._kept = Snapshots(file, list(names), root, update, option)
        #: What was written, by its path from the root: `written` or `changed`.
        self.updates: dict[str, str] = {}

    def assert_match(self, value: object, name: str) -> None:
        """The value is what the snapshot of this name says. With `--snapshot-update` it is kept from now on.

        Args:
            value: A text, bytes, or what JSON can say; dataclasses and models of pydantic are written as JSON, too.
            name: The name of the file, as in `"prompt.txt"`.

        Raises:
            SnapshotError: It is something else, or nothing was kept yet.
            InvalidArgumentError: The name leads elsewhere or has another value, or the value has no lasting form.
        """
        __tracebackhide__ = True
        if not isinstance(name, str) or not _is_whole(name):
            raise InvalidArgumentError("a snapshot has a name", expected='a text, as in "prompt.txt"', found=repr(name))
        outcome = self._kept.look(name, rendered(value))
        if outcome != "same":
            self.updates[self._kept.place(name)] = outcome

    def leave(self) -> list[str]:
        """The snapshots that the test, which passed, has not looked at. In an update they are removed."""
        return self._kept.leave()


def rendered(value: object) -> str | bytes:
    """The value as it is kept: the same today and tomorrow.

    >>> print(rendered({"b": (1, 2.5), "a": None}))
    {
      "a": null,
      "b": [
        1,
        2.5
      ]
    }
    """
    __tracebackhide__ = True
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    try:
        text = value if isinstance(value, str) else _json(value)
        if _is_whole(text):
            return text
        why = "half of a letter, a lone surrogate, is in it"
    except RecursionError:
        why = "it is nested too deep, or holds itself"
    except (TypeError, ValueError) as error:
        why = str(error)
    raise InvalidArgumentError(
        f"a value of {type(value).__name__} has no lasting form: {why}",
        expected="a text, bytes, or what JSON can say",
        remedy="make a text of it that is the same each time",
    )


def _is_whole(text: str) -> bool:
    """Whether a file can hold the text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _json(value: object) -> str:
    return json.dumps(_plain(value), indent=2, sort_keys=True, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """The value in what JSON has. What JSON would only change into something that it has is refused: two different
    values would be one.
    """
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"JSON has no number {value}")
        return value
    if isinstance(value, dict):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    dump = getattr(type(value), "model_dump", None)
    if dump is not None:
        # As JSON, a set is a list whose order is another one each time.
        _refuse_sets(dump(value, mode="python"))
        return _plain(dump(value, mode="json"))
    raise TypeError(f"{type(value).__name__} is nothing that JSON knows")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"JSON has texts as keys, and this is none: {key!r}")
    return key


def _refuse_sets(value: object) -> None:
    if isinstance(value, (set, frozenset)):
        raise TypeError("the order of a set is another one each time")
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    for item in items:
        _refuse_sets(item)
