"""Values of every kind: from an agent's arguments through the record and JSON and back, and compared."""

import copy
import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unitai import MockToolkit, Trajectory

pytestmark = pytest.mark.unit

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(2**200), max_value=2**200)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.text(st.characters(codec=None), max_size=4)  # with lone surrogates
    | st.binary(max_size=8)
    | st.sampled_from(["$unitai", "\\", '"', "\x00", "\u2028", "\ud800", -0.0, 2**63, -(2**63) - 1, 1e308, 5e-324])
)
hashable = st.recursive(scalars, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=4)
values = st.recursive(
    hashable,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.sets(hashable, max_size=3)
        | st.dictionaries(st.text(max_size=4) | st.just("$unitai"), inner, max_size=3)
        | st.dictionaries(hashable, inner, max_size=3)
    ),
    max_leaves=12,
)
arguments = st.dictionaries(st.text(max_size=4), values, max_size=4)


def run_with(args, answer=None):
    """The result of an agent that makes one call with these arguments."""
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=answer)
    return toolkit.run(lambda input, tools: tools["tool"](args), "x")


def same(a, b):
    """Equal and of the same types all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return math.copysign(1, a) == math.copysign(1, b) and (a == b or (a != a and b != b))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a, b)) and all(same(a[key], b[key]) for key in a)
    return a == b


@given(arguments, values)
@settings(deadline=None)
def test_a_value_comes_through_the_record_and_json_as_it_was(args, answer):
    trajectory = run_with(args, answer).trajectory
    twins = [
        trajectory,
        Trajectory.from_json(trajectory.to_json()),
        Trajectory.from_dict(trajectory.to_dict()),
        pickle.loads(pickle.dumps(trajectory)),
    ]
    for twin in twins:
        assert same(twin.steps[0].tool_args, args)
        assert same(twin.steps[0].tool_result, answer)
        assert same(twin.final_output, answer)
        assert twin == trajectory


@given(arguments, arguments)
@settings(deadline=None)
def test_arguments_are_equal_where_python_says_so(actual, expected):
    result = run_with(actual)
    assert bool(result.tool_called_with("tool", expected)) == (expected == actual)
    assert bool(result.matches([("tool", expected)])) == (expected == actual)
    assert bool(result.matches([("tool", expected)], "unordered")) == (expected == actual)
    assert result.tool_called_with("tool", copy.deepcopy(actual))


NUMBERS = [
    0,
    0.0,
    -0.0,
    False,
    1,
    1.0,
    True,
    2**53,
    2.0**53,
    2**53 + 1,
    2**70,
    2.0**70,
    -(2**70),
    1e300,
    int(1e300),
    0.5,
]
LIKE = [
    *NUMBERS,
    "",
    "1",
    b"",
    b"1",
    None,
    [],
    (),
    {},
    set(),
    frozenset(),
    [1],
    (1,),
    [1.0],
    {1},
    frozenset({1.0}),
    {"a": 1},
    {"a": True},
]


@pytest.mark.parametrize("in_list", [False, True], ids=["bare", "in a list"])
@pytest.mark.parametrize("via_json", [False, True], ids=["fresh", "saved"])
def test_look_alikes_are_equal_where_python_says_so(in_list, via_json):
    differing = []
    shapes = [[value] if in_list else value for value in LIKE]
    runs = [run_with({"v": value}) for value in shapes]
    for actual, run in zip(LIKE, runs, strict=True):
        result = type(run)(Trajectory.from_json(run.trajectory.to_json())) if via_json else run
        for expected, wanted, twin in zip(LIKE, shapes, runs, strict=True):
            for answer in (
                result.tool_called_with("tool", v=wanted),
                result.tool_called_with_partial("tool", v=wanted),
                result.matches([("tool", {"v": wanted})], "strict"),
                result.matches([("tool", {"v": wanted})], "unordered"),
                result.matches(twin, "unordered"),
            ):
                if bool(answer) != (expected == actual):
                    differing.append((actual, expected, answer.check))
    assert differing == []


def test_nan_is_kept_and_is_equal_to_nothing():
    result = run_with({"v": math.nan})
    twin = Trajectory.from_json(result.trajectory.to_json())
    assert math.isnan(result.get_call("tool").args["v"])
    assert math.isnan(twin.steps[0].tool_args["v"])
    assert twin == result.trajectory
    assert not result.tool_called_with("tool", v=float("nan"))


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinities_are_kept_and_compare(value):
    result = run_with({"v": value})
    assert result.tool_called_with("tool", v=value)
    assert not result.tool_called_with("tool", v=-value)
    assert Trajectory.from_json(result.trajectory.to_json()).steps[0].tool_args == {"v": value}


@given(arguments, st.sampled_from(["tool_called_with", "matches"]))
@settings(deadline=None)
def test_a_saved_run_answers_as_the_run_itself(args, check):
    result = run_with(args)
    saved = type(result)(Trajectory.from_json(result.trajectory.to_json()))
    if check == "matches":
        assert saved.matches(result)
        assert result.matches(saved, "unordered")
    else:
        assert saved.tool_called_with("tool", args)
