"""A repeated test: how often it runs, what it comes to, and what it costs."""

from __future__ import annotations

import ast
import inspect
import random
import sys
import threading
import time

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
from unitai.attempt import current

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


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_by_default_all_runs_are_made_and_counted(workers):
    """The words of the specification, 7.2: 18/20, and the failure modes of all runs."""

    def mostly():
        # Both fail after enough runs have passed, and one of them where an early test would have stopped.
        assert index() != 5, "called process_refund before lookup_order"
        assert index() != 19, "did not call process_refund at all"

    stats = StatisticalRunner(n=20, threshold=0.9, max_workers=workers, budget=None).run(mostly)
    assert (stats.n, stats.passed, stats.failed, stats.verdict) == (20, 18, 2, "passed")
    assert stats.failure_modes == {
        "called process_refund before lookup_order": 1,
        "did not call process_refund at all": 1,
    }
    assert [mode.runs for mode in stats.modes] == [(5,), (19,)]
    assert stats.summary().splitlines()[:4] == [
        "18/20 passed (90.0%)",
        "Failure modes:",
        "  - 1x: called process_refund before lookup_order",
        "  - 1x: did not call process_refund at all",
    ]
    assert (stats.interval_basis, stats.stopped, stats.surplus) == ("fixed_n", None, [])


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_runs_that_decide_nothing_are_counted_beside_the_failure_modes_of_all_others(workers):
    def test():
        if index() in (0, 7, 12):
            raise ConnectionError("down")
        if index() == 18:
            pytest.skip("no seat left")
        assert index() not in (1, 2, 3, 19), "sold out"

    stats = every_run(n=20, threshold=0.7, max_workers=workers, budget=None, retries=0).run(test)
    assert (stats.passed, stats.failed, stats.inconclusive) == (12, 4, 4)
    assert [(mode.text, mode.runs) for mode in stats.modes] == [("sold out", (1, 2, 3, 19))]
    assert stats.causes == {"no answer came: ConnectionError": 3, "it was skipped: no seat left": 1}
    assert stats.verdict == "passed" and len(stats.runs) == 20


def test_an_early_test_makes_no_run_that_cannot_change_the_outcome():
    calls = []

    def fails_thrice():
        calls.append(1)
        assert len(calls) > 3

    runner = StatisticalRunner(n=20, threshold=0.9, max_workers=1, mode="early")
    stats = runner.run(fails_thrice)
    assert len(calls) == 3, "three failures of twenty cannot be made good"
    assert stats.verdict == "failed" and stats.planned == 20 and stats.saved_runs == 17
    assert stats.stopped == "Settled after 3 of 20 runs: 17 runs saved"
    assert stats.stopped in stats.summary()

    stats = runner.run(lambda: None)
    assert stats.verdict == "passed" and stats.n == 18


@pytest.mark.parametrize("mode", ["all", "early", "sequential"])
def test_what_counts_does_not_depend_on_the_number_of_workers(mode):
    chance = random.Random(11)
    kinds = [chance.choices("pfls", (70, 22, 4, 4))[0] for _ in range(60)]
    pauses = [chance.random() / 200 for _ in range(60)]

    def test():
        # Failing runs are the quick ones: whoever counts what ends first finds more of them.
        kind = kinds[index()]
        time.sleep(pauses[index()] if kind == "f" else 0.002 + pauses[index()])
        if kind == "l":
            raise ConnectionError("down")
        if kind == "s":
            pytest.skip("not now")
        assert kind == "p"

    def counted(workers):
        options = {"max_workers": workers, "budget": None, "retries": 0, "mode": mode}
        stats = StatisticalRunner(n=60, threshold=0.6, **options).run(test)
        assert len(stats.surplus) < workers
        return stats.n, stats.passed, stats.failed, stats.inconclusive, stats.verdict, stats.claim

    alone = counted(1)
    assert counted(2) == counted(4) == counted(7) == alone
    assert (alone[0] + alone[3] == 60) is (mode == "all")


def test_an_interval_of_runs_that_stopped_early_allows_for_that():
    turns = iter([True] * 3 + [False] * 2 + [True] * 4 + [False] * 3)

    def test():
        assert next(turns)

    stats = StatisticalRunner(n=40, threshold=0.9, max_workers=1, mode="early").run(test)
    assert (stats.passed, stats.n, stats.verdict) == (7, 12, "failed")
    assert stats.interval_basis == "stopping_rule"
    # Of a fixed number of runs it would begin lower: 7 of 12 is 27.7% to 84.8%.
    assert stats.interval == pytest.approx((0.3079, 0.8483), abs=1e-4)
    assert stats.claim == "7/12, 95% interval 30.8% to 84.8% (valid under early stopping): enough to rule out 90%"
    with pytest.raises(InvalidArgumentError, match="fixed number of runs"):
        _ = stats.wilson_interval


