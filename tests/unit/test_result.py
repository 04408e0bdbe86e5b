"""Every assertion of section 5 of the specification, as written there, and what a Finding is."""

import copy
import pickle
import re
import sys
from unittest.mock import ANY

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unitai import (
    AgentRunResult,
    AgentTestCase,
    CallNotFoundError,
    Finding,
    InvalidArgumentError,
    MockToolkit,
    Trajectory,
    TrajectoryStep,
    UnknownToolWarning,
    assert_trajectory,
)
from unitai.match import any_of_type, approx, ignoring, one_of, partial, predicate, regex

pytestmark = pytest.mark.unit


def result_of(*tools, output=None, error=None, **parts):
    """A result in which these tools were called: names, or pairs of name and arguments."""
    steps = []
    for tool in tools:
        name, args = tool if isinstance(tool, tuple) else (tool, {})
        steps.append(tool if isinstance(tool, TrajectoryStep) else TrajectoryStep(tool_name=name, tool_args=args))
    return AgentRunResult(Trajectory(steps=steps, final_output=output, error=error, **parts))


def model_call(cost=None, tokens=0, model="m"):
    return TrajectoryStep(step_type="llm_call", model=model, prompt_tokens=tokens, completion_tokens=0, cost=cost)


EMPTY = result_of()

# 5.1 Tool calls


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("tool_called", "tool_was_called"), ("ouput", "output"), ("suceeded", "succeeded")],
)
def test_a_name_that_is_not_there_suggests_the_right_one(wrong, right):
    result = MockToolkit().run(lambda input, tools: "done", "x")
    with pytest.raises(AttributeError) as caught:
        getattr(result, wrong)
    assert str(caught.value) == f"an AgentRunResult has no `{wrong}`: did you mean `{right}`?"


def test_a_name_that_is_near_to_none_suggests_nothing():
    result = MockToolkit().run(lambda input, tools: "done", "x")
    with pytest.raises(AttributeError, match="^an AgentRunResult has no `xyzzy`$"):
        result.xyzzy  # noqa: B018
    assert not hasattr(result, "__array__") and getattr(result, "tool_called", None) is None


def test_tool_was_called():
    result = result_of("a", "b", "a")
    assert result.tool_was_called("a")
    assert not result.tool_was_called("c")
    assert not result.tool_was_called("A")
    assert not EMPTY.tool_was_called("a")


def test_tool_not_called():
    result = result_of("a")
    assert result.tool_not_called("b")
    assert not result.tool_not_called("a")
    assert EMPTY.tool_not_called("a")


def test_tool_call_count():
    result = result_of("a", "b", "a")
    assert result.tool_call_count("a") == 2
    assert result.tool_call_count("never") == 0
    assert EMPTY.tool_call_count("a") == 0
    assert result.tool_call_count_is("a", 2)
    assert not result.tool_call_count_is("a", 3)
    assert EMPTY.tool_call_count_is("a", 0)


def test_tool_called_with_wants_exactly_these_arguments_at_least_once():
    result = result_of(("a", {"id": 1}), ("a", {"id": 2, "full": True}), ("b", {"id": 3}))
    assert result.tool_called_with("a", id=1)
    assert result.tool_called_with("a", full=True, id=2)
    assert not result.tool_called_with("a", id=2)
    assert not result.tool_called_with("a", id=3)
    assert not result.tool_called_with("a")
    assert not result.tool_called_with("c", id=1)
    assert not EMPTY.tool_called_with("a")


def test_tool_called_with_without_arguments_wants_a_call_without_arguments():
    assert result_of("a").tool_called_with("a")


def test_tool_called_with_takes_arguments_of_any_name():
    names = ("name", "self", "args", "kwargs", "tool", "n")
    result = result_of(("a", dict.fromkeys(names, 1)))
    assert result.tool_called_with("a", **dict.fromkeys(names, 1))
    assert result.tool_called_with_partial("a", name=1)


def test_tool_called_with_partial_wants_these_arguments_and_perhaps_others():
    result = result_of(("a", {"id": 1, "full": True}), ("a", {"id": 2}))
    assert result.tool_called_with_partial("a", id=1)
    assert result.tool_called_with_partial("a", id=1, full=True)
    assert result.tool_called_with_partial("a")
    assert not result.tool_called_with_partial("a", id=2, full=True)
    assert not result.tool_called_with_partial("b")
    assert not EMPTY.tool_called_with_partial("a")


