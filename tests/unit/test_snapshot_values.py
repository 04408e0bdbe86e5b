"""The lasting form of values, in which snapshots keep them."""

from __future__ import annotations

import dataclasses
import enum
import re

import pytest

from unitai.errors import InvalidArgumentError
from unitai.snapshot import rendered

pytestmark = pytest.mark.unit


class Model:
    """Speaks as models of pydantic do."""

    def __init__(self, field: object) -> None:
        self.field = field

    def model_dump(self, *, mode: str) -> dict[str, object]:
        is_set = isinstance(self.field, (set, frozenset))
        return {"field": list(self.field) if is_set and mode == "json" else self.field}


@dataclasses.dataclass
class Route:
    to: object


class Colour(str, enum.Enum):
    RED = "red"


def deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


def circle() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("a", "a"),
        (bytearray(b"a"), b"a"),
        (True, "true"),
        (1.0, "1.0"),
        (Colour.RED, "red"),
        ([Colour.RED, None], '[\n  "red",\n  null\n]'),
        (Route((1,)), '{\n  "to": [\n    1\n  ]\n}'),
        ([Model(Route("x").to)], '[\n  {\n    "field": "x"\n  }\n]'),
    ],
)
def test_what_can_be_kept(value, form):
    assert rendered(value) == form


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (object(), "object is nothing that JSON knows"),
        ({1, 2}, "set is nothing that JSON knows"),
        (Route({1, 2}), "set is nothing that JSON knows"),
        (Model({1, 2}), "the order of a set is another one each time"),
        (Model([{"a": frozenset("ab")}]), "the order of a set is another one each time"),
        ({1: 2}, "JSON has texts as keys, and this is none: 1"),
        ([{None: 2}], "JSON has texts as keys, and this is none: None"),
        (float("nan"), "JSON has no number nan"),
        ({"a": [float("-inf")]}, "JSON has no number -inf"),
        ("a\ud800b", "half of a letter, a lone surrogate, is in it"),
        ({"a": "\ud800"}, "half of a letter, a lone surrogate, is in it"),
        (deep(100_000), "it is nested too deep, or holds itself"),
        (circle(), "it is nested too deep, or holds itself"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isascii() else type(value).__name__,
)
def test_what_would_be_another_value_tomorrow_is_refused(value, why):
    with pytest.raises(InvalidArgumentError, match=re.escape(f"has no lasting form: {why}")) as caught:
        rendered(value)
    assert caught.value.__context__ is None
