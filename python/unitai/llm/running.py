"""Running a YAML test from a program."""

from __future__ import annotations

from pathlib import Path

from unitai.llm import engine
from unitai.llm.models import TestSpec, Verdict
from unitai.llm.telling import event_text


def run_llm_test(
    spec: TestSpec,
    yaml_path: Path,
    timeout: int | None = None,
    verbose: bool = False,
    *,
    judge: engine.Judge | None = None,
    mode: engine.Mode = "engine",
    provider: str | None = None,
    model: str | None = None,
) -> Verdict:
    """Runs a test and gives the verdict.

    `yaml_path` says where the test belongs: the project around it has the plugins. `timeout` stands for the one of the
    test, in seconds. With `verbose`, each step is printed when it is over. `judge` answers what checks cannot; without
    one, whoever the settings choose does, or `provider` and `model` above them. With `mode="agentic"` that model calls
    the tools of the steps. With `mode="record"` or `"agentic-record"` all answers are kept in `recordings` beside the
    file, and with `mode="replay"` they are used again: no tool is called, and no judge asked.

    Raises `LLMTestError` where no verdict is possible: a server that does not start, a judge that breaks.
    """
    on_event = _print if verbose else None
    return engine.run_test(
        spec,
        Path(yaml_path),
        timeout=timeout or None,
        on_event=on_event,
        judge=judge,
        mode=mode,
        provider=provider,
        model=model,
    )


def _print(kind: str, line: str) -> None:
    text = event_text(kind, line)
    if text is not None:
        print(text, flush=True)
