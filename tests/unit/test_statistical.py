"""A repeated test: how often it runs, what it comes to, and what each run is given."""

from __future__ import annotations

import asyncio
import random
import threading
import time
import unittest

import pytest

from unitai import (
    AgentTestCase,
    ConfigError,
    CostLimitExceeded,
    InconclusiveError,
    InvalidArgumentError,
    MockToolkit,
    PassRateError,
    StatisticalRunner,
    StatisticsWarning,
    statistical,
)

pytestmark = pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")


def every_run(n=10, threshold=0.95, **options):
    return StatisticalRunner(n=n, threshold=threshold, mode="all", retry_delay=0, **options)


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


def test_failures_are_grouped_by_cause_and_not_by_their_numbers():
    numbers = iter(range(100))

    def fails():
        n = next(numbers)
        if n % 2:
            raise ValueError(f"order {n} has no address 0x{n + 4096:x}")
        raise AssertionError("the refund is missing")

    stats = every_run(max_workers=1).run(fails)
    assert [(mode.count, mode.check) for mode in stats.modes] == [(5, "AssertionError"), (5, "ValueError")]
    assert stats.failure_modes["the refund is missing"] == 5
    assert sum(stats.failure_modes.values()) == 10
    (other,) = [text for text in stats.failure_modes if text.startswith("ValueError: order")]
    assert "1" not in other and "0x" not in other


def test_a_mode_speaks_in_the_words_of_the_finding_and_shows_where_runs_part():
    turns = iter(range(100))

    def agent(input, tools):
        if next(turns) % 3 == 2:
            tools["process_refund"](order_id=input)
            tools["lookup_order"](order_id=input)
        else:
            tools["lookup_order"](order_id=input)
            tools["process_refund"](order_id=input)

    def refund(mock_toolkit):
        mock_toolkit.mock("lookup_order", return_value={})
        mock_toolkit.mock("process_refund", return_value=True)
        result = mock_toolkit.run(agent, "123")
        assert result.tool_called_before("lookup_order", "process_refund")

    stats = every_run(n=30, threshold=0.9, max_workers=1).run(refund)
    (mode,) = stats.modes
    assert mode.count == 10 and mode.check == "tool_called_before"
    assert mode.text == (
        "expected lookup_order before process_refund, but process_refund was called at step 1, lookup_order at step 2"
    )
    assert "process_refund(order_id=" in mode.report
    assert mode.trajectory.steps[0].tool_name == "process_refund"
    assert (mode.parting.step, mode.parting.failing, mode.parting.passing) == (1, "process_refund", "lookup_order")
    assert mode.parting.p_value < 1e-6
    assert len(stats.trajectories) == 30


def test_the_same_words_without_rewriting(tmp_path):
    source = tmp_path / "plain.py"
    source.write_text(
        "def refund(mock_toolkit):\n"
        "    result = mock_toolkit.run(lambda input, tools: 'no', 'refund')\n"
        "    assert result.tool_was_called('refund')\n"
    )
    room: dict = {}
    exec(compile(source.read_text(), str(source), "exec"), room)
    stats = every_run(n=2).run(room["refund"])
    assert stats.failure_modes == {"expected refund to be called, but no tool was called": 2}


def test_parallel_runs_take_less_time_than_one_after_the_other():
    def slow():
        time.sleep(0.05)

    begun = time.monotonic()
    every_run(n=10, max_workers=5, budget=None).run(slow)
    together = time.monotonic() - begun
    begun = time.monotonic()
    every_run(n=10, max_workers=1, budget=None).run(slow)
    alone = time.monotonic() - begun
    assert together < alone * 0.6


def test_each_run_has_a_toolkit_of_its_own():
    seen = []

    def agent(input, tools):
        return [tools["next_page"]() for _ in range(2)]

    def reads(toolkit):
        seen.append(toolkit)
        result = toolkit.run(agent, "read")
        assert result.output == ["first", "second"]
        assert len(toolkit.get_tool("next_page").calls) == 2

    toolkit = MockToolkit()
    toolkit.mock("next_page", sequence=["first", "second"])
    stats = every_run(n=20).run(reads, toolkit)
    assert stats.passed == 20, stats.summary()
    assert len({id(each) for each in seen}) == 20
    assert toolkit.get_tool("next_page").calls == []


