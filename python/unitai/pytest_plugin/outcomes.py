"""What pytest's reports of a test say about it, as the run events tell it."""

from __future__ import annotations

from typing import Any

from unitai.pytest_plugin.noting import ATTRIBUTE


def notes_of(report: Any) -> dict[str, Any]:
    """What the process that ran the test has noted."""
    return getattr(report, ATTRIBUTE, None) or {}


def outcome_of(reports: list[Any]) -> str:
    """What a test came to: the worst of its parts."""
    failed = [report for report in reports if report.failed]
    if any(report.when == "call" for report in failed if hasattr(report, "when")):
        if all(notes_of(report).get("inconclusive") for report in failed):
            return "inconclusive"
        return "error" if all(notes_of(report).get("raised") for report in failed) else "failed"
    if failed:
        return "error"
    if any(hasattr(report, "wasxfail") for report in reports):
        return "xfailed" if any(report.skipped for report in reports) else "xpassed"
    # A subtest has reports of its own under the same name; one that is skipped does not skip the test.
    whole = [report for report in reports if not hasattr(report, "context")]
    is_run = any(report.passed and getattr(report, "when", None) == "call" for report in whole)
    return "passed" if is_run and not any(report.skipped for report in whole) else "skipped"


def reason_of(reports: list[Any]) -> str | None:
    """Why a test was skipped, was expected to fail, or decided nothing."""
    for report in reports:
        cause = notes_of(report).get("inconclusive")
        if cause:
            return str(cause)
        if hasattr(report, "wasxfail"):
            return str(report.wasxfail) or None
        if report.skipped and isinstance(report.longrepr, tuple):
            return str(report.longrepr[2]).removeprefix("Skipped: ")
    return None


def failure_of(report: Any, phase: str | None) -> dict[str, Any]:
    """What went wrong in a part of a test."""
    notes = notes_of(report)
    when = getattr(report, "when", phase)
    text = report.longreprtext
    broken = notes.get("broken", [])
    if type(report.longrepr).__name__ == "ReprFailDoctest":
        # Its text begins with the lines of the example.
        text = f"an example of the documentation does not hold\n{text}"
    crash = getattr(report.longrepr, "reprcrash", None)
    # Which worker it was, pytest-xdist says in a line before.
    text = "\n".join(line for line in text.splitlines() if not line.startswith("[gw")) if when == "???" else text
    message = (
        f"expected {broken[0]['expected']}, but {broken[0]['actual']}" if broken else getattr(crash, "message", text)
    )
    return {
        "phase": when if when in ("setup", "call", "teardown") else "collect" if phase == "collect" else "call",
        # Where our own errors live says nothing.
        "message": next((line.strip() for line in message.splitlines() if line.strip()), "it failed").removeprefix(
            "unitai.errors."
        ),
        "text": text,
        "report": notes.get("report"),
        "broken": broken,
    }


def contract_of(report: Any) -> dict[str, str] | None:
    """The contract that a test is a part of, and whose it looks at."""
    # pytest-xdist brings them over as lists.
    said = dict(getattr(report, "user_properties", ()))
    if "unitai.contract" not in said:
        return None
    names = {"contract": "unitai.contract", "base": "unitai.contract_base", "implementation": "unitai.implementation"}
    return {name: said[property] for name, property in names.items() if property in said}


def captured_of(report: Any) -> list[dict[str, str]]:
    """What was printed; each report of a test holds what the earlier ones do."""
    return [
        {"title": title.removeprefix("Captured "), "text": text}
        for title, text in report.sections
        if title.startswith("Captured ")
    ]


def place_of(report: Any) -> tuple[str | None, int | None]:
    """The file of a test, and its line there."""
    location = getattr(report, "location", None)
    if location is None:
        return report.nodeid.partition("::")[0] or None, None
    file, line, _ = location
    return file, None if line is None else line + 1
