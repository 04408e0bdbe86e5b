"""The rules of model traffic: whose a request is, what it may cost, and when it is refused."""

from __future__ import annotations

import pickle
import socket
import subprocess
import sys
import threading
import time

import pytest
from stopwatch import Stopwatch

from tests.support.model import POOL, URL, ask, chat
from unitai import (
    AgentTimeoutError,
    AmbiguousRunError,
    Budget,
    CostLimitExceeded,
    InvalidArgumentError,
    MockToolkit,
    NetworkBlockedError,
    UnexpectedModelCallError,
    UnpricedModelError,
    block_network,
    scripted_model,
)
from unitai.runner.job import RunCancelled
from unitai.script import call, say, when

pytestmark = pytest.mark.unit

#: Answers everything, at a known price: 400 * 2.50 + 100 * 10 millionths of a dollar.
CHEAP = [when(model="").always(say("x").using(400, 100))]
PRICE = 0.002


def test_a_model_call_stands_in_its_place_among_the_tool_calls():
    toolkit = MockToolkit()
    toolkit.mock("lookup", return_value="found")

    def agent(input, tools):
        chat("first", tools=["lookup"])
        tools["lookup"]()
        return ask("second")

    with scripted_model([call("lookup"), say("done")]):
        result = toolkit.run(agent, "x")
    assert [step.step_type for step in result.trajectory.steps] == ["llm_call", "tool_call", "llm_call"]
    assert (result.output, result.trajectory.llm_calls) == ("done", 2)


def test_a_step_carries_all_that_is_known_of_the_call():
    with scripted_model([say("hello").using(400, 100)]):
        result = MockToolkit().run_generic(lambda: ask("hi"))
    (step,) = result.trajectory.steps
    assert (step.model, step.dialect, step.source, step.streamed) == ("gpt-4o", "openai_chat", "script", False)
    assert (step.finish_reason, step.llm_error, step.llm_status, step.unfinished) == ("stop", None, None, False)
    assert step.cost == pytest.approx(PRICE, abs=1e-12)
    assert 0 <= step.time_to_first_token <= step.latency <= result.duration
    assert len(step.request_digest) == 64
    assert step.usage_is_estimated is False


def test_equal_requests_have_equal_digests():
    with scripted_model(CHEAP):
        result = MockToolkit().run_generic(lambda: [ask("a"), ask("a"), ask("b")])
    first, second, third = (step.request_digest for step in result.trajectory.steps)
    assert first == second != third


def test_the_record_survives_json():
    with scripted_model(CHEAP):
        trajectory = MockToolkit().run_generic(lambda: ask("a")).trajectory
    assert type(trajectory).from_dict(trajectory.to_dict()) == trajectory
    assert pickle.loads(pickle.dumps(trajectory)) == trajectory


def test_an_error_of_the_provider_is_recorded_and_let_through():
    from tests.support.model import ModelError
    from unitai.script import fail

    with scripted_model([fail(503, "busy")]):
        result = MockToolkit().run_generic(lambda: ask("a"))
    assert isinstance(result.error, ModelError)
    (step,) = result.trajectory.steps
    assert (step.llm_status, step.llm_error, step.cost, step.prompt_tokens) == (503, "busy", 0.0, 0)
    assert "gpt-4o failed 503: busy" in result.report()


def test_a_budget_is_shared_by_the_runs_of_a_toolkit_and_stops_the_one_that_would_overspend():
    budget = Budget(0.01)
    toolkit = MockToolkit(budget=budget)
    with scripted_model(CHEAP):
        results = [toolkit.run_generic(lambda: ask("hi", max_tokens=100)) for _ in range(6)]
    assert [result.succeeded for result in results] == [True] * 5 + [False]
    assert isinstance(results[-1].error, CostLimitExceeded)
    assert budget.spent == pytest.approx(5 * PRICE, abs=1e-12)
    assert budget.spent <= budget.limit
    assert results[-1].trajectory.steps[0].llm_error.startswith("the budget of the toolkit does not allow")


def test_a_run_over_budget_keeps_its_partial_trajectory_whatever_the_agent_catches():
    def agent():
        while True:
            try:
                ask("hi", max_tokens=100)
            except Exception:
                pass

    with scripted_model(CHEAP):
        result = MockToolkit(budget=0.005).run_generic(agent, timeout=10)
    assert isinstance(result.error, CostLimitExceeded)
    answered = [step for step in result.trajectory.steps if step.llm_error is None]
    assert len(answered) == 2
    assert result.total_cost == pytest.approx(2 * PRICE, abs=1e-12)


