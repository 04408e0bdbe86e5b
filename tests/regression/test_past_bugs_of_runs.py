"""Bugs of running agents that must not return: what a run leaves behind, its deadline, and the end of the program."""

import asyncio
import threading
import time

import pytest
from programs import run_program

from unitai import AgentTestCase, AgentTimeoutError, MockToolkit, RunOverError, UnmockedToolError, UnmockedToolWarning
from unitai.runner.job import RunCancelled

pytestmark = pytest.mark.regression


def a_toolkit():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    return toolkit


# The end of the program


def test_a_program_ends_cleanly_while_an_agent_left_behind_is_inside_a_tool():
    # CPython unwinds the stack of such a thread at exit; it crashed when that met the frames of the engine.
    done = run_program(
        """
        import time
        from unitai import MockToolkit

        toolkit = MockToolkit(max_tool_calls=10**6)
        toolkit.mock("tool", side_effect=lambda args: time.sleep(0.0005))
        tool = toolkit.as_dict()["tool"]

        def agent():
            while True:
                try:
                    tool()
                except BaseException:
                    pass

        toolkit.run_generic(agent, timeout=0.1)
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_late_end_of_an_agent_does_not_ring_at_a_loop_that_is_closed():
    done = run_program(
        """
        import asyncio, threading, time
        from unitai import MockToolkit

        def agent(input, tools):
            time.sleep(0.3)

        asyncio.run(MockToolkit().arun(agent, "x", timeout=0.05))
        for thread in threading.enumerate():
            if thread.name == "unitai-agent":
                thread.join()
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


# What a run leaves behind


class Late:
    """Calls a tool, but only when it is let go."""

    def __init__(self, tool):
        self.go, self.done = threading.Event(), threading.Event()
        self.tool, self.raised = tool, None

    def call(self):
        try:
            self.tool(who="late")
        except (RunOverError, RunCancelled) as error:
            self.raised = error
        self.done.set()

    def call_from_a_thread(self):
        self.go.wait(10)
        self.call()

    async def call_from_a_task(self):
        while not self.go.is_set():
            try:
                await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                pass  # Nobody can stop it.
        self.call()

    def let_go(self):
        self.go.set()
        return self.done.wait(10)


def test_a_thread_of_an_agent_that_returned_does_not_enter_a_later_run():
    toolkit = a_toolkit()
    late = Late(toolkit.as_dict()["tool"])
    toolkit.run_generic(lambda: threading.Thread(target=late.call_from_a_thread, daemon=True).start())
    later = toolkit.run_generic(late.let_go)
    assert (later.output, later.call_order()) == (True, [])
    assert late.raised is not None


@pytest.mark.parametrize("ending", ["timed out", "returned"])
def test_a_task_left_behind_does_not_enter_a_later_run(ending):
    toolkit, tasks = a_toolkit(), []
    late = Late(toolkit.as_dict()["tool"])

    async def agent():
        tasks.append(asyncio.create_task(late.call_from_a_task()))

    toolkit.run_generic(late.call_from_a_task if ending == "timed out" else agent, timeout=0.1)
    later = toolkit.run_generic(late.let_go)
    assert (later.output, later.call_order()) == (True, [])
    assert late.raised is not None


def test_an_agent_left_behind_is_refused_even_when_no_run_is_under_way():
    toolkit = MockToolkit()
    toolkit.mock("page", sequence=["one", "two"])
    page = toolkit.as_dict()["page"]
    late = Late(page)

    def agent():
        while not late.go.is_set():
            try:
                time.sleep(0.005)
            except BaseException:
                pass  # Nobody can stop it.
        late.call()

    toolkit.run_generic(agent, timeout=0.1)
    assert late.let_go()
    assert toolkit.get_tool("page").calls == []
    assert toolkit.run_generic(page).output == "one"


# Deadlines


def returns_when_stopped(input, tools):
    try:
        while True:
            time.sleep(0.005)
    except BaseException:
        return "done"


def raises_when_stopped(input, tools):
    try:
        while True:
            time.sleep(0.005)
    except BaseException as error:
        raise RuntimeError("I was interrupted") from error


async def returns_when_cancelled(input, tools):
    try:
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        return "done"


@pytest.mark.parametrize("agent", [returns_when_stopped, raises_when_stopped, returns_when_cancelled])
def test_an_agent_stopped_at_its_deadline_timed_out_whatever_it_makes_of_that(agent):
    result = MockToolkit().run(agent, "x", timeout=0.1)
    assert result.error_is(AgentTimeoutError)
    assert result.output is None


# Kinds of agents and tools


def test_an_agent_that_is_a_generator_is_run_to_its_end():
    def agent(input, tools):
        yield tools["tool"](n=1)
        yield tools["tool"](n=2)

    result = a_toolkit().run(agent, "x")
    assert (result.output, result.call_order()) == ([1, 1], ["tool", "tool"])


def test_an_unmocked_tool_of_an_awaitable_toolkit_can_be_awaited():
    async def agent(input, tools):
        with pytest.warns(UnmockedToolWarning):
            return await tools["nothing"]()

    assert MockToolkit(strict=False, awaitable=True).run(agent, "x").succeeded


def test_a_call_of_a_name_with_a_lone_surrogate_is_a_strict_violation():
    def agent(input, tools):
        try:
            tools["a\ud800"]()
        except Exception:
            return "all is well"

    with pytest.raises(UnmockedToolError):
        MockToolkit().run(agent, "x")


def test_debug_of_a_test_case_has_a_toolkit():
    tools = []

    class Case(AgentTestCase):
        def test_it(self):
            tools.append(self.toolkit.mock("tool", return_value=1))

    Case("test_it").debug()
    assert len(tools) == 1