def test_tool_called_before_compares_first_occurrences():
    result = result_of("a", "b", "a", "c", "b")
    assert result.tool_called_before("a", "b")
    assert result.tool_called_before("a", "c")
    assert not result.tool_called_before("b", "a")
    assert not result.tool_called_before("c", "b")
    assert not result.tool_called_before("a", "a")
    assert not result.tool_called_before("a", "never")
    assert not result.tool_called_before("never", "a")
    assert not EMPTY.tool_called_before("a", "b")


def test_tool_called_immediately_before_looks_for_two_adjacent_tool_calls():
    result = result_of("a", model_call(0.0), "b", "c", "a", "c")
    for first, second in ["ab", "bc", "ca", "ac"]:
        assert result.tool_called_immediately_before(first, second)
    assert not result.tool_called_immediately_before("b", "a")
    assert not result.tool_called_immediately_before("c", "c")
    assert result_of("c", "c").tool_called_immediately_before("c", "c")
    assert not result.tool_called_immediately_before("a", "never")
    assert not EMPTY.tool_called_immediately_before("a", "b")


def test_tool_called_immediately_before_can_ask_for_the_first_call_of_each():
    result = result_of("a", model_call(0.0), "b", "c", "a", "c")
    assert result.tool_called_immediately_before("a", "b", first=True)
    assert result.tool_called_immediately_before("b", "c", first=True)
    assert not result.tool_called_immediately_before("a", "c", first=True)
    assert not result.tool_called_immediately_before("c", "a", first=True)


def test_call_order():
    assert result_of("tool_a", "tool_b", "tool_c").call_order() == ["tool_a", "tool_b", "tool_c"]
    assert result_of("a", model_call(0.0), "a").call_order() == ["a", "a"]
    assert EMPTY.call_order() == []
    assert result_of("a", "b").call_order_is(["a", "b"])
    assert not result_of("a", "b").call_order_is(["b", "a"])
    assert not result_of("a", "b").call_order_is(["a"])
    assert EMPTY.call_order_is([])


def test_call_order_contains():
    result = result_of("tool_a", "x", "tool_b", "tool_a")
    assert result.call_order_contains(["tool_a", "tool_b"])
    assert result.call_order_contains(["tool_a", "tool_a"])
    assert result.call_order_contains([])
    assert not result.call_order_contains(["tool_b", "tool_b"])
    assert not result.call_order_contains(["tool_b", "x"])
    assert EMPTY.call_order_contains([])
    assert not EMPTY.call_order_contains(["a"])


names = st.lists(st.sampled_from("abc"), max_size=7)


@given(names, names)
@settings(deadline=None)
def test_order_checks_agree_with_their_definition(calls, wanted):
    result = result_of(*calls)
    rest = iter(calls)
    assert bool(result.call_order_contains(wanted)) == all(name in rest for name in wanted)
    assert bool(result.call_order_is(wanted)) == (calls == wanted)
    for first in "abc":
        assert bool(result.tool_was_called(first)) == (first in calls)
        for second in "abc":
            both = first in calls and second in calls
            assert bool(result.tool_called_before(first, second)) == (both and calls.index(first) < calls.index(second))
            is_adjacent = (first, second) in zip(calls, calls[1:], strict=False)
            assert bool(result.tool_called_immediately_before(first, second)) == is_adjacent
            assert bool(result.tool_called_immediately_before(first, second, first=True)) == (
                both and calls.index(first) + 1 == calls.index(second)
            )


# Matchers in arguments

MATCHERS = {
    "ANY": (ANY, object(), None),
    "pytest.approx": (pytest.approx(1.0), 1.0000000001, 1.1),
    "approx": (approx(1.0), 1.0000000001, 1.1),
    "regex": (regex(r"^R-\d+$"), "R-456", "456"),
    "one_of": (one_of("EUR", "USD"), "USD", "GBP"),
    "any_of_type": (any_of_type(str), "text", 5),
    "predicate": (predicate(lambda n: n % 2 == 0), 4, 5),
    "partial": (partial({"user": {"id": 1}}), {"user": {"id": 1, "name": "A"}}, {"user": {"id": 2}}),
    "nested": ({"items": [{"price": approx(5)}]}, {"items": [{"price": 5.0000000001}]}, {"items": [{"price": 6}]}),
}


