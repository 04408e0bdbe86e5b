"""The time limit of an agent in a repeated test, where it runs on the thread of its test."""

from __future__ import annotations

import threading
import time

import pytest
from stopwatch import Stopwatch

from unitai import AgentTimeoutError, StatisticalRunner
from unitai.runner import bounded
from unitai.runner.ending import GRACE

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")]


@pytest.fixture
def patience(monkeypatch):
    """The usual time limit, but shorter."""
    short = 0.3
    monkeypatch.setattr(bounded, "PATIENCE", short)
    monkeypatch.setattr(bounded, "usual_timeout", lambda: short)
    return short


def every_run(n, **options):
    return StatisticalRunner(n=n, threshold=0.5, mode="all", budget=None, **options)


def test_an_agent_runs_on_the_thread_of_its_test_and_one_with_a_limit_of_its_own_does_not():
    seen = []

    def test(mock_toolkit):
        here = threading.current_thread()
        mock_toolkit.run(lambda input, tools: seen.append(threading.current_thread() is here), "go")
        mock_toolkit.run(lambda input, tools: seen.append(threading.current_thread() is here), "go", timeout=5)

    assert every_run(1).run(test).passed == 1
    assert seen == [True, False]


def test_an_agent_that_is_late_is_stopped_and_its_test_goes_on(patience):
    def spins(input, tools):
        while True:
            tools["search"]()

    def test(mock_toolkit):
        mock_toolkit.mock("search", return_value=[])
        with Stopwatch() as watch:
            result = mock_toolkit.run(spins, "go", timeout=patience)
        assert watch.fair < patience + 0.5
        # The loop is found first where the machine is quick.
        assert result.error is not None
        result = mock_toolkit.run(lambda input, tools: "well", "again", timeout=patience)
        assert result.output == "well", "the thread is as good as new"

    assert every_run(3).run(test).passed == 3


def test_an_agent_that_only_computes_is_stopped(patience):
    def counts(input, tools):
        n = 0
        while True:
            n += 1

    def test(mock_toolkit):
        result = mock_toolkit.run(counts, "go", timeout=patience)
        assert result.error_is(AgentTimeoutError)

    with Stopwatch() as watch:
        stats = every_run(2).run(test)
    # A thread that got no core has had no chance to stop.
    assert stats.passed == 2 or watch.lag > GRACE


def test_an_agent_that_cannot_be_stopped_fails_its_run_and_holds_up_no_other(patience):
    turns = iter(range(100))
    release = threading.Lock()
    release.acquire()

    def hangs(input, tools):
        if next(turns) == 1:
            # One call into C, which no exception reaches.
            release.acquire(timeout=8)
        return "done"

    def test(mock_toolkit):
        assert mock_toolkit.run(hangs, "go", timeout=patience).output == "done"

    with Stopwatch() as watch:
        stats = every_run(6, max_workers=1).run(test)
    release.release()
    assert watch.fair < 4
    assert (stats.passed, stats.failed) == (5, 1)
    (mode,) = stats.modes
    assert mode.check == "AgentTimeoutError" and mode.runs == (1,)
    assert "could not be stopped" in mode.text


def test_an_agent_that_swallows_what_ends_its_run_is_stopped(patience):
    def swallows(input, tools):
        while True:
            try:
                tools["delete_everything"]()
            except Exception:
                time.sleep(0.001)

    def test(mock_toolkit):
        mock_toolkit.run(swallows, "go", timeout=patience)

    stats = every_run(2).run(test)
    assert stats.failed == 2
    assert stats.modes[0].check == "UnmockedToolError"


def test_async_agents_and_agents_that_stream():
    async def waits(input, tools):
        return await tools["search"]()

    async def streams(input, tools):
        yield "a"
        yield "b"

    def test(mock_toolkit):
        mock_toolkit.mock("search", return_value=["x"], awaitable=True)
        assert mock_toolkit.run(waits, "go").output == ["x"]
        assert mock_toolkit.run(streams, "go").output == "ab"
        assert mock_toolkit.run(lambda input, tools: (each for each in "ab"), "go").output == "ab"

    stats = every_run(5).run(test)
    assert stats.passed == 5, stats.summary()
