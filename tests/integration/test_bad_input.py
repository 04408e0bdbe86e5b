"""Hostile values and agents: a clear error or a faithful record, never a crash, a hang or a lost trajectory."""

import copy
import json
import pickle
import threading
import time
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import Enum
from unittest.mock import ANY, MagicMock

import pytest

from unitai import InvalidArgumentError, MockToolkit, StoredRepr, Trajectory

pytestmark = pytest.mark.integration


def run_with(args=None, answer=None, input="x"):
    """The result of an agent that makes one call and returns the answer."""
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=answer)
    return toolkit.run(lambda input, tools: tools["tool"]({} if args is None else args), input)


def read_everything(result):
    """Looks at all that a result shows: none of it may raise."""
    texts = [str(result), repr(result), repr(result.trajectory), repr(result.trajectory.steps[0])]
    texts += [repr(result.get_call("tool")), str(result.tool_was_called("never")), str(result.output_contains("never"))]
    assert all(texts)
    assert Trajectory.from_json(result.trajectory.to_json()) == result.trajectory
    assert result.call_order() == ["tool"]


class Raises:
    """Whatever is asked of it, it raises."""

    def _no(self, *args):
        raise RuntimeError("no")

    __eq__ = __ne__ = __repr__ = __str__ = __deepcopy__ = __copy__ = __reduce_ex__ = __bool__ = __len__ = _no
    __iter__ = __getitem__ = __contains__ = __int__ = __float__ = __index__ = __format__ = _no
    __hash__ = None


@dataclass
class Order:
    id: int
    items: list = field(default_factory=list)


class Colour(Enum):
    RED = 1


class Text(str):
    pass


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize("make", [Raises, threading.Lock, MagicMock])
def test_an_object_that_cannot_be_stored_is_kept_itself_and_stored_by_its_repr(make):
    value = make()
    result = run_with({"v": value, "nested": [{"deep": (value,)}], "plain": 1}, answer=value, input=value)
    read_everything(result)
    assert result.error is None
    assert result.get_call("tool").args["v"] is value
    assert result.output is value
    assert result.tool_called_with_partial("tool", plain=1)
    saved = Trajectory.from_json(result.trajectory.to_json()).steps[0].tool_args
    assert isinstance(saved["v"], StoredRepr)
    assert saved["plain"] == 1


@pytest.mark.parametrize(
    "value",
    [
        Order(1, ["a"]),
        Colour.RED,
        Text("text"),
        Point(1, 2),
        Decimal("1.10"),
        datetime(2026, 1, 1),
        Counter("aab"),
        OrderedDict(a=[1]),
        defaultdict(list, a=[1]),
        bytearray(b"ab"),
        range(3),
        1 + 2j,
        int,
        len,
        Ellipsis,
        NotImplemented,
    ],
    ids=repr,
)
def test_values_of_other_types_are_compared_as_python_does(value):
    result = run_with({"v": value}, answer=value)
    read_everything(result)
    assert result.tool_called_with("tool", v=copy.deepcopy(value))
    assert result.output == value
    assert type(result.output) is type(value)


@pytest.mark.parametrize(
    "change",
    [
        lambda args: args["order"].items.append("late"),
        lambda args: args["plain"].append("late"),
        lambda args: args["mapping"]["k"].append("late"),
    ],
)
def test_what_changes_after_the_call_does_not_change_the_record(change):
    args = {"order": Order(1, ["a"]), "plain": ["a"], "mapping": defaultdict(list, k=["a"])}
    kept = copy.deepcopy(args)
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=args["order"])

    def agent(input, tools):
        tools["tool"](args).items.append("changed by the agent")
        change(args)

    result = toolkit.run(agent, "x")
    assert result.tool_called_with("tool", **kept)
    assert result.get_call("tool").result == Order(1, ["a"])


def test_ten_megabytes_are_recorded_whole():
    text = "äöü\n" * 1_500_000  # seven bytes each
    began = time.process_time()
    result = run_with({"text": text}, answer="done")
    assert result.get_call("tool").args["text"] == text
    assert result.tool_called_with("tool", text=text)
    assert len(str(result)) < 10_000
    assert len(str(result.tool_called_with("tool", text="short"))) < 10_000
    assert time.process_time() - began < 20


def test_a_million_small_values_are_recorded_whole():
    value = list(range(1_000_000))
    result = run_with({"v": value})
    assert result.get_call("tool").args["v"] == value
    assert len(str(result)) < 10_000


def cyclic_list():
    value = [1]
    value.append(value)
    return value


def cyclic_dict():
    value = {"a": 1}
    value["self"] = [value]
    return value


def cyclic_tuple():
    value = ([],)
    value[0].append(value)
    return value


def cyclic_object():
    value = Order(1)
    value.items.append(value)
    return value


def deep_list():
    value = []
    for _ in range(10_000):
        value = [value]
    return value


def deep_dict():
    value = {}
    for _ in range(10_000):
        value = {"d": value}
    return value


def deep_tuple():
    value = ()
    for _ in range(10_000):
        value = (value, 1)
    return value


def deep_object():
    value = None
    for _ in range(5_000):
        value = Order(1, [value])
    return value


@pytest.mark.parametrize(
    "make",
    [cyclic_list, cyclic_dict, cyclic_tuple, cyclic_object, deep_list, deep_dict, deep_tuple, deep_object],
)
def test_cyclic_and_bottomless_values_are_recorded(make):
    value = make()
    result = run_with({"v": value, "plain": 1}, answer=value, input=value)
    read_everything(result)
    assert result.error is None
    assert result.tool_called_with_partial("tool", plain=1)
    assert result.tool_called_with("tool", v=ANY, plain=1)
    assert type(result.get_call("tool").args["v"]) is type(value)


