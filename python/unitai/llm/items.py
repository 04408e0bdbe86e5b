"""YAML tests in pytest: a file is a collector, each test in it an item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback, TerminalRepr

from unitai.errors import LLMTestError, LLMTestFailed, LLMTestWarning
from unitai.llm import engine
from unitai.llm.live import shows_marks, teller
from unitai.llm.models import TestSpec, Verdict
from unitai.llm.project import place
from unitai.llm.telling import error_text, verdict_text

#: Folders beside tests that hold something else.
OTHERS = frozenset(("judge-cases", "plugins", "fixtures", "recordings"))
#: Files that were left out.
LEFT_OUT = pytest.StashKey[list[str]]()
#: The section of a report that has the plan of a test.
PLAN = "plan"
#: Of one test, so many steps are told to JUnit.
MOST_STEPS = 200


class LLMTestFile(pytest.File):
    """A file of YAML tests."""

    def collect(self) -> Iterator[LLMTestItem]:
        """Reads the file; each test in it is an item, and each row of its cases."""
        try:
            text = engine.load(self.path)
        except ValueError as trouble:
            raise self.CollectError(str(trouble)) from None
        if not engine.looks_like_test(text) and not self._must_be_a_test():
            self.config.stash.setdefault(LEFT_OUT, []).append(place(str(self.path)))
            return
        reading = engine.read_tests(text, self.path)
        if reading.errors:
            raise self.CollectError("\n\n".join(reading.errors))
        for warning in reading.warnings:
            self.warn(LLMTestWarning(warning))
        yield from self._items(reading.tests)

    def _must_be_a_test(self) -> bool:
        """Whether a file that looks like no test has to be one: somebody asked for it, or named it like one."""
        if self.session.isinitpath(self.path):
            return True
        root = self.config.rootpath
        near = self.path.relative_to(root) if self.path.is_relative_to(root) else self.path
        is_beside = bool(OTHERS.intersection(near.parts[:-1]))
        return not is_beside and re.fullmatch(r"test_.*|.*_test", self.path.stem) is not None

    def _items(self, tests: list[engine.Test]) -> Iterator[LLMTestItem]:
        for test, name in zip(tests, engine.report_names(tests, self.path), strict=True):
            item: LLMTestItem = LLMTestItem.from_parent(self, name=name, spec=engine.spec_of(test), line=test.line)
            item.mark(test.tags)
            yield item


class LLMTestItem(pytest.Item):
    """One YAML test."""

    def __init__(self, *, spec: TestSpec, line: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        #: What the test says.
        self.spec = spec
        self._line = line

    def mark(self, tags: list[str]) -> None:
        """Gives it the marker `llm` and one for each tag, which is thereby known."""
        self.add_marker("llm")
        for tag in tags:
            # What pytest cannot have as a marker can still be asked for with -k.
            self.extra_keyword_matches.add(tag)
            if re.fullmatch(r"[^\W_][^:(\s]*", tag):
                known = self.config.getini("markers")
                if not any(re.split(r"[\s(:]", line, maxsplit=1)[0] == tag for line in known):
                    self.config.addinivalue_line("markers", f"{tag}: a tag of YAML tests")
                self.add_marker(tag)

    def runtest(self) -> None:
        """Runs the test in the engine."""
        option = self.config.getoption
        mode = option("unitai_llm_mode", "engine")
        if mode == "dry":
            self.add_report_section("call", PLAN, engine.plan_of(self.spec, self.path))
            raise pytest.skip.Exception("planned, and not run", _use_item_location=True)
        on_event = teller(self.config) if option("unitai_llm_verbose", False) else None
        timeout = option("unitai_llm_timeout", None) or None
        try:
            verdict = engine.run_test(
                self.spec,
                self.path,
                timeout=timeout,
                on_event=on_event,
                judge=self.ihook.pytest_unitai_judge(item=self),
                mode=mode,
            )
        except LLMTestError:
            self._note("llm.verdict", "ERROR")
            raise
        for warning in getattr(verdict, "warnings", ()):
            self.warn(LLMTestWarning(warning))
        self._note("llm.verdict", verdict.verdict)
        self._note_verdict(verdict)
        if verdict.verdict == "FAIL" or (verdict.verdict == "UNCLEAR" and option("unitai_llm_unclear", "") == "fail"):
            raise LLMTestFailed(verdict)
        if verdict.verdict == "UNCLEAR":
            # Said of the place of the test, and not of this line.
            raise pytest.skip.Exception(f"Unclear: {verdict.reason}", _use_item_location=True)

    def _note(self, name: str, value: object) -> None:
        self.user_properties.append((name, value))

    def _note_verdict(self, verdict: Verdict) -> None:
        """Leaves the steps for JUnit and other reports."""
        self._note("llm.reason", verdict.reason)
        for step in verdict.steps[:MOST_STEPS]:
            told = f"{step.status}: {step.name}"
            self._note(
                f"llm.step.{getattr(step, 'path', step.name)}", f"{told}: {step.details}" if step.details else told
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str | TerminalRepr:
        """The verdict in words; where in our own code it was raised says nothing."""
        error = excinfo.value
        marks = shows_marks(self.config)
        if isinstance(error, LLMTestFailed):
            told = verdict_text(error.verdict, marks=marks, test=self.spec.test.name)
            return self._shown(told, *_place_of(error.verdict))
        if isinstance(error, LLMTestError):
            return self._shown(error_text(error, marks=marks))
        return super().repr_failure(excinfo, style)

    def _shown(self, text: str, file: str = "", line: int = 0) -> TerminalRepr:
        """The text in the form that pytest-xdist brings over, with a first line for the summary."""
        crash = ReprFileLocation(place(file or str(self.path)), line or self._line, text.partition("\n")[0])
        entry = ReprEntryNative([f"{line}\n" for line in text.split("\n")])
        return ReprExceptionInfo(ReprTraceback([entry], None, style="native"), crash)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test is."""
        return self.path, max(self._line - 1, 0), self.name


def _place_of(verdict: Verdict) -> tuple[str, int]:
    """Where the first step stands that failed: a step may come from an included file."""
    failed = (step for step in verdict.steps if step.status == "fail")
    return next(((getattr(step, "file", ""), getattr(step, "line", 0)) for step in failed), ("", 0))
