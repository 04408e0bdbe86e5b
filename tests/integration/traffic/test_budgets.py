"""Money: what is spent is never above the limit, and a run over budget ends with what it has done so far."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from stopwatch import Stopwatch
from wire import CHAT, Anywhere, ask, chat, post

from unitai import Budget, CostLimitExceeded, MockToolkit, scripted_model
from unitai.script import fail, say, when

pytestmark = pytest.mark.integration

WORKERS = 64
#: A million tokens of the answer cost ten dollars, those of the prompt nothing to speak of.
PRICES = {"gpt-4o-mini": {"input": 0.000001, "output": 10.0}}
#: What one call costs at most: a hundred tokens.
ONE = 100 * 10.0 / 1e6


@pytest.fixture
def watched_budget():
    """Makes budgets, and looks at them all the time: what is spent and set aside is never above the limit."""
    budgets, over, done = [], [], threading.Event()

    def watch():
        while not done.is_set():
            for budget in budgets:
                if budget.spent > budget.limit or budget.left < -1e-12:
                    over.append((budget.spent, budget.reserved, budget.limit))

    def make(limit):
        budgets.append(Budget(limit))
        return budgets[-1]

    watcher = threading.Thread(target=watch)
    watcher.start()
    yield make
    done.set()
    watcher.join()
    assert over == []


def at_once(work):
    start = threading.Barrier(WORKERS)

    def body(worker):
        start.wait()
        return work(worker)

    with ThreadPoolExecutor(WORKERS) as pool:
        return [done.result() for done in [pool.submit(body, worker) for worker in range(WORKERS)]]


@pytest.mark.parametrize("pace", [0.0, 0.002])
def test_64_workers_at_the_last_cents_never_spend_more_than_there_is(pace, watched_budget):
    budget = watched_budget(10.5 * ONE)

    def work(worker):
        toolkit = MockToolkit(budget=budget, prices=PRICES)
        return toolkit.run(lambda input, tools: ask(Anywhere, max_tokens=100), "x")

    answer = say("Yes.").using(10, 100).after(pace)
    with scripted_model([when(turn=1).always(answer)], block_network=True):
        results = at_once(work)

    paid = [result for result in results if result.error is None]
    refused = [result for result in results if result.error is not None]
    assert len(paid) == 10
    assert all(isinstance(result.error, CostLimitExceeded) for result in refused)
    assert budget.spent <= budget.limit
    assert budget.spent == pytest.approx(sum(result.total_cost for result in paid), rel=1e-9)
    assert budget.reserved == 0
    for result in refused:
        (step,) = result.trajectory.steps
        assert (step.cost, step.prompt_tokens) == (0, 0)
        assert "budget" in step.llm_error


def test_what_a_cheap_answer_leaves_over_can_be_spent(watched_budget):
    budget = watched_budget(3.5 * ONE)
    toolkit = MockToolkit(budget=budget, prices=PRICES)

    def agent(input, tools):
        for _ in range(20):
            ask(Anywhere, max_tokens=100)

    with scripted_model([when(turn=n + 1).always(say("Yes.").using(0, 10)) for n in range(20)]):
        result = toolkit.run(agent, "x")
    assert result.error is None
    assert budget.spent == pytest.approx(20 * ONE / 10, rel=1e-9)


def test_a_failure_gives_back_what_was_set_aside(watched_budget):
    budget = watched_budget(1.5 * ONE)
    toolkit = MockToolkit(budget=budget, prices=PRICES)

    def agent(input, tools):
        return [post(Anywhere.url + CHAT, chat(max_tokens=100)).status for _ in range(5)]

    with scripted_model([fail(500), fail(429), fail(400), fail(503), say("Yes.").using(0, 100)]):
        result = toolkit.run(agent, "x")
    assert (result.error, result.output) == (None, [500, 429, 400, 503, 200])
    assert (budget.spent, budget.reserved) == (pytest.approx(ONE), 0)


def test_a_run_over_budget_ends_with_what_it_has_done():
    toolkit = MockToolkit(budget=2.5 * ONE, prices=PRICES)
    toolkit.mock("note", return_value=None)

    def agent(input, tools):
        while True:
            try:
                ask(Anywhere, max_tokens=100)
                tools["note"](n=1)
            except Exception:
                tools["note"](n=2)

    with scripted_model([when(turn=n + 1).always(say("More.").using(1, 100)) for n in range(9)]):
        with Stopwatch() as watch:
            result = toolkit.run(agent, "x", timeout=10)

    assert isinstance(result.error, CostLimitExceeded)
    kinds = [step.step_type for step in result.trajectory.steps]
    assert kinds == ["llm_call", "tool_call", "llm_call", "tool_call", "llm_call"]
    assert result.total_cost == pytest.approx(2 * ONE, rel=1e-4)
    assert watch.fair < 5


def test_a_call_that_is_over_budget_never_reaches_the_server(server):
    toolkit = MockToolkit(budget=1.5 * ONE, prices=PRICES)

    def agent(input, tools):
        while True:
            ask(server, max_tokens=100)

    result = toolkit.run(agent, "x", timeout=10)
    # Each call takes 20 tokens of the answer, and needs 100 to be sent.
    assert isinstance(result.error, CostLimitExceeded)
    assert len(server.requests) == 3
    assert [step.completion_tokens for step in result.trajectory.steps] == [20, 20, 20, 0]


def test_a_call_with_no_limit_of_its_output_needs_room_for_the_longest_answer(server):
    result = MockToolkit(budget=ONE, prices=PRICES).run(lambda input, tools: ask(server), "x")
    assert isinstance(result.error, CostLimitExceeded)
    assert server.requests == []


def test_models_on_this_machine_cost_no_budget(server):
    budget = Budget(0.000001)
    result = MockToolkit(budget=budget).run(lambda input, tools: [ask(server) for _ in range(3)], "x")
    assert (result.error, result.llm_calls, budget.spent) == (None, 3, 0)
