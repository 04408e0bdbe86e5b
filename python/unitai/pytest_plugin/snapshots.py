"""Snapshots in pytest: the fixture's object, and what became of snapshots, told at the end. Loaded by the first test
that uses one, or where they are updated.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from unitai._engine import stray_snapshots
from unitai.snapshot import Snapshot

#: The snapshots of a test.
_KEPT = pytest.StashKey[Snapshot]()

#: Whether a part of the test did not pass: it may not have come to all that it looks at.
_IS_CUT = pytest.StashKey[bool]()

#: The attribute of a report that says what became of them: plain data, for it crosses from process to process.
ATTRIBUTE = "unitai_snapshots"

#: What pytest-xdist's processes hand over at their end.
_STRAYS = "unitai_stray_snapshots"


def opened(request: pytest.FixtureRequest) -> Snapshot:
    """The snapshots of the test that asks."""
    item, config = request.node, request.config
    is_update = is_updating(config)
    kept = item.stash[_KEPT] = Snapshot(item.path, names_of(item), root=config.rootpath, update=is_update)
    # A plugin may run a test again that failed.
    item.stash[_IS_CUT] = False
    start(config)
    return kept


def is_updating(config: pytest.Config) -> bool:
    """Whether values are kept instead of compared."""
    return bool(config.getoption("unitai_snapshot_update", False))


def names_of(item: pytest.Item) -> list[str]:
    """The names of a test's classes, its function and its parameters."""
    names = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    names.append(getattr(item, "originalname", None) or item.name)
    callspec = getattr(item, "callspec", None)
    return names if callspec is None else [*names, callspec.id]


def start(config: pytest.Config) -> None:
    """Looks after snapshots from now on."""
    manager = config.pluginmanager
    if not manager.has_plugin("unitai-snapshots"):
        manager.register(Looks(config), "unitai-snapshots")
        if not hasattr(config, "workerinput"):
            manager.register(Telling(config), "unitai-snapshots-told")


class Looks:
    """Looks what tests leave, in the process that runs them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_update = is_updating(config)
        #: Whether all tests of each file are here: only then is a snapshot of none of them a stray.
        self._is_whole = not any("::" in str(arg) for arg in config.args)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """A test that passed has looked at all that it needs. It is over with the last of its fixtures; until then
        there are several reports, and each subtest has one.
        """
        report = yield
        kept = item.stash.get(_KEPT, None)
        if kept is None:
            return report
        if not report.passed or hasattr(report, "wasxfail"):
            item.stash[_IS_CUT] = True
        if call.when == "teardown":
            setattr(report, ATTRIBUTE, self._left(kept, item.stash[_IS_CUT]))
            del item.stash[_KEPT]
        return report

    def _left(self, kept: Snapshot, is_cut: bool) -> dict[str, str]:
        """What became of a test's snapshots."""
        told = dict(kept.updates)
        if not is_cut:
            try:
                told.update(dict.fromkeys(kept.leave(), "removed" if self._is_update else "unused"))
            except OSError as error:
                # What cannot be removed costs no test its result.
                told[str(error.filename)] = "not removed"
        return told

    def pytest_deselected(self) -> None:
        """Somebody wants only some of the tests."""
        self._is_whole = False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Finds snapshots of no test. Of several processes, one is enough."""
        worker = getattr(self._config, "workerinput", {}).get("workerid", "gw0")
        if not self._is_update or not self._is_whole or worker != "gw0":
            return
        files: dict[Path, list[list[str]]] = {}
        for item in session.items:
            files.setdefault(item.path, []).append(names_of(item))
        found = [path for file, tests in files.items() for path in stray_snapshots(file, tests, self._config.rootpath)]
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_STRAYS] = found
        else:
            telling = self._config.pluginmanager.getplugin("unitai-snapshots-told")
            telling.strays = found


class Telling:
    """Tells what became of snapshots, in the process that has the last word."""

    def __init__(self, config: pytest.Config) -> None:
        self._is_update = is_updating(config)
        self._told: dict[str, str] = {}
        #: Folders of snapshots that belong to no test.
        self.strays: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of a test is over."""
        self._told.update(getattr(report, ATTRIBUTE, {}))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A process of pytest-xdist has ended."""
        self.strays += getattr(node, "workeroutput", {}).get(_STRAYS, [])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says what was written, what nobody looks at any more, and what to do."""
        if not self._told and not self.strays:
            return
        terminalreporter.section("snapshots", sep="-")
        for path, what in sorted(self._told.items()):
            terminalreporter.write_line(f"{what:<9}{path}")
        for path in self.strays:
            terminalreporter.write_line(f"{'stray':<9}{path}")
        if self.strays:
            terminalreporter.write_line("What is stray belongs to no test: delete it, or give the test its name back.")
        if not self._is_update:
            terminalreporter.write_line("What is unused no test looks at: --snapshot-update removes it.")
