"""Faults of tools, and the plan that they come from."""

from __future__ import annotations

import asyncio
import copy
import datetime
import pickle
import threading
import time
from dataclasses import dataclass

import pytest
from stopwatch import Stopwatch

from unitai import InjectedFault, InvalidArgumentError, MockToolkit, Trajectory, TrajectoryStep, assert_trajectory
from unitai.faults import (
    contradict,
    corrupt,
    cut,
    delay,
    empty,
    error,
    faults,
    malformed,
    on_model,
    on_tool,
    rate_limit,
    reset,
    server_error,
    slow,
    timeout,
    wrong_schema,
)
from unitai.match import regex

pytestmark = pytest.mark.unit

ORDER = {"order_id": "A-123", "status": "delivered", "paid": True, "amount": 49.99}


def toolkit(*rules, seed=7, value=ORDER, **options):
    made = MockToolkit(faults=faults(rules, seed=seed), **options)
    made.mock("lookup", return_value=value)
    made.mock("search", return_value=["a", "b"])
    return made


def outcome(tool, **arguments):
    """What a call gives, or what it raises."""
    try:
        return tool(**arguments)
    except Exception as raised:
        return raised


def called(times, tool="lookup"):
    """An agent that calls a tool so often."""
    return lambda input, tools: [outcome(tools[tool], n=n) for n in range(times)]


def told(result):
    """What a record says, but for times and ids."""
    return [(step.tool_name, step.tool_args, step.tool_result, step.fault) for step in result.trajectory.steps]


def test_an_error_takes_the_place_of_the_call():
    asked = []
    kit = MockToolkit(faults=[on_tool("lookup", nth=1).then(error("the database is down"))])
    kit.mock("lookup", side_effect=lambda args: asked.append(args) or "found")
    result = kit.run(called(2), "x")
    first, second = result.trajectory.steps
    assert isinstance(first.tool_error, RuntimeError)
    assert str(first.tool_error) == "the database is down"
    assert (first.fault.kind, first.fault.text, first.fault.instead_of) == (
        "error",
        "error: the database is down",
        None,
    )
    assert (second.tool_result, second.fault) == ("found", None)
    assert asked == [{"n": 1}]


@pytest.mark.parametrize("what", [ConnectionError("gone"), ConnectionError])
def test_an_error_is_the_exception_that_was_given(what):
    result = toolkit(on_tool().then(error(what))).run(called(2), "x")
    one, two = (step.tool_error for step in result.trajectory.steps)
    assert type(one) is type(two) is ConnectionError
    assert one is not two


@pytest.mark.parametrize(
    ("value", "expected"), [(ORDER, {}), ([1], []), ("text", ""), ((1, 2), ()), (5, None), (None, None), (True, None)]
)
def test_an_empty_answer_is_of_the_same_kind(value, expected):
    (step,) = toolkit(on_tool().then(empty()), value=value).run(called(1), "x").trajectory.steps
    assert step.tool_result == expected
    assert type(step.tool_result) is type(expected)
    assert step.fault.instead_of == value


def test_a_garbled_answer_is_of_the_same_kind_and_repeats():
    results = [toolkit(on_tool().then(corrupt())).run(called(1), "x") for _ in range(2)]
    (first,), (second,) = (result.output for result in results)
    assert first == second != ORDER
    assert {name: type(value) for name, value in first.items()} == {name: type(value) for name, value in ORDER.items()}
    other = toolkit(on_tool().then(corrupt()), seed=8).run(called(1), "x").output[0]
    assert other != first


def test_a_contradiction_says_the_contrary_of_the_same_thing():
    (answer,) = toolkit(on_tool().then(contradict())).run(called(1), "x").output
    assert answer == {"order_id": "A-123", "status": "lost", "paid": False, "amount": -49.99}


def test_a_contradiction_can_be_given():
    (answer,) = toolkit(on_tool().then(contradict({"status": "never ordered"}))).run(called(1), "x").output
    assert answer == {"status": "never ordered"}


def test_what_has_no_contrary_must_be_given():
    kit = toolkit(on_tool().then(contradict()), value=[])
    with pytest.raises(InvalidArgumentError, match=r"contradict\(\) does not know") as caught:
        kit.run(called(1), "x")
    assert "contradict(value)" in str(caught.value)


@dataclass(frozen=True)
class Order:
    status: str
    paid: bool
    ordered: datetime.date


@pytest.mark.parametrize("wrap", [lambda order: order, lambda order: [order], lambda order: {"order": order}])
@pytest.mark.parametrize("fault", [corrupt(), contradict()])
def test_objects_are_changed_in_a_copy(wrap, fault):
    order = Order("delivered", True, datetime.date(2026, 1, 1))
    (given,) = toolkit(on_tool().then(fault), value=wrap(order)).run(called(1), "x").output
    while not isinstance(given, Order):
        (given,) = given.values() if isinstance(given, dict) else given
    assert (given.paid, given.ordered) == (False, order.ordered)
    assert given.status != "delivered"
    assert order == Order("delivered", True, datetime.date(2026, 1, 1))


