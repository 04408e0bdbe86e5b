"""Why a run failed, in the words of the check that did not hold."""

from __future__ import annotations

import linecache
import re
import textwrap
import traceback
from collections.abc import Iterable
from types import FrameType, TracebackType

from unitai._engine import AgentRunResult, Finding, clean, last_broken, log_lines, normalised_message
from unitai.errors import UnitAIError, shown
from unitai.frames import telling
from unitai.trials.outcome import Blame

__all__ = ["blame", "blame_finding", "broken_findings", "finding_of"]


def blame(error: BaseException, results: list[AgentRunResult], finding: Finding | None) -> Blame:
    """Why a run failed that raised this, or whose finding does not hold."""
    if finding is not None:
        return blame_finding(finding)
    name = type(error).__name__
    text = clean(_text(error, name))
    trajectory = results[-1].trajectory if results else None
    report = _trace(error)
    if results:
        report = f"{report}\n\n{results[-1].report()}"
    return Blame(name, f"{name}: {normalised_message(text)}", text, report, trajectory)


def blame_finding(finding: Finding) -> Blame:
    """Why a run failed whose finding does not hold."""
    actual = (finding.actual or "").partition("\n")[0]
    text = f"expected {finding.expected}, but {actual}"
    # The assertion names the tool and what was asked of it: equal words about another tool are another cause.
    cause = f"{finding.assertion}: {normalised_message(actual)}"
    return Blame(finding.check, cause, text, finding.report(), finding.trajectory)


def broken_findings(frame: FrameType, statement: str) -> list[Finding]:
    """Findings of a failed assertion that do not hold: its parts, which pytest keeps in the frame; then variables
    that it names.
    """
    values = frame.f_locals
    parts = [value for name, value in values.items() if name.startswith("@py_assert")]
    words = set(re.findall(r"\w+", statement))
    named = [value for name, value in values.items() if name in words]
    return [value for value in (*parts, *named) if type(value) is Finding and not value]


def finding_of(error: BaseException, results: Iterable[AgentRunResult]) -> Finding | None:
    """What did not hold, if that is what was raised. To be asked once for each run."""
    told = getattr(error, "finding", None)
    if isinstance(told, Finding):
        return told
    # Asked in any case, so that it is not found by a later run.
    last = last_broken()
    if not isinstance(error, AssertionError):
        return None
    for frame, statement in reversed(_frames(error.__traceback__)):
        for finding in broken_findings(frame, statement):
            return finding
        # Where pytest did not rewrite the assertion, nothing of it is left but the last truth that was asked for.
        if last is not None and re.search(rf"\b{re.escape(last.check)}\w*\b", statement):
            return last if any(last.trajectory == result.trajectory for result in results) else None
    return None


def _trace(error: BaseException) -> str:
    """Where it was raised, from the test on, and what."""
    frames = [frame for entry in telling(error) for frame in traceback.extract_tb(entry, limit=1)]
    lines = traceback.format_list(frames[:1] + frames[1:][-3:])
    lines += traceback.format_exception_only(type(error), error)
    return textwrap.indent(log_lines("".join(lines)).rstrip(), "  ")


def _frames(trace: TracebackType | None) -> list[tuple[FrameType, str]]:
    """Each frame with the statement that it stands at."""
    frames = []
    while trace is not None:
        frame = trace.tb_frame
        frames.append((frame, linecache.getline(frame.f_code.co_filename, trace.tb_lineno, frame.f_globals).strip()))
        trace = trace.tb_next
    return frames


def _text(error: BaseException, name: str) -> str:
    """What was raised, on one line."""
    message = error.message if isinstance(error, UnitAIError) else shown(error) if _is_mute(error) else str(error)
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")
    if not isinstance(error, AssertionError) or isinstance(error, UnitAIError):
        return f"{name}: {line}" if line else name
    if line:
        return line
    frames = _frames(error.__traceback__)
    return frames[-1][1] if frames and frames[-1][1] else name


def _is_mute(error: BaseException) -> bool:
    """Whether the error cannot be asked for its text."""
    try:
        str(error)
    except Exception:
        return True
    return False
