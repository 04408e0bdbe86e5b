"""A repeated test in other processes: the same outcomes as in threads, each run once, and money that holds."""

from __future__ import annotations

import gc
import importlib.util
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import elsewhere
import pytest
from elsewhere import ONE, Failing, Foreign, Telling, Unlike, tickets
from stopwatch import Stopwatch
from time_limit import nothing_hangs

from unitai import (
    Budget,
    CostLimitExceeded,
    InconclusiveError,
    InvalidArgumentError,
    MockToolkit,
    StatisticalRunner,
    StatisticsWarning,
    UnpricedModelError,
    block_network,
    scripted_model,
)
from unitai._engine import adopt_settings, renew_settings
from unitai.traffic.purse import spending

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning"),
    # That a process with threads is forked is what is tested.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
]

METHODS = ["fork", "spawn", "forkserver"]


@pytest.fixture(autouse=True)
def time_limit():
    with nothing_hangs(60):
        yield


@pytest.fixture
def pools():
    """Makes process pools, and sees to it that nothing is left of them."""
    made = []

    def make(workers=2, method="fork", kind=ProcessPoolExecutor):
        made.append(kind() if kind is Unlike else kind(workers, mp_context=multiprocessing.get_context(method)))
        return made[-1]

    yield make
    for pool in made:
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown()


def every_run(executor, n=8, threshold=0.9, **options):
    return StatisticalRunner(n=n, threshold=threshold, mode="all", retry_delay=0, executor=executor, **options)


def blames(stats):
    """Why runs failed, without the time that they took."""
    told = [run.blame for run in stats.runs if run.blame is not None]
    return [(*blame[:3], re.sub(r"Duration: \S+", "", blame.report)) for blame in told]


@pytest.mark.parametrize("method", METHODS)
def test_outcomes_are_those_of_threads(pools, method):
    pool = pools(method=method)
    for test in (elsewhere.refunds, elsewhere.forgets, elsewhere.awaits):
        there, here = every_run(pool).run(test), every_run(None).run(test)
        assert there.verdict == here.verdict
        assert there.summary() == here.summary()
        assert [run.index for run in there.runs] == list(range(8))
        assert blames(there) == blames(here)
        called = [[step.tool_name for step in run.trajectories[0].steps] for run in there.runs]
        assert called == [[step.tool_name for step in run.trajectories[0].steps] for run in here.runs]


@pytest.mark.parametrize("method", METHODS)
def test_a_process_with_busy_threads_does_not_hang_its_workers(pools, method):
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            elsewhere.refunds(MockToolkit())

    threads = [threading.Thread(target=busy) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3 if method == "fork" else 1):
            assert every_run(pools(method=method), n=6).run(elsewhere.refunds).passed == 6
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_what_the_parent_threw_away_does_not_end_in_a_worker(pools):
    class Circle:
        def __init__(self):
            self.itself = self

        def __del__(self, home=os.getpid(), getpid=os.getpid, end=os._exit):
            if getpid() != home:
                end(9)

    gc.disable()
    try:
        Circle()
        stats = every_run(pools()).run(elsewhere.collects_garbage)
    finally:
        gc.enable()
    assert stats.passed == 8 and stats.retries == 0


def test_runs_are_in_their_order_whatever_ends_first(pools, tmp_path):
    stats = every_run(pools(4), budget=None).run(elsewhere.first_is_slowest, str(tmp_path))
    assert [run.index for run in stats.runs] == list(range(8))
    assert tickets(tmp_path) == 8


@pytest.mark.parametrize(
    ("test", "args", "kwargs", "named"),
    [
        (lambda: None, (), {}, "<lambda> cannot be sent"),
        (elsewhere.counts, (lambda: 1,), {}, "argument 1 cannot be sent"),
        (elsewhere.counts, ("here",), {"argument": threading.Lock()}, "the argument argument cannot be sent"),
    ],
    ids=["function", "by place", "by name"],
)
def test_what_cannot_be_sent_is_named_before_anything_runs(pools, test, args, kwargs, named):
    pool = pools()
    with pytest.raises(InvalidArgumentError, match=named):
        every_run(pool).run(test, *args, **kwargs)
    assert not pool._processes


