"""What an agent begins and does not wait for is refused when its run is over: it never comes to a real tool."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import types

import pytest

from unitai import MockToolkit
from unitai.traffic import door

pytestmark = pytest.mark.integration


@pytest.fixture
def shop(monkeypatch):
    module = types.ModuleType("outliving_shop")
    exec(
        "ran = []\nasync def refund(order_id):\n    ran.append(order_id)\n    return 'really refunded'\n",
        module.__dict__,
    )
    monkeypatch.setitem(sys.modules, "outliving_shop", module)
    return module


def test_a_task_that_outlives_its_run_never_comes_to_the_real_function(shop):
    toolkit = MockToolkit()
    toolkit.patch("outliving_shop.refund", return_value="refunded")
    # Other tests of this process may have left something.
    before = set(door._pinned_by)
    caught = []

    async def agent(input):
        async def later():
            await asyncio.sleep(0.1)
            try:
                caught.append(await shop.refund("1"))
            except BaseException as error:
                caught.append(type(error).__name__)

        caught.append(await shop.refund("0"))
        agent.task = asyncio.create_task(later())
        return "done"

    assert toolkit.run(agent, "go").output == "done"
    for _ in range(100):
        if len(caught) == 2:
            break
        asyncio.run(asyncio.sleep(0.02))
    assert caught == ["refunded", "RunCancelled"]
    assert shop.ran == []

    # When it has ended, the next run leaves nothing behind.
    other = MockToolkit()
    other.patch("outliving_shop.refund", return_value="refunded")

    async def plain(input):
        return await shop.refund("2")

    assert other.run(plain, "go").output == "refunded"
    assert set(door._pinned_by) <= before
    assert asyncio.run(shop.refund("3")) == "really refunded"
    assert shop.refund.__dict__ == {}


def test_tasks_that_end_in_time_leave_nothing_behind():
    async def agent(input, tools):
        return await asyncio.gather(*(asyncio.create_task(asyncio.sleep(0, n)) for n in range(3)))

    # Other tests of this process may have left something.
    before = set(door._pinned_by)
    assert MockToolkit().run(agent, "go").output == [0, 1, 2]
    assert set(door._pinned_by) <= before


def test_a_run_that_waits_for_all_it_began_leaves_nothing_behind(shop):
    """The job's own task is done a moment after the job has said so: it must not count as left behind."""
    toolkit = MockToolkit()
    toolkit.patch("outliving_shop.refund", return_value="refunded")
    before = set(door._pinned_by)

    async def agent(input):
        return await asyncio.create_task(shop.refund("1"))

    async def wait_on_another_loop():
        for _ in range(300):
            result = await toolkit.arun(agent, "go")
            assert result.output == "refunded"
            assert set(door._pinned_by) <= before

    asyncio.run(wait_on_another_loop())


def test_being_told_to_stop_while_an_object_is_cleaned_up_is_no_complaint(monkeypatch):
    """Python can only complain about what is raised there, and pytest makes that an error of the test."""
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: complaints.append(unraisable.exc_type))

    class Slow:
        def __del__(self):
            began = time.monotonic()
            while time.monotonic() < began + 1:
                pass

    class Broken:
        def __del__(self):
            raise ValueError

    is_cleaned_up = threading.Event()

    def agent(input, tools):
        try:
            Slow()
        finally:
            is_cleaned_up.set()
        return "done"

    result = MockToolkit().run(agent, "go", timeout=0.1)
    assert type(result.error).__name__ == "AgentTimeoutError"
    assert is_cleaned_up.wait(30)
    Broken()
    assert complaints == [ValueError]
