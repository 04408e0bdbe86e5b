"""How a failed test shows where it failed, and what."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import pytest
from _pytest._code.code import ExceptionRepr, ReprEntry, ReprTraceback
from _pytest.reports import CollectErrorRepr

from unitai._engine import log_lines
from unitai.frames import telling

#: How pytest takes a check apart: the method of the result, and the finding once more.
_OUR_PARTS = re.compile(
    r"\n *\+ +(?:where|and) +(?:<broken: .*|<built-in method \w+ of unitai\._engine\..*) = <"
    r"(?:built-in method \w+ of unitai\._engine\.|AgentRunResult ).*"
)


@contextmanager
def abridged(excinfo: pytest.ExceptionInfo[BaseException], config: pytest.Config) -> Iterator[None]:
    """While it lasts, a failure has the frames that are worth a look, and says once what does not hold. `--full-trace`
    shows all of the traceback.
    """
    # Where a test was skipped is looked up in the traceback, too, and may be our own line.
    if config.getoption("fulltrace", False) or isinstance(excinfo.value, pytest.skip.Exception):
        yield
        return
    whole = excinfo.traceback
    # Made anew, since pytest cuts off what is before the test, and follows the entries themselves for that.
    chain = None
    for entry in reversed(telling(excinfo.value)):
        # Code that was made by hand may know no lines.
        line = entry.tb_lineno or entry.tb_frame.f_code.co_firstlineno
        chain = TracebackType(chain, entry.tb_frame, entry.tb_lasti, line)
    if chain is not None:
        excinfo.traceback = type(whole)(chain)
    try:
        with _concise(excinfo.value):
            yield
    finally:
        excinfo.traceback = whole


@contextmanager
def _concise(error: BaseException) -> Iterator[None]:
    said = error.args
    if type(error) is not AssertionError or len(said) != 1 or not isinstance(said[0], str):
        yield
        return
    error.args = (_OUR_PARTS.sub("", said[0]),)
    try:
        yield
    finally:
        error.args = said


def escape_control_characters(report: pytest.TestReport | pytest.CollectReport) -> None:
    r"""Spells out what a foreign message could do to a log: pytest prints what an agent raised as it is, and
    `\r::error::` in it is a command to GitHub.
    """
    shown = report.longrepr
    if isinstance(shown, CollectErrorRepr):
        shown.longrepr = log_lines(shown.longrepr)
    elif isinstance(shown, str):
        # As `pytest.fail` without a traceback leaves it.
        report.longrepr = log_lines(shown)
    elif isinstance(shown, tuple):
        path, line, reason = shown
        report.longrepr = path, line, log_lines(reason)
    elif isinstance(shown, ExceptionRepr):
        # The last of a chain is also the whole.
        for trace, crash, _ in getattr(shown, "chain", [(shown.reprtraceback, shown.reprcrash, None)]):
            if crash is not None:
                crash.message = log_lines(crash.message)
            _escape_trace(trace)
    # Why it was expected to fail is what `pytest.xfail` was given.
    if isinstance(report, pytest.TestReport) and isinstance(expected := getattr(report, "wasxfail", None), str):
        report.wasxfail = log_lines(expected)


def escape_warning(warning: warnings.WarningMessage) -> None:
    """The same for a warning: with the exception of a thread, for example, or with what a model said."""
    text = str(warning.message)
    if (escaped := log_lines(text)) != text:
        # Of the class that it had, which is told beside it, an object can take other arguments.
        warning.message = Warning(escaped)


def escape_interrupt(error: BaseException) -> None:
    """The same for what ends the session: pytest shows its message after everything else."""
    error.args = tuple(log_lines(said) if isinstance(said, str) else said for said in error.args)
    if isinstance(error, pytest.exit.Exception):
        error.msg = log_lines(str(error.msg))


def _escape_trace(trace: ReprTraceback) -> None:
    for entry in trace.reprentries:
        parts: list[Any] = [entry]
        if isinstance(entry, ReprEntry):
            parts += filter(None, [entry.reprlocals])
            if entry.reprfileloc is not None:
                # The name of the class, which can be made at run time.
                entry.reprfileloc.message = log_lines(entry.reprfileloc.message)
            if entry.reprfuncargs is not None:
                entry.reprfuncargs.args = [
                    (name, log_lines(value) if isinstance(value, str) else value)
                    for name, value in entry.reprfuncargs.args
                ]
        for part in parts:
            part.lines = [log_lines(line) for line in part.lines]
