"""YAML tests in a session of pytest: which files are looked at, and what is said at the end. With `--llm`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from unitai.llm import engine
from unitai.llm.items import LEFT_OUT, PLAN, LLMTestFile

#: The folder whose files may be tests.
FOLDER = "llm"


def start(config: pytest.Config) -> None:
    """Begins to look for YAML tests."""
    timeout = config.getoption("unitai_llm_timeout", None)
    if timeout is not None and timeout < 0:
        raise pytest.UsageError(f"--llm-timeout: expected seconds from 0, found {timeout}")
    config.addinivalue_line("markers", "llm: a YAML test")
    config.pluginmanager.register(YamlTests(config), "unitai-yaml-tests")


class YamlTests:
    """Collects YAML tests, and says how many were unclear."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._unclear = 0
        #: What tests would have done that were only planned.
        self._plans: list[str] = []
        #: What went wrong when the host of plugins was ended.
        self._troubles: list[str] = []

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> LLMTestFile | None:
        """Takes YAML files in folders named `llm`, and those that somebody asks for by name."""
        if file_path.suffix not in (".yaml", ".yml"):
            return None
        root = self._config.rootpath
        # What lies above the project says nothing about its files.
        near = file_path.relative_to(root) if file_path.is_relative_to(root) else file_path
        if FOLDER not in near.parts[:-1] and not parent.session.isinitpath(file_path):
            return None
        file: LLMTestFile = LLMTestFile.from_parent(parent, path=file_path)
        return file

    def pytest_report_collectionfinish(self) -> list[str]:
        """Says which files were no tests, to those who want to know much."""
        option = self._config.getoption
        if self._config.get_verbosity() < 1 and not option("unitai_llm_verbose", False):
            return []
        return [
            f"not a YAML test: {left_out} has less than two of the keys test, steps and verdict"
            for left_out in self._config.stash.get(LEFT_OUT, [])
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts what nobody could decide, and takes up plans: pytest shows no section of a test that is skipped."""
        self._plans.extend(text for name, text in report.sections if name == f"Captured {PLAN} call")
        if report.when == "call" and report.skipped and ("llm.verdict", "UNCLEAR") in _pairs(report):
            self._unclear += 1

    def pytest_sessionfinish(self) -> None:
        """Ends the host of plugins."""
        self._troubles = engine.close()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says it aloud: a test that is skipped looks like one that was meant to be."""
        for trouble in self._troubles:
            terminalreporter.write_line(f"the plugins of YAML tests: {trouble}", red=True)
        if self._plans:
            terminalreporter.write_sep("=", "plans of YAML tests")
            for plan in self._plans:
                terminalreporter.write_line(plan)
        if self._unclear:
            one = self._unclear == 1
            told = "1 YAML test is" if one else f"{self._unclear} YAML tests are"
            terminalreporter.write_line(
                f"{told} unclear and {'counts' if one else 'count'} as skipped; "
                f"with --llm-unclear=fail {'it fails' if one else 'they fail'}",
                yellow=True,
                bold=True,
            )


def _pairs(report: pytest.TestReport) -> list[tuple[str, object]]:
    # pytest-xdist brings them over as lists.
    return [(name, value) for name, value in report.user_properties]
