"""What a failed test was about: the finding that did not hold, or the runs that it looked at.

pytest keeps the parts of a failing assertion in the frame that raised, so nothing has to be noted
down while tests pass.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

import pytest

from unitai._engine import AgentRunResult, Finding, Trajectory
from unitai.trials.blaming import broken_findings

#: The name of the report's section.
TITLE = "UnitAI"


def sections(item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException], colour: bool) -> list[tuple[str, str]]:
    """The sections to add to the report of a failed test."""
    if isinstance(getattr(excinfo.value, "finding", None), Finding) or getattr(excinfo.value, "stats", None):
        # The exception's own text is the report already.
        return []
    entries = _entries(excinfo, item)
    if isinstance(excinfo.value, AssertionError):
        for entry in entries:
            for finding in broken_findings(entry.frame.raw, str(entry.statement)):
                return [(TITLE, finding.report(colour=colour))]
    partial = getattr(excinfo.value, "result", None)
    if isinstance(partial, AgentRunResult):
        return [(TITLE, partial.report(colour=colour))]
    for entry in entries:
        runs = _runs(entry.frame.raw)
        if len(runs) == 1:
            return [(TITLE, run.report(colour=colour)) for run in runs.values()]
        if runs:
            reports = [f"  {name}:\n\n{run.report(colour=colour)}" for name, run in runs.items()]
            return [(TITLE, "\n\n".join(reports))]
    return []


def _entries(excinfo: pytest.ExceptionInfo[BaseException], item: pytest.Item) -> list[Any]:
    """The entries of the traceback from the test on, innermost first; those of pytest itself are none."""
    path = str(getattr(item, "path", ""))
    entries = list(excinfo.traceback)
    first = next((n for n, entry in enumerate(entries) if entry.frame.raw.f_code.co_filename == path), 0)
    return entries[first:][::-1]


def _runs(frame: FrameType) -> dict[str, AgentRunResult]:
    """The results and trajectories that the frame knows by name, each once."""
    runs: dict[str, AgentRunResult] = {}
    for name, value in frame.f_locals.items():
        # By type, because a foreign object may do anything when it is asked for its class.
        run: Any = AgentRunResult(value) if type(value) is Trajectory else value
        if type(run) is AgentRunResult and run not in runs.values() and not name.startswith("@py_assert"):
            runs[name] = run
    return runs
