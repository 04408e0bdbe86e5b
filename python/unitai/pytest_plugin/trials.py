"""Tests that are repeated, in pytest: `@pytest.mark.unitai_statistical(n=20, threshold=0.8)`, and what
`@statistical` decorates.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.unittest import TestCaseFunction

from unitai.errors import CostLimitExceeded, InvalidArgumentError
from unitai.pytest_plugin.lines import PlainLines, TerminalLine, rates
from unitai.pytest_plugin.noting import statistics
from unitai.runner.statistical import StatisticalRunner, check_options
from unitai.trials import progress
from unitai.trials.result import StatisticalResult

if TYPE_CHECKING:
    from unitai.pytest_plugin.baselines import Sampling

MARKER = "unitai_statistical"

#: What a repeated test came to.
RESULT = pytest.StashKey[StatisticalResult]()


class Trials:
    """Repeats the tests that are marked. Registered when there is one."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._sampling: Sampling | None = config.pluginmanager.get_plugin("unitai-sampling")
        self._done: list[tuple[str, StatisticalResult]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Runs a marked test as often as it needs."""
        __tracebackhide__ = True
        marker = pyfuncitem.get_closest_marker(MARKER)
        if marker is None:
            return None
        given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        self._repeat(pyfuncitem, marker, _function(pyfuncitem.obj), given)
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Puts a method that repeats in the place of a marked one of a `unittest.TestCase`, whose methods unittest
        calls and not pytest.
        """
        __tracebackhide__ = True
        marker = item.get_closest_marker(MARKER)
        if marker is None or not isinstance(item, TestCaseFunction):
            return (yield)
        once = item.obj
        case, method = once.__self__, getattr(_function(once), "__func__", once)

        def repeated() -> None:
            __tracebackhide__ = True
            self._repeat(item, marker, method, {}, case)

        item.obj = repeated
        try:
            return (yield)
        finally:
            item.obj = once

    def _repeat(
        self,
        item: pytest.Function,
        marker: pytest.Mark,
        function: Callable[..., Any],
        given: dict[str, Any],
        *first: Any,
    ) -> None:
        __tracebackhide__ = True
        said = options(marker, item.nodeid)
        if self._sampling is not None:
            said = self._sampling.planned(said)
        runner = StatisticalRunner(**said)
        try:
            with self._terminal():
                stats = runner.run(function, *first, **given)
        except CostLimitExceeded as error:
            if isinstance(error.stats, StatisticalResult):
                self._keep(item, error.stats)
            raise
        self._keep(item, stats)
        if self._sampling is not None:
            self._sampling.note(item, stats)
        stats.check()

    def _keep(self, item: pytest.Item, stats: StatisticalResult) -> None:
        """Keeps what the test came to, for reports and other plugins."""
        item.stash[RESULT] = stats
        self._done.append((item.nodeid, stats))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says how they did, unless a whole report does."""
        if not self._config.getoption("unitai"):
            rates(terminalreporter, [(test, statistics(stats)) for test, stats in self._done])

    @contextmanager
    def _terminal(self) -> Iterator[None]:
        """Lends the terminal to the line of progress. Other processes of pytest-xdist have none."""
        manager = self._config.pluginmanager
        reporter = manager.getplugin("terminalreporter")
        if reporter is None or hasattr(self._config, "workerinput"):
            yield
            return
        is_line_kept = reporter.isatty and os.environ.get("TERM") != "dumb"
        line = TerminalLine if is_line_kept else PlainLines
        progress.lines.append(line(reporter._tw, manager.getplugin("capturemanager")))
        try:
            yield
        finally:
            progress.lines.pop()


def options(marker: pytest.Mark, place: str) -> dict[str, Any]:
    """What a marker says, as `StatisticalRunner` takes it."""
    __tracebackhide__ = True
    known = [name for name in inspect.signature(StatisticalRunner.__init__).parameters if name != "self"]
    check_options(f"the marker {MARKER} of {place}", marker.kwargs)
    if len(marker.args) > 2:
        raise InvalidArgumentError(
            f"the marker {MARKER} of {place} does not take so many values",
            expected=f"n and threshold, or by name: {', '.join(known)}",
        )
    return {**dict(zip(known, marker.args, strict=False)), **marker.kwargs}


def _function(obj: Callable[..., Any]) -> Callable[..., Any]:
    """The test itself, where a decorator or another plugin has put something around it: they would repeat it, or run
    it on their own event loop, once.
    """
    owner = getattr(obj, "__self__", None)
    inner = getattr(obj, "__unitai_test__", None)
    if inner is None:
        unwrapped = inspect.unwrap(obj)
        if inspect.iscoroutinefunction(obj) or not inspect.iscoroutinefunction(unwrapped):
            return obj
        inner = unwrapped
    return inner if owner is None or inspect.ismethod(inner) else inner.__get__(owner)  # type: ignore[no-any-return]
