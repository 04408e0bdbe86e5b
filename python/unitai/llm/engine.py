"""The only door from YAML tests in Python to the engine: reading files, running tests, ending the host of plugins."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from unitai.errors import InvalidArgumentError, LLMTestError
from unitai.llm.models import StepResult, TestSpec, Verdict
from unitai.llm.project import place, root_of

#: Told what happens while a test runs: of what kind it is (`began`, `called`, `ended`, `judging`), and a line about it.
OnEvent = Callable[[str, str], None]

#: Answers what checks cannot: gets the name and description of the test, the questions (`id`, `kind`, `path`, `text`)
#: and the evidence, and gives a mapping with `id`, `answer` (`yes`, `no`, `unknown`), `why` and `quotes` for each.
Judge = Callable[[str, str, list[dict[str, str]], list[dict[str, Any]]], Iterable[dict[str, Any]]]

#: Who calls tools and who answers: the engine and a judge; a model that drives the tools itself, and a judge; the
#: engine with all answers kept; or what was kept alone.
Mode = Literal["engine", "agentic", "record", "agentic-record", "replay"]

#: Where a specification keeps the test of the engine that it came from.
_NATIVE = "_native"


class Test(Protocol):
    """A test that the engine has read."""

    name: str
    case: str | None
    tags: list[str]
    line: int

    def to_dict(self) -> dict[str, Any]:
        """The test in the words of `TestSpec`."""


class Reading(NamedTuple):
    """What came of a file."""

    tests: list[Test]
    #: What is wrong, each with its place and the line there. With an error there is no test.
    errors: list[str]
    warnings: list[str]


def _native(name: str) -> Any:
    return getattr(import_module("unitai._engine"), name)


def load(path: Path) -> str:
    """The text of a file; what is wrong with the file is raised, as a `ValueError` with its place."""
    text, trouble = _native("load_yaml_text")(place(str(path)))
    if text is None:
        raise ValueError(trouble)
    loaded: str = text
    return loaded


def looks_like_test(text: str) -> bool:
    """Whether a text is meant as a test, even if something in it is wrong."""
    looks: bool = _native("looks_like_yaml_test")(text)
    return looks


def read_tests(text: str, path: Path) -> Reading:
    """Reads a file of tests. What is wrong with it is told, never raised."""
    # The path as people see it: it stands in what is told.
    tests, troubles = _native("read_yaml_tests")(text, place(str(path)))
    errors = [told for is_error, _, _, told in troubles if is_error]
    return Reading(tests, errors, [told for is_error, _, _, told in troubles if not is_error])


def report_names(tests: list[Test], path: Path) -> list[str]:
    """What reports call the tests of a file: no two are called the same."""
    names: list[str] = _native("yaml_report_names")([(test.name, test.case) for test in tests], path)
    return names


def spec_of(test: Test) -> TestSpec:
    """The test as programs see it."""
    spec = TestSpec.model_validate(test.to_dict())
    spec.__dict__[_NATIVE] = test
    return spec


def run_test(
    spec: TestSpec,
    path: Path,
    *,
    timeout: int | None = None,
    on_event: OnEvent | None = None,
    judge: Judge | None = None,
    mode: Mode = "engine",
    provider: str | None = None,
    model: str | None = None,
) -> Verdict:
    """Runs a test to its end, teardown included. Without a verdict it raises `LLMTestError`."""
    test = _test_of(spec, path)
    replay = _recording(_kept(test, path)) if mode == "replay" else None
    with _orderly_end():
        run = _native("run_yaml_test")(
            test,
            root=root_of(path),
            python=sys.executable,
            timeout=timeout,
            judge=judge,
            on_event=on_event,
            replay=replay,
            record=mode.endswith("record"),
            agentic=mode.startswith("agentic"),
            provider=provider,
            model=model,
        )
    told: dict[str, Any] = run.to_dict()
    if told["ending"] == "stopped":
        raise KeyboardInterrupt
    steps = [StepResult.model_validate(step) for step in told["steps"]]
    if told["ending"] == "error":
        error = LLMTestError(told["reason"])
        error.steps = steps
        raise error
    if mode.endswith("record"):
        run.keep(_kept(test, path))
    names = ("warnings", "seconds", "questions", "answers", "judge")
    further = {name: told[name] for name in names if name in told}
    return Verdict(
        verdict=told["verdict"], reason=told["reason"], steps=steps, issues=told["issues"], **further
    )  # fmt: skip


def plan_of(spec: TestSpec, path: Path) -> str:
    """What a test would do, in words. Nothing is run."""
    plan: str = _native("plan_yaml_test")(_test_of(spec, path))
    return plan


@contextlib.contextmanager
def _orderly_end() -> Iterator[None]:
    """Makes SIGTERM, with which CI cancels, end a test as Ctrl-C does: teardown runs, and no process is left."""
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt("SIGTERM")

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _kept(test: Any, path: Path) -> Path:
    """The file of a recording: beside the test, wherever the process is."""
    name: str = test.recording_path.name
    return path.parent / "recordings" / name


def _recording(kept: Path) -> str:
    try:
        return kept.read_text(encoding="utf-8")
    except OSError as error:
        raise LLMTestError(
            f"there is no recording to replay: {place(str(kept))}: {error.strerror}",
            remedy="record the test first, with --llm-mode=record",
        ) from None


def close() -> list[str]:
    """Ends what was kept from test to test. Gives what went wrong."""
    if "unitai._engine" not in sys.modules:
        return []
    return _native("close_yaml_servers")() or []


def _test_of(spec: TestSpec, path: Path) -> Any:
    """The engine's test: the one that the specification came from, with all its places, unless somebody changed it."""
    native = spec.__dict__.get(_NATIVE)
    if native is not None and TestSpec.model_validate(native.to_dict()) == spec:
        return native
    # JSON is YAML.
    text = json.dumps(spec.model_dump(), ensure_ascii=False, default=str)
    reading = read_tests(text, path)
    if reading.errors or len(reading.tests) != 1:
        raise InvalidArgumentError(
            "the test cannot be run: " + ("\n".join(reading.errors) or f"its cases are {len(reading.tests)} tests")
        )
    return reading.tests[0]