def index():
    """Which run this is."""
    return current.get().index


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
    assert len(calls) == 5, "the call of the fifth was refused"
    stats = caught.value.stats
    assert (stats.verdict, stats.passed, stats.planned) == ("inconclusive", 4, 10)
    assert "4 of 10 runs (4 passed, 0 failed) were made" in str(caught.value)
    assert stats.stopped == f"Stopped after 4 of 10 runs: {caught.value.message}"
    assert stats.saved_runs == 0
    # Four of four would be 39.8% to 100% if four runs had been asked for.
    assert stats.interval_basis == "missing_runs"
    assert stats.interval == pytest.approx((0.1216, 1.0), abs=1e-4)


def test_a_verdict_that_was_reached_stands_when_the_money_is_gone():
    calls = []

    def fails_and_costs(mock_toolkit):
        calls.append(1)
        mock_toolkit.run(lambda input, tools: mock_toolkit.record_llm_call("m", 1, 1, cost=0.2 * len(calls)), "think")
        assert False, "no refund"  # noqa: B011, PT015

    stats = StatisticalRunner(n=10, threshold=0.9, budget=2.5, max_workers=1).run(fails_and_costs)
    assert (stats.verdict, stats.failed, len(calls)) == ("failed", 4, 5)
    assert stats.stopped.startswith("Stopped after 4 of 10 runs: the budget of these runs ")
    assert stats.stopped in stats.report()
    with pytest.raises(PassRateError, match="0/4 runs passed"):
        stats.check()
    calls.clear()
    stats = StatisticalRunner(n=10, threshold=1.0, budget=1.0).run(fails_and_costs)
    assert (stats.verdict, stats.failed) == ("failed", 1)
    assert stats.stopped == "Stopped after 1 of 10 runs: 10 runs of fails_and_costs would cost about $2.00"


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
        ({"mode": "fast"}, "mode must be all, early or sequential"),
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


def test_a_keyword_that_is_written_wrong_names_the_right_one():
    with pytest.raises(InvalidArgumentError, match="@statistical has no argument `treshold`") as caught:
        statistical(treshold=0.8)
    assert "to do:    did you mean `threshold`?" in str(caught.value)
    assert "max_workers" in caught.value.expected


def test_the_overload_of_the_decorator_lists_what_the_runner_takes():
    tree = ast.parse(inspect.getsource(sys.modules[statistical.__module__]))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "statistical"]
    (listed,) = [node.args for node in found if node.args.kwonlyargs]
    (runner,) = [node.args for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    takes = [*runner.args[1:], *runner.kwonlyargs]
    assert [(it.arg, ast.unparse(it.annotation)) for it in listed.kwonlyargs] == [
        (it.arg, ast.unparse(it.annotation)) for it in takes
    ]
    defaults = [*runner.defaults, *runner.kw_defaults]
    assert [ast.unparse(it) for it in listed.kw_defaults] == [ast.unparse(it) for it in defaults]
    assert listed.kwarg is None


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
    with pytest.warns(StatisticsWarning, match=r"n=21; with n=20 it stops after 16 passes"):
        StatisticalRunner(n=20, threshold=0.8, mode="early").run(lambda: None)


@pytest.mark.filterwarnings("error::unitai.StatisticsWarning")
def test_what_the_defaults_can_claim_is_in_the_summary_and_no_warning():
    @statistical
    def test_it():
        pass

    test_it()
    summary = test_it.stats.summary()
    assert "10/10, 95% interval 69.2% to 100.0%: not enough to claim 95%" in summary
    assert "that takes 72 runs that all pass; 10 can claim 69% at most" in summary
    with pytest.warns(StatisticsWarning):
        StatisticalRunner(threshold=0.9).run(lambda: None)


def test_the_decorator_raises_the_whole_report():
    @statistical(n=5, threshold=0.8)
    def test_refund(mock_toolkit):
        result = mock_toolkit.run(lambda input, tools: "no", "refund order 123")
        assert result.output_contains("refunded")

    with pytest.raises(PassRateError) as caught:
        test_refund()
    text = str(caught.value)
    assert "Pass rate: 0/5 (0.0%) — required: 80.0%" in text
    assert '5x — expected the output to contain "refunded", but the output is "no"' in text
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

    def stops():
        return StatisticalRunner(n=20, threshold=0.8).run(lambda: None).n

    assert stops() == 20
    (tmp_path / "unitai.toml").write_text('default_n = 20\n[default]\nmode = "early"\n')
    assert stops() == 16
    monkeypatch.setenv("UNITAI_DEFAULT_MODE", "sequential")
    assert stops() < 16
    assert StatisticalRunner(n=20, threshold=0.8, mode="all").run(lambda: None).n == 20
    monkeypatch.setenv("UNITAI_DEFAULT_MODE", "soon")
    with pytest.raises(ConfigError, match="UNITAI_DEFAULT_MODE"):
        StatisticalRunner()
    monkeypatch.delenv("UNITAI_DEFAULT_MODE")
    monkeypatch.setenv("UNITAI_DEFAULT_N", "30")
    assert StatisticalRunner().n == 30
    assert StatisticalRunner(n=3, threshold=0.5, max_workers=1).n == 3
    monkeypatch.setenv("UNITAI_DEFAULT_N", "many")
    with pytest.raises(ConfigError, match="UNITAI_DEFAULT_N"):
        StatisticalRunner()
