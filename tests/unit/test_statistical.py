"""A repeated test: how often it runs, what it comes to, and what it costs."""

from __future__ import annotations

import random
import threading

import pytest
from repeating import every_run

from unitai import (
    Budget,
    ConfigError,
    CostLimitExceeded,
    InvalidArgumentError,
    PassRateError,
    StatisticalRunner,
    StatisticsWarning,
    statistical,
)

pytestmark = pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")


def test_a_test_that_always_passes():
    stats = every_run().run(lambda: None)
    assert (stats.n, stats.passed, stats.failed, stats.pass_rate) == (10, 10, 0, 1.0)
    assert stats.overall_passed and stats
    assert stats.failure_modes == {}
    assert stats.verdict == "passed"


def test_a_test_that_always_fails():
    def fails():
        raise AssertionError("never")

    stats = every_run().run(fails)
    assert (stats.n, stats.passed, stats.failed, stats.pass_rate) == (10, 0, 10, 0.0)
    assert not stats.overall_passed and not stats
    assert stats.failure_modes == {"never": 10}


def test_a_test_that_fails_now_and_then():
    chance = random.Random(7)
    lock = threading.Lock()

    def sometimes():
        with lock:
            assert chance.random() >= 0.3

    stats = every_run(n=200, threshold=0.5).run(sometimes)
    assert stats.n == 200
    assert stats.pass_rate == pytest.approx(0.7, abs=0.1)


def test_by_default_no_run_is_made_that_cannot_change_the_outcome():
    calls = []

    def fails_thrice():
        calls.append(1)
        assert len(calls) > 3

    stats = StatisticalRunner(n=20, threshold=0.9, max_workers=1).run(fails_thrice)
    assert len(calls) == 3, "three failures of twenty cannot be made good"
    assert stats.verdict == "failed" and stats.planned == 20 and stats.saved_runs == 17
    assert "Settled after 3 of 20 runs: 17 runs saved" in stats.summary()

    stats = StatisticalRunner(n=20, threshold=0.9, max_workers=1).run(lambda: None)
    assert stats.verdict == "passed" and stats.n == 18


def test_the_first_run_says_what_the_others_will_cost():
    calls = []

    def costs_a_dollar(mock_toolkit):
        calls.append(1)

        def agent(input, tools):
            mock_toolkit.record_llm_call("my-model", 10, 10, cost=1.0)

        mock_toolkit.run(agent, "think")

    with pytest.raises(CostLimitExceeded) as caught:
        StatisticalRunner(n=10, threshold=0.9, budget=3.0).run(costs_a_dollar)
    assert len(calls) == 1
    text = str(caught.value)
    assert "$10.00" in text and "$3.00" in text and "$1.00" in text and "budget=11.00" in text
    assert caught.value.stats.n == 1
    assert caught.value.stats.total_cost == 1.0


