"""Async agents and tools, from sync code and inside a running event loop."""

import asyncio
import threading
import time

import pytest
from stopwatch import Stopwatch

from unitai import AgentLoopDetectedError, AgentTimeoutError, MockToolkit, UnmockedToolError

pytestmark = pytest.mark.integration


def a_toolkit(**options):
    toolkit = MockToolkit(**options)
    toolkit.mock("tool", return_value="answer")
    return toolkit


def sync_agent(input, tools):
    return tools["tool"](message=input)


async def async_agent(input, tools):
    await asyncio.sleep(0)
    return tools["tool"](message=input)


class AsyncObject:
    async def __call__(self, input, tools):
        return await async_agent(input, tools)


def returns_an_awaitable(input, tools):
    return async_agent(input, tools)


def run(toolkit, agent):
    return toolkit.run(agent, "hello")


def run_inside_a_loop(toolkit, agent):
    async def main():
        return toolkit.run(agent, "hello")

    return asyncio.run(main())


def arun(toolkit, agent):
    return asyncio.run(toolkit.arun(agent, "hello"))


def run_callable(toolkit, agent):
    return toolkit.run_callable(agent, "hello")


def run_generic(toolkit, agent):
    tools = toolkit.as_dict()
    return toolkit.run_generic(lambda: agent("hello", tools), input="hello")


@pytest.mark.parametrize("how", [run, run_inside_a_loop, arun, run_callable, run_generic])
@pytest.mark.parametrize("agent", [sync_agent, async_agent, AsyncObject(), returns_an_awaitable])
def test_every_kind_of_agent_runs_in_every_way(agent, how):
    result = how(a_toolkit(), agent)
    assert result.output == "answer"
    assert result.tool_called_with("tool", message="hello")
    assert result.trajectory.input == "hello"


def test_arun_lets_the_loop_go_on_meanwhile():
    beats = []

    async def heart():
        while True:
            beats.append(1)
            await asyncio.sleep(0.005)

    async def main():
        heartbeat = asyncio.create_task(heart())
        result = await MockToolkit().arun(lambda input, tools: time.sleep(0.2) or "done", "x")
        heartbeat.cancel()
        return result

    assert asyncio.run(main()).output == "done"
    assert len(beats) > 5


def test_concurrent_aruns_of_one_toolkit_do_not_mix():
    toolkit = a_toolkit()

    async def agent(input, tools):
        for _ in range(5):
            tools["tool"](who=input)
            await asyncio.sleep(0.001)

    async def main():
        return await asyncio.gather(*(toolkit.arun(agent, n) for n in range(10)))

    for n, result in enumerate(asyncio.run(main())):
        assert [call.args["who"] for call in result.get_calls("tool")] == [n] * 5


def test_concurrent_tasks_of_one_agent_are_recorded_in_the_order_of_their_calls():
    toolkit = MockToolkit()
    toolkit.mock("tool", side_effect=lambda args: args["n"])

    async def agent(input, tools):
        async def one(n):
            await asyncio.sleep((5 - n) * 0.01)
            return tools["tool"](n=n)

        return await asyncio.gather(*(one(n) for n in range(5)))

    result = toolkit.run(agent, "x")
    assert result.output == [0, 1, 2, 3, 4]
    assert [call.args["n"] for call in result.get_calls("tool")] == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("how", ["side_effect", "awaitable", "toolkit"])
def test_a_tool_can_be_awaited(how):
    async def slowly(args):
        await asyncio.sleep(0.001)
        return args["n"] * 2

    toolkit = MockToolkit(awaitable=how == "toolkit")
    if how == "side_effect":
        toolkit.mock("tool", side_effect=slowly)
    else:
        toolkit.mock("tool", side_effect=lambda args: args["n"] * 2, awaitable=True if how == "awaitable" else None)

    async def agent(input, tools):
        return await tools["tool"](n=21)

    result = toolkit.run(agent, "x")
    assert result.output == 42
    assert result.get_call("tool").result == 42