def test_a_call_without_a_limit_may_overshoot_once_and_is_then_stopped():
    dear = [when(model="").always(say("x").using(10, 10_000))]
    budget = Budget(0.06)
    with scripted_model(dear):
        result = MockToolkit(budget=budget).run_generic(lambda: [ask("a"), ask("b")])
    assert isinstance(result.error, CostLimitExceeded)
    assert "overspent" in str(result.error)
    assert budget.spent > budget.limit


def test_a_model_without_a_price_is_refused_where_there_is_a_budget():
    with scripted_model(CHEAP) as model:
        result = MockToolkit(budget=1).run_generic(lambda: ask("a", model="no-such-model"))
    assert isinstance(result.error, UnpricedModelError)
    assert model.requests == []


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        # 400 tokens of input and 100 of output, at the last price of each for a million
        ("claude-3-5-haiku-20241022", 400 * 0.8e-6 + 100 * 4e-6),
        ("claude-sonnet-4-20250514", 400 * 3e-6 + 100 * 15e-6),
        ("gemini-2.0-flash", 400 * 0.1e-6 + 100 * 0.4e-6),
        ("gpt-4-0125-preview", 400 * 10e-6 + 100 * 30e-6),
    ],
)
def test_a_retired_model_has_its_last_price(model, dollars):
    with scripted_model(CHEAP):
        result = MockToolkit().run_generic(lambda: ask("a", model=model))
    assert result.total_cost == pytest.approx(dollars)


def test_a_price_of_ones_own_is_used():
    prices = {"no-such-model": {"input": 1.0, "output": 2.0}}
    with scripted_model(CHEAP):
        result = MockToolkit(prices=prices).run_generic(lambda: ask("a", model="no-such-model"))
    assert result.total_cost == pytest.approx((400 * 1 + 100 * 2) / 1e6, abs=1e-12)


def test_a_model_on_this_machine_is_free():
    with scripted_model(CHEAP):
        result = MockToolkit().run_generic(lambda: ask("a", url="http://localhost:1234/v1/chat/completions"))
    assert (result.total_cost, result.total_tokens) == (0.0, 500)


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": 0},
        {"budget": -1},
        {"budget": True},
        {"budget": "much"},
        {"budget": float("nan")},
        {"prices": {"m": 5}},
        {"prices": {"m": {"input": 1}}},
        {"prices": {"m": {"input": 1, "output": -2}}},
        {"prices": {"m": {"input": 1, "output": 2, "outptu": 3}}},
        {"prices": {5: {"input": 1, "output": 2}}},
        {"prices": 5},
    ],
)
def test_wrong_rules_are_refused_at_once(wrong):
    with pytest.raises(InvalidArgumentError):
        MockToolkit(**wrong)


def test_another_model_takes_the_place_of_the_agents_in_one_run():
    with scripted_model(CHEAP) as model:
        result = MockToolkit().run_generic(lambda: ask("a"), model_override="gpt-4o-mini")
    assert (result.trajectory.steps[0].model, model.requests[0].model) == ("gpt-4o-mini", "gpt-4o-mini")


