"""`matches`: every mode, with optimal pairing, held to a brute-force definition."""

from itertools import permutations
from unittest.mock import ANY

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unitai import AgentRunResult, InvalidArgumentError, Trajectory, TrajectoryStep
from unitai.match import one_of

pytestmark = pytest.mark.unit

MODES = ("strict", "unordered", "subset", "superset", "in_order")


def result_of(*calls):
    steps = [TrajectoryStep(tool_name=name, tool_args=args) for name, args in calls]
    return AgentRunResult(Trajectory(steps=steps))


def holding(result, reference):
    return {mode for mode in MODES if result.matches(reference, mode)}


A, B, C = ("a", {"n": 1}), ("b", {"n": 2}), ("c", {"n": 3})


@pytest.mark.parametrize(
    ("actual", "reference", "modes"),
    [
        ([], [], set(MODES)),
        ([A, B], [A, B], set(MODES)),
        ([B, A], [A, B], {"unordered", "subset", "superset"}),
        ([A], [A, B], {"subset"}),
        ([], [A], {"subset"}),
        ([A, B, C], [A, C], {"superset", "in_order"}),
        ([C, B, A], [A, C], {"superset"}),
        ([A], [], {"superset", "in_order"}),
        ([A, A], [A], {"superset", "in_order"}),
        ([A], [A, A], {"subset"}),
        ([A], [("a", {"n": 2})], set()),
        ([A, B], ["a", "b"], set(MODES)),
        ([A, B], ["a", B], set(MODES)),
    ],
)
def test_each_mode_holds_as_it_says(actual, reference, modes):
    assert holding(result_of(*actual), reference) == modes


def test_strict_is_the_mode_unless_said_otherwise():
    assert result_of(A, B).matches([A, B])
    assert not result_of(B, A).matches([A, B])


@pytest.mark.parametrize("mode", ["unordered", "subset", "superset"])
def test_pairing_is_not_greedy(mode):
    # Greedy pairing gives the first call to the entry that would take either, and leaves the other alone.
    result = result_of(("a", {"n": 1}), ("a", {"n": 2}))
    assert result.matches([("a", {"n": ANY}), ("a", {"n": 1})], mode)
    assert result.matches([("a", {"n": one_of(1, 2)}), ("a", {"n": 1})], mode)
    assert result.matches(["a", ("a", {"n": 1})], mode)


def test_pairing_follows_a_long_chain_of_displacements():
    n = 60
    result = result_of(*(("a", {"n": k}) for k in range(n)))
    reference = [("a", {"n": one_of(k, k + 1)}) for k in range(n - 1)] + [("a", {"n": 0})]
    assert result.matches(reference, "unordered")
    assert not result.matches([*reference[:-1], ("a", {"n": n})], "unordered")


# Brute force


def accepts(entry, call):
    if isinstance(entry, str):
        return entry == call[0]
    return entry[0] == call[0] and entry[1] == call[1]


def pairs_all(few, many, fits):
    """Whether each of the few can be paired with another of the many."""
    return len(few) <= len(many) and any(all(map(fits, few, chosen)) for chosen in permutations(many, len(few)))


def expected_modes(actual, reference):
    held = set()
    if len(actual) == len(reference) and all(map(accepts, reference, actual)):
        held.add("strict")
    rest = iter(actual)
    if all(any(accepts(entry, call) for call in rest) for entry in reference):
        held.add("in_order")
    if pairs_all(reference, actual, accepts):
        held.add("superset")
    if pairs_all(actual, reference, lambda call, entry: accepts(entry, call)):
        held.add("subset")
    if {"superset", "subset"} <= held:
        held.add("unordered")
    return held


numbers = st.sampled_from([0, 1, 2, 1.0, True])
calls = st.tuples(st.sampled_from("ab"), st.fixed_dictionaries({"n": numbers}))
wanted = st.one_of(
    st.sampled_from("ab"),
    calls,
    st.tuples(
        st.sampled_from("ab"),
        st.fixed_dictionaries({"n": st.lists(numbers, min_size=1, max_size=2).map(lambda some: one_of(*some))}),
    ),
    st.just(("a", {"n": ANY})),
)


@given(st.lists(calls, max_size=5), st.lists(wanted, max_size=5))
@settings(max_examples=300, deadline=None)
def test_every_mode_agrees_with_brute_force(actual, reference):
    assert holding(result_of(*actual), reference) == expected_modes(actual, reference)


@given(st.lists(calls, max_size=6), st.randoms())
@settings(deadline=None)
def test_a_run_matches_itself_in_every_mode_and_its_shuffle_in_those_without_order(actual, random):
    result = result_of(*actual)
    shuffled = actual.copy()
    random.shuffle(shuffled)
    assert holding(result, result) == holding(result, result.trajectory) == set(MODES)
    assert holding(result, result.trajectory.steps) == set(MODES)
    assert {"unordered", "subset", "superset"} <= holding(result_of(*shuffled), result)


# What a reference may be


@pytest.mark.parametrize("mode", ["", "Strict", "in-order", "exact"])
def test_an_unknown_mode_lists_the_known_ones(mode):
    with pytest.raises(InvalidArgumentError, match="strict, unordered, subset, superset, in_order"):
        result_of(A).matches([A], mode)


@pytest.mark.parametrize("entry", [1, None, ("a",), ("a", {}, 1), ["a", {}], (1, {})])
def test_an_entry_that_is_no_call_is_refused(entry):
    with pytest.raises(InvalidArgumentError, match="a reference is a list of calls"):
        result_of(A).matches([entry])


def test_a_reference_may_be_any_iterable():
    assert result_of(A, B).matches(call for call in [A, B])
    with pytest.raises(TypeError):
        result_of(A).matches(5)


def test_live_objects_are_matched_by_python_equality():
    class Order:
        def __init__(self, id):
            self.id = id

        def __eq__(self, other):
            return isinstance(other, Order) and self.id == other.id

        __hash__ = None

    result = result_of(("a", {"o": Order(1)}), ("a", {"o": Order(2)}))
    assert result.matches([("a", {"o": Order(2)}), ("a", {"o": Order(1)})], "unordered")
    assert not result.matches([("a", {"o": Order(2)}), ("a", {"o": Order(3)})], "unordered")
    assert result.matches(result_of(("a", {"o": Order(1)}), ("a", {"o": Order(2)})))


# The difference


def test_a_mismatch_shows_each_call_with_its_fate():
    finding = result_of(A, ("b", {"n": 5}), C).matches([A, B], "strict")
    lines = finding.actual.splitlines()
    assert any(line.startswith("- b(n=2)") for line in lines)
    assert any(line.startswith("+ b(n=5)") for line in lines)
    assert any("n: expected 2, got 5" in line for line in lines)
    assert any(line.startswith("+ c(n=3)") for line in lines)
    assert finding.cites == [1, 2]


def test_a_mismatch_without_order_names_the_nearest_call():
    finding = result_of(("a", {"n": 1, "m": 1})).matches([("a", {"n": 2, "m": 1})], "unordered")
    assert "nearest is step 1" in finding.actual
    assert "n: expected 2, got 1" in finding.actual


def test_a_long_mismatch_is_cut():
    finding = result_of(*(("a", {"n": n}) for n in range(500))).matches([("b", {"n": n}) for n in range(500)])
    assert not finding
    assert len(finding.actual.splitlines()) < 60
