"""What a test leaves for the reports. It is put onto pytest's own reports of the test, which cross from the processes
of pytest-xdist to the one that writes.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from unitai._engine import AgentRunResult, Finding, RunWatch, Tally, Trajectory, junit_properties
from unitai.errors import InconclusiveError, RunsRaisedError
from unitai.pytest_plugin import SECONDS
from unitai.trials.result import StatisticalResult
from unitai.trials.weather import cause_of

#: Of one test, so many runs are kept, and so many letters of them.
MOST_RUNS, MOST_LETTERS = 50, 4_000_000

#: The attribute of a report that holds the notes: plain data, for it crosses from process to process.
ATTRIBUTE = "unitai"


class Notes:
    """Takes notes of the tests of one session in this process."""

    def __init__(self, *, for_reports: bool, whole: bool) -> None:
        #: Counts model calls: all of this process, if the engine was loaded after the session had begun.
        self._tally = Tally(whole)
        #: Keeps what agents do, if somebody will write it down.
        self._watch = RunWatch(MOST_RUNS) if for_reports else None
        #: Runs of the test that is under way.
        self._runs: list[Trajectory] = []
        self._missed = 0

    def close(self) -> None:
        """Takes notes no more."""
        if self._watch is not None:
            self._watch.close()

    def failed(self, report: pytest.TestReport, error: BaseException, findings: list[Finding], told: str) -> None:
        """Notes why a test failed."""
        notes: dict[str, Any] = {"raised": isinstance(error, RunsRaisedError)}
        setattr(report, ATTRIBUTE, notes)
        if self._watch is None:
            return
        self._look()
        notes |= {"report": told or None, "broken": [_broken(finding) for finding in findings]}
        cause = None
        if isinstance(error, InconclusiveError):
            cause = error.message.partition("\n")[0]
        elif getattr(error, "stats", None) is None and not self._missed:
            # Of too many runs the last one is not known, which may be the one that the test looked at.
            cause = cause_of(error, [AgentRunResult(run) for run in self._runs], next(iter(findings), None))
        if cause is not None:
            notes["inconclusive"] = cause

    def ended(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """Notes what a test came to, on the report of its end."""
        spent = self._tally.take()
        trials = sys.modules.get("unitai.pytest_plugin.trials")
        stats: StatisticalResult | None = None if trials is None else item.stash.get(trials.RESULT, None)
        told = None if stats is None else statistics(stats)
        seconds = item.stash.get(SECONDS, report.duration)
        report.user_properties += [("unitai.duration", f"{seconds:.3f}"), *junit_properties(spent, told)]
        if self._watch is None:
            return
        self._look()
        notes = getattr(report, ATTRIBUTE, {})
        notes["spending"] = None if spent is None else json.loads(spent)
        notes["statistics"] = told
        notes["runs"], left_out = _written([(None, run) for run in self._runs] if stats is None else _examples(stats))
        notes["left_out"] = left_out + self._missed if stats is None else 0
        setattr(report, ATTRIBUTE, notes)
        self._runs, self._missed = [], 0

    def spent(self) -> dict[str, dict[str, float]] | None:
        """What model calls came to since somebody last asked."""
        spending = self._tally.take()
        return None if spending is None else json.loads(spending)

    def _look(self) -> None:
        if self._watch is not None:
            runs, missed = self._watch.take()
            self._runs += runs[: MOST_RUNS - len(self._runs)]
            self._missed += missed


def _broken(finding: Finding) -> dict[str, Any]:
    return {
        "run_id": finding.trajectory.run_id,
        "assertion": finding.assertion,
        "expected": finding.expected,
        "actual": finding.actual or "",
        "cites": finding.cites,
    }


def _examples(stats: StatisticalResult) -> list[tuple[str | None, Trajectory]]:
    """One run for each way of failing, and one that passed."""
    found: list[tuple[str | None, Trajectory]] = [
        (mode.text, mode.trajectory) for mode in stats.modes if mode.trajectory is not None
    ]
    passing = (run.trajectories[-1] for run in stats.runs if run.verdict == "passed" and run.trajectories)
    return found + [("passing", run) for run in list(passing)[:1]]


def _written(runs: list[tuple[str | None, Trajectory]]) -> tuple[list[tuple[str | None, bool, str]], int]:
    """Runs as JSON, as many as there is room for, and how many there is none for."""
    written: list[tuple[str | None, bool, str]] = []
    room = MOST_LETTERS
    for example_of, run in runs:
        text = run.to_json()
        if len(text) <= room:
            room -= len(text)
            written.append((example_of, run._is_of_yaml, text))
    return written, len(runs) - len(written)


def statistics(stats: StatisticalResult) -> str:
    """How the runs of a repeated test did, as JSON of the run events."""
    told = {
        "verdict": stats.verdict,
        "passed": stats.passed,
        "failed": stats.failed,
        "inconclusive": stats.inconclusive,
        "planned": stats.planned,
        "pass_rate": stats.pass_rate,
        "threshold": stats.threshold,
        "interval": list(stats.interval),
        "interval_basis": stats.interval_basis,
        "confidence": stats.plan.confidence,
        "claim": stats.claim,
        "mode": stats.plan.mode,
        "saved_runs": stats.saved_runs,
        **({} if stats.stopped is None else {"stopped": stats.stopped}),
        "cost": stats.known_cost,
        "is_cost_known": stats.is_cost_known,
        "failure_modes": [
            {
                "text": mode.text,
                "count": mode.count,
                "parting": None if mode.parting is None else str(mode.parting),
                "example": None if mode.trajectory is None else mode.trajectory.run_id,
            }
            for mode in stats.modes
        ],
        "causes": [{"text": text, "count": count} for text, count in stats.causes.items()],
        "notes": stats.notes,
    }
    return json.dumps(told, ensure_ascii=False)
