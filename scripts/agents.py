"""Has the real Claude Code, Codex and Gemini CLI judge and drive YAML tests, from the wheel and without any network.

    python scripts/agents.py

The programs come from npm. One that cannot be installed is told, and its tests are skipped with that reason. Where the
system lets us, the tests run where there is no network but loopback; else all proxies lead nowhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import agent_programs
import environments
import node
import offline

TESTS = ("tests/integration/llm/test_agent_programs.py", "tests/integration/llm/test_programs_run_tests.py")
NEEDS = ("pytest>=8", "pytest-xdist>=3.5", "urllib3>=2")
#: Set where there is no network, so that a test can see to it.
VARIABLE = "TESTS_NO_NETWORK"


def main() -> int:
    began = time.monotonic()
    if sys.platform != "linux":
        print("--- programs that judge and drive: not tested, the tests are for Linux")
        return 0
    programs, missing = agent_programs.installed()
    for why in missing.values():
        print(f"--- skipped: {why}", flush=True)
    mine = environments.environment("wheel-agents", environments.preferred(), NEEDS, environments.wheel())
    example()
    print(f"--- {len(programs)} programs: installed in {time.monotonic() - began:.0f} s", flush=True)
    return 0 if test(mine, programs, missing) else 1


def example() -> None:
    """Builds the program that asks a provider alone, while there is a network. Without cargo its tests are skipped."""
    cargo = shutil.which("cargo")
    if cargo is None:
        print("--- skipped: the tests of providers alone, because cargo is not here", flush=True)
        return
    environments.run([cargo, "build", "--quiet", "--examples"])


def test(python: Path, programs: dict[str, str], missing: dict[str, str]) -> bool:
    """Whether the tests pass."""
    began = time.monotonic()
    # Two of the programs are scripts that look for `node`.
    path = f"{node.binaries()}{os.pathsep}{os.environ.get('PATH', '')}"
    reasons = {f"{variable}_MISSING": why for variable, why in missing.items()}
    env = {**os.environ, **programs, **reasons, "PATH": path}
    command = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-n", "auto", *TESTS]
    before = offline.before()
    if before:
        env[VARIABLE] = "1"
    else:
        print("--- the network stays, because `unshare -rn` does not work here; proxies lead nowhere", flush=True)
    done = subprocess.run([*before, *command], cwd=environments.ROOT, env=env, check=False)
    print(f"--- {len(programs)} programs: judged and drove in {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
