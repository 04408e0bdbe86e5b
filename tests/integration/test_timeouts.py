"""Time limits: the wait ends in time whatever the agent does, and nothing that comes later is recorded."""

import asyncio
import re
import subprocess
import sys
import threading
import time

import pytest
from stopwatch import Stopwatch

from unitai import AgentTimeoutError, MockToolkit
from unitai.runner.job import RunCancelled

pytestmark = pytest.mark.integration

# A run returns within a quarter of a second of its deadline, however long that is.
LIMIT = 0.15
LATEST = LIMIT + 0.25


@pytest.fixture
def over():
    """Set when the test is over, so that an agent that cannot be stopped stops at last."""
    event = threading.Event()
    yield event
    event.set()


def a_toolkit():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    return toolkit


def sleeps(over):
    def agent(input, tools):
        tools["tool"]()
        over.wait(30)

    return agent


def spins(over):
    def agent(input, tools):
        tools["tool"]()
        while not over.is_set():
            pass

    return agent


def swallows_everything(over):
    def agent(input, tools):
        tools["tool"]()
        while not over.is_set():
            try:
                time.sleep(0.01)
            except BaseException:
                pass

    return agent


def awaits(over):
    async def agent(input, tools):
        tools["tool"]()
        await asyncio.sleep(30)

    return agent


def blocks_the_loop(over):
    async def agent(input, tools):
        tools["tool"]()
        over.wait(30)

    return agent


def spins_on_the_loop(over):
    async def agent(input, tools):
        tools["tool"]()
        while not over.is_set():
            pass

    return agent


def ignores_cancellation(over):
    async def agent(input, tools):
        tools["tool"]()
        while not over.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                pass

    return agent


AGENTS = [
    sleeps,
    spins,
    swallows_everything,
    awaits,
    blocks_the_loop,
    spins_on_the_loop,
    ignores_cancellation,
]


def from_sync_code(toolkit, agent):
    return toolkit.run(agent, "x", timeout=LIMIT)


def inside_a_loop(toolkit, agent):
    async def main():
        return toolkit.run(agent, "x", timeout=LIMIT)

    return asyncio.run(main())


def awaited(toolkit, agent):
    return asyncio.run(toolkit.arun(agent, "x", timeout=LIMIT))


@pytest.mark.parametrize("run", [from_sync_code, inside_a_loop, awaited])
@pytest.mark.parametrize("kind", AGENTS)
def test_the_run_ends_in_time_with_the_partial_trajectory(kind, run, over):
    toolkit = a_toolkit()
    with Stopwatch() as watch:
        result = run(toolkit, kind(over))
    assert watch.seconds >= LIMIT
    assert watch.fair < LATEST
    assert isinstance(result.error, AgentTimeoutError)
    assert result.call_order() == ["tool"]
    assert result.output is None
    assert toolkit.run(lambda input, tools: tools["tool"](), "x", timeout=5).output == 1


@pytest.mark.parametrize("kind", [sleeps, awaits])
def test_run_generic_keeps_its_time_limit_too(kind, over):
    toolkit = a_toolkit()
    tools = toolkit.as_dict()
    with Stopwatch() as watch:
        result = toolkit.run_generic(lambda: kind(over)("x", tools), timeout=LIMIT)
    assert watch.fair < LATEST
    assert result.error_is(AgentTimeoutError)
    assert result.call_order() == ["tool"]


#: Each further letter doubles the time that this one backtracks, and all the while `re` keeps the interpreter's lock.
BACKTRACKS = re.compile("(a+)+$")


@pytest.fixture(scope="module")
def slow_text():
    """What takes it about a second on this machine."""
    text = "a" * 18 + "b"
    while True:
        began = time.thread_time()
        BACKTRACKS.match(text)
        text = "a" + text
        if time.thread_time() - began > 0.5:
            return text


