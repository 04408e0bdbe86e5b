"""What is no longer used is given back: cycles are collected, and many runs do not grow."""

import asyncio
import gc
import sys
import tracemalloc
import weakref

import pytest
from processes import soon

from unitai import AgentLoopDetectedError, MockExhaustedError, MockToolkit, UnmockedToolError, assert_trajectory

pytestmark = pytest.mark.integration


class Holder:
    """Something to look at weakly."""


def mutual(toolkit, holder):
    """The answer and the arguments hold the toolkit."""
    toolkit.mock("answer", return_value=holder)
    toolkit.mock("closure", side_effect=lambda args: toolkit)

    def agent(input, tools):
        tools["answer"](toolkit=toolkit, holder=holder)
        tools["closure"]()
        return toolkit

    holder.result = toolkit.run(agent, holder)


def error(toolkit, holder):
    """The error holds the frames, which hold everything."""

    def agent(input, tools):
        kept = (toolkit, holder)
        raise ValueError(kept)

    holder.result = toolkit.run(agent, "x")


def by_hand(toolkit, holder):
    toolkit.mock("tool", return_value=holder)
    holder.tools = toolkit.as_dict()
    holder.result = toolkit.run_generic(holder.tools["tool"])


def awaited(toolkit, holder):
    async def answer(args):
        return holder

    toolkit.mock("tool", side_effect=answer)

    async def agent(input, tools):
        return await tools["tool"](toolkit=toolkit)

    holder.result = toolkit.run(agent, "x")
    asyncio.run(toolkit.arun(agent, "x"))


def read(toolkit, holder):
    toolkit.mock("tool", return_value=holder)
    result = toolkit.run(lambda input, tools: tools["tool"](holder=holder), "x")
    holder.kept = (result.trajectory.steps, result.get_calls("tool"), toolkit.get_tool("tool").calls, str(result))


def unmocked(toolkit, holder):
    """The error that ends the run holds the partial result, and frames of the agent."""

    def agent(input, tools):
        tools["nothing"](holder=holder)

    with pytest.raises(UnmockedToolError) as caught:
        toolkit.run(agent, "x")
    holder.result = caught.value.result


def exhausted(toolkit, holder):
    toolkit.mock("page", sequence=[holder])

    def agent(input, tools):
        while True:
            holder.last = tools["page"](toolkit=toolkit)

    with pytest.raises(MockExhaustedError) as caught:
        toolkit.run(agent, "x")
    holder.error = caught.value


def looping(toolkit, holder):
    toolkit.mock("tool", return_value=holder)

    def agent(input, tools):
        while True:
            tools["tool"](toolkit=toolkit)

    holder.result = toolkit.run(agent, "x")
    assert holder.result.error_is(AgentLoopDetectedError)


def finding(toolkit, holder):
    """A finding keeps what was expected, to show it when somebody asks."""
    toolkit.mock("tool", return_value=1)
    result = toolkit.run(lambda input, tools: tools["tool"](holder=holder), "x")
    toolkit.kept = [result.tool_called_with("tool", holder=toolkit), result.tool_called_with("tool", holder=holder)]


def broken_expectation(toolkit, holder):
    toolkit.mock("tool", return_value=1)
    with pytest.raises(AssertionError) as caught:
        assert_trajectory(toolkit.run(lambda input, tools: holder, "x")).called("tool")
    holder.error, toolkit.holder = caught.value, holder


@pytest.mark.parametrize(
    "scene",
    [mutual, error, by_hand, awaited, read, unmocked, exhausted, looping, finding, broken_expectation],
)
def test_a_toolkit_that_nobody_uses_is_collected(scene):
    toolkit, holder = MockToolkit(max_tool_calls=5), Holder()
    scene(toolkit, holder)
    watched = [weakref.ref(toolkit), weakref.ref(holder)]
    del toolkit, holder

    def is_gone() -> bool:
        gc.collect()
        return all(watch() is None for watch in watched)

    # The thread that ran an async agent lets go of it a moment after the run is over.
    assert soon(is_gone, 5 if scene is awaited else 0), [watch() for watch in watched]


def once():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value={"items": [1, 2, 3]})
    toolkit.mock("fail", side_effect=ValueError("bad"))

    def agent(input, tools):
        for n in range(5):
            tools["tool"](n=n, tags={"a"}, handle=object())
        tools["fail"]()

    result = toolkit.run(agent, "x")
    str(result.tool_called_with("tool", n=99))
    assert not result.matches(["tool"], "unordered")
    result.trajectory.to_json()


def test_many_runs_do_not_grow():
    for _ in range(20):
        once()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(100):
            once()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 10_000


def test_references_are_given_back():
    value = object()
    toolkit = MockToolkit(max_tool_calls=1000)
    toolkit.mock("tool", return_value=1)
    before = sys.getrefcount(value)
    result = toolkit.run(lambda input, tools: [tools["tool"](v=value) for _ in range(200)], "x")
    assert sys.getrefcount(value) > before
    del result
    toolkit.reset()
    gc.collect()
    # The thread of the run gives back what its frames held when it ends: on a busy machine a moment later.
    assert soon(lambda: sys.getrefcount(value) == before)
