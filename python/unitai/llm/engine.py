"""The only door from YAML tests in Python to the engine: reading files, running tests, ending the host of plugins.

The engine's side of it, in `unitai._engine`:

- `read_yaml_tests(text: str, path: str) -> YamlReading`, which has `tests: list[YamlTest]`, `keys: list[str]` (the keys
  at the top of all documents; none where the text is no YAML), and `troubles: list[YamlTrouble]`, each with `severity`
  (`error` or `warning`), `file`, `line`, `column`, `path`, `message` and `remedy`.
- `YamlTest`: `name: str`, `case: str | None`, `tags: list[str]`, `line: int`, and `data: dict`, the test in the words
  of `models.TestSpec`.
- `yaml_test_of(data: dict, path: str) -> YamlTest` for a test that a program made; what cannot be used is an
  `InvalidArgumentError`.
- `run_yaml_test(test: YamlTest, path: str, root: str, python: str, timeout: int | None, on_event) -> YamlRun`. Lets
  other threads work, and runs teardown on Ctrl-C before it raises `KeyboardInterrupt`. `YamlRun` has `word` (`PASS`,
  `FAIL`, `UNCLEAR` or `ERROR`), `reason`, `remedy`, `steps: list[dict]` (the words of `models.StepResult`), `issues`,
  `warnings`, `seconds` and `questions`. `on_event(kind, fields)` is told while it runs: `began` (path, title), `called`
  (path, tool, ms, is_error), `ended` (as in `steps`), `judging` (questions); what it raises is ignored.
- `close_yaml_plugins() -> list[str]`: ends the host of plugins, if there is one; gives what went wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol

from unitai.llm.models import TestSpec
from unitai.llm.project import root_of

#: Told what happens while a test runs.
OnEvent = Callable[[str, dict[str, Any]], None]

#: Where a specification keeps the test of the engine that it came from.
_NATIVE = "_native"


class Trouble(Protocol):
    """What is wrong with a file."""

    severity: Literal["error", "warning"]
    file: str
    line: int
    column: int
    path: str
    message: str
    remedy: str


class Test(Protocol):
    """A test that the engine has read."""

    name: str
    case: str | None
    tags: list[str]
    line: int
    data: dict[str, Any]


class Reading(Protocol):
    """What came of a file."""

    tests: list[Test]
    troubles: list[Trouble]
    keys: list[str]


class Run(Protocol):
    """What came of a test."""

    word: Literal["PASS", "FAIL", "UNCLEAR", "ERROR"]
    reason: str
    remedy: str
    steps: list[dict[str, Any]]
    issues: list[str]
    warnings: list[str]
    seconds: float
    questions: int


def _native(name: str) -> Any:
    return getattr(import_module("unitai._engine"), name)


def read_tests(text: str, path: Path) -> Reading:
    """Reads a file of tests. What is wrong with it is told, never raised."""
    reading: Reading = _native("read_yaml_tests")(text, str(path))
    return reading


def spec_of(test: Test) -> TestSpec:
    """The test as programs see it."""
    spec = TestSpec.model_validate(test.data)
    spec.__dict__[_NATIVE] = test
    return spec


def run_test(spec: TestSpec, path: Path, *, timeout: int | None = None, on_event: OnEvent | None = None) -> Run:
    """Runs a test to its end, teardown included."""
    root = root_of(path)
    run: Run = _native("run_yaml_test")(_test_of(spec, path), str(path), str(root), sys.executable, timeout, on_event)
    return run


def close() -> list[str]:
    """Ends what was kept from test to test. Gives what went wrong."""
    if "unitai._engine" not in sys.modules:
        return []
    troubles: list[str] = _native("close_yaml_plugins")()
    return troubles


def _test_of(spec: TestSpec, path: Path) -> Any:
    """The engine's test: the one that the specification came from, with all its places, unless somebody changed it."""
    native = spec.__dict__.get(_NATIVE)
    if native is not None and TestSpec.model_validate(native.data) == spec:
        return native
    return _native("yaml_test_of")(spec.model_dump(), str(path))
