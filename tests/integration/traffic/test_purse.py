"""Budgets that stand around code: they pay for runs of any toolkit and for calls outside any run, and each of them
holds.
"""

from __future__ import annotations

import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import urllib3
from wire import ASYNC, CHAT, SYNC, Anywhere, ask, chat, reading, said

from unitai import (
    AmbiguousRunError,
    Budget,
    CostLimitExceeded,
    InvalidArgumentError,
    MockToolkit,
    UnpricedModelError,
    cassette,
    scripted_model,
    spending,
)
from unitai.script import say, when
from unitai.traffic.purse import standing_budgets

pytestmark = pytest.mark.integration

WORKERS = 64
#: A million tokens of the answer cost ten dollars, those of the prompt nothing to speak of.
PRICES = {"gpt-4o-mini": {"input": 0.000001, "output": 10.0}}
#: What one call costs at most: a hundred tokens. The server's answers take 20.
ONE = 100 * 10.0 / 1e6
ANSWER = 20 * 10.0 / 1e6

YES = [when(turn=1).always(say("Yes.").using(10, 100))]


def one_call(input, tools):
    return ask(Anywhere, max_tokens=100)


def test_standing_budgets_are_known_from_the_outside_in():
    outer, inner = Budget(2.0, name="the suite"), Budget(1.0)
    assert standing_budgets() == ()
    with spending(outer) as got:
        assert got is outer
        with spending(inner), spending(0.5):
            standing = standing_budgets()
            assert standing[:2] == (outer, inner)
            assert [budget.limit for budget in standing] == [2.0, 1.0, 0.5]
    assert standing_budgets() == ()


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), "5", True, None])
def test_what_is_no_budget_is_refused_at_once(wrong):
    with pytest.raises(InvalidArgumentError, match=r"budget|dollars"):
        spending(wrong)


def test_runs_of_every_toolkit_obey_what_stands():
    with spending(Budget(2.5 * ONE, name="these runs")) as budget, scripted_model(YES):
        results = [MockToolkit(prices=PRICES).run(one_call, "x") for _ in range(3)]
    assert [result.error is None for result in results] == [True, True, False]
    error = results[2].error
    assert isinstance(error, CostLimitExceeded)
    assert error.message.startswith("the budget of these runs does not allow another model call")
    assert "budget= of StatisticalRunner" in error.remedy
    assert budget.spent == pytest.approx(2 * ONE, rel=1e-4)


@pytest.mark.parametrize(
    ("own", "inner", "outer", "whose", "remedy"),
    [
        (0.5, 9, 9, "the toolkit", "MockToolkit(budget=...)"),
        (9, 0.5, 9, "this test", "max_cost="),
        (9, 9, 0.5, "the suite", "UNITAI_COST_BUDGET_PER_SUITE"),
        (0.5, 0.5, 0.5, "the toolkit", "MockToolkit(budget=...)"),
    ],
)
def test_the_budget_that_refuses_is_named_and_nothing_is_set_aside_in_the_others(own, inner, outer, whose, remedy):
    toolkit = Budget(own * ONE)
    with (
        spending(Budget(outer * ONE, name="the suite")) as suite,
        spending(Budget(inner * ONE, name="this test")) as test,
        scripted_model(YES),
    ):
        error = MockToolkit(budget=toolkit, prices=PRICES).run(one_call, "x").error
    assert isinstance(error, CostLimitExceeded)
    assert error.message.startswith(f"the budget of {whose} does not allow")
    assert remedy in error.remedy
    assert [(budget.spent, budget.reserved) for budget in (toolkit, test, suite)] == [(0, 0)] * 3


def test_a_call_is_paid_for_once_in_each_also_where_one_is_given_twice():
    budget, outer = Budget(9 * ONE), Budget(9 * ONE)
    with spending(outer), spending(budget), spending(budget), scripted_model(YES):
        result = MockToolkit(budget=budget, prices=PRICES).run(one_call, "x")
    assert result.error is None
    assert budget.spent == outer.spent == pytest.approx(result.total_cost)


def test_a_name_of_ones_own_is_told():
    with spending(Budget(0.1 * ONE, name="the night shift")), scripted_model(YES):
        error = MockToolkit(prices=PRICES).run(one_call, "x").error
    assert error.message.startswith("the budget of the night shift does not allow")


