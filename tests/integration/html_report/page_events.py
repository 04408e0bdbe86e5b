"""Events of runs that never were, and the command that makes reports of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).parent / "unitai"
ROOT = Path(__file__).parent.parent.parent.parent
SAMPLE = ROOT / "crates" / "unitai_report" / "samples" / "run.jsonl"
STARTED = {
    "event": "run_started",
    "format": "unitai.events",
    "version": 1,
    "at": 1794767400.0,
    "run_id": "run",
    "unitai": "0.1.0",
    "python": "3.12.8",
    "pytest": "8.4.2",
}
ENDED = {"event": "run_finished", "at": 1794767409.0, "duration_seconds": 9.0, "ending": "completed", "exit_code": 1}


def unitai(*args: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *map(str, args)], capture_output=True, text=True, encoding="utf-8", check=False, timeout=120, **more
    )


def write(path: Path, events: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(event)}\n" for event in events), encoding="utf-8")
    return path


def report_of(folder: Path, events: list[dict[str, Any]] | Path) -> Path:
    """The report of these events, made by the installed command."""
    source = events if isinstance(events, Path) else write(folder / "events.jsonl", events)
    page = folder / "report.html"
    done = unitai("report", source, "-o", page, cwd=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return page


def trajectory(run_id: str, steps: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    ending = more if more else {"final_output": "done"}
    head = {"format": "unitai.trajectory", "version": 1, "run_id": run_id, "input": "hello"}
    return {**head, "started_at": 1.0, "duration_seconds": 1.0, "steps": steps, **ending}


def finished(test: str, outcome: str = "passed", **more: Any) -> dict[str, Any]:
    return {"event": "test_finished", "at": 2.0, "test": test, "outcome": outcome, "duration_seconds": 0.5, **more}
