"""What `unitai report` takes for runs of 50, 500 and 5,000 tests, each with an agent of eight steps."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from lab import Lab, native_command
from measure import Spread, interleaved, run
from report import Goal, Report, Table, number

SIZES = [50, 500, 5000]


def measure(lab: Lab) -> Report:
    """CPU seconds from the file of events to the page."""
    command = str(native_command())
    with tempfile.TemporaryDirectory(prefix="unitai-bench-") as name:
        folder = Path(name)
        cases = {}
        for size in SIZES:
            (folder / f"{size}.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in _events(size)))
            words = [command, "report", f"{size}.jsonl", "-o", f"{size}.html"]
            cases[str(size)] = lambda words=words: run(words, folder).cpu_seconds
        samples = interleaved(cases, lab.rounds, "html_report")
        sizes = {str(size): (folder / f"{size}.html").stat().st_size / 1e6 for size in SIZES}
    took = {size: Spread.of(seconds) for size, seconds in samples.items()}
    rows = [[f"{int(size):,}", number(took[size].middle), number(sizes[size])] for size in took]
    table = Table("The HTML report of a run", ["tests", "CPU seconds", "MB"], rows)
    goals = [Goal("HTML report of 5,000 tests", took["5000"].middle, 1, "s of CPU")]
    return Report("html_report", [table], goals, {"cpu_seconds": samples, "megabytes": sizes})


def _events(tests: int) -> list[dict[str, object]]:
    began = {"event": "run_started", "format": "unitai.events", "version": 1, "at": 1.0, "run_id": "r"}
    events: list[dict[str, object]] = [{**began, "unitai": "0", "python": "3", "pytest": "9"}]
    items = [{"sku": "MUG-01", "name": "Enamel mug", "quantity": 2, "price": 12.5}] * 3
    tool = {"step_type": "tool_call", "timestamp": 1.0, "tool_name": "lookup", "tool_args": {"order_id": "123"}}
    steps = [{**tool, "tool_result": {"order_id": "123", "status": "delivered", "items": items}}] * 8
    for n in range(tests):
        whole = {"format": "unitai.trajectory", "version": 1, "run_id": f"r{n}", "input": "refund", "started_at": 1.0}
        whole |= {"duration_seconds": 1.0, "steps": steps, "final_output": "done"}
        events.append({"event": "agent_ran", "test": f"tests/test_{n // 50}.py::test_{n}", "trajectory": whole})
        end = {"event": "test_finished", "at": 2.0, "test": f"tests/test_{n // 50}.py::test_{n}"}
        events.append({**end, "outcome": "passed", "duration_seconds": 0.1})
    return [*events, {"event": "run_finished", "at": 9.0, "duration_seconds": 8.0, "ending": "completed"}]
