"""Verdicts and steps in words, for people."""

from __future__ import annotations

from unitai._engine import clean
from unitai.llm.models import StepResult, Verdict
from unitai.llm.project import place

#: The marks of steps, and what stands for them where a terminal cannot show them.
_MARKS = {"pass": "✓", "fail": "✗", "skip": "○"}
_ASCII = {"pass": "+", "fail": "x", "skip": "o"}


def can_show_marks(encoding: str | None) -> bool:
    """Whether text of this encoding can hold the marks."""
    try:
        "".join(_MARKS.values()).encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def verdict_text(verdict: Verdict, *, marks: bool = True) -> str:
    """The whole verdict: why, each step, and what is wrong."""
    lines = [f"{verdict.verdict}: {verdict.reason}"]
    if verdict.steps:
        lines.append("")
    for step in verdict.steps:
        lines += step_lines(step, marks=marks)
    if verdict.issues:
        lines += ["", "  issues:", *(f"    - {_indented(issue, 6)}" for issue in verdict.issues)]
    return clean("\n".join(lines))


def step_lines(step: StepResult, *, marks: bool = True) -> list[str]:
    """A step: its mark and name, and why it did not pass, with its place in the file."""
    depth = 2 + 2 * getattr(step, "path", "").count(".steps[")
    lines = [f"{' ' * depth}{mark(step.status, marks=marks)} {step.name}"]
    if step.status == "pass":
        return lines
    if step.details:
        lines.append(f"{' ' * (depth + 4)}{_indented(step.details, depth + 4)}")
    file, line = getattr(step, "file", ""), getattr(step, "line", 0)
    if step.status == "fail" and file and line:
        lines.append(f"{' ' * (depth + 4)}{place(file, line)}")
    return lines


def mark(status: str, *, marks: bool = True) -> str:
    """The mark of how a step ended."""
    return (_MARKS if marks else _ASCII)[status]


def event_line(kind: str, fields: dict[str, object], *, marks: bool = True) -> str | None:
    """What happened, as a line to be shown while a test runs; nothing where that is not worth one."""
    if kind == "ended":
        step = StepResult.model_validate(fields)
        took = getattr(step, "ms", None)
        first, *rest = step_lines(step, marks=marks)
        timed = first if took is None or step.status == "skip" else f"{first} ({took:.0f} ms)"
        return clean("\n".join([timed, *rest]))
    if kind == "judging":
        number = fields.get("questions", 0)
        return f"  ? asking the judge {number} question{'' if number == 1 else 's'}"
    return None


def _indented(text: str, by: int) -> str:
    return text.strip("\n").replace("\n", "\n" + " " * by)
