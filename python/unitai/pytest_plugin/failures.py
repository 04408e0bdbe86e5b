"""What a failed test was about: the finding that did not hold, or the runs that it looked at.

pytest keeps the parts of a failing assertion in the frame that raised, so nothing has to be noted
down while tests pass.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

import pytest

from unitai._engine import AgentRunResult, Finding, Trajectory

#: The name of the report's section.
TITLE = "UnitAI"


def sections(item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException], colour: bool) -> list[tuple[str, str]]:
    """The sections to add to the report of a failed test."""
    told = getattr(excinfo.value, "finding", None)
    if isinstance(told, Finding):
        # The exception's own text is the report already.
        return []
    frames = _frames(excinfo, item)
    if isinstance(excinfo.value, AssertionError):
        for frame in frames:
            for finding in _broken_findings(frame):
                return [(TITLE, finding.report(colour=colour))]
    partial = getattr(excinfo.value, "result", None)
    if isinstance(partial, AgentRunResult):
        return [(TITLE, partial.report(colour=colour))]
    for frame in frames:
        runs = _runs(frame)
        if runs:
            return [(TITLE, "\n\n".join(run.report(colour=colour) for run in runs))]
    return []


def _frames(excinfo: pytest.ExceptionInfo[BaseException], item: pytest.Item) -> list[FrameType]:
    """The frames of the test and of what it called, innermost first; those of pytest itself are none."""
    path = str(getattr(item, "path", ""))
    frames = [entry.frame.raw for entry in excinfo.traceback]
    first = next((n for n, frame in enumerate(frames) if frame.f_code.co_filename == path), 0)
    return frames[first:][::-1]


def _broken_findings(frame: FrameType) -> list[Finding]:
    """Findings that do not hold: parts of the failing assertion first, then other variables."""
    values = frame.f_locals
    parts = [value for name, value in values.items() if name.startswith("@py_assert")]
    named = [value for name, value in values.items() if not name.startswith("@py_assert")]
    return [value for value in (*parts, *named) if type(value) is Finding and not value]


def _runs(frame: FrameType) -> list[AgentRunResult]:
    """The results and trajectories that the frame knows, each once."""
    runs: list[AgentRunResult] = []
    for value in frame.f_locals.values():
        # By type, because a foreign object may do anything when it is asked for its class.
        run: Any = AgentRunResult(value) if type(value) is Trajectory else value
        if type(run) is AgentRunResult and run not in runs:
            runs.append(run)
    return runs
