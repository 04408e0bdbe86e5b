"""Snapshots in pytest: the fixture's object, and what became of snapshots, told at the end. Loaded by the first test
that uses one, or where they are updated.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from unitai._engine import snapshots_without_file, stray_snapshots
from unitai.pytest_plugin import SNAPSHOT_OPTION
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
    kept = item.stash[_KEPT] = _of(item, is_update=is_updating(config))
    # A plugin may run a test again that failed.
    item.stash[_IS_CUT] = False
    start(config)
    return kept


def _of(item: pytest.Item, *, is_update: bool) -> Snapshot:
    config = item.config
    option = config.stash[SNAPSHOT_OPTION]
    return Snapshot(item.path, names_of(item), root=config.rootpath, update=is_update, option=option)


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
        if not report.passed or hasattr(report, "wasxfail"):
            item.stash[_IS_CUT] = True
        if call.when == "teardown":
            told = self._left(item)
            if told:
                setattr(report, ATTRIBUTE, told)
        return report

    def _left(self, item: pytest.Item) -> dict[str, str]:
        """What became of a test's snapshots."""
        kept, is_cut = item.stash.get(_KEPT, None), item.stash.get(_IS_CUT, False)
        if kept is None:
            # Where it takes another's fixture, the files are that one's.
            is_ours = self._is_update and not is_cut and "snapshot" not in getattr(item, "fixturenames", ())
            return dict.fromkeys(_of(item, is_update=False).leave(), "stray") if is_ours else {}
        del item.stash[_KEPT]
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
        root = self._config.rootpath
        found = [path for file, tests in files.items() for path in stray_snapshots(file, tests, root)]
        for folder in sorted({file.parent for file in files}):
            found += filter(self._is_of_tests, snapshots_without_file(folder, root))
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_STRAYS] = found
        else:
            telling = self._config.pluginmanager.getplugin("unitai-snapshots-told")
            telling.strays = found

    def _is_of_tests(self, folder: str) -> bool:
        """Whether a folder of snapshots has the name of a file of tests: people may keep other things beside it."""
        file = f"{os.path.basename(folder)}.py"
        return any(fnmatch(file, pattern.rpartition("/")[2]) for pattern in self._config.getini("python_files"))


class Telling:
    """Tells what became of snapshots, in the process that has the last word."""

    def __init__(self, config: pytest.Config) -> None:
        self._is_update = is_updating(config)
        self._option = config.stash[SNAPSHOT_OPTION]
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
        told = self._told | dict.fromkeys(self.strays, "stray")
        if not told:
            return
        terminalreporter.section("snapshots", sep="-")
        for path, what in sorted(told.items()):
            terminalreporter.write_line(f"{what:<9}{path}")
        if "stray" in told.values():
            terminalreporter.write_line("At what is stray no test looks: delete it, or give the test its name back.")
        if "unused" in told.values():
            terminalreporter.write_line(f"What is unused no test looks at: {self._option} removes it.")
