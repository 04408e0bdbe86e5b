"""Bugs of threads, loops and the program's end that must not return."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from processes import soon
from programs import run_program

from unitai import InvalidArgumentError, MockToolkit

pytestmark = pytest.mark.regression


def a_toolkit() -> MockToolkit:
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    return toolkit


def test_an_async_agent_may_run_another_agent_and_wait_for_it():
    toolkit = a_toolkit()

    async def inner(input, tools):
        return tools["tool"]()

    async def outer(input, tools):
        return toolkit.run(inner, "inner", timeout=5).output

    result = toolkit.run(outer, "outer", timeout=10)
    assert (result.output, result.error) == (1, None)


AT_WORK_AT_THE_END = """
import threading, time
from unitai import AgentRunResult, MockToolkit, Trajectory, TrajectoryStep

class Slow:
    def __eq__(self, other):
        time.sleep(0.0005)
        return False

class Error(Exception):
    def __str__(self):
        time.sleep(0.0005)
        return "slow"

toolkit = MockToolkit(max_tool_calls=10**9)
toolkit.mock("raises", side_effect=Error())
toolkit.mock("sleeps", side_effect=lambda args: time.sleep(0.0005))
toolkit.mock("tool", return_value={"a": [1]})
toolkit.allow("real", lambda **args: time.sleep(0.0005))
tools = toolkit.as_dict()
result = AgentRunResult(Trajectory(steps=[TrajectoryStep(tool_name="a", tool_args={"n": n}) for n in range(500)]))

def leave_a_thread():
    toolkit.run_generic(lambda: threading.Thread(target=time.sleep, args=(9,), daemon=True).start())

BEFORE

def work():
    while True:
        try:
            CALL
        except Exception:
            pass

threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
"""


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("", 'tools["sleeps"](n=1)'),
        ("", 'tools["real"](n=1)'),
        ("", 'tools["raises"](n=1)'),
        ("leave_a_thread()", 'tools["tool"](n=1)'),
        ("", 'result.tool_called_with("a", n=Slow())'),
        ("", 'result.matches([("a", {"n": Slow()})] * 20, "unordered")'),
    ],
    ids=["side-effect", "real-tool", "str-of-an-error", "refused", "check", "match"],
)
def test_a_program_ends_cleanly_while_a_thread_is_in_the_engine(before, call):
    for _ in range(3):
        done = run_program(AT_WORK_AT_THE_END.replace("BEFORE", before).replace("CALL", call))
        assert (done.returncode, done.stderr) == (0, "")


def test_a_pool_of_threads_that_an_agent_keeps_works_in_its_next_run():
    toolkit = a_toolkit()
    tool = toolkit.as_dict()["tool"]
    with ThreadPoolExecutor(1) as pool:
        runs = [toolkit.run_generic(lambda: pool.submit(tool).result()) for _ in range(2)]
    assert [(run.error, run.call_order()) for run in runs] == [(None, ["tool"])] * 2


def test_the_executor_of_the_loop_works_in_the_next_run():
    toolkit = a_toolkit()
    tool = toolkit.as_dict()["tool"]

    async def agent():
        return await asyncio.get_running_loop().run_in_executor(None, tool)

    assert [toolkit.run_generic(agent).error for _ in range(2)] == [None, None]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files by /proc")
def test_a_loop_that_was_given_up_is_closed_when_it_is_free_again():
    async def blocks(input, tools):
        time.sleep(0.1)

    def in_use() -> tuple[int, int]:
        loops = [thread for thread in threading.enumerate() if thread.name == "unitai-loop"]
        return len(loops), len(os.listdir("/proc/self/fd"))

    before = in_use()
    for _ in range(5):
        MockToolkit().run(blocks, "x", timeout=0.01)
    assert soon(lambda: in_use()[0] <= before[0] + 1)
    assert in_use()[1] <= before[1] + 3


def test_an_agent_that_stops_the_loop_does_not_take_the_next_with_it():
    async def stops(input, tools):
        asyncio.get_running_loop().stop()
        return 1

    async def good(input, tools):
        return tools["tool"]()

    a_toolkit().run(stops, "x", timeout=1)
    assert a_toolkit().run(good, "x", timeout=5).error is None


def test_arun_without_asyncio_is_refused_and_leaves_no_run_open():
    toolkit = a_toolkit()
    with pytest.raises(InvalidArgumentError, match="asyncio"):
        toolkit.arun(lambda input, tools: 1, "x").send(None)  # As another event loop would.
    tool = toolkit.as_dict()["tool"]
    tool(who="nobody")
    assert toolkit.run_generic(lambda: 1).call_order() == []


def test_a_report_does_not_blame_a_finding_that_was_not_asserted(pytester):
    pytester.makepyfile(
        """
        from unitai import MockToolkit

        def test_it():
            result = MockToolkit().run(lambda input, tools: "no", "x")
            refunded = result.tool_was_called("refund")
            assert not refunded
            assert result.output == "yes"
        """
    )
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    done.stdout.fnmatch_lines(["*- UnitAI -*"])
    done.stdout.no_fnmatch_line('*Assertion: tool_was_called("refund")*')


def test_an_error_of_ours_is_one_line_in_a_report():
    result = MockToolkit().run(lambda input, tools: time.sleep(1), "x", timeout=0.01)
    assert "Agent raised: AgentTimeoutError: the agent did not end within 0.01 seconds" in str(result)
    assert "\\n" not in str(result)