def test_results_are_in_run_order_whatever_ends_first():
    order = iter(range(10))
    lock = threading.Lock()

    def wakes(mock_toolkit):
        with lock:
            turn = next(order)
        time.sleep(0.02 * (3 - turn % 4))
        mock_toolkit.run(lambda input, tools: turn, turn)

    stats = every_run(n=10).run(wakes)
    assert [run.index for run in stats.runs] == list(range(10))
    assert len(stats.trajectories) == 10


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
    "error", [ConnectionError("reset"), type("RateLimitError", (Exception,), {"status_code": 429})()]
)
def test_what_no_test_can_be_blamed_for_is_tried_again_and_not_counted(error):
    calls = []

    def meets_trouble():
        calls.append(1)
        if len(calls) in (2, 3):
            raise error

    stats = every_run(n=5, max_workers=1, retries=2).run(meets_trouble)
    assert (stats.passed, stats.inconclusive, stats.retries) == (5, 0, 2)

    calls.clear()
    stats = every_run(n=5, max_workers=1, retries=0, min_runs=3).run(meets_trouble)
    assert (stats.passed, stats.failed, stats.inconclusive) == (3, 0, 2)
    assert stats.n == 3 and stats.pass_rate == 1.0 and stats.overall_passed
    assert "2 runs inconclusive, not counted" in stats.summary()


def test_too_few_runs_are_no_verdict():
    def unreachable():
        raise ConnectionError("the network is down")

    stats = every_run(n=5, retries=0).run(unreachable)
    assert stats.verdict == "inconclusive" and not stats and stats.n == 0
    with pytest.raises(InconclusiveError, match="no run came to a verdict"):
        stats.check()


def test_an_error_of_the_agent_is_a_failed_run_and_ends_no_other():
    calls = []

    def raises_once():
        calls.append(1)
        if len(calls) == 2:
            raise KeyError("order")

    stats = every_run(n=5, threshold=0.8, max_workers=1).run(raises_once)
    assert (stats.passed, stats.failed) == (4, 1)
    assert stats.failure_modes == {"KeyError: 'order'": 1}


def test_what_a_mock_raises_is_no_trouble_of_the_network():
    def breaks(mock_toolkit):
        mock_toolkit.mock("search", side_effect=ConnectionError("scripted"))
        result = mock_toolkit.run(lambda input, tools: tools["search"](), "find")
        assert result.succeeded

    stats = every_run(n=3).run(breaks)
    assert (stats.failed, stats.inconclusive) == (3, 0)


def test_async_tests_simply_work():
    loops = set()

    async def waits(mock_toolkit):
        await asyncio.sleep(0)
        loops.add(id(asyncio.get_running_loop()))
        result = await mock_toolkit.arun(lambda input, tools: "done", "go")
        assert result.output == "done"

    stats = every_run(n=6, max_workers=2).run(waits)
    assert stats.passed == 6, stats.summary()


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
        ({"budget": 0}, "budget must be an amount of dollars"),
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


def test_each_run_of_a_test_case_has_its_own_toolkit():
    class Case(AgentTestCase):
        @statistical(n=4, threshold=0.75, mode="all")
        def test_it(self):
            self.toolkit.mock("search", return_value=[])
            self.assertToolWasCalled(self.toolkit.run(lambda input, tools: tools["search"](), "go"), "search")

    result = unittest.TestResult()
    Case("test_it").run(result)
    assert result.wasSuccessful(), result.errors or result.failures


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


def test_a_test_that_returns_what_does_not_hold_has_failed():
    def returns(mock_toolkit):
        return mock_toolkit.run(lambda input, tools: "x", "go").tool_was_called("search")

    assert every_run(n=2).run(returns).failed == 2
    assert every_run(n=2).run(lambda: False).failure_modes == {"the test returned False": 2}


def test_an_interruption_ends_the_whole_test():
    def stops():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        every_run(n=5).run(stops)
    with pytest.raises(pytest.skip.Exception):
        every_run(n=5).run(lambda: pytest.skip("not here"))
    with pytest.raises(pytest.xfail.Exception):
        every_run(n=5).run(lambda: pytest.xfail("known"))


def test_an_exit_of_the_agent_is_a_failed_run_and_pytest_fail_is_one():
    def leaves():
        raise SystemExit(3)

    assert every_run(n=3).run(leaves).failure_modes == {"SystemExit: 3": 3}
    assert every_run(n=3).run(lambda: pytest.fail("no")).failed == 3


def test_a_retry_is_not_waited_for_when_the_verdict_is_settled():
    turns = iter(range(100))
    lock = threading.Lock()

    def test():
        with lock:
            turn = next(turns)
        if turn == 0:
            raise ConnectionError("down")
        time.sleep(0.05)
        assert False  # noqa: B011, PT015

    begun = time.monotonic()
    stats = StatisticalRunner(n=20, threshold=1.0, max_workers=3, budget=None, retry_delay=20).run(test)
    assert stats.verdict == "failed"
    assert time.monotonic() - begun < 5


