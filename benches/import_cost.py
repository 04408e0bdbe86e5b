"""Goal 1: what `import unitai` adds to a start of Python, in instructions."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lab import Lab
from measure import instructions, progress, run
from report import Goal, Report, Table, number

#: Each import with the environment that it needs.
IMPORTS = {
    "import unitai": ("unitai", "import unitai"),
    "from unitai import MockToolkit": ("unitai", "from unitai import MockToolkit"),
    "from unitai import Trajectory (the engine alone)": ("unitai", "from unitai import Trajectory"),
    "import unittest.mock": ("plain", "import unittest.mock"),
    "from trajai.mock import MockToolkit": ("trajai", "from trajai.mock import MockToolkit"),
}


def measure(lab: Lab) -> Report:
    """Each import less a bare start of the same environment."""
    # An empty folder: `-c` puts the current one on the path, and its size would be counted.
    with tempfile.TemporaryDirectory(prefix="unitai-bench-") as folder:
        bare = {name: _count(python, "pass", Path(folder)) for name, python in lab.pythons.items()}
        totals = {
            name: _count(lab.pythons[environment], code, Path(folder))
            for name, (environment, code) in IMPORTS.items()
            if lab.has(environment)
        }
    added = {name: _less(total, bare[IMPORTS[name][0]]) for name, total in totals.items()}
    rows = [["python -c pass", number(bare["unitai"]), "0"]]
    rows += [[name, number(totals[name]), number(added[name])] for name in totals]
    goals = [Goal("import unitai: instructions added", added["import unitai"], 4_000_000, "")]
    table = Table("Import", ["start", "instructions", "over bare Python"], rows)
    return Report("import_cost", [table], goals, {"bare": bare, "totals": totals, "added": added})


def _count(python: Path, code: str, folder: Path) -> int | None:
    progress(f"import_cost: {code}")
    command = [str(python), "-c", code]
    run(command, folder)  # Writes byte-code that is not there yet.
    return instructions(command, folder)


def _less(total: int | None, bare: int | None) -> int | None:
    return None if total is None or bare is None else total - bare
