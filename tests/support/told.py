"""Run events as a file holds them, and the command that reads them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).parent / "unitai"

STARTED = {
    "event": "run_started",
    "format": "unitai.events",
    "version": 1,
    "at": 1794767400.5,
    "run_id": "9f2c11d0",
    "unitai": "0.1.0",
    "python": "3.13.1",
    "pytest": "9.0.3",
}


def finished_test(test: str, outcome: str = "passed", **more: Any) -> dict[str, Any]:
    """The event of a test that is over."""
    return {"event": "test_finished", "at": 2, "test": test, "outcome": outcome, "duration_seconds": 1.25, **more}


def failure(message: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"phase": "call", "message": message, "text": text, **more}


def lines(*tests: dict[str, Any], ending: str | None = "completed", **more: Any) -> str:
    """The events of a run. Without an ending, it was killed."""
    events: list[dict[str, Any]] = [STARTED, *tests]
    if ending:
        events.append({"event": "run_finished", "at": 4, "duration_seconds": 34.2, "ending": ending, **more})
    return "".join(json.dumps(event) + "\n" for event in events)


def keep(project: Path, text: str, name: str = "20261115T183000Z-9f2c11d0") -> Path:
    """Puts the events of a run where the project's runs are."""
    path = project / ".unitai" / "runs" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def results(folder: Path, *args: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """`unitai results`, in a folder."""
    command = [COMMAND, "results", *map(str, args)]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False, **more
    )
