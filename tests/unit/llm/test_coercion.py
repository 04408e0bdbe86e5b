"""Arguments of plugins become what annotations ask for, or are refused."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import pathlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, Optional, TypedDict, Union

import pytest

from unitai.llm.coercion import coerced

pytestmark = pytest.mark.unit


class Unit(enum.Enum):
    PIECE = "piece"
    BOX = "box"


@dataclasses.dataclass
class Item:
    name: str
    count: int = 1


class Place(TypedDict):
    city: str


class Model:
    """As pydantic's are."""

    def __init__(self, city: str) -> None:
        self.city = city

    @classmethod
    def model_validate(cls, given: dict[str, Any]) -> Model:
        if "city" not in given:
            raise ValueError("no city")
        return cls(given["city"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and other.city == self.city

    __hash__ = None  # type: ignore[assignment]


UserId = NewType("UserId", int)


def tool(hint: Any) -> Any:
    def buy(x): ...

    buy.__annotations__["x"] = hint
    return buy


def fitted(hint: Any, value: Any) -> Any:
    return coerced(tool(hint), {"x": value})["x"]


@pytest.mark.parametrize(
    ("hint", "value", "made"),
    [
        (int, "2", 2),
        (int, 2.0, 2),
        (int, True, 1),
        ("int", "2", 2),
        (float, "0.5", 0.5),
        (float, 2, 2.0),
        (bool, "yes", True),
        (bool, "False", False),
        (bool, 0, False),
        (str, "2", "2"),
        (str, 2, "2"),
        (str, 2.5, "2.5"),
        (list, "[1, 2]", [1, 2]),
        (list[int], ["1", 2.0], [1, 2]),
        (Sequence[int], ["1"], [1]),
        (tuple[int, str], ["1", "a"], (1, "a")),
        (tuple[int, ...], ["1", 2], (1, 2)),
        (set[int], ["1", 1], {1}),
        (dict, '{"a": 1}', {"a": 1}),
        (dict[str, float], {"a": "1"}, {"a": 1.0}),
        (Mapping[str, int], {"a": "1"}, {"a": 1}),
        (Optional[int], None, None),  # noqa: UP045
        (Optional[int], "3", 3),  # noqa: UP045
        (int | None, "3", 3),
        (Union[int, str], "3", "3"),  # noqa: UP007
        (int | list[int], "[3]", [3]),
        (Annotated[int, "seconds"], "3", 3),
        (Literal["a", "b"], "a", "a"),
        (UserId, "3", 3),
        (Unit, "box", Unit.BOX),
        (Item, {"name": "pen", "count": "2"}, Item("pen", 2)),
        (list[Item], [{"name": "pen"}], [Item("pen")]),
        (Place, {"city": "Rome"}, {"city": "Rome"}),
        (Model, {"city": "Rome"}, Model("Rome")),
        (datetime.date, "2026-01-02", datetime.date(2026, 1, 2)),
        (
            datetime.datetime,
            "2026-01-02T03:04:05Z",
            datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
        ),
        (decimal.Decimal, "0.10", decimal.Decimal("0.10")),
        (pathlib.Path, "a/b", pathlib.Path("a/b")),
        (Any, "2", "2"),
        ("NotThere", "2", "2"),
        (object, [1], [1]),
    ],
)
def test_a_value_becomes_what_the_annotation_asks_for(hint, value, made):
    found = fitted(hint, value)
    assert (type(found), found) == (type(made), made)


@pytest.mark.parametrize(
    ("hint", "value", "told"),
    [
        (int, "two", "buy cannot take `x`: expected a whole number, found 'two'"),
        (int, 2.5, "expected a whole number, found 2.5"),
        (int, None, "expected a whole number, found None"),
        (int, [1], "expected a whole number"),
        (float, "much", "expected a number, found 'much'"),
        (bool, "maybe", "expected true or false, found 'maybe'"),
        (bool, 2, "expected true or false, found 2"),
        (str, True, "expected a text, found True"),
        (str, ["a"], "expected a text"),
        (str, None, "expected a text, found None"),
        (list, "a", "expected a list, found 'a'"),
        (list[int], ["a"], "expected a whole number"),
        (tuple[int, int], [1], "expected a list of 2 elements"),
        (dict, [1], "expected a mapping"),
        (int | None, "a", "expected a whole number or null, found 'a'"),
        (Literal["a", "b"], "c", "expected one of 'a', 'b', found 'c'"),
        (Unit, "crate", "expected one of 'piece', 'box', found 'crate'"),
        (Item, {"nam": "pen"}, "expected the fields of Item"),
        (Model, {}, "expected what makes a Model (no city)"),
        (datetime.date, "soon", "expected a date, found 'soon'"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(hint, value, told):
    with pytest.raises(TypeError) as raised:
        fitted(hint, value)
    assert told in str(raised.value)


def test_what_has_no_annotation_is_handed_on_and_so_is_what_has_no_name():
    def buy(x, y: int, *rest: int, z: str = None, **more: int): ...  # noqa: RUF013

    given = {"x": "1", "y": "2", "z": None, "other": "3"}
    assert coerced(buy, given) == {"x": "1", "y": 2, "z": None, "other": "3"}
    assert given["y"] == "2"
