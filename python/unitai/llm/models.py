"""What a YAML test says and what came of it, as plain Python objects. The engine reads files; these are what programs
see and may make themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from unitai.errors import InvalidArgumentError
from unitai.llm.fields import (
    REQUIRED,
    Field,
    anything,
    attempts,
    count,
    limit,
    listing,
    mapping,
    refused,
    seconds,
    text,
    texts,
    word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self


class Model:
    """An object with named fields, made by keywords.

    What a file may say beyond these fields (`when`, `check`, ...) is an attribute, too, where it was given.
    """

    #: pytest is not to look for tests in here.
    __test__ = False

    #: The fields, in the order in which they are shown.
    _fields: ClassVar[dict[str, Field]] = {}
    #: What may be given besides.
    _further: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, **given: Any) -> None:
        self._fill(given, type(self).__name__)

    def _fill(self, given: Mapping[str, Any], path: str) -> None:
        for name in given:
            if name not in self._fields and name not in self._further:
                raise _unknown(name, path, [*self._fields, *sorted(self._further)])
        for name, field in self._fields.items():
            if name in given:
                self.__dict__[name] = field.kind(given[name], f"{path}.{name}")
            elif field.default is REQUIRED:
                raise InvalidArgumentError(
                    f"{path} needs `{name}`", expected=f"`{name}`", found=", ".join(given) or "nothing",
                    remedy=f"give `{name}`",
                )  # fmt: skip
            else:
                self.__dict__[name] = field.initial()
        self.__dict__.update({name: value for name, value in given.items() if name in self._further})

    @classmethod
    def model_validate(cls, given: Any) -> Self:
        """The object that a mapping describes.

        >>> TestMeta.model_validate({"name": "health", "timeout": "30"}).timeout
        30
        """
        return cls._read(given, cls.__name__)

    @classmethod
    def _read(cls, given: Any, path: str) -> Self:
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise refused(path, "a mapping", given)
        made = cls.__new__(cls)
        made._fill(given, path)
        return made

    def model_dump(self) -> dict[str, Any]:
        """The object as plain mappings and lists."""
        return {name: _dumped(value) for name, value in self._shown()}

    def model_dump_json(self, *, indent: int | None = None) -> str:
        """The same as JSON. What JSON cannot say is its text."""
        return json.dumps(self.model_dump(), indent=indent, ensure_ascii=False, default=str)

    def _shown(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, value in self.__dict__.items() if not name.startswith("_")]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and dict(self._shown()) == dict(other._shown())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._shown())})"


def _dumped(value: Any) -> Any:
    if isinstance(value, Model):
        return value.model_dump()
    if isinstance(value, list):
        return [_dumped(item) for item in value]
    if isinstance(value, dict):
        return {key: _dumped(item) for key, item in value.items()}
    return value


def _unknown(name: str, path: str, known: list[str]) -> InvalidArgumentError:
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return InvalidArgumentError(
        f"{path} has no `{name}`",
        expected=f"some of {', '.join(known)}",
        found=f"`{name}`",
        remedy=f"write `{near[0]}`" if near else f"take `{name}` out",
    )


class TestMeta(Model):
    """What a test is called, and how it is to be run."""

    name: str
    description: str
    tags: list[str]
    #: Seconds that setup and steps may take together; 0 stands for the default.
    timeout: int

    _fields = {
        "name": Field(text),
        "description": Field(text, ""),
        "tags": Field(texts, []),
        "timeout": Field(count, 120),
    }
    _further = frozenset(
        ("teardown_timeout", "on_setup_failure", "teardown_errors", "judge", "max_calls", "compat"),
    )


class Step(Model):
    """One step: a call, a group of steps, or a checkpoint.

    >>> Step(tool="http_get", args={"url": "http://localhost"}).is_nested()
    False
    """

    name: str
    tool: str
    args: dict[str, Any]
    expect: str
    analyze: str
    save_as: str
    repeat: int
    #: Further attempts after one that failed; with `until` or a `delay` of its own, the mapping of the file.
    retry: int | dict[str, Any]
    #: Seconds between two attempts.
    retry_delay: float
    #: Seconds for one call; without any, the test's own limit alone counts.
    timeout: float | None
    steps: list[Step]

    _further = frozenset(("when", "check", "stop_early", "include"))

    def is_nested(self) -> bool:
        """Whether it has steps of its own."""
        return bool(self.steps)


# Apart: steps hold steps.
Step._fields = {
    "name": Field(text, ""),
    "tool": Field(text, ""),
    "args": Field(mapping, {}),
    "expect": Field(text, ""),
    "analyze": Field(text, ""),
    "save_as": Field(text, ""),
    "repeat": Field(count, 1),
    "retry": Field(attempts, 0),
    "retry_delay": Field(seconds, 1.0),
    "timeout": Field(limit, None),
    "steps": Field(listing(Step._read), []),
}


class VerdictSpec(Model):
    """What a test passes and fails by. With checks, the two texts may both be missing."""

    pass_if: str
    fail_if: str

    _fields = {"pass_if": Field(text), "fail_if": Field(text)}
    _further = frozenset(("check",))

    def _fill(self, given: Mapping[str, Any], path: str) -> None:
        if "check" in given and "pass_if" not in given and "fail_if" not in given:
            given = {"pass_if": "", "fail_if": "", **given}
        super()._fill(given, path)


def _verdict(value: Any, path: str) -> VerdictSpec:
    # The word that says: checks of the steps alone decide.
    return VerdictSpec(pass_if="", fail_if="") if value == "checks" else VerdictSpec._read(value, path)


class TestSpec(Model):
    """A test, as a file describes it."""

    test: TestMeta
    setup: list[Step]
    steps: list[Step]
    teardown: list[Step]
    verdict: VerdictSpec

    _fields = {
        "test": Field(TestMeta._read),
        "setup": Field(listing(Step._read), []),
        "steps": Field(listing(Step._read)),
        "teardown": Field(listing(Step._read), []),
        "verdict": Field(_verdict),
    }
    _further = frozenset(("servers", "vars", "cases", "include"))


class StepResult(Model):
    """What came of one step, or of one iteration of it."""

    name: str
    status: Literal["pass", "fail", "skip"]
    #: Why, for people.
    details: str
    #: What its tool gave.
    tool_output: Any

    _fields = {
        "name": Field(text),
        "status": Field(word("pass", "fail", "skip")),
        "details": Field(text, ""),
        "tool_output": Field(anything, None),
    }
    # The place in the test (`steps[2]#1`), the numbers of the calls, the time, and the place in the file.
    _further = frozenset(("path", "evidence", "ms", "file", "line", "column"))


class Verdict(Model):
    """The verdict on a test."""

    verdict: Literal["PASS", "FAIL", "UNCLEAR"]
    #: Why.
    reason: str
    steps: list[StepResult]
    #: What is wrong, one line each.
    issues: list[str]

    _fields = {
        "verdict": Field(word("PASS", "FAIL", "UNCLEAR")),
        "reason": Field(text),
        "steps": Field(listing(StepResult._read), []),
        "issues": Field(texts, []),
    }
    _further = frozenset(("warnings", "seconds", "questions", "answers", "judge"))

    def __str__(self) -> str:
        """The whole of it in words: why, each step, and what is wrong."""
        from unitai.llm.telling import verdict_text

        return verdict_text(self)