def test_a_function_inside_of_another_and_a_mock_with_a_lambda_are_named(pools):
    def inner():
        pass

    with pytest.raises(InvalidArgumentError, match="inner cannot be sent") as caught:
        every_run(pools()).run(inner)
    assert "top of a module" in caught.value.remedy
    toolkit = MockToolkit()
    toolkit.mock("tool", side_effect=lambda args: 1)
    with pytest.raises(InvalidArgumentError, match="the argument mock_toolkit cannot be sent"):
        every_run(pools()).run(elsewhere.refunds, mock_toolkit=toolkit)


def test_a_module_that_the_worker_cannot_import_is_told(pools, tmp_path, monkeypatch):
    path = tmp_path / "nowhere_else.py"
    path.write_text("def test(): pass")
    spec = importlib.util.spec_from_file_location("nowhere_else", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "nowhere_else", module)
    spec.loader.exec_module(module)
    with pytest.raises(InvalidArgumentError, match="cannot be loaded in the worker process: ModuleNotFoundError"):
        every_run(pools(method="spawn")).run(module.test)


def test_a_function_under_a_decorator_is_found(pools):
    assert every_run(pools(method="spawn")).run(elsewhere.test_decorated.__wrapped__).passed == 8


@pytest.mark.parametrize("method", METHODS)
def test_a_worker_that_dies_costs_no_run_and_adds_none(pools, tmp_path, method):
    stats = every_run(pools(3, method)).run(elsewhere.dies_first, str(tmp_path))
    assert (stats.passed, stats.failed, stats.inconclusive) == (8, 0, 0)
    assert [run.index for run in stats.runs] == list(range(8))
    # A run that was lost may not even have begun.
    assert 1 <= tickets(tmp_path) - 8 <= stats.retries


def test_a_worker_that_dies_every_time_leaves_a_run_undecided_and_is_not_green(pools, tmp_path):
    stats = every_run(pools(), n=3, retries=1).run(elsewhere.dies, str(tmp_path))
    assert stats.verdict == "inconclusive" and not stats
    assert stats.causes == {"its worker process died": stats.inconclusive}
    with pytest.raises(InconclusiveError):
        stats.check()
    assert all(run.cost is None for run in stats.runs), "what was spent is not known"


def test_whoever_ends_its_worker_ends_no_other_run(pools, tmp_path):
    stats = every_run(pools(4, kind=Telling), n=12, min_runs=1).run(elsewhere.dies_as_number_three, str(tmp_path))
    assert [run.index for run in stats.runs if run.verdict == "inconclusive"] == [3]
    assert stats.passed == 11 and len(stats.runs) == 12
    assert stats.runs[3].retries == 2


def test_a_pool_that_cannot_be_made_again_leaves_its_runs_undecided(pools, tmp_path):
    stats = every_run(pools(kind=Unlike), min_runs=8).run(elsewhere.dies_first, str(tmp_path))
    assert stats.verdict == "inconclusive"
    assert stats.inconclusive in (1, 2)
    assert stats.passed + stats.inconclusive == len(stats.runs) <= 8


def test_a_pool_that_was_broken_before_is_mended(pools):
    pool = pools()
    with pytest.raises(BrokenProcessPool):
        pool.submit(os._exit, 3).result()
    assert every_run(pool).run(elsewhere.refunds).passed == 8


def test_a_pool_that_breaks_whenever_it_begins_comes_to_an_end(pools):
    pool = ProcessPoolExecutor(2, multiprocessing.get_context("fork"), os._exit, (3,))
    stats = every_run(pool, n=2).run(elsewhere.passes)
    assert stats.verdict == "inconclusive"


def test_nothing_more_is_sent_than_is_needed(pools, tmp_path):
    runner = StatisticalRunner(n=50, threshold=0.9, executor=pools(4), max_workers=10, mode="early")
    stats = runner.run(elsewhere.fails, str(tmp_path))
    assert (stats.verdict, stats.failed, stats.n) == ("failed", 6, 6)
    assert 6 <= tickets(tmp_path) <= 5 + 4, "six failures settle it, and the last of four was begun after the fifth"
    assert len(stats.runs) + len(stats.surplus) == tickets(tmp_path)


def paid(folder):
    return len(list(folder.glob("paid-*")))