@pytest.mark.parametrize("pace", [0.0, 0.002])
def test_64_workers_at_the_last_cents_of_several_budgets_never_spend_more_than_there_is(pace):
    suite, own = Budget(10.5 * ONE, name="the suite"), Budget(40 * ONE)
    start = threading.Barrier(WORKERS)
    script = [when(turn=1).always(say("Yes.").using(10, 100).after(pace))]

    def work(worker):
        with spending(Budget(1.5 * ONE, name="this test")) as test:
            start.wait()
            toolkit = MockToolkit(budget=own, prices=PRICES)
            results = [toolkit.run(one_call, "x") for _ in range(2)]
        return test, results

    with spending(suite), scripted_model(script, block_network=True), ThreadPoolExecutor(WORKERS) as pool:
        contexts = [contextvars.copy_context() for _ in range(WORKERS)]
        done = [pool.submit(context.run, work, n) for n, context in enumerate(contexts)]
        outcomes = [future.result() for future in done]

    paid = [result for _, results in outcomes for result in results if result.error is None]
    errors = [result.error for _, results in outcomes for result in results if result.error is not None]
    assert len(paid) == 10
    assert all(isinstance(error, CostLimitExceeded) for error in errors)
    assert suite.spent == own.spent == pytest.approx(sum(result.total_cost for result in paid))
    assert suite.spent <= suite.limit
    assert (suite.reserved, own.reserved) == (0, 0)
    for test, results in outcomes:
        assert test.spent <= test.limit
        assert test.spent == pytest.approx(sum(result.total_cost for result in results if result.error is None))