def test_an_awaited_tool_that_raises_is_recorded_so():
    async def fails(args):
        await asyncio.sleep(0)
        raise TimeoutError("down")

    toolkit = MockToolkit()
    toolkit.mock("tool", side_effect=fails)

    async def agent(input, tools):
        try:
            await tools["tool"]()
        except TimeoutError:
            return "handled"

    result = toolkit.run(agent, "x")
    assert result.output == "handled"
    assert isinstance(result.get_call("tool").error, TimeoutError)


def test_an_async_tool_that_is_allowed_runs():
    async def real(n):
        return n + 1

    toolkit = MockToolkit()
    toolkit.allow("real", real)

    async def agent(input, tools):
        return await tools["real"](n=1)

    result = toolkit.run(agent, "x")
    assert (result.output, result.get_call("real").result) == (2, 2)


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()])
def test_what_an_async_agent_raises_is_recorded_and_the_loop_lives_on(error):
    async def agent(input, tools):
        tools["tool"]()
        raise error

    toolkit = a_toolkit()
    result = toolkit.run(agent, "x", timeout=5)
    assert type(result.error) is type(error)
    assert result.call_order() == ["tool"]
    assert toolkit.run(async_agent, "x", timeout=5).output == "answer"


@pytest.mark.parametrize("how", ["run", "arun"])
def test_a_strict_violation_that_an_async_agent_swallows_is_raised(how):
    async def agent(input, tools):
        try:
            tools["nothing"]()
        except Exception:
            await asyncio.sleep(0)
        return "all is well"

    toolkit = MockToolkit()
    with pytest.raises(UnmockedToolError) as caught:
        toolkit.run(agent, "x") if how == "run" else asyncio.run(toolkit.arun(agent, "x"))
    assert caught.value.result.call_order() == ["nothing"]


def test_an_async_agent_in_a_loop_is_ended():
    toolkit = a_toolkit(max_tool_calls=5)

    async def agent(input, tools):
        while True:
            try:
                tools["tool"]()
            except Exception:
                pass
            await asyncio.sleep(0)

    with Stopwatch() as watch:
        result = toolkit.run(agent, "x", timeout=10)
    assert result.error_is(AgentLoopDetectedError)
    assert result.tool_call_count("tool") == 5
    assert watch.fair < 5


def test_an_async_agent_that_is_stopped_may_clean_up():
    cleaned = threading.Event()

    async def agent(input, tools):
        try:
            await asyncio.sleep(30)
        finally:
            cleaned.set()

    with Stopwatch() as watch:
        result = MockToolkit().run(agent, "x", timeout=0.1)
        assert cleaned.wait(10)
    assert result.error_is(AgentTimeoutError)
    assert watch.fair < 1.1


def test_async_agents_share_one_loop_so_that_connections_live_on():
    loops = []

    async def agent(input, tools):
        loops.append(asyncio.get_running_loop())

    toolkit = MockToolkit()
    for _ in range(3):
        toolkit.run(agent, "x")
    assert len(set(map(id, loops))) == 1


def test_a_blocked_loop_does_not_block_the_next_agent():
    over = threading.Event()

    async def blocks(input, tools):
        over.wait(30)

    toolkit = a_toolkit()
    assert toolkit.run(blocks, "x", timeout=0.1).error_is(AgentTimeoutError)
    with Stopwatch() as watch:
        assert toolkit.run(async_agent, "x", timeout=5).output == "answer"
    assert watch.fair < 1
    over.set()


def test_a_cancelled_arun_raises_and_closes_its_run():
    toolkit = a_toolkit()
    over = threading.Event()

    async def main():
        task = asyncio.create_task(toolkit.arun(lambda input, tools: over.wait(10), "x"))
        await asyncio.sleep(0.05)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            pass
        else:
            raise AssertionError("was not cancelled")
        over.set()
        await asyncio.sleep(0.1)
        return await toolkit.arun(sync_agent, "x")

    assert asyncio.run(main()).call_order() == ["tool"]


def test_context_variables_of_the_test_reach_the_agent():
    from contextvars import ContextVar

    tenant = ContextVar("tenant", default="nobody")
    tenant.set("acme")

    async def agent(input, tools):
        return tenant.get()

    assert MockToolkit().run(agent, "x").output == "acme"
    assert MockToolkit().run(lambda input, tools: tenant.get(), "x").output == "acme"
