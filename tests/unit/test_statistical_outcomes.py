"""What a run of a repeated test comes to: who is to blame where it did not pass, and what is no outcome at all."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest

import pytest
from repeating import every_run
from stopwatch import Stopwatch

from unitai import InconclusiveError, PassRateError, RunsRaisedError, StatisticalRunner
from unitai.attempt import current

pytestmark = pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")


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


def test_runs_that_raise_without_an_assertion_are_an_error_and_no_rate():
    answers = iter(range(10))

    def reads_the_answer():
        if next(answers) > 2:
            raise KeyError("order")

    stats = every_run(n=10, threshold=0.8, max_workers=1).run(reads_the_answer)
    assert (stats.verdict, stats.passed, stats.failed, bool(stats)) == ("error", 3, 7, False)
    assert stats.failure_modes == {"KeyError: 'order'": 7}
    why = "7 of 10 runs raised, and no assertion failed: this is no pass rate of the agent"
    assert stats.claim == why
    assert stats.summary().startswith(f"{why}\nFailure modes:\n  - 7x: KeyError")
    with pytest.raises(RunsRaisedError, match=why) as caught:
        stats.check()
    assert not isinstance(caught.value, AssertionError)
    assert caught.value.stats is stats
    assert "30.0%" not in str(caught.value) and "95% interval" not in str(caught.value)
    assert "raise KeyError" in str(caught.value)


@pytest.mark.parametrize(
    "claims",
    [
        lambda: pytest.fail("no refund"),
        lambda: unittest.TestCase().fail("no refund"),
        lambda: raise_(AssertionError("no refund")),
        lambda: raise_(type("Group", (Exception,), {"exceptions": (KeyError(), AssertionError("no refund"))})()),
        lambda: False,
    ],
    ids=["fail", "unittest", "assertion", "group", "returned"],
)
def test_one_assertion_that_failed_makes_it_a_rate(claims):
    def test():
        return claims() if current.get().index == 7 else raise_(KeyError("order"))

    stats = every_run(n=10, threshold=0.8).run(test)
    assert (stats.verdict, stats.failed, stats.pass_rate) == ("failed", 10, 0.0)
    with pytest.raises(PassRateError, match="0/10 runs passed"):
        stats.check()


def raise_(error):
    raise error


def test_runs_that_raise_beside_enough_that_pass_are_a_rate():
    def test():
        if current.get().index == 0:
            raise KeyError("order")

    stats = every_run(n=10, threshold=0.9).run(test)
    assert (stats.verdict, stats.passed, stats.failed) == ("passed", 9, 1)


def test_a_tool_that_is_not_mocked_is_an_error_of_the_test():
    def test(mock_toolkit):
        mock_toolkit.run(lambda input, tools: tools["refund"](), "refund")

    assert every_run(n=3).run(test).verdict == "error"


def test_what_a_mock_raises_is_no_trouble_of_the_network():
    def breaks(mock_toolkit):
        mock_toolkit.mock("search", side_effect=ConnectionError("scripted"))
        result = mock_toolkit.run(lambda input, tools: tools["search"](), "find")
        assert result.succeeded

    stats = every_run(n=3).run(breaks)
    assert (stats.failed, stats.inconclusive) == (3, 0)


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


def test_a_test_that_returns_what_does_not_hold_has_failed():
    def returns(mock_toolkit):
        return mock_toolkit.run(lambda input, tools: "x", "go").tool_was_called("search")

    assert every_run(n=2).run(returns).failed == 2
    assert every_run(n=2).run(lambda: False).failure_modes == {"the test returned False": 2}


def test_an_exit_of_the_agent_is_a_failed_run_and_pytest_fail_is_one():
    def leaves():
        raise SystemExit(3)

    assert every_run(n=3).run(leaves).failure_modes == {"SystemExit: 3": 3}
    assert every_run(n=3).run(lambda: pytest.fail("no")).failed == 3


def test_a_failure_whose_text_is_no_text_ends_no_other_run():
    def fails():
        raise AssertionError("half of \ud83d a character")

    stats = every_run(n=3).run(fails)
    assert stats.failed == 3
    assert "half of" in stats.summary()


def test_an_interruption_or_nothing_but_skips_ends_the_whole_test():
    def stops():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        every_run(n=5).run(stops)
    with pytest.raises(pytest.skip.Exception):
        every_run(n=5).run(lambda: pytest.skip("not here"))
    with pytest.raises(pytest.xfail.Exception):
        every_run(n=5).run(lambda: pytest.xfail("known"))


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("skip", [pytest.skip, pytest.xfail, unittest.SkipTest])
def test_a_skip_in_one_run_hides_no_failure_of_another(skip, workers):
    turns = []

    def test():
        turns.append(1)
        if current.get().index == 3:
            raise skip("no seat")
        assert current.get().index > 5, "no refund"

    stats = every_run(n=10, threshold=0.9, max_workers=workers).run(test)
    assert (stats.verdict, stats.passed, stats.failed, stats.inconclusive) == ("failed", 4, 5, 1)
    assert stats.failure_modes == {"no refund": 5}
    assert len(turns) == 10 and stats.retries == 0, "a skip is not tried again"
    (cause,) = stats.causes
    assert cause == ("it failed as expected: no seat" if skip is pytest.xfail else "it was skipped: no seat")
    assert f"1 run inconclusive, not counted: 1x {cause}" in stats.report()
    with pytest.raises(PassRateError):
        stats.check()


def test_runs_that_skip_are_no_pass():
    def mostly_skips():
        if current.get().index > 3:
            pytest.skip("not here")

    stats = every_run(n=10, threshold=0.5).run(mostly_skips)
    assert (stats.verdict, stats.passed, stats.inconclusive) == ("inconclusive", 4, 6)


def test_a_test_whose_first_run_skips_is_not_paid_for_again():
    calls = []

    def skips():
        calls.append(1)
        pytest.skip("no key")

    with pytest.raises(pytest.skip.Exception, match="no key"):
        every_run(n=10).run(skips)
    assert len(calls) == 1
    with pytest.raises(pytest.skip.Exception, match="no key"):
        every_run(n=10, budget=None).run(skips)


def test_leaving_pytest_ends_the_whole_test():
    with pytest.raises(pytest.exit.Exception):
        every_run(n=5).run(lambda: pytest.exit("enough"))


def test_a_retry_is_not_waited_for_when_the_verdict_is_settled():
    turns = iter(range(100))
    lock = threading.Lock()

    def test():
        with lock:
            turn = next(turns)
        if turn > 0:
            raise ConnectionError("down")
        time.sleep(0.05)
        assert False  # noqa: B011, PT015

    options = {"max_workers": 3, "budget": None, "retry_delay": 20, "mode": "early"}
    with Stopwatch() as watch:
        stats = StatisticalRunner(n=20, threshold=1.0, **options).run(test)
    assert (stats.verdict, stats.failed, len(stats.surplus)) == ("failed", 1, 2)
    assert watch.fair < 5
