"""What a failed test was about: the findings that did not hold, or the runs that it looked at.

pytest keeps the parts of a failing assertion in the frame that raised, so nothing has to be noted
down while tests pass.
"""

from __future__ import annotations

from types import FrameType
from typing import Any, NamedTuple

import pytest

from unitai._engine import AgentRunResult, Finding, Trajectory
from unitai.mock.toolkit import MockToolkit
from unitai.trials.blaming import broken_findings

#: The name of the report's section.
TITLE = "UnitAI"


class Subject(NamedTuple):
    """What a failed test was about."""

    #: What does not hold.
    findings: list[Finding]
    #: The runs to show, by the names that the test has for them.
    runs: dict[str, AgentRunResult]
    #: Whether the exception's own text is the report already.
    is_told: bool = False

    def trajectories(self) -> list[Trajectory]:
        """Those that the report shows."""
        return [finding.trajectory for finding in self.findings[:1]] or [run.trajectory for run in self.runs.values()]

    def report(self, *, colour: bool) -> str:
        """What is to be said about it; nothing where that is said already, or nothing is known."""
        if self.is_told:
            return ""
        for finding in self.findings:
            return finding.report(colour=colour)
        reports = {name: run.report(colour=colour) for name, run in self.runs.items()}
        if len(reports) == 1:
            return "".join(reports.values())
        return "\n\n".join(f"  {name}:\n\n{report}" for name, report in reports.items())


def reason(finding: Finding) -> str:
    """Why a check does not hold, in a line."""
    actual, _, _ = (finding.actual or "").partition("\n")
    return f"expected {finding.expected}, but {actual}"


def subject(item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]) -> Subject:
    """What a failed test was about, as far as what it raised tells."""
    error = excinfo.value
    told = getattr(error, "finding", None)
    if isinstance(told, Finding):
        return Subject([told], {}, is_told=True)
    if getattr(error, "stats", None) is not None:
        return Subject([], {}, is_told=True)
    entries = _entries(excinfo, item)
    if isinstance(error, AssertionError):
        for entry in entries:
            findings = broken_findings(entry.frame.raw, str(entry.statement))
            if findings:
                return Subject(findings[:1], {})
    partial = getattr(error, "result", None)
    if isinstance(partial, AgentRunResult):
        return Subject([], {"result": partial})
    for entry in entries:
        runs = _runs(entry.frame.raw)
        if runs:
            return Subject([], runs)
    return Subject([], _last_runs(item))


def _entries(excinfo: pytest.ExceptionInfo[BaseException], item: pytest.Item) -> list[Any]:
    """The entries of the traceback from the test on, innermost first; those of pytest itself are none."""
    path = str(getattr(item, "path", ""))
    entries = list(excinfo.traceback)
    first = next((n for n, entry in enumerate(entries) if entry.frame.raw.f_code.co_filename == path), 0)
    return entries[first:][::-1]


def _last_runs(item: pytest.Item) -> dict[str, AgentRunResult]:
    """What the toolkits of a test did last, by the names of their fixtures, each toolkit once: that is what the test
    was about, where it gave no name to it or is over already.
    """
    given = getattr(item, "funcargs", None) or {}
    toolkits = {id(value): (name, value) for name, value in given.items() if issubclass(type(value), MockToolkit)}
    return {name: toolkit.last_result for name, toolkit in toolkits.values() if toolkit.last_result is not None}


def _runs(frame: FrameType) -> dict[str, AgentRunResult]:
    """The results and trajectories that the frame knows by name, each once."""
    runs: dict[str, AgentRunResult] = {}
    for name, value in frame.f_locals.items():
        # By type, because a foreign object may do anything when it is asked for its class.
        run: Any = AgentRunResult(value) if type(value) is Trajectory else value
        if type(run) is AgentRunResult and run not in runs.values() and not name.startswith("@py_assert"):
            runs[name] = run
    return runs
