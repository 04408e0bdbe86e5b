"""A project of its own for a test: files, and the installed command or pytest in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).parent / "unitai"

#: What tests of the project may use: a client that needs nothing but urllib3.
SUPPORT = Path(__file__).parent

#: Variables by which the machine, the outer pytest or its CI would change the outcome, by how they begin. pytest knows CI
#: by the last two, and prints whole errors in its summary there.
UNWANTED = ("UNITAI", "PYTEST", "GITHUB", "GITLAB", "COV_", "CI", "BUILD_NUMBER")

#: Options of pytest without the plugins that packages of this environment bring along. Importing those of Hypothesis and
#: LangSmith takes longer than all the rest of a small run: 0.6 s with them, 0.15 s without.
WITHOUT_OTHERS = tuple(
    word
    for plugin in sorted(entry_points(group="pytest11"))
    if plugin.name not in ("unitai", "xdist", "xdist.looponfail")
    for word in ("-p", f"no:{plugin.name}")
)


def clean_environment(*, keys: bool = True, **variables: str) -> dict[str, str]:
    """The environment of a process that a test starts: this one without what would change the outcome.

    Without `keys` it has no API key either.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(UNWANTED)}
    if not keys:
        kept = {name: value for name, value in kept.items() if not name.endswith("_API_KEY")}
    return {**kept, "PYTEST_ADDOPTS": " ".join(WITHOUT_OTHERS), **variables}


class Project:
    """A folder with tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, **files: str) -> None:
        """Writes modules: `test_it="..."`."""
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text, encoding="utf-8")

    def lay(self, **files: str) -> None:
        """Writes files in folders, which are named with two underscores: `tests__unit__test_it="..."`."""
        for name, text in files.items():
            path = self.folder.joinpath(*name.split("__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def environment(self, **variables: str) -> dict[str, str]:
        """The environment of what is run: that of this process without what would change the outcome."""
        path = os.pathsep.join(filter(None, [str(SUPPORT), os.environ.get("PYTHONPATH")]))
        return clean_environment(**{"PYTHONPATH": path, **variables})

    def unitai(self, *args: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs the command to its end."""
        return self._run([COMMAND, *args], variables)

    def pytest(self, *args: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs pytest to its end."""
        return self._run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args], variables)

    def start(self, *args: object, **variables: str) -> subprocess.Popen[str]:
        """Starts the command."""
        return subprocess.Popen(
            [str(word) for word in (COMMAND, *args)],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(**variables),
        )

    def _run(self, words: list[object], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=120,
            env=self.environment(**variables),
        )

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened in the last run."""
        runs = (self.folder / ".unitai" / "runs").glob("*.jsonl")
        # The name has the second in which a run began. Of two in one second, the newer one was written to last.
        newest = max(runs, key=lambda path: (path.name.partition("-")[0], path.stat().st_mtime_ns))
        return [json.loads(line) for line in newest.read_text(encoding="utf-8").splitlines()]

    def finished(self, test: str) -> dict[str, Any]:
        """What is written about a test of the last run."""
        (found,) = [
            event for event in self.events if event["event"] == "test_finished" and event["test"].endswith(test)
        ]
        return found

    @property
    def junit(self) -> Path:
        """The JUnit file."""
        return self.folder / "test-results" / "unitai.xml"
