"""Many threads: nothing is lost, nothing is mixed up, and a call whose run is unclear is refused."""

import contextvars
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from unitai import AmbiguousRunError, MockToolkit, UnmockedToolError

pytestmark = pytest.mark.integration


def in_threads(count, work):
    """Runs `work(n)` in so many threads at once and waits for them; gives what they raised."""
    raised, start = [], threading.Barrier(count)

    def body(n):
        start.wait()
        try:
            work(n)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=body, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


@pytest.fixture
def busy_switching():
    """Lets threads change places as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_64_threads_of_1000_calls_lose_nothing():
    toolkit = MockToolkit(max_tool_calls=64_000)
    toolkit.mock("tool", return_value={"ok": True})

    def agent(input, tools):
        return in_threads(64, lambda who: [tools["tool"](who=who, n=n) for n in range(1000)])

    result = toolkit.run(agent, "x")
    steps = result.trajectory.steps
    assert result.output == []
    assert [step.step_index for step in steps] == list(range(64_000))
    seen = [[] for _ in range(64)]
    for step in steps:
        seen[step.tool_args["who"]].append(step.tool_args["n"])
    assert seen == [list(range(1000))] * 64
    times = [step.timestamp for step in steps]
    assert max(a - b for a, b in zip(times, times[1:], strict=False)) < 0.5


@pytest.mark.usefixtures("busy_switching")
def test_threads_that_share_tools_by_hand_record_each_answer_with_its_call():
    toolkit = MockToolkit(max_tool_calls=10_000)
    toolkit.mock("double", side_effect=lambda args: args["n"] * 2)
    double = toolkit.as_dict()["double"]
    result = toolkit.run_generic(lambda: in_threads(8, lambda who: [double(n=n) for n in range(200)]))
    assert result.tool_call_count("double") == 1600
    assert all(call.result == call.args["n"] * 2 for call in result.get_calls("double"))


@pytest.mark.usefixtures("busy_switching")
def test_concurrent_runs_of_several_toolkits_do_not_mix():
    def work(n):
        toolkit = MockToolkit()
        toolkit.mock("tool", return_value=n)
        tool = toolkit.as_dict()["tool"]
        for _ in range(20):
            result = toolkit.run_generic(lambda: [tool(who=n) for _ in range(5)])
            assert [call.args["who"] for call in result.get_calls("tool")] == [n] * 5
            assert result.output == [n] * 5

    assert in_threads(8, work) == []


@pytest.mark.usefixtures("busy_switching")
def test_concurrent_runs_of_one_toolkit_do_not_mix():
    toolkit = MockToolkit()
    toolkit.mock("tool", side_effect=lambda args: args["who"])
    by_hand = toolkit.as_dict()["tool"]

    def work(n):
        for _ in range(20):
            given = toolkit.run(lambda input, tools: [tools["tool"](who=n) for _ in range(5)], "x")
            wired = toolkit.run_generic(lambda: [by_hand(who=n) for _ in range(5)])
            for result in (given, wired):
                assert [call.args["who"] for call in result.get_calls("tool")] == [n] * 5

    assert in_threads(8, work) == []


@pytest.mark.usefixtures("busy_switching")
def test_a_tool_can_be_read_and_reset_while_it_is_called():
    toolkit = MockToolkit(max_tool_calls=10_000)
    toolkit.mock("tool", side_effect=lambda args: args["n"])
    tool = toolkit.get_tool("tool")

    def work(who):
        for n in range(100):
            if who == 0:
                toolkit.reset()
            elif who == 1:
                assert all(call.args["n"] >= 0 for call in tool.calls)
            else:
                tool(n=n)

    assert in_threads(6, work) == []


def test_mocks_can_be_stated_from_many_threads():
    toolkit = MockToolkit()
    assert in_threads(16, lambda n: toolkit.mock(f"tool{n}", return_value=n)) == []
    assert sorted(tool() for tool in toolkit.as_dict().values()) == list(range(16))


def test_threads_of_the_agent_belong_to_its_run_when_it_is_the_only_one():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    tool = toolkit.as_dict()["tool"]

    def agent():
        with ThreadPoolExecutor(4) as pool:
            return sum(pool.map(lambda n: tool(n=n), range(20)))

    result = toolkit.run_generic(agent)
    assert result.output == 20
    assert sorted(call.args["n"] for call in result.get_calls("tool")) == list(range(20))


@pytest.mark.parametrize("with_context", [False, True])
def test_of_two_runs_under_way_a_thread_needs_the_context_of_its_own(with_context):
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    tool = toolkit.as_dict()["tool"]
    caught = []

    def stray():
        try:
            tool()
        except AmbiguousRunError as error:
            caught.append(error)

    def inner():
        target = contextvars.copy_context().run if with_context else (lambda call: call())
        thread = threading.Thread(target=target, args=(stray,))
        thread.start()
        thread.join()

    results = []
    outer = toolkit.run_generic(lambda: results.append(toolkit.run_generic(inner)))
    assert outer.call_order() == []
    assert results[0].call_order() == (["tool"] if with_context else [])
    assert len(caught) == (0 if with_context else 1)


def test_a_strict_violation_in_a_thread_ends_the_run_of_the_agent():
    toolkit = MockToolkit()

    def agent(input, tools):
        return [type(error).__name__ for error in in_threads(1, lambda n: tools["nothing"]())]

    with pytest.raises(UnmockedToolError) as caught:
        toolkit.run(agent, "x")
    assert caught.value.result.call_order() == ["nothing"]


def test_what_a_thread_that_outlives_its_run_calls_is_refused_where_it_was_given_the_tools():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    go, ended, raised = threading.Event(), threading.Event(), []

    def late(tools):
        go.wait(10)
        try:
            tools["tool"]()
        except Exception as error:
            raised.append(type(error).__name__)
        ended.set()

    first = toolkit.run(lambda input, tools: threading.Thread(target=late, args=(tools,)).start(), "x")

    def agent(input, tools):
        go.set()
        return ended.wait(10)

    second = toolkit.run(agent, "x")
    assert raised == ["RunOverError"]
    assert first.succeeded
    assert (first.call_order(), second.call_order()) == ([], [])


def test_findings_and_trajectories_can_be_read_from_many_threads():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=[1])
    result = toolkit.run(lambda input, tools: [tools["tool"](n=n) for n in range(40)], "x")
    finding = result.tool_called_with("tool", n=99)
    texts = set()

    def read(n):
        texts.add((str(finding), result.trajectory.to_json(), len(result.trajectory.steps)))

    assert in_threads(16, read) == []
    assert len(texts) == 1
