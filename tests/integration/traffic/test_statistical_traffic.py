"""Repeated tests with a model on the wire: what the provider is to blame for, what it costs, and what is replayed."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import threading
import warnings

import pytest
from loopback import Answered
from provider_bodies import as_provider, refusal
from wire import Anywhere, ask, chat, post

from unitai import (
    AmbiguousRunError,
    Budget,
    CostLimitExceeded,
    MockToolkit,
    StatisticalRunner,
    UnpricedModelError,
    assert_trajectory,
    block_network,
    cassette,
    scripted_model,
)
from unitai.faults import on_model, rate_limit
from unitai.script import fail, say
from unitai.traffic.purse import spending

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")]

#: A million tokens of the answer cost ten dollars, those of the prompt nothing to speak of.
PRICES = {"gpt-4o-mini": {"input": 0.000001, "output": 10.0}}
#: What one call costs: a hundred tokens.
ONE = 100 * 10.0 / 1e6


def every_run(n=10, threshold=0.8, **options):
    return StatisticalRunner(n=n, threshold=threshold, **{"mode": "all", "retry_delay": 0, "max_workers": 1, **options})


def greets(server):
    def test(mock_toolkit):
        result = mock_toolkit.run(lambda input, tools: ask(server), "Hi")
        assert result.output_contains("Hello")

    return test


def meeting(server, trouble, turns):
    """The server answers, but meets trouble at some requests, counted from 1."""
    counted = itertools.count(1)

    def respond(asked):
        good = Answered(**as_provider(asked.path, asked.body))
        return trouble(asked, good) if next(counted) in turns else good

    server.respond = respond


def status(code):
    return lambda asked, good: Answered(**refusal(asked.path, code, "Not now."))


def changed(**choice):
    def trouble(asked, good):
        body = json.loads(good.body)
        body["choices"][0].update(choice)
        if choice.get("finish_reason") == "stop":
            body["usage"]["completion_tokens"] = 0
            body["usage"].pop("completion_tokens_details", None)
        return Answered(json.dumps(body).encode())

    return trouble


TROUBLES = {
    "rate limit": (status(429), "the rate limit was reached (HTTP 429)"),
    "overloaded": (status(529), "the provider failed (HTTP 529)"),
    "server error": (status(500), "the provider failed (HTTP 500)"),
    "unreadable": (lambda asked, good: Answered(b'{"id":'), "the model's answer could not be read"),
    "cut": (lambda asked, good: Answered(good.body[:20], is_cut=True), "the model's answer was cut"),
    "truncated": (
        changed(finish_reason="length", message={"role": "assistant", "content": "Hel"}),
        "the model's answer ended at its limit of tokens",
    ),
    "empty": (
        changed(finish_reason="stop", message={"role": "assistant", "content": ""}),
        "the model's answer was empty",
    ),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_what_the_provider_is_to_blame_for_is_not_counted(server, name):
    trouble, words = TROUBLES[name]
    meeting(server, trouble, {3, 7})
    stats = every_run(retries=0).run(greets(server))
    assert (stats.passed, stats.failed, stats.inconclusive) == (8, 0, 2)
    assert stats.overall_passed
    assert words in stats.causes or name == "cut", stats.causes

    server.requests.clear()
    meeting(server, trouble, {3, 7})
    stats = every_run(retries=1).run(greets(server))
    assert (stats.passed, stats.failed, stats.inconclusive, stats.retries) == (10, 0, 0, 2)
    assert len(server.requests) == 12, "each attempt is one request"


def test_a_provider_that_is_down_ends_the_test_without_a_verdict(server):
    meeting(server, status(503), range(1, 1000))
    stats = every_run(n=20, mode="early", retries=1).run(greets(server))
    assert stats.verdict == "inconclusive"
    assert len(server.requests) < 20, "it is not asked to the end"


def test_what_the_agent_got_over_is_a_pass_and_what_it_asked_wrongly_a_failure(server):
    meeting(server, status(429), set(range(1, 21, 2)))

    def patient(input, tools):
        for _ in range(2):
            answer = post(server.url + "/v1/chat/completions", chat())
            if answer.status == 200:
                return answer.json()["choices"][0]["message"]["content"]
        return None

    def test(mock_toolkit):
        assert mock_toolkit.run(patient, "Hi").output_contains("Hello")

    assert every_run().run(test).passed == 10

    meeting(server, status(400), range(1, 1000))
    stats = every_run().run(greets(server))
    assert (stats.failed, stats.inconclusive) == (10, 0)


def test_a_fault_that_the_test_asked_for_is_the_agents_to_get_over(server):
    def test(mock_toolkit):
        toolkit = MockToolkit(faults=[on_model().then(rate_limit())])
        result = toolkit.run(lambda input, tools: ask(server), "Hi")
        assert result.output_contains("Hello")

    stats = every_run(n=3).run(test)
    assert (stats.failed, stats.inconclusive) == (3, 0)


def test_a_port_where_nobody_listens():
    class Gone:
        url = "http://127.0.0.1:9"

    stats = every_run(n=3, retries=0).run(greets(Gone))
    assert stats.verdict == "inconclusive"
    (cause,) = stats.causes
    assert cause.startswith("no answer came")


def spends(answer, toolkit_options):
    def test():
        toolkit = MockToolkit(**toolkit_options)
        with scripted_model([answer]):
            result = toolkit.run(lambda input, tools: ask(Anywhere, max_tokens=100), "x")
        assert result.succeeded

    return test


def test_64_workers_at_the_last_cents_of_the_runs_budget_never_spend_more():
    start = threading.Barrier(64)
    paid = []

    def test():
        toolkit = MockToolkit(prices=PRICES)
        first = not paid
        with scripted_model([say("Yes.").using(0, 1 if first else 100)]):
            if not first:
                start.wait(10)
            result = toolkit.run(lambda input, tools: ask(Anywhere, max_tokens=100), "x")
        paid.append(result.total_cost)
        assert result.succeeded

    with pytest.raises(CostLimitExceeded) as caught:
        StatisticalRunner(n=65, threshold=0.5, mode="all", max_workers=64, budget=10.5 * ONE).run(test)
    stats = caught.value.stats
    assert stats.total_cost <= 10.5 * ONE
    assert stats.passed == 11, "the first, which was cheap, and ten at the barrier"
    assert sum(paid) <= 10.5 * ONE


def test_a_model_without_a_price_is_refused_before_it_is_paid():
    sent = []

    def test(mock_toolkit):
        # Nothing leaves this machine: the call is refused before it is sent.
        sent.append(mock_toolkit.run(lambda input, tools: ask(Anywhere, model="unheard-of"), "x"))

    with pytest.raises(UnpricedModelError, match="unheard-of"):
        StatisticalRunner(n=6, threshold=0.5, budget=5.00).run(test)
    assert len(sent) <= 1


@pytest.mark.parametrize("seen", ["requests", "reports"])
def test_the_default_budget_lets_a_model_without_a_price_through_and_warns_once(seen, monkeypatch):
    reached = []

    def test():
        toolkit = MockToolkit(block_network=True)

        def agent(input, tools):
            if seen == "reports":
                toolkit.record_llm_call(model, 10, 5)
                raise ConnectionError
            ask(Anywhere, model=model)

        result = toolkit.run(agent, "x")
        # It came as far as the network, which is blocked: no budget has refused it.
        assert result.failed
        assert not result.error_is(UnpricedModelError)
        reached.append(model)

    for model, is_told in ((f"my-{seen}", True), (f"my-{seen}", False), (f"my-other-{seen}", True)):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert StatisticalRunner(n=6, threshold=0.5).run(test).passed == 6
        lines = [str(each.message).partition(",")[0] for each in told]
        assert lines == [f"{model} has no known price"] * is_told
    assert len(reached) == 18
    # One that somebody has said refuses it, wherever it was said.
    monkeypatch.setenv("UNITAI_COST_BUDGET_PER_REPEATED_TEST", "5")
    with pytest.raises(UnpricedModelError, match=model):
        StatisticalRunner(n=6, threshold=0.5).run(test)
    assert len(reached) == 18


def test_the_default_budget_holds_for_models_with_a_price():
    def test():
        toolkit = MockToolkit(prices=PRICES)
        toolkit.run(lambda input, tools: toolkit.record_llm_call("gpt-4o", 1000, 1000, cost=1.00), "x")

    with pytest.raises(CostLimitExceeded, match="6 runs of test would cost about") as caught:
        StatisticalRunner(n=6, threshold=0.5).run(test)
    assert caught.value.expected == "at most $5.00, the budget of these runs"


def test_a_budget_of_the_suite_refuses_what_the_default_of_a_test_lets_through():
    def test(mock_toolkit):
        mock_toolkit.run(lambda input, tools: mock_toolkit.record_llm_call("my-own", 1, 1), "x")

    with spending(Budget(5.00, name="the suite")), pytest.raises(UnpricedModelError, match="my-own"):
        StatisticalRunner(n=6, threshold=0.5).run(test)


def test_a_model_that_a_script_invents_needs_no_price():
    def test(mock_toolkit):
        with scripted_model([say("Yes.")]):
            assert mock_toolkit.run(lambda input, tools: ask(Anywhere, model="unheard-of"), "x").succeeded

    stats = every_run(n=6, threshold=0.5).run(test)
    assert stats.passed == 6


def test_cost_and_tokens_are_those_of_all_runs():
    turns = itertools.count()

    def test():
        toolkit = MockToolkit(prices=PRICES)
        with scripted_model([say("Yes.").using(50, 100)]):
            toolkit.run(lambda input, tools: ask(Anywhere, max_tokens=100), "x")
        assert next(turns) % 2

    stats = every_run(n=10, threshold=0.5).run(test)
    assert stats.total_cost == pytest.approx(10 * ONE, rel=1e-6)
    assert stats.mean_tokens == 150
    assert f"Cost: ${10 * ONE:.2f} total across 10 runs" in stats.report()


def test_n_runs_replay_n_different_answers(server, tmp_path):
    said = itertools.count()
    server.respond = lambda asked: Answered(**as_provider(asked.path, asked.body, text=f"answer {next(said)}"))

    def answers(mode, n=12):
        seen = []

        def test(mock_toolkit):
            result = mock_toolkit.run(lambda input, tools: ask(server), "Hi")
            seen.append(result.output)
            assert result.output_contains("answer")

        with cassette(mode, tmp_path / "cache", scope="test"):
            stats = every_run(n=n, threshold=0.5, max_workers=4).run(test)
        return stats, sorted(seen)

    recorded, first = answers("record")
    assert len(server.requests) == 12
    replayed, second = answers("replay")
    assert len(server.requests) == 12
    assert first == second
    assert (recorded.passed, replayed.passed) == (12, 12)
    assert len(set(second)) == 12


@pytest.mark.parametrize(("rate", "verdict"), [(0.95, "passed"), (0.5, "failed")])
def test_a_sequential_verdict_over_a_scripted_model_takes_few_runs(rate, verdict):
    chance = random.Random(f"{rate}")

    def test(mock_toolkit):
        with scripted_model([say("Refunded." if chance.random() < rate else "No.")]):
            assert mock_toolkit.run(lambda input, tools: ask(Anywhere), "Refund it.").output_contains("Refunded")

    runs = []
    for _ in range(20):
        stats = StatisticalRunner(n=50, threshold=0.8, mode="sequential", max_workers=1).run(test)
        runs.append(stats.n)
        assert stats.verdict in (verdict, "inconclusive")
    assert sum(runs) / len(runs) < 25
    assert stats.saved_runs and stats.saved_cost > 0
    assert "saved, about $" in stats.summary()


def test_a_scripted_error_counts_as_the_provider_s():
    turns = itertools.count(1)

    def test(mock_toolkit):
        steps = [fail(503)] if next(turns) == 2 else [say("Hello")]
        with scripted_model(steps):
            assert mock_toolkit.run(lambda input, tools: ask(Anywhere), "Hi").output_contains("Hello")

    stats = every_run(n=10, retries=0).run(test)
    assert (stats.passed, stats.inconclusive) == (9, 1)


def test_calls_outside_of_any_agent_are_paid_for_and_told():
    def test(mock_toolkit):
        with scripted_model([say("Yes.").using(0, 100_000)]):
            ask(Anywhere, model="gpt-4o", max_tokens=100_000)

    with pytest.raises(CostLimitExceeded, match=r"10 runs of test would cost about \$10\.00") as caught:
        StatisticalRunner(n=10, threshold=0.5, budget=3.0).run(test)
    assert caught.value.stats.total_cost == pytest.approx(1.0, abs=0.01)

    stats = every_run(n=6, threshold=0.5, budget=20.0, max_workers=3).run(test)
    assert stats.total_cost == pytest.approx(6.0, abs=0.05)


def test_a_thread_that_could_be_anybodys_never_goes_out():
    both = threading.Barrier(2)
    seen = []

    def test(mock_toolkit):
        with scripted_model([say("Yes.")]):
            both.wait(10)

            def body():
                try:
                    seen.append(mock_toolkit.run(lambda input, tools: ask(Anywhere), "x").error)
                except Exception as error:
                    seen.append(error)

            thread = threading.Thread(target=body)
            thread.start()
            thread.join()
            both.wait(10)

    every_run(n=2, threshold=0.5, max_workers=2, budget=None).run(test)
    assert [type(error) for error in seen] == [AmbiguousRunError] * 2


def test_a_call_that_the_toolkits_own_budget_refuses_is_a_failure_of_its_run():
    def test():
        toolkit = MockToolkit(budget=ONE / 2, prices=PRICES)
        with scripted_model([say("Yes.").using(0, 100)]):
            assert toolkit.run(lambda input, tools: ask(Anywhere, max_tokens=100), "x").succeeded

    stats = every_run(n=4, threshold=0.5).run(test)
    assert (stats.failed, stats.inconclusive, stats.retries) == (4, 0, 0)
    assert stats.modes[0].check in ("CostLimitExceeded", "succeeded")


def refused_by_a_script(toolkit):
    with scripted_model([say("Hello")]):
        return toolkit.run(lambda input, tools: ask(Anywhere) + ask(Anywhere), "Hi")


def refused_by_recordings(toolkit, tmp_path):
    with cassette("replay", tmp_path / "nothing"):
        return toolkit.run(lambda input, tools: ask(Anywhere), "Hi")


def refused_by_a_block(toolkit):
    with block_network():
        return toolkit.run(lambda input, tools: ask(Anywhere), "Hi")


def refused_by_its_time(toolkit):
    with scripted_model([say("Hello").after(5)]):
        return toolkit.run(lambda input, tools: ask(Anywhere), "Hi", timeout=0.1)


@pytest.mark.parametrize(
    "refused", [refused_by_a_script, refused_by_recordings, refused_by_a_block, refused_by_its_time]
)
@pytest.mark.parametrize("asserts", ["assert", "chain"])
def test_what_unitai_itself_refused_is_a_failure_and_no_trouble_of_the_provider(refused, asserts, tmp_path):
    def test(mock_toolkit):
        more = (tmp_path,) if refused is refused_by_recordings else ()
        result = refused(mock_toolkit, *more)
        if asserts == "chain":
            assert_trajectory(result).called("anything")
        assert result.output_contains("Hello")

    stats = every_run(n=3, threshold=0.5, budget=None).run(test)
    assert (stats.failed, stats.inconclusive) == (3, 0), stats.summary()


def test_a_chain_that_breaks_because_of_a_rate_limit_is_the_providers(server):
    meeting(server, status(429), range(1, 1000))

    def test(mock_toolkit):
        assert_trajectory(mock_toolkit.run(lambda input, tools: ask(server), "Hi")).called("anything")

    assert every_run(n=3, retries=0).run(test).verdict == "inconclusive"


@pytest.mark.parametrize("model", ["gpt-4o", "unheard-of"])
def test_a_call_that_was_refused_for_money_is_no_pass_whatever_the_test_makes_of_it(model):
    def test():
        with contextlib.suppress(Exception):
            # Refused before it is sent.
            ask(Anywhere, model=model, max_tokens=100_000)

    with pytest.raises((CostLimitExceeded, UnpricedModelError)):
        every_run(n=5, budget=0.01).run(test)
