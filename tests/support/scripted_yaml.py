"""Stands for the engine behind `unitai.llm.engine`, so that what pytest makes of tests is seen without running any. Files
are JSON, which is YAML; `vars` says what a test comes to.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

KNOWN = {"test", "setup", "steps", "teardown", "verdict", "vars", "cases"}

#: What a conftest says to put it in.
CONFTEST = "import scripted_yaml\nfrom unitai.llm import engine\nengine._native = scripted_yaml.native\n"


def native(name: str) -> Any:
    """The function of this name."""
    return globals()[name]


def read_yaml_tests(text: str, path: str) -> Any:
    """Reads JSON."""
    try:
        data = json.loads(text)
    except ValueError as error:
        trouble = _trouble(path, error.lineno, error.colno, "", error.msg, "mind the commas")  # type: ignore[attr-defined]
        return SimpleNamespace(tests=[], keys=[], troubles=[trouble])
    keys = list(data) if isinstance(data, dict) else []
    troubles = [
        _trouble(path, 1, 2, key, f"`{key}` is not known", "", "warning" if key == "odd" else "error")
        for key in keys
        if key not in KNOWN
    ]
    if any(trouble.severity == "error" for trouble in troubles) or not {"test", "steps", "verdict"} <= set(keys):
        missing = _trouble(path, 1, 1, "", "a key is missing", "", "error")
        return SimpleNamespace(tests=[], keys=keys, troubles=troubles or [missing])
    data.pop("odd", None)
    rows = data.pop("cases", None) or [None]
    return SimpleNamespace(tests=[_test(data, row) for row in rows], keys=keys, troubles=troubles)


def _trouble(path: str, line: int, column: int, at: str, message: str, remedy: str, severity: str = "error") -> Any:
    return SimpleNamespace(
        severity=severity, file=path, line=line, column=column, path=at, message=message, remedy=remedy
    )


def _test(data: dict[str, Any], row: dict[str, Any] | None) -> Any:
    case = None if row is None else ",".join(f"{name}={value}" for name, value in row.items())
    tags = data["test"].get("tags", [])
    data = {**data, "vars": {**data.get("vars", {}), **(row or {})}}
    return SimpleNamespace(name=data["test"]["name"], case=case, tags=tags, line=1, data=data)


def yaml_test_of(data: dict[str, Any], path: str) -> Any:
    """A test that a program made or changed."""
    return SimpleNamespace(data=data, name=data["test"]["name"], case=None, tags=[], line=0)


def run_yaml_test(test: Any, path: str, root: str, python: str, timeout: int | None, on_event: Any) -> Any:
    """Comes to what `vars` says, and tells each step."""
    script = test.data.get("vars", {})
    if script.get("interrupt"):
        raise KeyboardInterrupt
    steps = [{"file": path, "path": f"steps[{n}]", "ms": 1.6, **step} for n, step in enumerate(script.get("steps", []))]
    if on_event is not None:
        for step in steps:
            on_event("began", {"path": step["path"], "title": step["name"]})
            on_event("ended", step)
        on_event("judging", {"questions": 2})
    reason = script.get("reason", "as it should be")
    return SimpleNamespace(
        word=script.get("word", "PASS"),
        reason=f"{reason} (timeout {timeout})" if script.get("tell_timeout") else reason,
        remedy=script.get("remedy", ""),
        steps=steps,
        issues=script.get("issues", []),
        warnings=script.get("warnings", []),
        seconds=0.1,
        questions=2,
    )


def close_yaml_plugins() -> list[str]:
    """Nothing is kept."""
    return []