class TestCallsOutsideAnyRun:
    def test_they_are_paid_for_by_what_stands(self, server):
        outer = Budget(1.0)
        with spending(outer), spending(1.0, prices=PRICES) as budget:
            ask(server, max_tokens=100)
            ask(server, max_tokens=100)
            assert budget.spent == outer.spent == pytest.approx(2 * ANSWER, rel=1e-3)
        ask(server, max_tokens=100)
        assert budget.spent == pytest.approx(2 * ANSWER, rel=1e-3)
        assert len(server.requests) == 3

    def test_one_that_could_cost_too_much_is_never_sent(self, server):
        budget = Budget(1.5 * ONE, name="this test")
        with spending(budget, prices=PRICES):
            for _ in range(3):
                ask(server, max_tokens=100)
            with pytest.raises(CostLimitExceeded, match="the budget of this test does not allow") as caught:
                ask(server, max_tokens=100)
        assert "max_cost=" in caught.value.remedy
        assert len(server.requests) == 3
        assert budget.reserved == 0

    @pytest.mark.parametrize("client", [*SYNC, *ASYNC], ids=lambda client: client.__name__)
    def test_the_refusal_reaches_whoever_asks_with_any_client(self, server, client):
        import asyncio
        import inspect

        read = reading(client, server.url + CHAT, chat(max_tokens=100), lambda piece: None)
        call = (lambda: asyncio.run(read("x", {}))) if inspect.iscoroutinefunction(read) else (lambda: read("x", {}))
        with spending(1.5 * ONE, prices=PRICES) as budget:
            assert b"content" in call()
            assert budget.spent == pytest.approx(ANSWER, rel=1e-3)
        with spending(0.5 * ONE, prices=PRICES), pytest.raises(CostLimitExceeded):
            call()
        assert len(server.requests) == 1

    def test_what_an_sdk_makes_of_a_refusal_is_undone_by_the_block(self):
        def sdk():
            try:
                ask(Anywhere)
            except Exception as error:
                raise ConnectionError("no connection") from error

        with pytest.raises(CostLimitExceeded) as caught, spending(0.1 * ONE):
            sdk()
        assert isinstance(caught.value.__cause__, ConnectionError)
        # What comes later has other reasons.
        with pytest.raises(ValueError), spending(0.1 * ONE):
            with pytest.raises(ConnectionError):
                sdk()
            raise ValueError

    def test_an_unpriced_model_is_refused_before_it_is_paid(self, monkeypatch):
        def never(*args, **kwargs):
            raise AssertionError("it was sent")

        monkeypatch.setattr(urllib3.connection.HTTPSConnection, "connect", never)
        with spending(5.00), pytest.raises(UnpricedModelError, match="my-own-model") as caught:
            ask(Anywhere, model="my-own-model")
        assert "prices=" in caught.value.remedy
        assert "drop the budget" in caught.value.remedy

    def test_models_on_this_machine_cost_nothing(self, server):
        with spending(0.000001) as budget:
            ask(server)
        assert budget.spent == 0

    def test_the_request_goes_out_as_it_is(self, server):
        from unitai._engine import adopt_settings, renew_settings

        adopt_settings('{"model_override": "another-model"}')
        try:
            with spending(1.0):
                ask(server)
        finally:
            renew_settings()
        assert b'"gpt-4o-mini"' in server.requests[-1].body

    def test_a_script_spends_as_if_it_were_live_and_refuses_no_less(self):
        script = [say("Yes.").using(10, 100), say("Yes.").using(10, 10)]
        with spending(1.5 * ONE, prices=PRICES) as budget, scripted_model(script):
            ask(Anywhere, max_tokens=100)
            with pytest.raises(CostLimitExceeded):
                ask(Anywhere, max_tokens=100)
            assert budget.spent == pytest.approx(ONE, rel=1e-4)
            # No step was played for what was refused.
            ask(Anywhere, max_tokens=10)

    def test_models_that_a_script_invents_need_no_price_unless_the_toolkit_itself_has_a_budget(self):
        def agent(input, tools):
            return ask(Anywhere, model="my-own-model")

        with (
            spending(1.0) as budget,
            scripted_model([when(turn=1).always(say("Yes.")), when(turn=2).always(say("Yes."))]),
        ):
            assert ask(Anywhere, model="my-own-model") == "Yes."
            assert MockToolkit().run(agent, "x").output == "Yes."
            assert isinstance(MockToolkit(budget=1.0).run(agent, "x").error, UnpricedModelError)
        assert budget.spent == 0

    @pytest.mark.parametrize("client", [*SYNC, *ASYNC], ids=lambda client: client.__name__)
    def test_a_stream_is_paid_for_by_what_it_took(self, server, client):
        import asyncio
        import inspect

        pieces = []
        read = reading(client, server.url + CHAT, chat(stream=True, max_tokens=100), pieces.append)
        with spending(1.5 * ONE, prices=PRICES) as budget:
            said_by = read("x", {})
            if inspect.iscoroutine(said_by):
                asyncio.run(said_by)
        assert said(b"".join(pieces))
        assert budget.spent == pytest.approx(ANSWER, rel=1e-3)

    def test_a_replay_spends_nothing(self, server, tmp_path):
        with spending(1.0, prices=PRICES) as budget, cassette("auto", tmp_path, scope="a"):
            ask(server, max_tokens=100)
        assert budget.spent == pytest.approx(ANSWER, rel=1e-3)
        with spending(1.0, prices=PRICES) as budget, cassette("replay", tmp_path, scope="a"):
            ask(server, max_tokens=100)
        assert (budget.spent, len(server.requests)) == (0, 1)

    def test_a_call_that_overspends_is_told_when_the_block_ends(self):
        script = [say("Yes.").using(10, 9000)]
        with pytest.raises(CostLimitExceeded, match="is overspent"), scripted_model(script):
            with spending(5000 * 10.0 / 1e6, prices=PRICES) as budget:
                ask(Anywhere)
        assert budget.spent > budget.limit

    def test_a_thread_without_context_spends_from_the_only_stack_there_is(self, server):
        with spending(1.0) as outer, spending(1.0, prices=PRICES) as inner:
            thread = threading.Thread(target=ask, args=(server,), kwargs={"max_tokens": 100})
            thread.start()
            thread.join()
        assert outer.spent == inner.spent == pytest.approx(ANSWER, rel=1e-3)

    def test_a_thread_without_context_is_refused_where_it_could_be_anybodys_money(self, server):
        inside, leave, errors = threading.Barrier(3), threading.Event(), []

        def stand():
            with spending(1.0):
                inside.wait()
                leave.wait()

        def call():
            try:
                ask(server)
            except AmbiguousRunError as error:
                errors.append(error)

        threads = [threading.Thread(target=stand) for _ in range(2)]
        for thread in threads:
            thread.start()
        inside.wait()
        caller = threading.Thread(target=call)
        caller.start()
        caller.join()
        leave.set()
        for thread in threads:
            thread.join()
        assert (len(errors), server.requests) == (1, [])
        assert "copy_context" in errors[0].remedy


