"""What the plugin knows in one session of pytest."""

from __future__ import annotations

from traceback import format_exception_only

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback, TerminalRepr

from unitai._engine import Finding
from unitai.errors import CostLimitExceeded, InconclusiveError
from unitai.frames import says_all
from unitai.pytest_plugin import WAS_LOADED, hints
from unitai.pytest_plugin.failures import TITLE, reason, subject
from unitai.pytest_plugin.noting import Notes

_NOTES = pytest.StashKey[Notes]()

#: How pytest begins the line of a failed check to which the test says nothing of its own.
_NO_REASON = ("assert ", "unitai.errors.BrokenExpectationError: ")


#: What pytest is asked for when it is not to run tests.
_LOOKS = ("collectonly", "showfixtures", "show_fixtures_per_test", "cacheshow", "setupplan")


def begin(config: pytest.Config, cache_mode: str | None) -> None:
    """The run will be reported on, if it is one."""
    if any(config.getoption(look, None) for look in _LOOKS):
        return
    _open(config, for_reports=True)
    if hasattr(config, "workerinput"):
        return
    from unitai.pytest_plugin.reporting import Reporting

    config.pluginmanager.register(Reporting(config, cache_mode), "unitai-reporting")


def look(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Adds what the agent did to the report of a failed test, and what it cost to that of every test."""
    try:
        if call.excinfo is not None and (report.failed or hasattr(report, "wasxfail")):
            _failed(item, report, call.excinfo)
        if call.when == "teardown":
            _notes(item.config).ended(item, report)
    except Exception as error:
        # A report must never cost a test run its result.
        report.sections.append(("UnitAI", f"  The report could not be made: {type(error).__name__}"))


def _failed(item: pytest.Item, report: pytest.TestReport, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Adds what the agent did to the report of a failed test."""
    if hasattr(report, "wasxfail") and _is_undecided(item, excinfo.value):
        # Who expects a failure has not seen one.
        report.outcome = "failed"
        del report.wasxfail
        report.longrepr = excinfo.getrepr(style="value")
    if not report.failed:
        return
    if _is_of_repeated(item, report):
        file, line, name = report.location
        report.location = (file, line, f"{name} (statistical)")
    about = subject(item, excinfo)
    beside = hints.beside(excinfo.value, about.trajectories())
    # pytest shows the whole text of what was raised; who reads the report of a run sees its first line.
    rest = "" if about.is_told else hints.rest(excinfo.value)
    _notes(item.config).failed(
        report, excinfo.value, about.findings, _paragraphs(rest, about.report(colour=False), beside)
    )
    # Where the text is the whole report, the place in our own code that raised says nothing.
    if about.is_told and not about.findings:
        report.longrepr = excinfo.getrepr(style="value")
    elif _is_told_by_text(item, excinfo.value):
        report.longrepr = _text_alone(item, excinfo.value)
    _begin_with_reason(report, about.findings)
    has_terminal = item.config.pluginmanager.has_plugin("terminalreporter")
    told = about.report(colour=has_terminal and item.config.get_terminal_writer().hasmarkup)
    if told or beside:
        report.sections.append((TITLE, _paragraphs(told, beside)))


def _begin_with_reason(report: pytest.TestReport, findings: list[Finding]) -> None:
    """The line of the summary, which a terminal cuts, begins with why a check does not hold; unless the test says it in
    its own words.
    """
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None and findings and crash.message.startswith(_NO_REASON):
        crash.message = reason(findings[0])


def _is_of_repeated(item: pytest.Item, report: pytest.TestReport) -> bool:
    """Whether the report is of the runs of a repeated test."""
    return report.when == "call" and item.get_closest_marker("unitai_statistical") is not None


def _is_told_by_text(item: pytest.Item, error: BaseException) -> bool:
    # Tests of other kinds, those in YAML among them, say themselves how they failed.
    is_ours_to_tell = isinstance(item, pytest.Function) and not item.config.getoption("fulltrace", False)
    return is_ours_to_tell and says_all(error)


def _text_alone(item: pytest.Item, error: BaseException) -> TerminalRepr:
    """What an error says, at the place of the test, in the form that pytest-xdist brings over."""
    lines = [line for part in format_exception_only(type(error), error) for line in part.splitlines(keepends=True)]
    place, line, _ = item.location
    crash = ReprFileLocation(place, (line or 0) + 1, "".join(lines).rstrip("\n"))
    return ReprExceptionInfo(ReprTraceback([ReprEntryNative(lines)], None, style="native"), crash)


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _is_undecided(item: pytest.Item, error: BaseException) -> bool:
    """Whether what was raised says nothing about the test: no verdict, or no money. Who names it expects it."""
    if not isinstance(error, (InconclusiveError, CostLimitExceeded)):
        return False
    return all(mark.kwargs.get("raises") is None for mark in item.iter_markers("xfail"))


def unfinished(config: pytest.Config) -> dict[str, dict[str, float]] | None:
    """What model calls of this process came to that belong to no test which is over."""
    notes = config.stash.get(_NOTES, None)
    return None if notes is None else notes.spent()


def _notes(config: pytest.Config) -> Notes:
    return config.stash.get(_NOTES, None) or _open(config, for_reports=False)


def _open(config: pytest.Config, *, for_reports: bool) -> Notes:
    notes = config.stash[_NOTES] = Notes(for_reports=for_reports, whole=not config.stash[WAS_LOADED])
    config.add_cleanup(notes.close)
    return notes
