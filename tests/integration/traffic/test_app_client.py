"""An agent behind an ASGI application, called through Starlette's `TestClient`, whose event loop is not the run's: what ends
the run comes out as it is, and the client and its loop survive.
"""

from __future__ import annotations

import asyncio

import pytest

from tests.support.model import ask, chat
from unitai import (
    MockToolkit,
    ScriptedCallError,
    UnexpectedModelCallError,
    UnmockedToolError,
    UnreachableToolError,
    scripted_model,
)
from unitai.script import call, say

pytest.importorskip("starlette")
from starlette.applications import Starlette  # noqa: E402
from starlette.responses import PlainTextResponse  # noqa: E402
from starlette.routing import Route  # noqa: E402
from starlette.testclient import TestClient  # noqa: E402

pytestmark = pytest.mark.integration

REFUND = call("refund", order="7")
ROUTES = ("/sync", "/async", "/thread")


def answers_itself(toolkit):
    """An agent whose tool is out of reach."""
    question = {"role": "user", "content": "Refund order 7."}
    request = chat([question], tools=["refund"])
    (called,) = request["tool_calls"]
    result = {"role": "tool", "tool_call_id": called["id"], "content": "really refunded"}
    return chat([question, request, result], tools=["refund"])["content"]


def calls_a_tool(toolkit):
    chat("Refund order 7.", tools=["refund"])
    return toolkit.as_dict()["refund"](order="7")


def calls_it_again_and_again(toolkit):
    while True:
        try:
            return calls_a_tool(toolkit)
        except Exception:
            continue


def asks_twice(toolkit):
    return [ask("one"), ask("two")] and "never"


def is_offered_nothing(toolkit):
    return ask("one")


#: What ends the run: the error, the agent, and what the model says.
ENDS = {
    "unreachable": (UnreachableToolError, answers_itself, [REFUND, say("one")]),
    "unmocked": (UnmockedToolError, calls_a_tool, [REFUND, say("one")]),
    "unmocked, and swallowed": (UnmockedToolError, calls_it_again_and_again, [REFUND, say("one")]),
    "unexpected": (UnexpectedModelCallError, asks_twice, [say("one")]),
    "scripted": (ScriptedCallError, is_offered_nothing, [REFUND]),
}


def application(toolkit, agent):
    def sync(request):
        return PlainTextResponse(str(agent(toolkit)))

    async def in_loop(request):
        return PlainTextResponse(str(agent(toolkit)))

    async def in_thread(request):
        return PlainTextResponse(str(await asyncio.to_thread(agent, toolkit)))

    async def health(request):
        return PlainTextResponse("fine")

    routes = {"/sync": sync, "/async": in_loop, "/thread": in_thread, "/health": health}
    return Starlette(routes=[Route(path, endpoint) for path, endpoint in routes.items()])


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("ending", ENDS)
def test_what_ends_the_run_comes_out_of_a_client_around_it(ending, path):
    error, agent, steps = ENDS[ending]
    toolkit = MockToolkit()
    with (
        TestClient(application(toolkit, agent)) as client,
        pytest.raises(error),
        scripted_model(steps),
    ):
        toolkit.run_generic(lambda: client.get(path).text)


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("ending", ENDS)
def test_it_comes_out_of_a_client_inside_a_script(ending, path):
    error, agent, steps = ENDS[ending]
    toolkit = MockToolkit()
    with (
        pytest.raises(error),
        scripted_model(steps),
        TestClient(application(toolkit, agent)) as client,
    ):
        toolkit.run_generic(lambda: client.get(path).text)


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("ending", ENDS)
def test_it_comes_out_of_a_client_that_the_agent_opens(ending, path):
    error, agent, steps = ENDS[ending]
    toolkit = MockToolkit()

    def run():
        with TestClient(application(toolkit, agent)) as client:
            return client.get(path).text

    with pytest.raises(error), scripted_model(steps):
        toolkit.run_generic(run)


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("ending", ENDS)
def test_the_client_goes_on_after_it(ending, path):
    error, agent, steps = ENDS[ending]
    toolkit = MockToolkit()
    with TestClient(application(toolkit, agent)) as client:
        with pytest.raises(error), scripted_model(steps):
            toolkit.run_generic(lambda: client.get(path).text)
        assert client.get("/health").text == "fine"


@pytest.mark.parametrize("path", ROUTES)
def test_a_run_that_nothing_ends_gives_what_the_application_says(path):
    toolkit = MockToolkit()
    with TestClient(application(toolkit, lambda toolkit: ask("hi"))) as client, scripted_model([say("hello")]):
        assert toolkit.run_generic(lambda: client.get(path).text).output == "hello"
