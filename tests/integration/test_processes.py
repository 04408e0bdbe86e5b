"""Other processes: what crosses to them, what is left of us after a fork, and Ctrl-C."""

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time

import pytest
from model import chat
from stopwatch import Stopwatch

from unitai import MockToolkit, UnreachableToolError, scripted_model
from unitai.script import call, say

pytestmark = pytest.mark.integration

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def doubled(args):
    return args["n"] * 2


def a_toolkit():
    toolkit = MockToolkit()
    toolkit.mock("double", side_effect=doubled)
    toolkit.mock("page", sequence=["one", "two"])
    return toolkit


def agent(input, tools):
    return [tools["double"](n=input), tools["page"]()]


async def async_agent(input, tools):
    return agent(input, tools)


def run_there(toolkit, input):
    return toolkit.run(agent, input)


# The names of a test module are not importable in a fresh interpreter, so the other side is a script.
THERE = """
import pickle, sys
from unitai import MockToolkit
toolkit = pickle.load(sys.stdin.buffer)
result = toolkit.run(lambda input, tools: [tools["page"](), tools["fixed"]()["a"]], "x")
result.failed, str(result)
sys.stdout.buffer.write(pickle.dumps((result, result.tool_was_called("nothing"), toolkit)))
"""


def test_a_toolkit_goes_to_another_process_and_its_result_comes_back():
    toolkit = MockToolkit()
    toolkit.mock("page", sequence=["one", "two"])
    toolkit.mock("fixed", return_value={"a": (1, {2})})
    toolkit.as_dict()["page"]()
    done = subprocess.run(
        [sys.executable, "-c", THERE], input=pickle.dumps(toolkit), capture_output=True, timeout=30, check=True
    )
    result, finding, back = pickle.loads(done.stdout)
    assert result.output == ["two", (1, {2})]
    assert result.call_order() == ["page", "fixed"]
    assert not finding
    assert finding.trajectory == result.trajectory
    assert back.get_tool("page").calls == []


def in_pool(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.map(abs, [-1, -2])


def test_worker_processes_that_are_spawned_work_beside_a_run():
    toolkit = MockToolkit()
    toolkit.mock("tool", return_value=1)
    result = toolkit.run(lambda input, tools: [tools["tool"](), *in_pool("spawn")], "x")
    assert result.output == [1, 1, 2]


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_runs_agents_of_its_own():
    toolkit = a_toolkit()
    assert toolkit.run(agent, 1).succeeded
    assert toolkit.run(async_agent, 1).succeeded
    toolkit.reset()
    child = os.fork()
    if child == 0:
        try:
            good = toolkit.run(agent, 2, timeout=5).output == [4, "one"]
            good = good and toolkit.run(async_agent, 3, timeout=5).output == [6, "two"]
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert toolkit.get_tool("double").calls == []


def called_in_a_child(call):
    """What a call gives in a process that is forked here: its answer, or the name and the text of its error."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = str(call())
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as file:
        return file.read()


def real_refund(order_id):
    """A test that gets here has paid real money."""
    return f"really refunded {order_id}"


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("way", ["tools", "patch", "allow"])
def test_a_tool_that_is_called_in_a_process_forked_from_the_run_is_refused_there(way):
    toolkit = MockToolkit()
    if way == "tools":
        toolkit.mock("refund", return_value="mocked")
        agent = lambda input, tools: called_in_a_child(lambda: tools["refund"](order_id=input))  # noqa: E731
    else:
        toolkit.patch(f"{__name__}.real_refund", name="refund")
        agent = lambda input: called_in_a_child(lambda: real_refund(input))  # noqa: E731
    if way == "allow":
        toolkit.allow("refund")
    said = toolkit.run(agent, "7").output
    assert said.startswith("UnreachableToolError: refund was called in a process that was forked from the run"), said
    assert toolkit.last_result.call_order() == []


IN_A_NEW_PROCESS = "import sys; print('really refunded', sys.argv[1])"


def test_a_tool_that_runs_in_a_new_process_is_known_by_the_result_that_the_model_is_given():
    def in_a_new_process(order):
        command = [sys.executable, "-c", IN_A_NEW_PROCESS, order]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def agent():
        question = {"role": "user", "content": "Refund order 7."}
        answer = chat([question], tools=["refund"])
        (wanted,) = answer["tool_calls"]
        result = in_a_new_process(json.loads(wanted["function"]["arguments"])["order"])
        return chat([question, answer, {"role": "tool", "tool_call_id": wanted["id"], "content": result}])["content"]

    toolkit = MockToolkit()
    toolkit.mock("refund", return_value="mocked")
    with pytest.raises(UnreachableToolError) as caught, scripted_model([call("refund", order="7"), say("Done.")]):
        toolkit.run_generic(agent)
    assert "really refunded 7" in str(caught.value)


INTERRUPTED = """
import signal, sys, time
from unitai import MockToolkit

# A suite that was started in the background hands on that Ctrl-C is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
toolkit = MockToolkit()
toolkit.mock("tool", return_value=1)

def agent(input, tools):
    tools["tool"]()
    print("ready", flush=True)
    {wait}

try:
    {run}
except KeyboardInterrupt:
    print("interrupted", len(toolkit.get_tool("tool").calls), flush=True)
    print(toolkit.run(lambda input, tools: tools["tool"](), "x").output, flush=True)
    sys.exit(7)
print("went on")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize("wait", ["time.sleep(30)", "while True: pass"], ids=["sleeps", "spins"])
@pytest.mark.parametrize(
    "run",
    ['toolkit.run(agent, "x")', 'import asyncio; asyncio.run(toolkit.arun(agent, "x"))'],
    ids=["run", "arun"],
)
def test_ctrl_c_comes_through_and_the_record_is_kept(wait, run):
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(wait=wait, run=run)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            # unitai: ignore[sleep-in-test] nothing tells that the agent has begun to wait
            time.sleep(0.1)
            with Stopwatch() as watch:
                process.send_signal(signal.SIGINT)
                rest = process.stdout.read()
                assert process.wait(10) == 7
            assert rest == "interrupted 1\n1\n"
            assert watch.fair < 5
        finally:
            process.kill()