@pytest.mark.parametrize(("run", "is_async"), [(from_sync_code, False), (inside_a_loop, False), (awaited, True)])
def test_an_agent_that_holds_up_its_deadline_is_late_whatever_it_returns(run, is_async, slow_text):
    def agent(input, tools):
        tools["tool"]()
        BACKTRACKS.match(slow_text)
        return "done"

    async def awaiting(input, tools):
        await asyncio.sleep(0)
        return agent(input, tools)

    with Stopwatch() as watch:
        result = run(a_toolkit(), awaiting if is_async else agent)
    assert result.error_is(AgentTimeoutError) and result.output is None
    took = float(re.search(r"did not end within 0.15 seconds; it took (\S+) seconds", str(result.error))[1])
    assert 0.5 < took <= watch.seconds + 0.1
    assert result.call_order() == ["tool"]


def test_an_agent_that_ends_in_time_is_not_stopped():
    with Stopwatch() as watch:
        result = MockToolkit().run(lambda input, tools: time.sleep(0.1) or "done", "x", timeout=5)
    assert result.output == "done"
    assert 0.1 <= result.duration <= watch.seconds
    assert watch.fair < 1


def test_an_agent_that_can_be_stopped_is_stopped():
    ended = threading.Event()

    def agent(input, tools):
        try:
            while True:
                time.sleep(0.01)
        finally:
            ended.set()

    with Stopwatch() as watch:
        MockToolkit().run(agent, "x", timeout=0.1)
        assert ended.wait(10)
    assert watch.fair < 1


def test_a_call_that_was_under_way_at_the_deadline_is_unfinished(over):
    toolkit = MockToolkit()
    toolkit.mock("slow", side_effect=lambda args: over.wait(30))
    result = toolkit.run(lambda input, tools: tools["slow"](id=1), "x", timeout=0.1)
    (step,) = result.trajectory.steps
    assert result.error_is(AgentTimeoutError)
    assert step.unfinished
    assert (step.tool_args, step.tool_result, step.tool_error) == ({"id": 1}, None, None)


@pytest.mark.parametrize("is_async", [False, True], ids=["thread", "task"])
def test_the_later_calls_of_an_agent_that_was_left_behind_are_refused(is_async, over):
    toolkit, seen, ended = a_toolkit(), [], threading.Event()

    def call(tools):
        try:
            tools["tool"](who="late")
        except RunCancelled as error:
            seen.append(error)
        ended.set()

    def agent(input, tools):
        while not over.is_set():
            try:
                time.sleep(0.01)
            except BaseException:
                pass
        call(tools)

    async def async_agent(input, tools):
        while not over.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                pass
        call(tools)

    late = toolkit.run(async_agent if is_async else agent, "x", timeout=0.1)

    def next_agent(input, tools):
        over.set()
        assert ended.wait(5)
        return tools["tool"](who="next")

    result = toolkit.run(next_agent, "x", timeout=10)
    assert len(seen) == 1
    assert late.call_order() == []
    assert [call.args for call in result.get_calls("tool")] == [{"who": "next"}]
    assert [call.args for call in toolkit.get_tool("tool").calls] == [{"who": "next"}]


def test_runs_at_their_deadline_do_not_disturb_the_next(over):
    toolkit = a_toolkit()
    for n in range(40):
        toolkit.run(lambda input, tools: time.sleep(0.004 + n % 5 * 0.0002), "x", timeout=0.005)
        assert toolkit.run(lambda input, tools: tools["tool"](), "x", timeout=5).output == 1


def our_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("unitai")]


def test_many_runs_in_time_use_few_threads():
    toolkit = a_toolkit()

    async def agent(input, tools):
        return tools["tool"]()

    before = len(our_threads())
    for _ in range(50):
        toolkit.run(lambda input, tools: tools["tool"](), "x")
        toolkit.run(agent, "x")
    # One for the loop, one for agents, and another in case the next run begins before that one has come to rest.
    assert len(our_threads()) - before <= 3


def test_a_program_ends_while_an_agent_still_sleeps():
    code = """
import time
from unitai import MockToolkit
result = MockToolkit().run(lambda input, tools: time.sleep(30), "x", timeout=0.1)
print(type(result.error).__name__)
"""
    with Stopwatch() as watch:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "AgentTimeoutError\n", "")
    assert watch.fair < 10