class TestCallsThatAreReported:
    def test_they_count_as_spent(self):
        toolkit = MockToolkit(budget=5.0)
        with spending(3.5) as budget:
            results = [toolkit.run_generic(lambda: toolkit.record_llm_call("m", 1, 1, cost=1.0)) for _ in range(3)]
        assert all(result.error is None for result in results)
        assert budget.spent == 3.0

    def test_a_sum_beyond_the_limit_ends_the_run(self):
        toolkit, told = MockToolkit(), []

        def agent():
            for _ in range(10):
                try:
                    toolkit.record_llm_call("m", 1, 1, cost=1.0)
                except CostLimitExceeded as error:
                    told.append(error)

        with spending(Budget(3.5, name="this test")) as budget:
            result = toolkit.run_generic(agent)
        assert isinstance(result.error, CostLimitExceeded)
        assert result.error.message == "the budget of this test is overspent"
        assert budget.spent >= 4.0
        assert len(told) >= 1

    def test_one_without_a_price_cannot_be_held_against_a_budget(self):
        toolkit = MockToolkit(budget=5.0)
        result = toolkit.run_generic(lambda: toolkit.record_llm_call("my-own-model", 100, 20))
        assert isinstance(result.error, UnpricedModelError)
        assert "drop the budget" in result.error.remedy


class TestWhatABlockKnowsOfItsTrouble:
    def test_the_first_refusal_is_known_wherever_it_was_swallowed(self):
        def agent(input, tools):
            try:
                return ask(Anywhere, max_tokens=100)
            except Exception:
                return None

        with scripted_model(YES):
            inner = spending(Budget(9 * ONE, name="these runs"))
            outer = spending(Budget(0.5 * ONE, name="this test"))
            outermost = spending(Budget(9 * ONE, name="the suite"))
            with outermost, outer, inner:
                assert inner.trouble is None
                result = MockToolkit(prices=PRICES).run(agent, "x")
                assert inner.trouble is outer.trouble is result.error
                assert isinstance(inner.trouble, CostLimitExceeded)
                # It refused nothing.
                assert outermost.trouble is None
            assert outer.trouble is None

    def test_a_toolkits_own_budget_is_its_own_concern(self):
        block = spending(9 * ONE)
        with scripted_model(YES), block:
            result = MockToolkit(budget=0.5 * ONE, prices=PRICES).run(one_call, "x")
            assert isinstance(result.error, CostLimitExceeded)
            assert block.trouble is None

    def test_an_unpriced_model_is_everybodys_concern(self):
        outer, inner = spending(9), spending(9)
        with outer, inner:
            MockToolkit().run(lambda input, tools: ask(Anywhere, model="my-own-model"), "x")
            assert isinstance(outer.trouble, UnpricedModelError)
            assert inner.trouble is outer.trouble

    def test_what_an_agent_reports_counts_too(self):
        toolkit, block = MockToolkit(), spending(0.5)
        with block:
            toolkit.run_generic(lambda: toolkit.record_llm_call("m", 1, 1, cost=1.0))
            assert isinstance(block.trouble, CostLimitExceeded)

    def test_a_context_of_an_earlier_block_pays_from_the_one_that_stands_now(self, server):
        with spending(1.0, prices=PRICES) as earlier:
            context = contextvars.copy_context()
        with spending(1.0, prices=PRICES) as budget:
            context.run(ask, server, max_tokens=100)
        assert (earlier.spent, budget.spent) == (0, pytest.approx(ANSWER, rel=1e-3))


def test_two_ways_to_one_ledger_do_not_wait_for_each_other(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    budgets = [Budget.shared(tmp_path / name / "ledger", 1.0) for name in ("real", "link")]
    with spending(budgets[0]), spending(budgets[1]), scripted_model([say("Hi").using(10, 10)]):
        result = MockToolkit().run(lambda input, tools: ask(Anywhere, model="gpt-4o", max_tokens=10), "x", timeout=10)
    assert result.succeeded
    assert budgets[0].spent == budgets[1].spent > 0