def test_a_delay_passes_before_the_answer():
    began = time.monotonic()
    (step,) = toolkit(on_tool().then(delay(0.05))).run(called(1), "x").trajectory.steps
    assert time.monotonic() - began >= 0.05
    assert (step.tool_result, step.fault.kind, step.fault.text) == (ORDER, "delay", "0.05 s late")


def test_a_delay_of_an_awaited_tool_lets_the_loop_go_on():
    kit = toolkit(on_tool().then(delay(0.15)), awaitable=True)

    async def agent(input, tools):
        return await asyncio.gather(*(tools["lookup"](n=n) for n in range(4)))

    with Stopwatch() as watch:
        result = kit.run(agent, "x")
    assert result.output == [ORDER] * 4
    assert watch.fair < 0.5


@pytest.mark.parametrize("fault", [error("x"), empty(), corrupt(), contradict()])
def test_async_tools_meet_the_same_faults(fault):
    async def lookup(args):
        await asyncio.sleep(0)
        return ORDER

    waiting = MockToolkit(faults=faults([on_tool().then(fault)], seed=7))
    waiting.mock("lookup", side_effect=lookup)

    async def agent(input, tools):
        try:
            return [await tools["lookup"](n=0)]
        except RuntimeError as raised:
            return [raised]

    sync = toolkit(on_tool().then(fault)).run(called(1), "x")
    assert told(waiting.run(agent, "x")) == told(sync)


def test_real_tools_that_are_allowed_meet_faults():
    kit = MockToolkit(faults=[on_tool("add", nth=1).then(contradict())])
    kit.allow("add", lambda a, b: a + b)
    result = kit.run(lambda input, tools: [tools["add"](a=1, b=2), tools["add"](a=1, b=2)], "x")
    assert result.output == [-3, 3]
    assert result.trajectory.steps[0].fault.instead_of == 3


def test_rules_name_calls_by_number_every_times_and_arguments():
    def faulty(rule, times=8):
        steps = toolkit(rule.then(empty())).run(called(times), "x").trajectory.steps
        return [n for n, step in enumerate(steps, 1) if step.fault]

    assert faulty(on_tool(nth=2)) == [2]
    assert faulty(on_tool("lookup", nth=[1, 3])) == [1, 3]
    assert faulty(on_tool(every=3)) == [3, 6]
    assert faulty(on_tool(times=2)) == [1, 2]
    assert faulty(on_tool("lookup", {"n": 4})) == [5]
    assert faulty(on_tool(None, {"n": regex(".")})) == []
    assert faulty(on_tool("search")) == []
    assert faulty(on_tool(chance=0)) == []
    assert faulty(on_tool(chance=1)) == list(range(1, 9))


def test_the_same_seed_gives_the_same_run():
    rules = [on_tool(chance=0.4).then(error("x")), on_tool(chance=0.4).then(corrupt())]
    runs = {seed: [told(toolkit(*rules, seed=seed).run(called(30), "x")) for _ in range(2)] for seed in range(4)}
    for first, second in runs.values():
        assert first == second
    assert any(runs[0][0] != runs[seed][0] for seed in (1, 2, 3))


