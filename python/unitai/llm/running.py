"""Running a YAML test from a program."""

from __future__ import annotations

from pathlib import Path

from unitai.llm import engine
from unitai.llm.failures import LLMTestError
from unitai.llm.models import StepResult, TestSpec, Verdict
from unitai.llm.telling import event_line


def run_llm_test(spec: TestSpec, yaml_path: Path, timeout: int | None = None, verbose: bool = False) -> Verdict:
    """Runs a test and gives the verdict.

    `yaml_path` says where the test belongs: the project around it has the plugins. `timeout` stands for the one of the
    test, in seconds. With `verbose`, each step is printed when it is over.

    Raises `LLMTestError` where no verdict is possible: a server that does not start, a judge that breaks.
    """
    return verdict_of(
        engine.run_test(spec, Path(yaml_path), timeout=timeout or None, on_event=_print if verbose else None)
    )


def verdict_of(run: engine.Run) -> Verdict:
    """The verdict of a test that has run."""
    steps = [StepResult.model_validate(step) for step in run.steps]
    if run.word == "ERROR":
        raise LLMTestError(run.reason, remedy=run.remedy, steps=steps)
    return Verdict(
        verdict=run.word,
        reason=run.reason,
        steps=steps,
        issues=run.issues,
        warnings=run.warnings,
        seconds=run.seconds,
        questions=run.questions,
    )


def _print(kind: str, fields: dict[str, object]) -> None:
    line = event_line(kind, fields)
    if line is not None:
        print(line, flush=True)
