"""What tests may spend: the whole suite, in however many processes it runs, and each test by itself."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from unitai._engine import Budget, budget_settings
from unitai.errors import InvalidArgumentError, UnitAIError, explained, shown
from unitai.traffic.purse import spending

#: What a worker of pytest-xdist is told: where the ledger of the suite is.
LEDGER = "unitai_ledger"


class _Limit(NamedTuple):
    """What one test may spend, and what models cost in its calls outside any run."""

    max_cost: float
    prices: Any = None


class Budgets:
    """Lets the budgets of the suite and of each test pay for what it calls: from its first fixture to its last.

    Nearer to the test than other plugins: what is wrong with a marker is told when they have all begun, for they end
    what they began.
    """

    def __init__(self, suite: Budget | None = None, per_test: float | None = None) -> None:
        #: What all tests together may spend.
        self.suite = suite
        self._per_test = per_test
        self._open: list[spending] = []
        self._told: BaseException | None = None

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """From here on, every model call is paid for."""
        __tracebackhide__ = True
        limit = _marked(item) or (None if self._per_test is None else _Limit(self._per_test))
        blocks = [] if self.suite is None else [spending(self.suite)]
        if limit is not None:
            blocks.append(spending(Budget(limit.max_cost, name="this test"), prices=limit.prices))
        for block in blocks:
            block.__enter__()
            self._open.append(block)
        try:
            return (yield)
        except BaseException:
            # The test has failed, and says why.
            self._untold()
            raise

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Fails the test itself if a call was refused: whatever else came of it, came of that."""
        __tracebackhide__ = True
        try:
            outcome = yield
        except BaseException as error:
            trouble = self._untold()
            # A test that skips itself, or is interrupted, has its reasons.
            if trouble is None or trouble is error or not isinstance(error, Exception):
                raise
            raise trouble from error
        trouble = self._untold()
        if trouble is not None:
            raise trouble
        return outcome

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Closes the budgets when the last fixture is done."""
        __tracebackhide__ = True
        try:
            outcome = yield
            trouble = self._untold()
        finally:
            self._told = None
            while self._open:
                self._open.pop().__exit__(None, None, None)
        if trouble is not None:
            raise trouble
        return outcome

    def _untold(self) -> BaseException | None:
        """What a budget refused in this test, once."""
        trouble = self._open[-1].trouble if self._open else None
        if trouble is self._told:
            return None
        self._told = trouble
        return trouble

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tells a worker of pytest-xdist where the ledger is."""
        if self.suite is not None:
            node.workerinput[LEDGER] = self.suite.path

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says what the suite spent, unless a whole report does."""
        if self.suite is None or terminalreporter.config.getoption("unitai"):
            return
        try:
            terminalreporter.write_line(f"UnitAI budget: {self.suite}")
        except UnitAIError as error:
            terminalreporter.write_line(f"UnitAI budget: {explained(error)}")


def open_budgets(config: pytest.Config) -> Budgets | None:
    """The budgets that the command line, the environment or the project's file ask for, if they do."""
    try:
        settings = budget_settings(config.rootpath)
        suite = _suite(config, settings["per_suite"])
    except UnitAIError as error:
        raise pytest.UsageError(explained(error)) from None
    per_test = settings["per_test"]
    return None if suite is None and per_test is None else Budgets(suite, per_test)


def _suite(config: pytest.Config, limit: float | None) -> Budget | None:
    if hasattr(config, "workerinput"):
        path = config.workerinput.get(LEDGER)
        return None if path is None else Budget.shared(path, name="the suite")
    given = config.getoption("unitai_budget", None)
    if given is not None:
        try:
            limit = Budget(float(given)).limit
        except (ValueError, UnitAIError):
            raise InvalidArgumentError(
                f"--unitai-budget is no amount of dollars: {shown(given)}", expected="a number of dollars above 0"
            ) from None
    if limit is None:
        return None
    folder = tempfile.mkdtemp(prefix="unitai-budget-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    # A file, though this process may be the only one: what a test starts can share it.
    return Budget.shared(Path(folder, "ledger"), limit, name="the suite")


def _marked(item: pytest.Item) -> _Limit | None:
    """What the nearest marker of a test lets it spend."""
    marker = item.get_closest_marker("unitai_budget")
    if marker is None:
        return None
    try:
        limit = _limit(*marker.args, **marker.kwargs)
    except TypeError:
        limit = None
    if limit is None:
        given = [*map(shown, marker.args), *(f"{name}={shown(value)}" for name, value in marker.kwargs.items())]
        raise InvalidArgumentError(
            f"the marker of {item.nodeid} is no budget",
            expected="dollars above 0, as in unitai_budget(max_cost=0.50), and prices={...} if a model needs them",
            found=f"unitai_budget({', '.join(given)})",
        )
    return limit


def _limit(max_cost: Any, *, prices: Any = None) -> _Limit | None:
    is_number = isinstance(max_cost, (int, float)) and not isinstance(max_cost, bool)
    return _Limit(max_cost, prices) if is_number and 0 < max_cost < float("inf") else None