class TestMoney:
    @pytest.mark.parametrize("kind", ["processes", "a cluster"])
    def test_the_default_budget_lets_a_model_without_a_price_through(self, pools, kind):
        executor = pools(2) if kind == "processes" else Foreign(2)
        model = f"unheard-of-{kind.split()[-1]}"
        with pytest.warns(StatisticsWarning, match=f"{model} has no known price"):
            stats = StatisticalRunner(n=6, threshold=0.5, executor=executor).run(elsewhere.reports_a_call, model)
        assert stats.passed == 6
        with pytest.raises(UnpricedModelError, match=model):
            StatisticalRunner(n=6, threshold=0.5, budget=5.0, executor=executor).run(elsewhere.reports_a_call, model)

    def test_a_budget_holds_over_processes(self, pools, tmp_path):
        runner = every_run(pools(4), n=20, budget=5.5 * ONE)
        with pytest.raises(CostLimitExceeded, match="the budget of these runs does not allow") as caught:
            runner.run(elsewhere.calls_once, str(tmp_path))
        assert paid(tmp_path) == 5
        assert caught.value.stats.known_cost == pytest.approx(5 * ONE, rel=1e-3)

    def test_what_stands_around_is_charged_and_holds(self, pools, tmp_path):
        pool = pools(4)
        with spending(Budget(5.5 * ONE, name="this test")) as budget:
            stats = every_run(pool, n=4, budget=1.0).run(elsewhere.calls_once, str(tmp_path))
            assert stats.passed == 4
            assert budget.spent == pytest.approx(stats.total_cost) == pytest.approx(3 * ONE, rel=1e-3)
            assert budget.reserved == 0
            with pytest.raises(CostLimitExceeded, match="the budget of this test does not allow"):
                every_run(pool, n=8, budget=None).run(elsewhere.calls_once, str(tmp_path))
        assert paid(tmp_path) == 5
        assert budget.spent == pytest.approx(5 * ONE, rel=1e-3)

    def test_a_budget_that_processes_share_is_charged_by_them(self, pools, tmp_path):
        (tmp_path / "tickets").mkdir()
        budget = Budget.shared(tmp_path / "ledger", 5.5 * ONE, "the suite")
        with spending(budget), pytest.raises(CostLimitExceeded, match="the budget of the suite does not allow"):
            every_run(pools(4), n=10, budget=None).run(elsewhere.calls_once, str(tmp_path / "tickets"))
        assert paid(tmp_path / "tickets") == 5
        assert budget.spent == pytest.approx(5 * ONE, rel=1e-3)

    def test_what_a_worker_spent_that_died_is_counted(self, pools, tmp_path):
        with spending(Budget(1.0)) as budget:
            stats = every_run(pools(1), n=3, retries=1).run(elsewhere.calls_and_dies, str(tmp_path))
        assert stats.inconclusive == 2
        assert paid(tmp_path) == 4
        assert budget.spent == pytest.approx(4 * ONE, rel=1e-3)

    def test_leases_share_what_is_left_and_one_that_is_too_small_is_tried_with_all(self, tmp_path):
        (tmp_path / "0").touch()
        executor = Foreign(4)
        with spending(Budget(2.5 * ONE, name="this test")) as budget:
            stats = every_run(executor, n=2, budget=None, max_workers=4).run(elsewhere.calls_once, str(tmp_path))
            assert stats.passed == 2
            assert budget.spent == pytest.approx(2 * ONE, rel=1e-3)
            with pytest.raises(CostLimitExceeded, match="the budget of this test does not allow"):
                every_run(executor, n=3, budget=None, max_workers=4).run(elsewhere.calls_once, str(tmp_path))
        executor.shutdown()
        assert paid(tmp_path) == 2
        assert budget.spent == pytest.approx(2 * ONE, rel=1e-3)
        assert budget.reserved == 0


@pytest.mark.parametrize("method", METHODS)
def test_what_stands_around_goes_along_and_nothing_else_is_found_there(pools, method):
    adopt_settings('{"model_override": "some-model", "strict_mocks": false}')
    try:
        with spending(1.0), block_network():
            pool = pools(method=method)
            assert every_run(pool).run(elsewhere.knows_its_surroundings, True, "some-model", False).passed == 8
        renew_settings()
        assert every_run(pool).run(elsewhere.knows_its_surroundings, False, None, True).passed == 8
    finally:
        renew_settings()


def test_a_script_that_was_opened_outside_is_refused(pools, tmp_path):
    with (
        scripted_model(elsewhere.YES),
        pytest.raises(InvalidArgumentError, match="opened outside do not reach") as caught,
    ):
        every_run(pools()).run(elsewhere.counts, str(tmp_path))
    assert caught.value.remedy == "open them inside of the test"
    assert tickets(tmp_path) == 0