def test_threads_do_not_change_which_calls_meet_a_fault():
    def agent(input, tools):
        threads = [threading.Thread(target=outcome, args=(tools["lookup"],), kwargs={"n": n}) for n in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def faulty(agent):
        result = toolkit(on_tool(chance=0.5).then(error("x"))).run(agent, "x")
        return {step.tool_args["n"] for step in result.trajectory.steps if step.fault}

    assert faulty(agent) == faulty(agent) == faulty(called(40))


def test_every_run_meets_the_plan_from_its_beginning():
    kit = toolkit(on_tool(nth=1).then(empty()))
    results = [kit.run(called(2), "x") for _ in range(3)]
    assert [[step.fault is not None for step in result.trajectory.steps] for result in results] == [[True, False]] * 3


def test_a_plan_around_runs_holds_for_all_of_them_and_then_no_more():
    kit = MockToolkit()
    kit.mock("lookup", return_value=ORDER)
    with faults([on_tool().then(empty())], seed=3) as plan:
        inside = kit.run(called(1), "x")
        assert plan.seed == 3
    outside = kit.run(called(1), "x")
    assert inside.trajectory.steps[0].fault.seed == 3
    assert outside.trajectory.steps[0].fault is None


def test_of_two_plans_the_toolkit_s_comes_first_and_both_count():
    with faults([on_tool(nth=2).then(corrupt())], seed=1):
        result = toolkit(on_tool(nth=1).then(empty()), seed=2).run(called(2), "x")
    assert [step.fault.kind for step in result.trajectory.steps] == ["empty", "corrupt"]


def test_a_plan_that_is_opened_inside_of_a_run_holds_there():
    kit = MockToolkit()
    kit.mock("lookup", return_value=ORDER)

    def agent(input, tools):
        with faults([on_tool().then(empty())]):
            first = tools["lookup"]()
        return [first, tools["lookup"]()]

    assert kit.run(agent, "x").output == [{}, ORDER]


def test_calls_outside_of_runs_meet_faults_too():
    kit = toolkit(on_tool(nth=1).then(empty()))
    tools = kit.as_dict()
    assert [tools["lookup"](), tools["lookup"]()] == [{}, ORDER]


def test_a_condition_that_fails_ends_the_run():
    class Odd:
        def __eq__(self, other):
            raise ZeroDivisionError

        __hash__ = None

    kit = toolkit(on_tool("lookup", {"n": Odd()}).then(empty()))
    with pytest.raises(InvalidArgumentError, match="could not be decided"):
        kit.run(called(1), "x")


def test_the_report_says_how_to_repeat_it():
    report = toolkit(on_tool(nth=1).then(empty()), seed=11).run(called(2), "x").report()
    assert "lookup(n=0) (fault: empty answer)" in report
    assert "Faults: 1 injected; seed=11 repeats it" in report


def test_a_record_keeps_its_faults():
    trajectory = toolkit(on_tool(nth=1).then(corrupt())).run(called(2), "x").trajectory
    for again in (
        Trajectory.from_json(trajectory.to_json()),
        Trajectory.from_dict(trajectory.to_dict()),
        pickle.loads(pickle.dumps(trajectory)),
    ):
        assert again == trajectory
        assert again.steps[0].fault == trajectory.steps[0].fault
    fault = trajectory.steps[0].fault
    assert pickle.loads(pickle.dumps(fault)) == fault
    assert repr(fault) == "<InjectedFault corrupt: garbled answer>"
    assert str(fault) == "garbled answer"


def test_a_step_can_be_made_with_a_fault():
    step = TrajectoryStep(tool_name="a", fault=InjectedFault("empty", seed=3))
    assert (step.fault.kind, step.fault.text, step.fault.seed) == ("empty", "empty", 3)
    with pytest.raises(InvalidArgumentError, match="only a call"):
        TrajectoryStep(step_type="state_change", key="a", fault=InjectedFault("empty"))
    with pytest.raises(InvalidArgumentError, match="no kind of fault"):
        InjectedFault("hiccup")


def test_a_toolkit_with_faults_can_be_copied():
    kit = copy.deepcopy(toolkit(on_tool(nth=1).then(empty())))
    assert kit.run(called(2), "x").output == [{}, ORDER]


def test_checks_of_resilience_chain():
    result = toolkit(on_tool(nth=1).then(error("x"))).run(
        lambda input, tools: outcome(tools["lookup"], n=1) and tools["lookup"](n=1)["status"], "x"
    )
    assert_trajectory(result).recovered_from("error").retried_at_most(1, "lookup").did_not_invent()
    with pytest.raises(AssertionError, match="recovered_from"):
        assert_trajectory(result).recovered_from("cut")
    with pytest.raises(InvalidArgumentError, match="no kind of fault"):
        result.recovered_from("hiccup")


def test_a_plan_reads_as_it_is_written():
    rules = [
        on_model("refund", nth=[1, 2]).then(rate_limit(retry_after=1)),
        on_model(model="gpt", every=2).then(server_error(503)),
        on_model(chance=0.5, times=3).then(reset()),
        on_model().then(timeout()),
        on_model().then(timeout(2)),
        on_model().then(slow(1, pace=0.1)),
        on_model().then(cut()),
        on_model().then(cut(bytes=20)),
        on_model().then(malformed()),
        on_model().then(wrong_schema()),
        on_tool("a", {"b": 1}).then(error(ValueError("no"))),
        on_tool().then(delay(1)),
        on_tool().then(contradict(None)),
    ]
    plan = faults(rules, seed=5)
    assert repr(eval(repr(plan))) == repr(plan)
    assert repr(plan).endswith("seed=5)")
    assert repr(plan.with_seed(6)).endswith("seed=6)")
    assert len(plan.rules) == len(rules)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: faults("rate_limit"),
        lambda: faults([rate_limit()]),
        lambda: faults([on_model(nth=1)]),
        lambda: faults([], seed=-1),
        lambda: faults([], seed=True),
        lambda: on_model(nth=0),
        lambda: on_model(nth=[]),
        lambda: on_model(every=0),
        lambda: on_model(times=True),
        lambda: on_model(chance=1.5),
        lambda: on_tool(""),
        lambda: on_tool("a", ["b"]),
        lambda: on_model().then(error("x")),
        lambda: on_tool().then(reset()),
        lambda: on_tool().then("error"),
        lambda: server_error(404),
        lambda: rate_limit(-1),
        lambda: rate_limit(message=3),
        lambda: slow(-1),
        lambda: cut(1, bytes=1),
        lambda: cut(-1),
        lambda: error(3),
        lambda: delay("long"),
        lambda: MockToolkit(faults=3),
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidArgumentError):
        wrong()
