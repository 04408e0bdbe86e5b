"""Tests that are repeated in other processes, which import them by name; and executors that do odd things."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
from model import ask

from unitai import MockToolkit, scripted_model, statistical
from unitai._engine import surroundings
from unitai.config import current_config
from unitai.script import say, when
from unitai.traffic.purse import standing_budgets

#: A million tokens of the answer cost ten dollars, those of the prompt nothing to speak of.
PRICES = {"gpt-4o-mini": {"input": 0.000001, "output": 10.0}}
#: What one call costs, and can cost at most: a hundred tokens.
ONE = 100 * 10.0 / 1e6

YES = [when(turn=1).always(say("Yes.").using(10, 100))]


def ticket(folder: str) -> int:
    """A number that nobody else has: how many came before."""
    for number in range(10_000):
        with contextlib.suppress(FileExistsError):
            os.close(os.open(Path(folder) / str(number), os.O_CREAT | os.O_EXCL))
            return number
    raise AssertionError("too many")


def tickets(folder: Any) -> int:
    """How many were given out."""
    return len(os.listdir(folder))


def passes():
    pass


def collects_garbage():
    gc.collect()


def refunds(mock_toolkit):
    mock_toolkit.mock("lookup", return_value={"order": 1})
    mock_toolkit.mock("refund", return_value="done")
    result = mock_toolkit.run(lambda input, tools: [tools["lookup"](id=1), tools["refund"](id=1)], "refund 1")
    assert result.call_order() == ["lookup", "refund"]


def forgets(mock_toolkit):
    mock_toolkit.mock("refund", return_value="done")
    result = mock_toolkit.run(lambda input, tools: "done", "refund 1")
    assert result.tool_was_called("refund")


async def awaits(mock_toolkit):
    mock_toolkit.mock("refund", return_value="done")

    async def agent(input, tools):
        return tools["refund"]()

    assert (await mock_toolkit.arun(agent, "refund 1")).tool_was_called("refund")


@statistical(n=3, threshold=0.5)
def test_decorated(mock_toolkit):
    refunds(mock_toolkit)


def first_is_slowest(folder):
    time.sleep(max(0.0, 0.3 - 0.1 * ticket(folder)))


def counts(folder, argument=None):
    ticket(folder)


def fails(folder):
    ticket(folder)
    raise AssertionError("never")


def dies(folder):
    ticket(folder)
    os._exit(3)


def dies_first(folder):
    if ticket(folder) == 2:
        os._exit(3)


def dies_as_number_three(folder):
    ticket(folder)
    if Telling.index == 3:
        time.sleep(0.05)
        os._exit(3)


def calls_once(folder):
    """One call of a model, with the first run for free: what is measured says nothing about the others."""
    if ticket(folder) == 0:
        return
    toolkit = MockToolkit(prices=PRICES)
    with scripted_model(YES):
        result = toolkit.run(lambda input, tools: ask("x", model="gpt-4o-mini", max_tokens=100), "x")
    if result.error is not None:
        raise result.error
    Path(folder, f"paid-{os.getpid()}-{time.monotonic_ns()}").touch()


def reports_a_call(model):
    toolkit = MockToolkit()
    result = toolkit.run(lambda input, tools: toolkit.record_llm_call(model, 10, 5), "x")
    if result.error is not None:
        raise result.error


def calls_and_dies(folder):
    if ticket(folder) == 0:
        return
    calls_once(folder)
    os._exit(3)


def gives_a_lock(mock_toolkit):
    mock_toolkit.mock("lock", side_effect=lambda args: threading.Lock())
    mock_toolkit.run(lambda input, tools: str(tools["lock"]()), "x")


class MuteError(Exception):
    def __init__(self, one, two):
        super().__init__("mute")
        self.lock = threading.Lock()


def raises_what_does_not_pickle():
    raise MuteError(1, 2)


def skips():
    raise SkipTest("not today")


def exits():
    raise SystemExit(7)


def interrupts():
    raise KeyboardInterrupt


class OddExit(SystemExit):
    def __init__(self, one, two):
        super().__init__("odd")


def exits_oddly():
    raise OddExit(1, 2)


def skips_in_pytest():
    pytest.skip("not here")


def xfails_in_pytest():
    pytest.xfail("known")


def skips_as_number_two():
    if Telling.index == 2:
        skips_in_pytest()
    assert Telling.index > 4


def leaves_pytest():
    pytest.exit("enough")


def knows_its_surroundings(blocked, model, strict):
    """Nothing stands here but what was handed over."""
    assert surroundings()[:2] == (False, blocked)
    config = current_config()
    assert (config.model_override, config.strict_mocks) == (model, strict)
    # Besides the one that only counts.
    assert len([budget for budget in standing_budgets() if budget.limit < 1_000_000]) == 1


def sleeps(folder):
    ticket(folder)
    time.sleep(30)


class Telling(ProcessPoolExecutor):
    """A pool whose workers know which run they do."""

    index: int | None = None

    def submit(self, function, /, *args):
        return super().submit(_tell, function, *args)


def _tell(function, *args):
    Telling.index = args[2]
    return function(*args)


class Unlike(ProcessPoolExecutor):
    """A pool that cannot be made again from what is known of it."""

    def __init__(self) -> None:
        super().__init__(2)


class Foreign(Executor):
    """Threads that nobody can know to be threads."""

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers)

    def submit(self, function, /, *args, **kwargs):
        return self._threads.submit(function, *args, **kwargs)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._threads.shutdown(wait, cancel_futures=cancel_futures)


class Failing(Executor):
    """Every future comes to this."""

    def __init__(self, error: BaseException | None) -> None:
        self._error = error

    def submit(self, function, /, *args, **kwargs):
        future: Future[Any] = Future()
        if self._error is None:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_exception(self._error)
        return future
