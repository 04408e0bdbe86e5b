"""Goal 2: what a start of the native command costs, in instructions, next to ruff's."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lab import Lab, native_command, tool
from measure import instructions, progress, run
from report import Goal, Report, Table, number

#: What a user waits for before anything happens.
STARTS = {
    "unitai --version": ["--version"],
    "unitai --help": ["--help"],
    "unitai test --help": ["test", "--help"],
    "unitai completions bash": ["completions", "bash"],
}


def measure(_: Lab) -> Report:
    """Each start of the command, and ruff's."""
    command = native_command()
    # An empty folder: what a project says is not looked for.
    with tempfile.TemporaryDirectory(prefix="unitai-bench-") as folder:
        peer = _count([tool("ruff"), "--version"], Path(folder))
        counts = {name: _count([str(command), *args], Path(folder)) for name, args in STARTS.items()}
    ratios = {name: None if count is None or not peer else count / peer for name, count in counts.items()}
    rows = [["ruff --version", number(peer), "1"]]
    rows += [[name, number(counts[name]), number(ratios[name])] for name in STARTS]
    goals = [Goal("unitai --version: instructions", ratios["unitai --version"], 2, "x ruff")]
    table = Table("Start of the native command", ["start", "instructions", "x ruff --version"], rows)
    return Report("command_start", [table], goals, {"ruff": peer, "unitai": counts})


def _count(command: list[str], folder: Path) -> int | None:
    progress(f"command_start: {Path(command[0]).name} {' '.join(command[1:])}")
    run(command, folder)
    return instructions(command, folder)