def test_what_does_not_pickle_comes_back_in_words(pools):
    pool = pools()
    stats = every_run(pool).run(elsewhere.raises_what_does_not_pickle)
    assert stats.failure_modes == {"MuteError: mute": 8}
    stats = every_run(pool).run(elsewhere.gives_a_lock)
    assert stats.passed == 8
    assert "lock" in stats.trajectories[0].to_json()


@pytest.mark.parametrize(
    ("test", "error", "text"),
    [
        (elsewhere.skips, unittest.SkipTest, "not today"),
        (elsewhere.skips_in_pytest, pytest.skip.Exception, "not here"),
        (elsewhere.xfails_in_pytest, pytest.xfail.Exception, "known"),
        (elsewhere.leaves_pytest, pytest.exit.Exception, "enough"),
        (elsewhere.interrupts, KeyboardInterrupt, ""),
    ],
)
def test_what_ends_the_whole_test_comes_back_as_such(pools, test, error, text):
    with pytest.raises(error) as caught:
        every_run(pools()).run(test)
    assert type(caught.value) is error
    assert str(caught.value) == text


def test_a_skip_in_one_run_hides_no_failure_of_another(pools, tmp_path):
    for workers in (1, 3):
        stats = every_run(pools(workers, kind=Telling)).run(elsewhere.skips_as_number_two)
        assert (stats.verdict, stats.failed, stats.passed) == ("failed", 4, 3)
        assert stats.causes == {"it was skipped: not here": 1}
        assert [run.index for run in stats.runs if run.skip is not None] == [2]


def test_an_executor_that_takes_or_does_no_runs_is_told_of(pools, tmp_path):
    pool = pools()
    pool.shutdown()
    with pytest.raises(InvalidArgumentError, match="the executor takes no runs: cannot schedule new futures"):
        every_run(pool).run(elsewhere.counts, str(tmp_path))
    with pytest.raises(InvalidArgumentError, match="could not do a run: ValueError: no route"):
        every_run(Failing(ValueError("no route"))).run(elsewhere.counts, str(tmp_path))
    stats = every_run(Failing(None)).run(elsewhere.counts, str(tmp_path))
    assert stats.causes == {"its future was cancelled": 8} and stats.verdict == "inconclusive"
    assert tickets(tmp_path) == 0


def test_threads_of_somebody_else_are_threads():
    calls = []
    with ThreadPoolExecutor(2) as threads, scripted_model(elsewhere.YES), spending(1.0) as budget:

        def test(mock_toolkit):
            result = mock_toolkit.run(lambda input, tools: elsewhere.ask(input, model="gpt-4o-mini", max_tokens=9), "x")
            calls.append(result.output)

        assert every_run(threads).run(test).passed == 8
    assert calls == ["Yes."] * 8
    assert budget.spent > 0

    async def awaits():
        pass

    with ThreadPoolExecutor(2) as threads:
        assert every_run(threads).run(awaits).passed == 8


INTERRUPTED = """
import multiprocessing, os, signal, sys, time
sys.path.insert(0, {support!r})
from concurrent.futures import ProcessPoolExecutor
import elsewhere
from unitai import StatisticalRunner

signal.signal(signal.SIGINT, signal.default_int_handler)
pool = ProcessPoolExecutor(2, multiprocessing.get_context("fork"))
try:
    StatisticalRunner(n=10, threshold=0.5, budget=None, executor=pool).run(elsewhere.sleeps, {folder!r})
except KeyboardInterrupt:
    print("interrupted", flush=True)
    for process in list(pool._processes.values()):
        process.kill()
    os._exit(7)
"""


def test_ctrl_c_comes_through_and_nothing_more_begins(tmp_path):
    support = os.path.dirname(elsewhere.__file__)
    script = INTERRUPTED.format(support=support, folder=str(tmp_path))
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", script], stdout=subprocess.PIPE, text=True) as process:
        try:
            while tickets(tmp_path) < 2:
                assert process.poll() is None
                time.sleep(0.02)
            with Stopwatch() as watch:
                process.send_signal(signal.SIGINT)
                assert process.stdout.read() == "interrupted\n"
                assert process.wait(10) == 7
            assert watch.fair < 5
            assert tickets(tmp_path) == 2
        finally:
            process.kill()


@pytest.mark.parametrize("test", [elsewhere.exits, elsewhere.exits_oddly])
def test_an_exit_of_the_test_is_a_failed_run(pools, test):
    assert every_run(pools()).run(test).failed == 8