@pytest.mark.parametrize(("matcher", "good", "bad"), MATCHERS.values(), ids=MATCHERS)
def test_matchers_work_wherever_arguments_are_compared(matcher, good, bad):
    result = result_of(("a", {"v": good, "w": 1}))
    assert result.tool_called_with("a", v=matcher, w=1)
    assert result.tool_called_with_partial("a", v=matcher)
    for mode in ("strict", "unordered", "subset", "superset", "in_order"):
        assert result.matches([("a", {"v": matcher, "w": 1})], mode)
    if matcher is not ANY:
        other = result_of(("a", {"v": bad, "w": 1}))
        assert not other.tool_called_with("a", v=matcher, w=1)
        assert not other.tool_called_with_partial("a", v=matcher)
        assert not other.matches([("a", {"v": matcher, "w": 1})], "unordered")


def test_a_field_can_be_ignored():
    result = result_of(("search", {"q": "cafes", "request_id": "a1"}))
    assert result.tool_called_with("search", ignoring("request_id"), q="cafes")
    assert not result.tool_called_with("search", ignoring("request_id"), q="bars")
    assert not result.tool_called_with("search", ignoring("q"), q="cafes")
    assert result.matches([("search", ignoring("request_id")({"q": "cafes"}))])
    assert result.matches([("search", partial({"q": "cafes"}))])


def test_what_a_comparison_raises_comes_through():
    def broken(value):
        raise ZeroDivisionError

    result = result_of(("a", {"v": 1}))
    for check in (
        lambda: result.tool_called_with("a", v=predicate(broken)),
        lambda: result.tool_called_with_partial("a", v=predicate(broken)),
        lambda: result.matches([("a", {"v": predicate(broken)})], "unordered"),
    ):
        with pytest.raises(ZeroDivisionError):
            check()


# 5.2 Output


@pytest.mark.parametrize("text", ["refunded", "", "Your order was refunded.", "order\nwas", "é", '"', "\\"])
def test_output_contains(text):
    result = result_of(output=f"Your order was refunded. {text}")
    assert result.output_contains(text)
    assert not result.output_not_contains(text)


def test_output_not_contains():
    result = result_of(output="refunded")
    assert result.output_not_contains("denied")
    assert not result.output_contains("denied")
    assert not result.output_contains("REFUNDED")


@pytest.mark.parametrize("pattern", [r"refund(ed)? \d+$", re.compile("REFUND", re.IGNORECASE), "(?s)a.b|1"])
def test_output_matches_searches_as_re_does(pattern):
    result = result_of(output="We refunded 123")
    assert result.output_matches(pattern)
    assert not result_of(output="nothing").output_matches(pattern)


def test_a_pattern_that_is_none_is_an_error():
    with pytest.raises(re.error):
        result_of(output="x").output_matches("(")
    with pytest.raises(TypeError):
        result_of(output="x").output_matches(b"x")


def test_no_output_contains_nothing():
    for check in (EMPTY.output_contains(""), EMPTY.output_matches("")):
        assert not check
        assert check.actual == "the agent returned no output"
    assert EMPTY.output_not_contains("x")


def test_of_the_output_of_an_agent_that_raised_nothing_is_known():
    result = result_of(error=ValueError("bad"))
    assert not result.output_contains("")
    assert not result.output_not_contains("x")
    assert "ValueError: bad" in result.output_not_contains("x").actual


def test_output_that_is_no_text_is_looked_at_as_text():
    result = result_of(output={"status": "refunded", "items": [1, 2]})
    assert result.output_contains("refunded")
    assert result.output_matches("status.*refunded")
    assert result.output == {"status": "refunded", "items": [1, 2]}


# 5.3 Cost and performance


def test_totals_are_numbers_to_compare_with():
    result = result_of(model_call(0.05, 1000), model_call(0.04, 2000), duration_seconds=9.5)
    assert result.total_cost < 0.10
    assert result.llm_calls <= 3
    assert result.duration < 10.0
    assert result.total_tokens < 5000
    assert (result.total_cost, result.llm_calls, result.total_tokens, result.duration) == (0.09, 2, 3000, 9.5)


