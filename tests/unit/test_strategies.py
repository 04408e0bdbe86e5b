"""The five ways in which a mock answers, each by itself."""

import pickle
import threading

import pytest

from unitai import MockExhaustedError, MockStrategyError, NoMatchingConditionError
from unitai.mock.strategies import (
    CallableStrategy,
    ConditionalStrategy,
    ErrorStrategy,
    ResponseStrategy,
    SequenceStrategy,
    StaticStrategy,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("value", [None, 0, "", [], {"status": "delivered"}, (1, 2), False])
def test_static_returns_its_value_every_time(value):
    strategy = StaticStrategy(value)
    assert [strategy.respond({}), strategy.respond({"any": 1})] == [value, value]


def test_static_returns_a_copy_so_that_the_agent_cannot_change_the_next_answer():
    strategy = StaticStrategy({"items": ["a"]})
    strategy.respond({})["items"].append("b")
    assert strategy.respond({}) == {"items": ["a"]}


def test_static_returns_an_exception_as_a_value_without_raising_it():
    error = ValueError("a value like any other")
    assert StaticStrategy(error).respond({}) is error


def test_sequence_returns_its_values_in_order_and_then_raises():
    strategy = SequenceStrategy(["a", "b"])
    assert [strategy.respond({}), strategy.respond({})] == ["a", "b"]
    with pytest.raises(MockExhaustedError) as caught:
        strategy.respond({})
    assert "at most 2 calls" in str(caught.value)
    assert "call 3" in str(caught.value)


def test_an_empty_sequence_or_conditional_is_refused_at_once():
    with pytest.raises(MockStrategyError, match="at least one answer"):
        SequenceStrategy([])
    with pytest.raises(MockStrategyError, match="at least one condition"):
        ConditionalStrategy({})


@pytest.mark.parametrize("error", [TimeoutError("slow"), TimeoutError])
def test_sequence_raises_an_exception_and_then_goes_on(error):
    strategy = SequenceStrategy([error, "after"])
    with pytest.raises(TimeoutError):
        strategy.respond({})
    assert strategy.respond({}) == "after"


def test_sequence_takes_any_finite_iterable():
    strategy = SequenceStrategy(n * n for n in range(3))
    assert [strategy.respond({}) for _ in range(3)] == [0, 1, 4]


def test_sequence_copies_its_values_so_that_a_second_pass_sees_them_unchanged():
    strategy = SequenceStrategy([["a"]])
    strategy.respond({}).append("b")
    strategy.reset()
    assert strategy.respond({}) == ["a"]


@pytest.mark.parametrize("values", ["abc", b"abc", {"a": 1}, 7, None])
def test_sequence_refuses_what_is_no_list_of_answers(values):
    with pytest.raises(MockStrategyError, match="a sequence is a list of answers"):
        SequenceStrategy(values)


def test_sequence_gives_each_value_to_one_thread_only():
    strategy = SequenceStrategy(range(400))
    got, lock = [], threading.Lock()

    def take():
        for _ in range(50):
            value = strategy.respond({})
            with lock:
                got.append(value)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == list(range(400))


def test_a_pickled_sequence_goes_on_where_it_stood():
    strategy = SequenceStrategy(["a", "b"])
    strategy.respond({})
    assert pickle.loads(pickle.dumps(strategy)).respond({}) == "b"


def test_conditional_answers_by_the_first_condition_that_accepts():
    strategy = ConditionalStrategy({lambda args: args["id"] < 10: "small", lambda args: args["id"] < 100: "medium"})
    assert (strategy.respond({"id": 5}), strategy.respond({"id": 50})) == ("small", "medium")


@pytest.mark.parametrize(
    "strategy",
    [
        ConditionalStrategy({lambda args: False: 1, "__default__": "other"}),
        ConditionalStrategy([(lambda args: False, 1), ("__default__", "other")]),
        ConditionalStrategy([(lambda args: False, 1)], default="other"),
    ],
    ids=["dict", "pairs", "parameter"],
)
def test_conditional_falls_back_on_its_default(strategy):
    assert strategy.respond({}) == "other"


def test_a_default_of_none_is_a_default():
    assert ConditionalStrategy({"__default__": None}).respond({}) is None


def test_conditional_without_match_and_default_shows_the_arguments():
    strategy = ConditionalStrategy({lambda args: args["id"] == 1: "one"})
    with pytest.raises(NoMatchingConditionError) as caught:
        strategy.respond({"id": 2})
    assert "{'id': 2}" in str(caught.value)
    assert "__default__" in str(caught.value)


@pytest.mark.parametrize("error", [KeyError("gone"), KeyError])
def test_an_exception_as_a_conditional_value_or_default_is_raised(error):
    strategy = ConditionalStrategy({lambda args: args["id"] == 1: error, "__default__": error})
    for id in (1, 2):
        with pytest.raises(KeyError):
            strategy.respond({"id": id})


def test_conditional_copies_its_values():
    strategy = ConditionalStrategy({lambda args: True: {"items": []}})
    strategy.respond({})["items"].append(1)
    assert strategy.respond({}) == {"items": []}


def test_a_condition_that_raises_is_the_tests_own_mistake():
    with pytest.raises(MockStrategyError, match=r"condition 1 of .* raised KeyError\('order_id'\)"):
        ConditionalStrategy({lambda args: args["order_id"] == 1: "x"}).respond({})


@pytest.mark.parametrize("conditions", [{"default": 1}, [(1, 2)], [lambda args: True], [(lambda args: True,)]])
def test_conditional_refuses_what_is_no_condition(conditions):
    with pytest.raises(MockStrategyError, match="a condition is"):
        ConditionalStrategy(conditions)


@pytest.mark.parametrize("error", [TimeoutError("down"), TimeoutError])
def test_error_raises_every_time(error):
    strategy = ErrorStrategy(error)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            strategy.respond({})


@pytest.mark.parametrize("nothing_to_raise", ["error", None, int, 3])
def test_error_refuses_what_cannot_be_raised(nothing_to_raise):
    with pytest.raises(MockStrategyError):
        ErrorStrategy(nothing_to_raise)


def test_an_error_that_is_raised_again_does_not_carry_the_last_traceback():
    strategy, depths = ErrorStrategy(ValueError("again")), []
    for _ in range(5):
        with pytest.raises(ValueError) as caught:
            strategy.respond({})
        depths.append(len(caught.traceback))
    assert len(set(depths)) == 1


def test_callable_is_given_the_arguments_as_one_dictionary():
    assert CallableStrategy(lambda args: sorted(args.items())).respond({"b": 2, "a": 1}) == [("a", 1), ("b", 2)]


def test_callable_refuses_what_cannot_be_called():
    with pytest.raises(MockStrategyError, match="a function or an exception"):
        CallableStrategy(3)


def test_the_base_strategy_wants_to_be_overridden_and_needs_no_reset():
    strategy = ResponseStrategy()
    strategy.reset()
    with pytest.raises(NotImplementedError):
        strategy.respond({})