def test_a_value_of_a_hundred_levels_comes_back_from_json():
    value = 1
    for _ in range(90):
        value = [value]
    trajectory = run_with({"v": value}).trajectory
    assert Trajectory.from_json(trajectory.to_json()).steps[0].tool_args == {"v": value}


def test_shared_parts_are_recorded():
    part = [1, 2]
    for _ in range(12):
        part = [part, part]
    result = run_with({"v": part})
    read_everything(result)
    assert result.tool_called_with("tool", v=part)


SURROGATE = "a\ud800b"


def test_lone_surrogates_are_kept_in_arguments_answers_input_and_output():
    result = run_with({"v": SURROGATE, SURROGATE: [SURROGATE]}, answer=SURROGATE, input=SURROGATE)
    read_everything(result)
    assert result.get_call("tool").args == {"v": SURROGATE, SURROGATE: [SURROGATE]}
    assert result.output == result.trajectory.input == SURROGATE
    assert result.tool_called_with_partial("tool", v=SURROGATE)
    assert not result.tool_called_with_partial("tool", v="a\ud801b")
    for text in (str(result), repr(result.get_call("tool")), result.trajectory.to_json()):
        assert text.encode()
    assert json.loads(result.trajectory.to_json())
    assert pickle.loads(pickle.dumps(result)) == result


def test_an_error_with_a_lone_surrogate_is_recorded():
    def agent(input, tools):
        raise ValueError(SURROGATE)

    result = MockToolkit().run(agent, "x")
    assert str(result.error) == SURROGATE
    assert str(result).encode()
    assert Trajectory.from_json(result.trajectory.to_json()) == result.trajectory


class UnspeakableError(Exception):
    def __str__(self):
        raise RuntimeError("no")

    __repr__ = __str__


def test_an_error_without_a_text_is_recorded():
    toolkit = MockToolkit()
    toolkit.mock("tool", side_effect=UnspeakableError())
    result = toolkit.run(lambda input, tools: tools["tool"](), "x")
    read_everything(result)
    assert result.error_is(UnspeakableError)
    assert "UnspeakableError" in str(result)


KEYS = {
    "numbers": {1: "a", 2.5: "b", None: "c", False: "d"},
    "tuples": {(1, "a"): "x", frozenset({1}): "y", b"k": "z"},
    "the mark itself": {"$unitai": "int", "hex": "ff"},
    "the mark and more": {"$unitai": "object", "type": "a", "repr": "b"},
    "the mark nested": {"a": {"$unitai": {"$unitai": "tuple", "items": []}}},
    "like the mark": {"$unitai ": 1, "$unitai2": {"$unitaix": "$unitai"}},
    "numbers as text": {1: "a", "1": "b"},
    "empty": {"": ""},
}


@pytest.mark.parametrize("value", KEYS.values(), ids=KEYS)
def test_dictionaries_with_unusual_keys_come_through(value):
    for args in ({"v": value}, value):
        result = run_with(args, answer=value)
        read_everything(result)
        assert result.get_call("tool").args == args
        assert Trajectory.from_json(result.trajectory.to_json()).steps[0].tool_args == args
        assert result.tool_called_with("tool", args)


NUMBERS = {"huge": 10**5000, "huge below zero": -(10**5000), "2**63": 2**63, "-2**63": -(2**63), "tiny": 1e-310}


@pytest.mark.parametrize("value", NUMBERS.values(), ids=NUMBERS)
def test_huge_and_tiny_numbers_come_through(value):
    result = run_with({"v": value})
    read_everything(result)
    assert Trajectory.from_json(result.trajectory.to_json()).steps[0].tool_args == {"v": value}
    assert result.tool_called_with("tool", v=value)


def test_what_a_comparison_with_a_hostile_object_raises_is_told():
    result = run_with({"v": Raises()})
    with pytest.raises(RuntimeError, match="no"):
        result.tool_called_with("tool", v=1)
    assert result.tool_called_with("tool", v=ANY)


def test_an_argument_that_changes_while_it_is_recorded_does_no_harm():
    class Eats:
        def __init__(self, food):
            self.food = food

        def __repr__(self):
            self.food.clear()
            return "full"

    food = []
    food += [[1], Eats(food), [2], [3]]
    result = run_with({"v": food})
    assert result.error is None
    assert result.call_order() == ["tool"]


def test_a_repr_that_calls_a_tool_does_no_harm():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)

    class Nosy:
        def __repr__(self):
            return f"nosy {toolkit.as_dict()['tool'](inner=True)}"

    result = toolkit.run(lambda input, tools: tools["tool"](v=Nosy()), "x")
    assert result.error is None
    assert result.tool_called_with("tool", inner=True)
    assert result.tool_called_with_partial("tool", v=ANY)


def test_control_characters_do_not_reach_a_terminal():
    evil = "\x1b[31mred\x1b]0;title\x07\r\u202e\u2066\x9b1m\x00"
    toolkit = MockToolkit()
    toolkit.mock("tool", side_effect=ValueError(evil))
    result = toolkit.run(
        lambda input, tools: tools["tool"]({evil: evil, "o": type(evil.strip("\x00"), (), {})()}), evil
    )
    for text in (str(result), repr(result.get_call("tool")), str(result.tool_called_with("tool", v=evil))):
        assert not set(text) & set("\x1b\x07\r\u202e\u2066\x9b\x00")


def test_values_of_the_wrong_type_are_refused_before_anything_runs():
    ran = []
    toolkit = MockToolkit()
    with pytest.raises(InvalidArgumentError):
        toolkit.run(lambda input, tools: ran.append(1), "x", timeout=-1)
    with pytest.raises(KeyError):
        toolkit.as_dict()[3]()
    with pytest.raises(TypeError):
        Trajectory(steps=["step"])
    assert ran == []