def test_each_run_meets_faults_of_its_own():
    from unitai.faults import error, faults, on_tool

    plan = faults([on_tool("search", chance=0.5).then(error("down"))], seed=3)

    def by_toolkit(mock_toolkit):
        toolkit = MockToolkit(faults=plan)
        toolkit.mock("search", return_value=[])
        assert toolkit.run(lambda input, tools: tools["search"](), "go").succeeded

    def by_block(mock_toolkit):
        mock_toolkit.mock("search", return_value=[])
        with plan:
            assert mock_toolkit.run(lambda input, tools: tools["search"](), "go").succeeded

    for test in (by_toolkit, by_block):
        first, second = (every_run(n=40, threshold=0.5).run(test) for _ in range(2))
        assert 8 <= first.passed <= 32
        assert [run.verdict for run in first.runs] == [run.verdict for run in second.runs], "and the same each time"


def test_what_nobody_says_comes_from_the_environment_and_the_projects_file(monkeypatch, tmp_path):
    import unitai.traffic.cassette as where

    monkeypatch.setattr(where, "project", lambda: str(tmp_path))
    monkeypatch.setattr("unitai.trials.plan.project", lambda: str(tmp_path))
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


def test_the_budget_of_a_toolkit_is_that_of_all_its_copies():
    def spends(toolkit):
        result = toolkit.run(lambda input, tools: toolkit.record_llm_call("my-model", 1, 1, cost=0.3), "go")
        assert result.succeeded

    stats = every_run(n=6, threshold=0.5, max_workers=1).run(spends, MockToolkit(budget=1.0))
    assert (stats.passed, stats.failed) == (3, 3), stats.summary()
    assert "budget" in stats.modes[0].text


def test_a_failure_whose_text_is_no_text_ends_no_other_run():
    def fails():
        raise AssertionError("half of \ud83d a character")

    stats = every_run(n=3).run(fails)
    assert stats.failed == 3
    assert "half of" in stats.summary()


def test_what_a_thread_of_the_test_runs_is_part_of_its_run():
    def test(mock_toolkit):
        mock_toolkit.mock("search", return_value=[])
        thread = threading.Thread(target=mock_toolkit.run, args=(lambda input, tools: tools["search"](), "go"))
        thread.start()
        thread.join()

    stats = every_run(n=6, threshold=0.5).run(test)
    assert len(stats.trajectories) == 6


def test_what_an_async_run_leaves_behind_ends_with_it():
    ticks = []

    async def leaves():
        async def ticking():
            while True:
                ticks.append(len(ticks))
                await asyncio.sleep(0)

        before = len(ticks)
        await asyncio.sleep(0.002)
        assert len(ticks) == before, "an earlier run goes on in this one"
        kept.append(asyncio.create_task(ticking()))
        await asyncio.sleep(0)

    kept: list = []
    assert every_run(n=4, max_workers=1).run(leaves).passed == 4


@pytest.mark.parametrize("own", [asyncio.TimeoutError, TimeoutError])
def test_the_patience_of_the_test_itself_is_no_trouble_of_the_network(own):
    async def impatient():
        await asyncio.wait_for(asyncio.sleep(5), 0.01)

    def handles():
        try:
            raise ConnectionError("meant")
        except ConnectionError:
            assert False, "the agent should have got over it"  # noqa: B011, PT015

    def raises():
        raise own("too slow")

    for test in (impatient, handles, raises):
        stats = every_run(n=2).run(test)
        assert (stats.failed, stats.inconclusive) == (2, 0)


def test_leaving_pytest_ends_the_whole_test():
    with pytest.raises(pytest.exit.Exception):
        every_run(n=5).run(lambda: pytest.exit("enough"))


def test_a_slow_run_of_a_sequential_test_holds_the_others_back():
    turns = iter(range(1000))
    lock = threading.Lock()

    def test():
        with lock:
            turn = next(turns)
        time.sleep(0.4 if turn == 0 else 0.001)

    stats = StatisticalRunner(n=100, threshold=0.8, mode="sequential", max_workers=8, budget=None).run(test)
    assert stats.verdict == "passed"
    assert len(stats.surplus) <= 7


def test_each_voice_of_a_run_ends_with_it(scripted_model):
    from unitai.script import say

    def test(mock_toolkit):
        scripted_model([say("never asked for")])
        scripted_model([say("nor this")])

    assert every_run(n=2).run(test).failed == 2
    from unitai._engine import surroundings

    assert surroundings()[0] is False
