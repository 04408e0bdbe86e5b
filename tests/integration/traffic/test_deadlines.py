"""Deadlines: when a run's time is up, no request to a model leaves any more, whatever the agent tries."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from programs import run_program

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
PATHS = [str(HERE), str(HERE.parents[1] / "support")]

#: An agent that cannot be stopped keeps the door open for good, so each has a process of its own.
PROGRAM = '''
import asyncio, json, sys, threading, time
sys.path[:0] = {paths!r}
from loopback import Server
from stopwatch import Stopwatch
from wire import CHAT, ask, chat
from unitai import MockToolkit, scripted_model
from unitai.script import say, when

TIMEOUT = 0.4
stop, begun, refused, lags = threading.Event(), [], [], []

def measure_lag():
    """How late a thread of this process gets its turn, when."""
    while not stop.is_set():
        due = time.monotonic() + 0.002
        time.sleep(0.002)
        now = time.monotonic()
        lags.append((now, now - due))

{agent}

async def warm_up():
    pass

{warm_up}

with Server() as server:
    asyncio.run(warm_up())
    server.requests.clear()
    threading.Thread(target=measure_lag).start()
    with Stopwatch() as watch:
        result = MockToolkit().run(agent, "x", timeout=TIMEOUT)
    time.sleep(0.4)
    stop.set()
    deadline = begun[0] + TIMEOUT
    late = [request.at - deadline for request in server.requests]
    print(json.dumps({{
        "error": type(result.error).__name__,
        "requests": len(server.requests),
        "steps": len(result.trajectory.steps),
        "latest": max(late, default=0),
        "lag": max(lag for at, lag in lags if deadline - 0.05 < at < deadline + 0.2),
        "returned": watch.fair,
        "refused": len(refused),
    }}))
'''

AGENTS = {
    "a thread that swallows everything": """
def agent(input, tools):
    begun.append(time.monotonic())
    while not stop.is_set():
        try:
            ask(server)
        except BaseException as error:
            refused.append(error)
            time.sleep(0.001)
""",
    "threads of its own that swallow everything": """
def agent(input, tools):
    begun.append(time.monotonic())
    def work():
        while not stop.is_set():
            try:
                ask(server)
            except BaseException as error:
                refused.append(error)
                time.sleep(0.001)
    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
""",
    "a coroutine that swallows everything": """
async def agent(input, tools):
    begun.append(time.monotonic())
    while not stop.is_set():
        try:
            ask(server)
            await asyncio.sleep(0)
        except BaseException as error:
            refused.append(error)
            time.sleep(0.001)
""",
    "a coroutine that asks in threads": """
async def agent(input, tools):
    begun.append(time.monotonic())
    while not stop.is_set():
        try:
            await asyncio.to_thread(ask, server)
        except BaseException as error:
            refused.append(error)
            time.sleep(0.001)
""",
    "a client that tries again by itself": """
import urllib3
from loopback import Answered
def agent(input, tools):
    begun.append(time.monotonic())
    server.respond = lambda asked: Answered(b"{}", status=503)
    retries = urllib3.Retry(1000, status_forcelist=[503], allowed_methods=None, backoff_factor=0)
    with urllib3.PoolManager() as pool:
        while not stop.is_set():
            try:
                pool.request("POST", server.url + CHAT, json=chat(), retries=retries)
            except BaseException as error:
                refused.append(error)
                time.sleep(0.001)
""",
}

#: Loads what the client loads late, so that the time is the agent's own.
WARM_UP = """
async def warm_up():
    async with {client} as client:
        {post}
"""

ASYNC_AGENT = """
import {library}
async def agent(input, tools):
    begun.append(time.monotonic())
    async with {client} as client:
        while not stop.is_set():
            try:
                {post}
            except BaseException as error:
                refused.append(error)
                time.sleep(0.001)
"""


def outcome_of(agent, warm_up=""):
    """What came of the agent. A machine that stalls at the wrong moment does so once; what leaves too late by itself
    does so each time.
    """
    for _ in range(3):
        done = run_program(PROGRAM.format(paths=PATHS, agent=agent, warm_up=warm_up), "-W", "ignore")
        assert done.returncode == 0, done.stderr
        outcome = json.loads(done.stdout)
        if outcome["latest"] <= LATEST + outcome["lag"]:
            break
    return outcome


#: Seconds after the deadline.
LATEST = 0.05


def check(outcome):
    assert outcome["error"] == "AgentTimeoutError"
    assert outcome["requests"] > 0
    # A server on a busy machine sees a request later than it was sent.
    assert outcome["latest"] <= LATEST + outcome["lag"]
    assert outcome["returned"] < 2.0
    assert outcome["refused"] > 0


@pytest.mark.skipif(sys.platform == "win32", reason="its clock is too coarse for this")
@pytest.mark.parametrize("agent", AGENTS)
def test_after_the_deadline_no_request_leaves(agent):
    check(outcome_of(AGENTS[agent]))


@pytest.mark.parametrize(
    ("library", "client", "post"),
    [
        (
            "httpx",
            "httpx.AsyncClient(trust_env=False, verify=False)",
            "await client.post(server.url + CHAT, json=chat())",
        ),
        (
            "httpx2",
            "httpx2.AsyncClient(trust_env=False, verify=False)",
            "await client.post(server.url + CHAT, json=chat())",
        ),
        ("aiohttp", "aiohttp.ClientSession()", "await (await client.post(server.url + CHAT, json=chat())).read()"),
    ],
)
def test_after_the_deadline_no_request_of_an_async_client_leaves(library, client, post):
    pytest.importorskip(library)
    agent = ASYNC_AGENT.format(library=library, client=client, post=post)
    check(outcome_of(agent, WARM_UP.format(client=client, post=post)))


def test_a_scripted_model_that_takes_too_long_is_not_waited_for():
    code = """
import json, sys
sys.path[:0] = PATHS
from stopwatch import Stopwatch
from unitai import MockToolkit, scripted_model
from unitai.script import say
import urllib3

def agent(input, tools):
    with urllib3.PoolManager() as pool:
        return pool.request("POST", "https://api.openai.com/v1/chat/completions", json={"model": "gpt-4o", "messages": []}).data

with scripted_model([say("At last.").after(30)]):
    with Stopwatch() as watch:
        result = MockToolkit().run(agent, "x", timeout=0.3)
    print(json.dumps([type(result.error).__name__, watch.fair, len(result.trajectory.steps)]))
"""
    done = run_program(code.replace("PATHS", repr(PATHS)))
    assert done.returncode == 0, done.stderr
    error, took, steps = json.loads(done.stdout)
    assert (error, steps) == ("AgentTimeoutError", 1)
    assert took < 1.5