def test_runs_at_the_same_time_do_not_mix():
    barrier = threading.Barrier(8)
    seen = {}

    def one(n):
        def agent():
            barrier.wait(10)
            return [ask(f"run {n}, request {m}") for m in range(5)]

        with scripted_model([say(f"{n}.{m}") for m in range(5)]) as model:
            seen[n] = (MockToolkit().run_generic(agent).output, [r.last_message for r in model.requests])

    threads = [threading.Thread(target=one, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n in range(8):
        assert seen[n] == ([f"{n}.{m}" for m in range(5)], [f"run {n}, request {m}" for m in range(5)])


def test_a_request_that_could_be_any_runs_is_refused_and_no_run_is_trusted():
    barrier, done = threading.Barrier(2), threading.Event()
    refused = []

    def asking():
        barrier.wait(10)
        thread = threading.Thread(target=lambda: refused.append(pytest.raises(AmbiguousRunError, ask, "x")))
        thread.start()
        thread.join()
        done.set()

    def waiting():
        barrier.wait(10)
        done.wait(10)

    def one(agent):
        # Whatever the agent makes of it: the record may lack a call.
        with pytest.raises(AmbiguousRunError):
            MockToolkit().run_generic(agent)

    threads = [threading.Thread(target=one, args=(agent,)) for agent in (asking, waiting)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1


@pytest.mark.parametrize("catches", [Exception, BaseException])
def test_from_the_deadline_on_no_request_is_answered(catches):
    times = []

    def agent():
        while time.monotonic() < began + 2:
            try:
                ask("again")
                times.append(time.monotonic())
            except catches:
                pass

    with scripted_model(CHEAP):
        with Stopwatch() as watch:
            began = time.monotonic()
            result = MockToolkit().run_generic(agent, timeout=0.2)
        # unitai: ignore[sleep-in-test] a request that must not be answered would have come by then
        time.sleep(0.2)
    assert isinstance(result.error, AgentTimeoutError)
    assert max(times) - began - watch.lag < 0.25


def test_a_thread_that_outlives_its_run_cannot_ask_a_model():
    outcomes = []
    done = threading.Event()

    def leave_behind():
        time.sleep(0.2)
        try:
            outcomes.append(ask("late"))
        except BaseException as error:
            outcomes.append(isinstance(error, RunCancelled))
        done.set()

    with scripted_model(CHEAP):
        MockToolkit().run_generic(lambda: threading.Thread(target=leave_behind, daemon=True).start())
        done.wait(5)
    assert outcomes == [True]


HOOKS = """
import socket, sys, urllib3
from unitai import MockToolkit, block_network, scripted_model

def places():
    return [urllib3.HTTPConnectionPool.urlopen, socket.socket.connect, socket.create_connection, socket.getaddrinfo,
            *sys.meta_path]

before = places()
with scripted_model([]), block_network():
    assert urllib3.HTTPConnectionPool.urlopen is not before[0]
    assert len(places()) == len(before) + 1
MockToolkit(block_network=True).run_generic(list)
assert all(one is other for one, other in zip(before, places(), strict=True))
assert "connect" not in vars(socket.socket)
"""


def test_no_hook_stays_behind():
    # In a process of its own: what another test could not stop keeps the hooks there.
    subprocess.run([sys.executable, "-c", HOOKS], check=True, timeout=60)


def test_a_run_can_block_the_network_and_this_machine_is_no_network():
    server = socket.create_server(("127.0.0.1", 0))

    def agent():
        socket.create_connection(server.getsockname()).close()
        socket.create_connection(("192.0.2.1", 80), timeout=1)

    with server:
        result = MockToolkit(block_network=True).run_generic(agent)
    assert isinstance(result.error, NetworkBlockedError)
    assert isinstance(result.error, ConnectionError)
    assert "192.0.2.1:80" in str(result.error)
    assert "in agent" in str(result.error)


def test_a_client_that_no_script_can_answer_does_not_reach_a_model():
    import http.client

    with pytest.raises(NetworkBlockedError, match="the model is scripted"), scripted_model([]):
        try:
            http.client.HTTPSConnection("api.openai.com", timeout=1).request("POST", "/v1/chat/completions", "{}")
        except OSError:
            pass  # An agent may swallow it; the script remembers.


def test_a_proxy_on_this_machine_leads_out_of_it(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@127.0.0.1:3128")
    with block_network(), pytest.raises(NetworkBlockedError) as caught:
        socket.create_connection(("127.0.0.1", 3128), timeout=1)
    assert "proxy" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_condition_that_asks_the_model_is_refused():
    with pytest.raises(UnexpectedModelCallError, match="condition"), scripted_model([when(ask).then(say("x"))]):
        ask("x")


def test_what_is_no_models_is_left_alone():
    with scripted_model([]), socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/messages"
        result = MockToolkit().run_generic(lambda: POOL.request("POST", url, json={"text": "hi"}).data)
        thread.join()
    assert (result.output, result.trajectory.steps) == (b"ok", [])


def test_compressed_requests_are_understood():
    import gzip
    import json

    body = gzip.compress(json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}).encode())
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    with scripted_model([say("x")]) as model:
        assert POOL.request("POST", URL, body=body, headers=headers).status == 200
    assert model.requests[0].last_message == "hi"


def test_a_toolkit_with_rules_can_be_copied():
    toolkit = pickle.loads(pickle.dumps(MockToolkit(prices={"m": {"input": 1, "output": 2}}, block_network=True)))
    with scripted_model(CHEAP):
        assert toolkit.run_generic(lambda: ask("a", model="m")).total_cost > 0
