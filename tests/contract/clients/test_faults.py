"""Faults of model calls with the real clients: each meets them as it would by itself, and an agent that asks again
gets its answer.
"""

from __future__ import annotations

import pytest
from model_client import drive
from table import variants

from unitai import MockToolkit, scripted_model
from unitai.faults import (
    cut,
    faults,
    malformed,
    on_model,
    rate_limit,
    reset,
    server_error,
    slow,
    timeout,
    wrong_schema,
)
from unitai.script import say

pytestmark = [
    pytest.mark.contract,
    # What the SDKs warn of is theirs.
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("no_connection"),
]

TEXT = "Your order is on its way."


@pytest.fixture(params=variants(), ids=str)
def client(request):
    return request.param.make()


def persistent(client, tries=6):
    """An agent that asks until the answer is what it should be; and what it met before."""
    met: list[object] = []

    async def ask(input, tools):
        try:
            for _ in range(tries):
                try:
                    reply = await client.ask(client.begin(input))
                except Exception as error:
                    met.append(error)
                    continue
                if reply.text == TEXT:
                    return reply.text
                met.append(reply.text)
            return None
        finally:
            await client.close()

    return (ask if client.is_async else lambda input, tools: drive(ask(input, tools))), met


def run(client, fault):
    agent, met = persistent(client)
    with scripted_model([say(TEXT)], block_network=True), faults([on_model(nth=1).then(fault)], seed=7):
        return MockToolkit().run(agent, "Where is my order?"), met


@pytest.mark.parametrize(
    "fault",
    [
        rate_limit(retry_after=0.01),
        server_error(503),
        reset(),
        timeout(),
        slow(0.02, pace=0.001),
        cut(),
        malformed(),
        wrong_schema(),
    ],
    ids=repr,
)
def test_an_agent_that_asks_again_gets_its_answer(client, fault):
    result, met = run(client, fault)

    assert result.output == TEXT, met
    first, *others = result.trajectory.steps
    kind = first.fault.kind
    assert (kind, first.fault.seed) == (repr(fault).partition("(")[0], 7)
    assert all(step.fault is None for step in others)
    if kind == "malformed" and not met and not others:
        return  # An SDK may pass over an event that it cannot read, and none of the text was in it.
    assert len(others) == (0 if kind == "slow" else 1), met
    assert result.recovered_from(kind)
    assert result.retried_at_most(1)


def test_a_rate_limit_is_the_sdk_s_own_error(client):
    _, met = run(client, rate_limit(retry_after=0.01))
    # An SDK that tries again by itself hides it.
    assert not met or isinstance(met[0], client.rate_limited)


@pytest.mark.parametrize("is_streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_the_sdk_s_own_retries_are_steps(is_async, is_streamed):
    openai = pytest.importorskip("openai")
    kind = openai.AsyncOpenAI if is_async else openai.OpenAI
    client = kind(api_key="none", max_retries=3)
    options = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "stream": is_streamed}

    def text(answer):
        return answer.choices[0].message.content

    def joined(chunks):
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)

    def ask(input, tools):
        answer = client.chat.completions.create(**options)
        return joined(answer) if is_streamed else text(answer)

    async def ask_async(input, tools):
        answer = await client.chat.completions.create(**options)
        return joined([chunk async for chunk in answer]) if is_streamed else text(answer)

    rules = [on_model(nth=1).then(rate_limit(retry_after=0.01)), on_model(nth=2).then(reset())]
    rules.append(on_model(nth=3).then(timeout()))
    with scripted_model([say(TEXT)], block_network=True), faults(rules):
        result = MockToolkit().run(ask_async if is_async else ask, "x")

    assert result.output == TEXT
    steps = result.trajectory.steps
    assert [step.fault and step.fault.kind for step in steps] == ["rate_limit", "reset", "timeout", None]
    assert len({step.request_digest for step in steps}) == 1
    assert result.recovered_from("reset")
    assert not result.retried_at_most(2)