@pytest.mark.parametrize(("limit", "value"), [("cost", 0.09), ("tokens", 3000), ("llm_calls", 2), ("duration", 9.5)])
def test_within_holds_up_to_and_at_the_limit(limit, value):
    result = result_of(model_call(0.05, 1000), model_call(0.04, 2000), duration_seconds=9.5)
    assert result.within(**{limit: value})
    assert not result.within(**{limit: type(value)(value * 0.9)})


@pytest.mark.parametrize("limits", [{}, {"cost": 1, "tokens": 1}, {"cost": float("nan")}])
def test_within_takes_exactly_one_limit(limits):
    with pytest.raises(InvalidArgumentError):
        EMPTY.within(**limits)


# 5.4 Errors


def test_succeeded_and_failed():
    assert EMPTY.succeeded
    assert not EMPTY.failed
    failed = result_of(error=ValueError("bad"))
    assert failed.failed
    assert not failed.succeeded
    assert isinstance(failed.error, ValueError)
    assert EMPTY.error is None


class PaymentError(ConnectionError):
    pass


@pytest.mark.parametrize("saved", [False, True], ids=["fresh", "saved"])
def test_error_is_knows_the_class_and_its_bases(saved):
    result = result_of(error=PaymentError("down"))
    if saved:
        result = AgentRunResult(Trajectory.from_json(result.trajectory.to_json()))
    for held in (PaymentError, ConnectionError, OSError, Exception, BaseException, (ValueError, OSError)):
        assert result.error_is(held)
    for broken in (ValueError, TimeoutError, (ValueError, KeyError)):
        assert not result.error_is(broken)
    assert not EMPTY.error_is(Exception)


# 5.5 Queries


def test_get_calls_and_get_call():
    result = result_of(("lookup_order", {"order_id": "123"}), "x", ("lookup_order", {"order_id": "456"}))
    calls = result.get_calls("lookup_order")
    assert [call.args["order_id"] for call in calls] == ["123", "456"]
    call = result.get_call("lookup_order", n=0)
    assert call.args["order_id"] == "123"
    assert result.get_call("lookup_order", 1) == calls[1]
    assert result.get_call("lookup_order", -1) == calls[1]
    assert result.get_calls("never") == []


@pytest.mark.parametrize(("name", "n"), [("a", 1), ("a", -2), ("never", 0), ("never", -1)])
def test_a_call_that_did_not_happen_is_not_found(name, n):
    with pytest.raises(CallNotFoundError, match="there is no call"):
        result_of("a").get_call(name, n)


def test_steps_can_be_read_as_the_specification_does():
    lines = []
    for step in result_of(("a", {"id": 1}), model_call(0.0)).trajectory.steps:
        if step.step_type == "tool_call":
            lines.append(f"{step.tool_name}({step.tool_args}) -> {step.tool_result}")
    assert lines == ["a({'id': 1}) -> None"]


# Findings


def test_a_finding_is_true_or_false_and_equal_to_it():
    held, broken = EMPTY.succeeded, EMPTY.failed
    assert isinstance(held, Finding)
    assert (bool(held), bool(broken)) == (True, False)
    assert held == True  # noqa: E712
    assert broken == False  # noqa: E712
    assert held != False  # noqa: E712
    assert held != broken
    assert True == held  # noqa: E712
    assert held != "held"
    assert [check for check in (held, broken) if check] == [held]
    assert all([held]) and not any([broken])


def test_a_finding_says_what_was_expected_what_was_found_and_where():
    result = result_of("a", ("b", {"id": 2}), "a")
    finding = result.tool_called_with("b", id=1)
    assert finding.check == "tool_called_with"
    assert finding.assertion == 'tool_called_with("b", id=1)'
    assert "id=1" in finding.expected
    assert "expected 1, got 2" in finding.actual
    assert finding.cites == [1]
    assert finding.trajectory == result.trajectory
    assert result.tool_was_called("a").actual is None


