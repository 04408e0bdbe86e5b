"""What each run of a repeated test is given, and what it leaves behind."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest

import pytest
from repeating import every_run

from unitai import (
    AgentTestCase,
    MockToolkit,
    StatisticalRunner,
    statistical,
)

pytestmark = pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")


def test_as_many_runs_are_under_way_at_once_as_there_are_workers():
    all_there = threading.Barrier(5)
    # Each run ends only when five of them have begun.
    stats = every_run(n=10, max_workers=5, budget=None).run(lambda: all_there.wait(10))
    assert stats.passed == 10


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


def test_async_tests_simply_work():
    loops = set()

    async def waits(mock_toolkit):
        await asyncio.sleep(0)
        loops.add(id(asyncio.get_running_loop()))
        result = await mock_toolkit.arun(lambda input, tools: "done", "go")
        assert result.output == "done"

    stats = every_run(n=6, max_workers=2).run(waits)
    assert stats.passed == 6, stats.summary()


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


def test_each_run_of_a_test_case_has_its_own_toolkit():
    class Case(AgentTestCase):
        @statistical(n=4, threshold=0.75, mode="all")
        def test_it(self):
            self.toolkit.mock("search", return_value=[])
            self.assertToolWasCalled(self.toolkit.run(lambda input, tools: tools["search"](), "go"), "search")

    result = unittest.TestResult()
    Case("test_it").run(result)
    assert result.wasSuccessful(), result.errors or result.failures


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


def test_each_run_makes_choices_of_its_own():
    from model import ask

    from unitai import scripted_model
    from unitai.script import choose, fail, say

    def agent(input, tools):
        return ask("ready?")

    def test(mock_toolkit):
        with scripted_model([choose(say("yes"), fail(500), seed=3)]):
            assert mock_toolkit.run(agent, "go").output == "yes"

    first, second = (every_run(n=40, threshold=0.5, retries=0).run(test) for _ in range(2))
    assert 8 <= first.passed <= 32
    assert [run.verdict for run in first.runs] == [run.verdict for run in second.runs], "and the same each time"


def test_the_budget_of_a_toolkit_is_that_of_all_its_copies():
    def spends(toolkit):
        result = toolkit.run(lambda input, tools: toolkit.record_llm_call("my-model", 1, 1, cost=0.3), "go")
        assert result.succeeded

    stats = every_run(n=6, threshold=0.5, max_workers=1).run(spends, MockToolkit(budget=1.0))
    assert (stats.passed, stats.failed) == (3, 3), stats.summary()
    assert "budget" in stats.modes[0].text


def test_what_a_thread_of_the_test_runs_is_part_of_its_run():
    def test(mock_toolkit):
        mock_toolkit.mock("search", return_value=[])
        thread = threading.Thread(target=mock_toolkit.run, args=(lambda input, tools: tools["search"](), "go"))
        thread.start()
        thread.join()

    stats = every_run(n=6, threshold=0.5).run(test)
    assert len(stats.trajectories) == 6


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
