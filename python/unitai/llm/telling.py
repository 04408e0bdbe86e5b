"""Verdicts and steps in words, for people."""

from __future__ import annotations

import shlex
from typing import Any

from unitai._engine import clean
from unitai.errors import LLMTestError
from unitai.llm.models import StepResult, Verdict
from unitai.llm.project import place

#: The marks of steps, and what stands for them where a terminal cannot show them.
_MARKS = {"pass": "✓", "fail": "✗", "skip": "○"}
_ASCII = {"pass": "+", "fail": "x", "skip": "-"}
_PLAIN = {ord(_MARKS[status]): _ASCII[status] for status in _MARKS}


def can_show_marks(encoding: str | None) -> bool:
    """Whether text of this encoding can hold the marks."""
    try:
        "".join(_MARKS.values()).encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def verdict_text(verdict: Verdict, *, marks: bool = True, test: str = "TEST") -> str:
    """The whole verdict: why, each step, and what is wrong."""
    lines = [f"{verdict.verdict}: {verdict.reason}", *_steps(verdict.steps, marks)]
    issues = [issue for issue in verdict.issues if not _is_told(issue, verdict)]
    if issues:
        lines += ["", "  issues:", *(f"    - {_indented(issue, 6)}" for issue in issues)]
    lines += _answers(getattr(verdict, "answers", []), getattr(verdict, "judge", None), test)
    return clean("\n".join(lines))


def _is_told(issue: str, verdict: Verdict) -> bool:
    """Whether a step says of itself what an issue says of it."""
    return any(issue in _own_words(step) for step in verdict.steps if step.details and step.status != "pass")


def _own_words(step: StepResult) -> tuple[str, ...]:
    path = getattr(step, "path", "")
    return (step.details, f"{step.name}: {step.details}", f"{step.name} ({path}): {step.details}")


def _answers(answers: list[dict[str, Any]], judge: dict[str, Any] | None, test: str) -> list[str]:
    """What a judge was asked and answered, and how to say that it is wrong."""
    if not answers:
        return []
    by = (judge or {}).get("by") or "somebody"
    kept = ", kept answers" if (judge or {}).get("kept") else ""
    lines = ["", f"  judged by {by}{kept}:"]
    for answer in answers:
        why = f" ({_indented(answer['why'], 6)})" if answer["why"] else ""
        lines.append(f"    {answer['id']} {answer['answer']}: {_indented(answer['question'], 6)}{why}")
    if judge and judge.get("by"):
        lines.append(f"    is an answer wrong? Say so: unitai judge label {shlex.quote(test)} Q1 yes|no")
    return lines


def error_text(error: LLMTestError, *, marks: bool = True) -> str:
    """Why there is no verdict, and what had run."""
    return clean("\n".join([f"ERROR: {error}", *_steps(error.steps, marks)]))


def _steps(steps: list[StepResult], marks: bool) -> list[str]:
    lines = [line for step in steps for line in _step(step, marks)]
    return ["", *lines] if lines else []


def _step(step: StepResult, marks: bool) -> list[str]:
    """A step: its mark and name, and why it did not pass, with its place in the file."""
    depth = 2 + 2 * getattr(step, "path", "").count(".steps[")
    lines = [f"{' ' * depth}{(_MARKS if marks else _ASCII)[step.status]} {step.name}"]
    if step.status == "pass":
        return lines
    if step.details:
        lines.append(f"{' ' * (depth + 4)}{_indented(step.details, depth + 4)}")
    file, line = getattr(step, "file", ""), getattr(step, "line", 0)
    if step.status == "fail" and file and line:
        lines.append(f"{' ' * (depth + 4)}{place(file, line)}")
    return lines


def event_text(kind: str, line: str, *, marks: bool = True) -> str | None:
    """What happened, to be shown while a test runs: steps that have ended, and that a judge is asked."""
    if kind not in ("ended", "judging"):
        return None
    text = clean(_indented(f"  {line}", 2))
    return text if marks else text.translate(_PLAIN)


def _indented(text: str, by: int) -> str:
    return text.strip("\n").replace("\n", "\n" + " " * by)
