"""What a YAML test raises: that it failed, or that something around it is not as needed."""

from __future__ import annotations

from unitai.errors import ExpectationError, InfrastructureError
from unitai.llm.models import StepResult, Verdict
from unitai.llm.telling import step_lines, verdict_text


class LLMTestFailed(ExpectationError):  # noqa: N818
    """A YAML test failed. Its text is the whole report.

    >>> LLMTestFailed(Verdict(verdict="FAIL", reason="no answer")).verdict.reason
    'no answer'
    """

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict_text(verdict))
        self.verdict = verdict

    def __str__(self) -> str:
        return self.message


class LLMTestError(InfrastructureError):
    """A YAML test came to no verdict, because something around it is not as needed: a server that does not start, a
    judge that breaks.
    """

    def __init__(self, message: str, *, remedy: str | None = None, steps: list[StepResult] | None = None) -> None:
        super().__init__(message, remedy=remedy or None)
        #: What had run.
        self.steps = steps or []

    def told(self, *, marks: bool) -> str:
        """What is wrong, and what had run."""
        lines = [line for step in self.steps for line in step_lines(step, marks=marks)]
        return "\n".join([f"ERROR: {self}", *([""] if lines else []), *lines])


class LLMTestWarning(UserWarning):
    """Something about a YAML test should be looked at, though it decided nothing."""