@pytest.mark.parametrize(
    "broken",
    [
        lambda result: result.tool_was_called("z"),
        lambda result: result.tool_not_called("a"),
        lambda result: result.tool_call_count_is("a", 9),
        lambda result: result.tool_called_with("a", id=9),
        lambda result: result.tool_called_with_partial("a", id=9),
        lambda result: result.tool_called_before("b", "a"),
        lambda result: result.tool_called_immediately_before("b", "a"),
        lambda result: result.call_order_is(["z"]),
        lambda result: result.call_order_contains(["z"]),
        lambda result: result.output_contains("z"),
        lambda result: result.output_not_contains("done"),
        lambda result: result.output_matches("z"),
        lambda result: result.within(duration=-1.0),
        lambda result: result.failed,
        lambda result: result.error_is(ValueError),
        lambda result: result.matches(["z"]),
    ],
)
def test_every_broken_finding_has_a_report_with_the_trajectory_and_survives_pickle(broken):
    result = result_of("a", "b", output="done")
    finding = broken(result)
    assert not finding
    text = str(finding)
    assert finding.expected in text
    assert finding.actual.splitlines()[0] in text
    assert "a()" in text and "b()" in text and "done" in text
    assert text == finding.report()
    for twin in (copy.copy(finding), copy.deepcopy(finding), pickle.loads(pickle.dumps(finding))):
        assert twin == finding
        assert not twin
        assert str(twin) == text


def test_a_finding_does_not_change_when_the_test_changes_what_it_expected():
    wanted = {"ids": [1]}
    finding = result_of(("a", {"q": {"ids": [1]}})).tool_called_with("a", q=wanted)
    wanted["ids"].append(2)
    assert finding


def test_results_are_equal_when_their_trajectories_are():
    result = result_of("a", run_id="r")
    assert result == result_of("a", run_id="r")
    assert result != result_of("b", run_id="r")
    assert result != result.trajectory
    assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == copy.copy(result) == result


def test_the_repr_of_a_result_and_a_finding_is_one_line():
    result = result_of("a\nb", output="x\ny")
    for value in (result, result.tool_was_called("c\nd"), result.trajectory):
        assert "\n" not in repr(value)


def test_an_agent_that_did_nothing_has_a_result_too():
    result = MockToolkit().run(lambda input, tools: None, "")
    assert result.succeeded
    assert result.output is None
    assert result.call_order() == []
    assert "(no steps)" in str(result)


def test_error_is_refuses_what_is_no_class_of_exceptions():
    with pytest.raises(InvalidArgumentError, match="error_is\\(\\) takes an exception class"):
        AgentRunResult(Trajectory()).error_is("ValueError")


class TestMisspelledTools:
    """A check that a tool was not called holds for every name that no tool has."""

    def run(self):
        toolkit = MockToolkit()
        toolkit.mock("get_weather", return_value="sunny")
        return toolkit.run(lambda input, tools: "nothing to do", "hello")

    @pytest.mark.parametrize(
        "check",
        [
            lambda result: result.tool_not_called("get_wether"),
            lambda result: result.tool_call_count_is("get_wether", 0),
            lambda result: assert_trajectory(result).never("get_wether"),
            lambda result: not result.tool_was_called("get_wether"),
            lambda result: not result.tool_call_attempted("get_wether"),
            lambda result: result.tool_call_count("get_wether") == 0,
        ],
    )
    def test_a_name_that_is_nearly_that_of_a_tool_is_warned_of(self, check):
        with pytest.warns(UnknownToolWarning, match="did you mean get_weather"):
            check(self.run())

    def test_the_warning_shows_the_line_of_the_user(self, recwarn):
        run = self.run()
        case = AgentTestCase()
        lines = [sys._getframe().f_lineno + each for each in (1, 2, 3)]
        assert run.tool_not_called("get_wether")
        assert_trajectory(run).never("get_wether")
        case.assertToolNotCalled(run, "get_wether")
        assert [(each.filename, each.lineno) for each in recwarn.list] == [(__file__, line) for line in lines]

    @pytest.mark.parametrize("name", ["get_weather", "delete_order", "set_weather"])
    def test_other_names_are_left_alone(self, name, recwarn):
        result = self.run()
        assert result.tool_not_called(name)
        assert not result.tool_was_called(name)
        assert result.tool_call_count(name) == 0
        assert not recwarn.list
