"""Stands for the engine behind `unitai.llm.engine`, so that what pytest makes of tests is seen without running any. Files
are JSON, which is YAML; `vars` says what a test comes to.
"""

from __future__ import annotations

import json
from importlib import import_module
from types import SimpleNamespace
from typing import Any

KNOWN = {"test", "setup", "steps", "teardown", "verdict", "vars", "cases"}
NEEDED = {"test", "steps", "verdict"}

#: What a conftest says to put it in.
CONFTEST = "import scripted_yaml\nfrom unitai.llm import engine\nengine._native = scripted_yaml.native\n"

Troubles = list[tuple[bool, int, int, str]]


def native(name: str) -> Any:
    """The function of this name."""
    return globals()[name]


def load_yaml_text(path: str) -> tuple[str | None, str]:
    """The text of a file, as the engine reads it."""
    told: tuple[str | None, str] = import_module("unitai._engine").load_yaml_text(path)
    return told


def yaml_report_names(tests: list[tuple[str, str | None]], path: str) -> list[str]:
    """The names of tests, as the engine gives them."""
    names: list[str] = import_module("unitai._engine").yaml_report_names(tests, path)
    return names


def looks_like_yaml_test(text: str) -> bool:
    """Whether all keys but one are there."""
    return sum(f'"{key}"' in text for key in NEEDED) >= 2


def read_yaml_tests(text: str, path: str) -> tuple[list[Any], Troubles]:
    """Reads JSON."""
    try:
        data = json.loads(text)
    except ValueError as error:
        at = (error.lineno, error.colno)  # type: ignore[attr-defined]
        return [], [(True, *at, f"{path}:{at[0]}:{at[1]}: {error.msg}")]  # type: ignore[attr-defined]
    troubles: Troubles = [
        (key != "odd", 1, 2, f"{path}:1:2: {'' if key != 'odd' else 'warning: '}unknown key `{key}`")
        for key in data
        if key not in KNOWN
    ]
    if not NEEDED <= set(data):
        troubles.append((True, 1, 1, f"{path}:1:1: a key is missing"))
    if any(is_error for is_error, *_ in troubles):
        return [], troubles
    data.pop("odd", None)
    return [_test(data, row) for row in data.pop("cases", None) or [None]], troubles


def _test(data: dict[str, Any], row: dict[str, Any] | None) -> Any:
    case = None if row is None else ",".join(f"{name}={value}" for name, value in row.items())
    data = {**data, "vars": {**data.get("vars", {}), **(row or {})}}
    meta = data["test"]
    return SimpleNamespace(name=meta["name"], case=case, tags=meta.get("tags", []), line=1, to_dict=lambda: data)


def run_yaml_test(
    test: Any,
    *,
    root: Any,
    python: str,
    timeout: int | None = None,
    judge: Any = None,
    on_event: Any = None,
    replay: str | None = None,
    record: bool = False,
    agentic: bool = False,
    provider: str | None = None,
    model: str | None = None,
) -> Any:
    """Comes to what `vars` says, and tells each step."""
    script = test.to_dict().get("vars", {})
    if script.get("interrupt"):
        raise KeyboardInterrupt
    path = "tests/llm/a.yaml"
    steps = [{"file": path, "path": f"steps[{n}]", "ms": 1.6, **step} for n, step in enumerate(script.get("steps", []))]
    if on_event is not None:
        for step in steps:
            on_event("began", step["name"])
            on_event("called", "E1 tool, 2 ms")
            told = f": {step['details']}" if step.get("details") else ""
            on_event("ended", f"{dict(zip(('pass', 'fail', 'skip'), '✓✗○'))[step['status']]} {step['name']}{told}")
        on_event("judging", "2 questions for the judge")
    word, reason = script.get("word", "PASS"), script.get("reason", "as it should be")
    told = {
        "ending": {"ERROR": "error", "STOPPED": "stopped"}.get(word, "decided"),
        "verdict": None if word in ("ERROR", "STOPPED") else word,
        "reason": f"{reason} (timeout {timeout})" if script.get("tell_timeout") else reason,
        "steps": steps,
        "issues": script.get("issues", []),
        "warnings": script.get("warnings", []),
        "evidence": [],
        "seconds": 0.1,
        "questions": 2,
    }
    return SimpleNamespace(to_dict=lambda: told)


def close_yaml_servers() -> None:
    """Nothing is kept."""
