"""Baselines in pytest: `--unitai-baseline` compares the repeated tests of a run with an earlier one, and
`--unitai-save-baseline` keeps how they did. Loaded when one of the options is given.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

import pytest

from unitai._engine import clean
from unitai.errors import UnitAIError, explained
from unitai.trials.baseline import Baseline, Comparisons, Sample, locate
from unitai.trials.comparison import Comparison, plain
from unitai.trials.result import StatisticalResult

T = TypeVar("T")

#: What a report carries from the process that ran the test.
_SAMPLE = "unitai_sample"
_COUNTS = pytest.StashKey[dict[str, Any]]()
#: What other processes are told, and tell: the tests of the baseline, and which of them are gone.
_KNOWN = "unitai_baseline_tests"
_GONE = "unitai_baseline_gone"


def register(config: pytest.Config) -> None:
    """Has this process take part: those of pytest-xdist run tests, and their controller counts."""
    given = getattr(config, "workerinput", None)
    if given is not None:
        config.pluginmanager.register(Sampling(config, given.get(_KNOWN, ())), "unitai-sampling")
        return
    counting = Counting(config)
    config.pluginmanager.register(counting.sampling, "unitai-sampling")
    config.pluginmanager.register(counting, "unitai-baselines")


class Sampling:
    """In each process that runs tests: no run is stopped early, and each report carries its counts."""

    def __init__(self, config: pytest.Config, known: Iterable[str]) -> None:
        self._config = config
        self._known = list(known)
        #: Tests of the baseline that are there no more.
        self.gone: list[str] = []

    def planned(self, said: dict[str, Any]) -> dict[str, Any]:
        """What a test asks for, with all of its runs: those of a test that is stopped when it is settled are no fair
        sample. One that is sequential in so many words stays so.
        """
        return said if said.get("mode") == "sequential" else {**said, "mode": "all"}

    def note(self, item: pytest.Item, stats: StatisticalResult) -> None:
        """Notes how the runs of a test did, for its report."""
        item.stash[_COUNTS] = Sample.of(stats)._asdict()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Puts it onto the report, which crosses to the controller of pytest-xdist."""
        report = yield
        if call.when == "call":
            setattr(report, _SAMPLE, item.stash.get(_COUNTS, None))
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sees which tests of the baseline are gone, before others leave some out."""
        if self._known:
            self.gone = list(self._looked_for_in_vain({clean(item.nodeid) for item in items}))

    def _looked_for_in_vain(self, ids: set[str]) -> Iterator[str]:
        """A test that nobody looked for is not gone: only one whose file is, or was collected as a whole."""
        files = {_file_of(test) for test in ids}
        is_whole = not any("::" in str(arg) for arg in self._config.args)
        for test in self._known:
            file = _file_of(test)
            if test not in ids and ((is_whole and file in files) or not Path(self._config.rootpath, file).exists()):
                yield test

    def pytest_sessionfinish(self) -> None:
        """Tells the controller of pytest-xdist."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_GONE] = self.gone


class Counting:
    """In the process that has the last word: compares, saves, and says what came of it."""

    def __init__(self, config: pytest.Config) -> None:
        self._name: str | None = config.getoption("unitai_baseline")
        self._save_as: str | None = config.getoption("unitai_save_baseline")
        # What cannot be used is refused before anything runs and is paid for.
        if self._save_as is not None:
            _usable("--unitai-save-baseline", _check, self._save_as)
        self._baseline = None if self._name is None else _usable("--unitai-baseline", Baseline.load, self._name)
        self.sampling = Sampling(config, () if self._baseline is None else self._baseline.tests)
        self._gone: set[str] = set()
        self._samples: dict[str, Sample] = {}
        self._lines: list[tuple[str, dict[str, bool]]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts a test, whichever process ran it. Where it was run again, the last time counts."""
        counts = getattr(report, _SAMPLE, None)
        if counts is not None:
            self._samples[clean(report.nodeid)] = Sample(**counts)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tells a process of pytest-xdist what to look for."""
        node.workerinput[_KNOWN] = [] if self._baseline is None else list(self._baseline.tests)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Hears from such a process what it looked for in vain."""
        self._gone.update(getattr(node, "workeroutput", {}).get(_GONE, ()))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Compares first and saves then, so that both may name the same baseline."""
        if session.config.getoption("collectonly"):
            return
        is_wrong = False
        if self._baseline is not None:
            found = self._baseline.compare(self._samples)
            self._tell_all(found, session.exitstatus == pytest.ExitCode.OK)
            is_wrong = bool(found.regressed)
        if self._save_as is not None:
            is_wrong = not self._save(self._save_as) or is_wrong
        if is_wrong and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _save(self, name: str) -> bool:
        samples = {test: sample for test, sample in self._samples.items() if sample.n}
        undecided = len(self._samples) - len(samples)
        if undecided:
            self._tell(f"{_tests(undecided)} without a run that counts: not saved", yellow=True)
        if not samples:
            self._tell(f"nothing to save as baseline {plain(name)}: no repeated test came to a result", yellow=True)
            return True
        try:
            Baseline(samples).add(name)
        except UnitAIError as error:
            self._tell(explained(error), red=True)
            return False
        self._tell(f"{_tests(len(samples))} saved as baseline {plain(name)}")
        return True

    def _tell_all(self, found: Comparisons, is_green: bool) -> None:
        found.sort(key=lambda one: one.test)
        for one in found.regressed:
            self._tell_one(one, red=True)
        for one in found.improved:
            self._tell_one(one, green=True)
        if found.unchanged:
            self._tell(f"{_tests(len(found.unchanged))} without evidence of a change")
        if not found:
            self._tell("no test was compared", yellow=True)
        for test in sorted(found.new):
            self._tell(f"new, not in the baseline: {plain(test)}")
        gone = self._gone.union(self.sampling.gone).intersection(found.missing)
        for test in sorted(gone):
            self._tell(f"gone, only in the baseline: {plain(test)}")
        if len(found.missing) > len(gone):
            self._tell(f"{_tests(len(found.missing) - len(gone))} of the baseline did not run")
        if found.regressed:
            why = ", although every test passed" if is_green else ""
            self._tell(f"{_tests(len(found.regressed))} regressed: the run fails{why}", red=True, bold=True)

    def _tell_one(self, one: Comparison, **markup: bool) -> None:
        first, *rest = str(one).splitlines()
        self._tell(first, **markup)
        for line in rest:
            self._tell(line)

    def _tell(self, line: str, **markup: bool) -> None:
        self._lines.append((line, markup))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line for each test that changed, and a count of the rest."""
        if not self._lines:
            return
        title = "UnitAI baseline"
        if self._baseline is not None:
            day = datetime.fromtimestamp(self._baseline.saved_at or 0, timezone.utc).date()
            title = f"UnitAI: compared with baseline {plain(str(self._name))} of {day}"
        terminalreporter.section(title)
        for line, markup in self._lines:
            terminalreporter.write_line(line, **markup)


def _usable(option: str, get: Callable[[str], T], name: str) -> T:
    try:
        return get(name)
    except UnitAIError as error:
        raise pytest.UsageError(f"{option}: {explained(error)}") from None


def _check(name: str) -> None:
    """Raises if nothing can be added to this baseline."""
    file = locate(name)
    if file.path.exists():
        file.read()


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"
