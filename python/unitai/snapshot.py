"""Snapshots: output that changes on purpose only. The fixture `snapshot` is one of these."""

from __future__ import annotations

import dataclasses
import json
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
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        names: Sequence[str],
        *,
        root: str | os.PathLike[str] = "",
        update: bool = False,
    ) -> None:
        self._kept = Snapshots(file, list(names), root, update)
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
        if not isinstance(name, str):
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
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    try:
        return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"a value of {type(value).__name__} has no lasting form: {error}",
            expected="a text, bytes, or what JSON can say",
            remedy="make a text of it that is the same each time",
        ) from None


def _plain(value: Any) -> Any:
    """What JSON can say of a value that it does not know."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    dump = getattr(type(value), "model_dump", None)
    if dump is not None:
        return dump(value, mode="json")
    raise TypeError(f"{type(value).__name__} is nothing that JSON knows")
