"""The events of a run, written as they happen, and the reports that are made of them. With `--unitai`, in the process
that has the last word.
"""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Generator, Iterator

# By name: a test may put something else into a module, and forget to take it back.
from json import dumps, loads
from time import time as now
from typing import Any

import pytest

from unitai._engine import EventLog
from unitai.config import current_config
from unitai.errors import UnitAIError
from unitai.pytest_plugin.lines import rates
from unitai.pytest_plugin.naming import Names, legal
from unitai.pytest_plugin.outcomes import (
    captured_of,
    contract_of,
    failure_of,
    notes_of,
    outcome_of,
    place_of,
    reason_of,
)
from unitai.pytest_plugin.session import unfinished

#: The attribute of a report that holds the layer of its test.
LAYER = "unitai_layer"

#: What model calls came to, by who answered them.
Spending = dict[str, dict[str, float]]


class Reporting:
    """Writes down what happens."""

    def __init__(self, config: pytest.Config, cache_mode: str | None) -> None:
        self._config = config
        self._cache_mode = cache_mode
        self._log: EventLog | None = None
        self._begun = now()
        self._tests: dict[str, list[pytest.TestReport]] = {}
        self._names = Names()
        #: How many tries of a test do not count, and what they have spent.
        self._tries: dict[str, tuple[int, Spending | None]] = {}
        self._deselected = 0
        #: How many tests there are, and how many of them had their turn.
        self._count = self._ended = 0
        #: Whether there is a file of tests that cannot be read.
        self._is_unread = False
        #: Repeated tests, and how their runs did, as JSON.
        self._repeated: list[tuple[str, str]] = []
        self._interrupted: str | None = None
        #: Why pytest stopped by itself.
        self._stopped: str | None = None
        #: Why the events cannot be written any more.
        self._trouble: str | None = None

    def pytest_sessionstart(self) -> None:
        """Opens the file: what cannot be written is told before anything runs and is paid for."""
        config = self._config
        path = config.getoption("unitai_events", None)
        try:
            self._log = EventLog(config.invocation_params.dir, path)
        except (OSError, UnitAIError) as error:
            raise pytest.UsageError(
                f"the events of the run cannot be written: {error}\n"
                "  to do:    see to the folder .unitai of the project, or name a file with --unitai-events"
            ) from None
        with self._written():
            self._log.start(
                self._begun,
                platform.python_version(),
                pytest.__version__,
                [legal(arg) for arg in _arguments(config)],
                current_config().model_override,
                self._cache_mode,
            )

    @contextlib.contextmanager
    def _written(self) -> Iterator[None]:
        """Around what is written: a full disk must not cost the tests their results."""
        try:
            yield
        except (OSError, TypeError, ValueError, UnitAIError) as error:
            self._trouble = str(error)

    def _add(self, event: str, **fields: Any) -> None:
        """Writes an event, as long as events can be written."""
        if self._trouble is None and self._log is not None:
            with self._written():
                self._log.add(legal(dumps({"event": event, **fields}, ensure_ascii=False, default=str)))

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Counts what was left out."""
        self._deselected += len(items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The tests are known; with pytest-xdist, its processes look for them."""
        if not _is_spread(session.config):
            self._found(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """A process of pytest-xdist has looked for tests: each finds all."""
        self._found(len(ids))

    def _found(self, count: int) -> None:
        self._count = count
        self._add("tests_found", at=now(), count=count, deselected=self._deselected)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be read, or wants to be skipped, counts like a test."""
        self._is_unread = self._is_unread or report.failed
        if report.failed or (report.skipped and report.nodeid):
            self._finish(self._names.end(report.nodeid or "collection"), [report], "collect")

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """A test begins."""
        file, line, _ = location
        # Where each process runs every test, which of them it was is known when it is over.
        if self._config.getoption("dist", "no") != "each":
            name = self._names.begin(nodeid)
            self._add("test_started", at=now(), test=name, file=file, line=None if line is None else line + 1)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of a test is over."""
        key = self._key(report.nodeid, report)
        self._tests.setdefault(key, []).append(report)
        if report.when in ("setup", "call"):
            return
        # With "???", its process has died, and nothing more will come.
        reports = self._tests.pop(key)
        if any(report.outcome == "rerun" for report in reports):  # type: ignore[comparison-overlap]
            # Another plugin tries again. What was spent is spent.
            tries, spent = self._tries.get(key, (0, None))
            self._tries[key] = tries + 1, _sum(spent, notes_of(report).get("spending"))
        else:
            self._ended += 1
            self._finish(self._names.end(key), reports, report.when, *self._tries.pop(key, (0, None)))

    def _key(self, test: str, report: pytest.TestReport) -> str:
        """The test's id; where several processes run every test, with the process."""
        node = getattr(report, "node", None)
        if node is None or self._config.getoption("dist", "no") != "each":
            return test
        return f"{test} [{node.gateway.id}]"

    def _finish(
        self, test: str, reports: list[Any], phase: str | None, reruns: int = 0, spent: Spending | None = None
    ) -> None:
        last = reports[-1]
        notes = notes_of(last)
        for example_of, is_yaml, trajectory in notes.get("runs", ()):
            self._add_run(test, example_of, is_yaml, trajectory)
        if notes.get("statistics"):
            self._repeated.append((test, notes["statistics"]))
        file, line = place_of(last)
        outcome = outcome_of(reports)
        node = getattr(last, "node", None)
        self._add(
            "test_finished",
            at=now(),
            test=test,
            file=file,
            line=line,
            outcome=outcome,
            duration_seconds=sum(getattr(report, "duration", 0.0) for report in reports),
            layer=next((getattr(report, LAYER, None) for report in reports if hasattr(report, LAYER)), None),
            contract=contract_of(last),
            reason=None if outcome in ("passed", "failed", "error") else reason_of(reports),
            failures=[failure_of(report, phase) for report in reports if report.failed],
            captured=captured_of(last),
            reruns=reruns,
            runs_left_out=notes.get("left_out", 0),
            spending=_sum(spent, notes.get("spending")),
            statistics=loads(notes["statistics"]) if notes.get("statistics") else None,
            worker=None if node is None else node.gateway.id,
        )

    def _add_run(self, test: str, example_of: str | None, is_yaml: bool, trajectory: str) -> None:
        if self._trouble is None and self._log is not None:
            with self._written():
                self._log.add_run(legal(test), None if example_of is None else legal(example_of), is_yaml, trajectory)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says how repeated tests did, whichever process ran them."""
        rates(terminalreporter, self._repeated)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Somebody wants an end: with Ctrl-C, or a test with `pytest.exit`."""
        # pytest interrupts itself when a file cannot be read, or when it is to stop; so does pytest-xdist.
        if excinfo.typename == "Interrupted":
            self._stopped = str(excinfo.value)
        else:
            self._interrupted = str(excinfo.value) or excinfo.typename

    def pytest_internalerror(self, excrepr: object) -> None:
        """Pytest itself, or another plugin, has failed."""
        crash = getattr(excrepr, "reprcrash", None)
        self._interrupted = getattr(crash, "message", None) or str(excrepr).strip().rpartition("\n")[2]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """All is done and said: makes the reports."""
        try:
            return (yield)
        except BaseException as error:
            # Another plugin could not end. What it was to say or to write may be missing.
            self._interrupted = f"{type(error).__name__}: {error}"
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            raise
        finally:
            if self._log is not None:
                self._end(session, self._log)

    def _end(self, session: pytest.Session, log: EventLog) -> None:
        end = now()
        ending = self._ending(session)
        if ending in ("interrupted", "broken") and session.exitstatus == pytest.ExitCode.OK:
            # With `pytest.exit(returncode=0)` a test speaks for those that did not have their turn.
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        self._add(
            "run_finished",
            at=end,
            duration_seconds=end - self._begun,
            ending=ending,
            exit_code=int(session.exitstatus),
            reason=self._interrupted or _text(session.shouldfail) or _text(session.shouldstop) or self._stopped,
            spending=unfinished(session.config),
            budget=self._budget(),
        )
        reporter = session.config.pluginmanager.getplugin("terminalreporter")
        colour = reporter is not None and session.config.get_terminal_writer().hasmarkup
        block, troubles = "", [] if self._trouble is None else [f"the run events are not complete: {self._trouble}"]
        try:
            block, more = log.finish(colour)
            troubles += more
        except UnitAIError as error:
            troubles.append(str(error))
        if reporter is not None:
            # A test may have closed the output; then nobody can be told.
            with contextlib.suppress(OSError, ValueError):
                _tell(reporter, block, troubles)
        if troubles and session.exitstatus == pytest.ExitCode.OK:
            # Who waits for a report must not take its absence for good news.
            session.exitstatus = pytest.ExitCode.INTERRUPTED

    def _ending(self, session: pytest.Session) -> str:
        status = session.exitstatus
        if status in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
            return "broken"
        if self._interrupted is not None:
            return "interrupted"
        if self._is_unread:
            return "broken"
        # pytest-xdist has a way of its own to stop after a failure.
        if session.shouldfail or session.shouldstop or (self._stopped and self._config.getoption("maxfail", 0)):
            return "stopped"
        # Processes of pytest-xdist that die again and again are not replaced for ever.
        is_cut = self._ended < self._count
        return "broken" if is_cut or status == pytest.ExitCode.INTERRUPTED else "completed"

    def _budget(self) -> dict[str, float] | None:
        budgets = self._config.pluginmanager.getplugin("unitai_budgets")
        suite = None if budgets is None else budgets.suite
        if suite is None:
            return None
        try:
            return {"limit": suite.limit, "spent": suite.spent}
        except UnitAIError:
            return None


def _arguments(config: pytest.Config) -> list[str]:
    """What pytest was asked for, without what the command adds for itself."""
    args = [str(arg) for arg in config.invocation_params.args]
    for at in range(len(args) - 1):
        if args[at : at + 2] == ["-p", "unitai"]:
            del args[at : at + 2]
            break
    return [arg for arg in args if not arg.startswith("--unitai-events=")]


def _tell(reporter: Any, block: str, troubles: list[str]) -> None:
    reporter.ensure_newline()
    if reporter.config.get_terminal_writer().width_of_current_line:
        # Where the last line of dots was not ended, since nothing came after it.
        reporter.line("")
    for line in block.splitlines():
        reporter.write_line(line)
    for trouble in troubles:
        reporter.write_line(f"error: {trouble}", red=True)


def _is_spread(config: pytest.Config) -> bool:
    """Whether other processes run the tests."""
    return bool(config.getoption("dist", "no") != "no")


def _sum(one: Spending | None, other: Spending | None) -> Spending | None:
    if one is None or other is None:
        return one or other
    return {who: {what: one[who][what] + other[who][what] for what in one[who]} for who in one}


def _text(value: bool | str) -> str | None:
    return value if isinstance(value, str) else None
