"""The error classes: one root, three branches, messages that say what to do, copies that stay whole."""

import copy
import pickle

import pytest

import unitai.errors as errors
from unitai import MockToolkit, RecordedError, UnitAIError, assert_trajectory

pytestmark = pytest.mark.unit

LEAVES = sorted(
    (
        found
        for found in vars(errors).values()
        if isinstance(found, type) and issubclass(found, UnitAIError) and found.code
    ),
    key=lambda found: found.code,
)


def test_every_leaf_belongs_to_exactly_one_branch():
    branches = (errors.ExpectationError, errors.MisuseError, errors.InfrastructureError)
    assert LEAVES
    assert [sum(issubclass(leaf, branch) for branch in branches) for leaf in LEAVES] == [1] * len(LEAVES)


def test_codes_are_unique():
    assert len({leaf.code for leaf in LEAVES}) == len(LEAVES)


#: Errors whose text is a whole report already.
REPORTS = (
    errors.BrokenExpectationError,
    errors.PassRateError,
    errors.RunsRaisedError,
    errors.InconclusiveError,
    errors.LLMTestFailed,
)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.BrokenExpectationError, AssertionError),
        (errors.AgentTimeoutError, TimeoutError),
        (errors.AgentTimeoutError, AssertionError),
        (errors.UnknownToolError, KeyError),
        (errors.InvalidArgumentError, ValueError),
        (errors.CallNotFoundError, IndexError),
        (errors.TrajectoryFormatError, ValueError),
        (errors.MissingDependencyError, ImportError),
        (errors.MockStrategyError, TypeError),
    ],
)
def test_an_error_is_also_the_builtin_that_python_would_have_raised(error, builtin):
    assert issubclass(error, builtin)


@pytest.mark.parametrize("leaf", LEAVES)
def test_the_text_has_the_message_the_code_and_what_to_do(leaf):
    if leaf in REPORTS:
        assert str(leaf("the whole report")) == "the whole report"
        return
    text = str(leaf("what happened", expected="this", found="that", remedy="do so"))
    assert text.splitlines()[0] == f"what happened [{leaf.code}]"
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["expected:", "this"],
        ["found:", "that"],
        ["to", "do:", "do", "so"],
    ]


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("clone", [copy.deepcopy, copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_survives_copies_and_pickle_with_all_its_parts(leaf, clone):
    details = {} if leaf in REPORTS else {"expected": "a", "found": "b", "remedy": "c"}
    error = leaf("message", **details)
    twin = clone(error)
    assert (type(twin), str(twin), twin.code) == (type(error), str(error), error.code)
    assert {**vars(twin)} == {**vars(error)}


def test_an_error_with_its_partial_result_survives_pickle():
    with pytest.raises(errors.UnmockedToolError) as caught:
        MockToolkit().run(lambda input, tools: tools["nothing"](id=1), "hello")
    twin = pickle.loads(pickle.dumps(caught.value))
    assert str(twin) == str(caught.value)
    assert twin.result.call_order() == ["nothing"]


def test_a_broken_expectation_survives_pickle_with_its_finding():
    result = MockToolkit().run(lambda input, tools: "done", "hello")
    with pytest.raises(errors.BrokenExpectationError) as caught:
        assert_trajectory(result).called("search")
    twin = pickle.loads(pickle.dumps(caught.value))
    assert not twin.finding
    assert twin.finding == caught.value.finding
    assert str(twin) == str(caught.value)


def test_a_recorded_error_says_what_it_stands_for():
    error = RecordedError("shop.PaymentError", "declined")
    assert str(error) == "shop.PaymentError: declined"
    assert str(RecordedError("shop.PaymentError", "")) == "shop.PaymentError"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
