"""A repeated test on a cluster of Dask, with real worker processes."""

from __future__ import annotations

import os
from contextlib import contextmanager

import elsewhere
import pytest
from elsewhere import ONE, tickets
from time_limit import nothing_hangs

from unitai import Budget, CostLimitExceeded, InvalidArgumentError, MockToolkit, StatisticalRunner, scripted_model
from unitai.traffic.purse import spending

if os.environ.get("TESTS_REQUIRE_DASK"):
    import distributed
else:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = [
    pytest.mark.integration,
    # Dask's own, of which there are some in every release.
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning"),
]


@pytest.fixture(autouse=True)
def time_limit():
    with nothing_hangs(60):
        yield


@contextmanager
def a_cluster():
    with (
        distributed.LocalCluster(
            processes=True, n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with a_cluster() as client:
        yield client


@pytest.fixture
def mortal():
    """A cluster whose workers are to die: on a busy machine, Dask may give up on those that come after them."""
    with a_cluster() as client:
        yield client


def every_run(executor, n=8, threshold=0.9, **options):
    return StatisticalRunner(n=n, threshold=threshold, mode="all", retry_delay=0, executor=executor, **options)


def test_outcomes_are_those_of_threads(client):
    for test in (elsewhere.refunds, elsewhere.forgets, elsewhere.awaits):
        there, here = every_run(client.get_executor()).run(test), every_run(None).run(test)
        assert there.summary() == here.summary()
        assert [run.index for run in there.runs] == list(range(8))
        assert [run.blame and run.blame.text for run in there.runs] == [
            run.blame and run.blame.text for run in here.runs
        ]
        assert len(there.trajectories) == 8


def test_functions_inside_of_others_go_there_and_run_there(client, tmp_path):
    here, folder = os.getpid(), str(tmp_path)

    def elsewhere_indeed(mock_toolkit):
        assert os.getpid() != here
        elsewhere.ticket(folder)

    assert every_run(client.get_executor()).run(elsewhere_indeed).passed == 8
    assert tickets(tmp_path) == 8


@pytest.mark.parametrize("pure", [True, False])
def test_equal_runs_are_not_taken_for_one(client, tmp_path, pure):
    executor = client.get_executor(pure=pure)
    for _ in range(2):
        assert len(every_run(executor).run(elsewhere.counts, str(tmp_path)).runs) == 8
    assert tickets(tmp_path) == 16


def test_a_worker_that_is_killed_costs_no_run_and_adds_none(mortal, tmp_path):
    stats = every_run(mortal.get_executor()).run(elsewhere.dies_first, str(tmp_path))
    assert (stats.passed, stats.failed, stats.inconclusive) == (8, 0, 0)
    assert [run.index for run in stats.runs] == list(range(8))
    assert tickets(tmp_path) >= 9, "one was done again"


def test_a_run_that_kills_its_worker_every_time_is_undecided(mortal, tmp_path):
    stats = every_run(mortal.get_executor(), n=1, min_runs=1).run(elsewhere.dies, str(tmp_path))
    assert stats.verdict == "inconclusive" and not stats
    assert stats.causes == {"its worker process died": 1}


def test_nothing_more_is_sent_than_is_needed(client, tmp_path):
    runner = StatisticalRunner(n=50, threshold=0.9, executor=client.get_executor(), max_workers=2, mode="early")
    stats = runner.run(elsewhere.fails, str(tmp_path))
    assert stats.verdict == "failed"
    assert 6 <= tickets(tmp_path) <= 7


def test_a_budget_holds_over_the_cluster(client, tmp_path):
    with spending(Budget(5.5 * ONE, name="this test")) as budget:
        stats = every_run(client.get_executor(), n=4, max_workers=2, budget=1.0).run(
            elsewhere.calls_once, str(tmp_path)
        )
        assert stats.passed == 4
        assert budget.spent == pytest.approx(stats.total_cost) == pytest.approx(3 * ONE, rel=1e-3)
        assert budget.reserved == 0
        with pytest.raises(CostLimitExceeded, match="the budget of this test does not allow"):
            every_run(client.get_executor(), n=8, budget=None).run(elsewhere.calls_once, str(tmp_path))
    assert len(list(tmp_path.glob("paid-*"))) == 5
    assert budget.spent == pytest.approx(5 * ONE, rel=1e-3)


def test_what_cannot_be_sent_is_named_and_a_script_outside_is_refused(client, tmp_path):
    toolkit = MockToolkit(budget=Budget(1.0))
    with pytest.raises(InvalidArgumentError, match="the argument mock_toolkit cannot be sent"):
        every_run(client.get_executor()).run(elsewhere.refunds, mock_toolkit=toolkit)
    with scripted_model(elsewhere.YES), pytest.raises(InvalidArgumentError, match="opened outside do not reach"):
        every_run(client.get_executor()).run(elsewhere.counts, str(tmp_path))
    assert tickets(tmp_path) == 0


def test_an_executor_that_was_shut_down_is_told_of(client):
    executor = client.get_executor()
    executor.shutdown()
    with pytest.raises(InvalidArgumentError, match="the executor takes no runs: cannot schedule"):
        every_run(executor).run(elsewhere.passes)


def test_what_ends_the_whole_test_comes_back_as_such(client):
    with pytest.raises(pytest.skip.Exception) as caught:
        every_run(client.get_executor()).run(elsewhere.skips_in_pytest)
    assert str(caught.value) == "not here"