def test_no_run_begins_when_the_money_is_gone():
    calls = []

    def dearer_each_time(mock_toolkit):
        calls.append(1)

        def agent(input, tools):
            mock_toolkit.record_llm_call("my-model", 10, 10, cost=0.2 * len(calls))

        mock_toolkit.run(agent, "think")

    with pytest.raises(CostLimitExceeded) as caught:
        StatisticalRunner(n=10, threshold=0.9, budget=2.5, max_workers=1).run(dearer_each_time)
    assert len(calls) <= 5
    assert caught.value.stats.verdict == "inconclusive"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 0}, "n must be a whole number of at least 1"),
        ({"n": 2.5}, "n must be a whole number"),
        ({"n": True}, "n must be a whole number"),
        ({"threshold": 1.2}, "threshold must be a number from 0 to 1"),
        ({"threshold": -0.1}, "threshold must be a number from 0 to 1"),
        ({"threshold": float("nan")}, "threshold must be a number from 0 to 1"),
        ({"max_workers": 0}, "max_workers must be a whole number of at least 1"),
        ({"budget": 0}, "a budget must be more than 0 dollars"),
        ({"budget": "5"}, "budget must be a number"),
        ({"budget": Budget(1.0)}, "budget must be an amount of dollars, not a Budget"),
        ({"mode": "fast"}, "mode must be early, all or sequential"),
        ({"executor": 3}, "executor must be a concurrent.futures.Executor"),
        ({"mode": "sequential", "alpha": 0}, "alpha"),
        ({"mode": "sequential", "indifference": (0.9, 0.8)}, "indifference"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(options, words):
    with pytest.raises(InvalidArgumentError, match=words):
        StatisticalRunner(**options)
    with pytest.raises(InvalidArgumentError, match=words):
        statistical(**options)


def test_a_test_that_cannot_be_repeated_is_refused_before_it_runs():
    def yields():
        yield

    async def yields_too():
        yield

    def needs(mock_toolkit, database):
        raise AssertionError("it ran")

    for function, words in [
        (yields, "generator function"),
        (yields_too, "async generator function"),
        (needs, "needs database, and nobody gives it"),
        (3, "a test is a function"),
    ]:
        with pytest.raises(InvalidArgumentError, match=words):
            StatisticalRunner().run(function)
    with pytest.raises(InvalidArgumentError, match="cannot be called with these arguments"):
        StatisticalRunner().run(needs, databse=1)


def test_an_n_that_cannot_prove_the_threshold_is_told():
    with pytest.warns(StatisticsWarning, match=r"72 runs"):
        StatisticalRunner(n=10, threshold=0.95).run(lambda: None)


def test_the_decorator_raises_the_whole_report():
    @statistical(n=5, threshold=0.8)
    def test_refund(mock_toolkit):
        result = mock_toolkit.run(lambda input, tools: "no", "refund order 123")
        assert result.output_contains("refunded")

    with pytest.raises(PassRateError) as caught:
        test_refund()
    text = str(caught.value)
    assert "Pass rate: 0/2 (0.0%) — required: 80.0%" in text
    assert '2x — expected the output to contain "refunded", but the output is "no"' in text
    assert test_refund.stats is caught.value.stats
    assert test_refund.__name__ == "test_refund"


def test_the_decorator_needs_no_brackets():
    @statistical
    def test_it():
        pass

    test_it()
    assert test_it.stats.passed == 10


def test_a_result_says_what_it_proves():
    turns = iter(range(20))

    def mostly():
        assert next(turns) not in (3, 11)

    stats = every_run(n=20, threshold=0.95, max_workers=1).run(mostly)
    assert stats.claim == "18/20, 95% interval 68.3% to 98.8%: not enough to claim 95%"
    assert stats.interval == pytest.approx((0.6830173, 0.9876515), abs=1e-6)
    assert stats.wilson_interval == pytest.approx((0.6989664, 0.9721335), abs=1e-6)
    assert stats.pass_at(2) == pytest.approx(1 - (2 * 1) / (20 * 19))
    assert stats.pass_hat(2) == pytest.approx(18 * 17 / (20 * 19))
    with pytest.raises(InvalidArgumentError):
        stats.pass_hat(21)
    assert stats.summary().splitlines()[0] == "18/20 passed (90.0%)"


def test_what_nobody_says_comes_from_the_environment_and_the_projects_file(monkeypatch, tmp_path):
    monkeypatch.setattr("unitai.trials.plan.project_folder", lambda: str(tmp_path))
    runner = StatisticalRunner()
    assert (runner.n, runner.threshold, runner.max_workers, runner.budget) == (10, 0.95, 5, 5.0)
    (tmp_path / "unitai.toml").write_text("default_n = 20\ndefault_threshold = 0.9\nmax_workers = 2\n")
    runner = StatisticalRunner()
    assert (runner.n, runner.threshold, runner.max_workers) == (20, 0.9, 2)
    monkeypatch.setenv("UNITAI_DEFAULT_N", "30")
    assert StatisticalRunner().n == 30
    assert StatisticalRunner(n=3, threshold=0.5, max_workers=1).n == 3
    monkeypatch.setenv("UNITAI_DEFAULT_N", "many")
    with pytest.raises(ConfigError, match="UNITAI_DEFAULT_N"):
        StatisticalRunner()
