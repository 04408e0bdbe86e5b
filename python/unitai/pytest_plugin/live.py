"""Which tests may call models live, where the setting `live_models` does not leave it to all of them; and what tests
call by themselves, outside of any run.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from unitai._engine import (
    count_calls_outside_runs,
    leave_calls_outside_runs,
    permit_live_models,
    refused_live_call,
    revoke_live_models,
)
from unitai.traffic.door import close_door, open_door
from unitai.traffic.sockets import guard_sockets, unguard_sockets

#: The markers of tests that exist to see what a model does.
_MARKERS = ("unitai_live", "unitai_statistical")


class LiveModels:
    """Has the engine look at every model request of a test, from its first fixture to its last: also at those of a
    client that a test calls by itself, which belong to no run. What the engine refused fails the test, whatever became
    of it.
    """

    def __init__(self) -> None:
        #: Whether the test under way may call models live; `None` between tests.
        self._is_let: bool | None = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """From here on, a live call is refused, unless the test may make it."""
        __tracebackhide__ = True
        self._is_let = any(item.get_closest_marker(name) is not None for name in _MARKERS)
        open_door()
        guard_sockets()
        if self._is_let:
            permit_live_models()
        with _refusals_told():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Fails the test itself if a call was refused, whatever came of it."""
        __tracebackhide__ = True
        with _refusals_told():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Ends it when the last fixture is done."""
        __tracebackhide__ = True
        try:
            with _refusals_told():
                return (yield)
        finally:
            is_let, self._is_let = self._is_let, None
            if is_let is not None:
                if is_let:
                    revoke_live_models()
                unguard_sockets()
                close_door()


class CallsOutsideRuns:
    """Has the engine count the model calls of a test that belong to no run, from its first fixture to its last, so that
    reports tell what they cost.
    """

    def __init__(self) -> None:
        self._is_counting = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        """From here on, they are counted."""
        __tracebackhide__ = True
        open_door()
        count_calls_outside_runs()
        self._is_counting = True
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Ends it when the last fixture is done."""
        __tracebackhide__ = True
        try:
            return (yield)
        finally:
            if self._is_counting:
                self._is_counting = False
                leave_calls_outside_runs()
                close_door()


@contextmanager
def _refusals_told() -> Iterator[None]:
    """Raises what was refused in the block: an agent may have swallowed it, and a test may not look how a run ended."""
    __tracebackhide__ = True
    try:
        yield
    except BaseException as error:
        refused = refused_live_call()
        # A test that skips itself, or is interrupted, has its reasons.
        if refused is None or refused is error or not isinstance(error, Exception):
            raise
        raise refused from error
    refused = refused_live_call()
    if refused is not None:
        raise refused
