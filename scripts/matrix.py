"""Builds the wheel and runs the Python tests against it on every supported Python that is here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
MINE = f"{sys.version_info.major}.{sys.version_info.minor}"
#: What is supported, and whatever runs this.
VERSIONS = sorted({"3.10", "3.11", "3.12", "3.13", MINE}, key=lambda version: int(version.split(".")[1]))
NEEDS = (
    "pytest>=8",
    "hypothesis>=6.100",
    "jsonschema>=4.20",
    "pytest-xdist>=3.5",
    "junitparser>=3",
    "lxml>=5.3",
    "pyyaml>=6",
    "scipy>=1.11",
    "urllib3>=2",
)

#: What versions between the first and the last are tested with.
IN_BETWEEN = (
    "tests/unit",
    "tests/contract",
    "tests/behavioral",
    "tests/regression",
    "tests/integration/traffic",
    "tests/integration/test_async.py",
    "tests/integration/test_deadline.py",
    "tests/integration/test_memory.py",
    "tests/integration/test_pytest_plugin.py",
    "tests/integration/test_threads.py",
    "tests/integration/test_timeouts.py",
)


def main() -> int:
    wheel = build()
    found = {version: interpreter(version) for version in VERSIONS}
    missing = [version for version, path in found.items() if path is None]
    if missing:
        print(f"not tested, because not here: Python {', '.join(missing)}", flush=True)
    present = {version: path for version, path in found.items() if path is not None}
    if not present:
        print(f"error: no Python of {', '.join(VERSIONS)} was found")
        return 1
    first, *_, last = [*present, *present]
    failed = []
    for version, path in present.items():
        # A browser does not care which Python started it: once is enough. The versions in between have what is most
        # likely to differ: whatever runs inside of the interpreter.
        paths = () if version in (first, last) else IN_BETWEEN
        if not test(version, path, wheel, with_browser=version == last, paths=paths):
            failed.append(version)
    if failed:
        print(f"error: the tests failed on Python {', '.join(failed)}")
    return 1 if failed else 0


def build() -> Path:
    """The wheel of the checkout as it is."""
    dist = ROOT / "target" / "wheels-under-test"
    shutil.rmtree(dist, ignore_errors=True)
    run([BIN / "maturin", "build", "--quiet", "--profile", "dev", "--out", dist])
    (wheel,) = dist.glob("*.whl")
    return wheel


def interpreter(version: str) -> Path | None:
    """A Python of this version: on the path, or one that pyenv keeps."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    if version == MINE:
        candidates.insert(0, sys.executable)
    for candidate in candidates:
        # A shim may be on the path and lead nowhere.
        if candidate and subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode == 0:
            return Path(candidate)
    return None


def environment(name: str, python: Path, packages: Iterable[str], wheel: Path, *, upgrade: bool = False) -> Path:
    """Makes the environment of this name, or brings it up to date; gives its Python."""
    home = ROOT / ".venvs" / name
    mine, uv = home / "bin" / "python", BIN / "uv"
    if not mine.exists():
        run([uv, "venv", "--quiet", "--python", python, home])
    run([uv, "pip", "install", "--quiet", *(["--upgrade"] if upgrade else []), "--python", mine, *packages])
    run([uv, "pip", "install", "--quiet", "--python", mine, "--reinstall", "--no-deps", wheel])
    return mine


def test(version: str, python: Path, wheel: Path, *, with_browser: bool, paths: tuple[str, ...]) -> bool:
    """Whether the tests pass on this Python, in an environment that has the wheel and no checkout."""
    began = time.monotonic()
    mine = environment(f"py{version}", python, NEEDS, wheel)
    print(f"--- Python {version}", flush=True)
    # Most tests wait for processes of their own. A file stays on one worker: what it prepares is prepared once.
    command = [mine, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "auto", "--dist", "loadfile"]
    command += paths
    env = {**os.environ, "TESTS_WITH_CHROMIUM": "1" if with_browser else "0"}
    done = subprocess.run(command, cwd=ROOT, check=False, env=env)
    print(f"--- Python {version}: {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


def run(command: list[str | Path]) -> None:
    subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main())
