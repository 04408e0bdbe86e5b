"""Runs every example as its README says, from the wheel, in an environment that has what it is written with.

python scripts/examples.py                                  # all of them, without a key
python scripts/examples.py langgraph_refund yaml_api_check  # these
python scripts/examples.py --live                           # with your keys: some tests ask real models, for cents
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import adapters
import environments
import node

EXAMPLES = environments.ROOT / "examples"
#: The framework of those that are written with one: they share its environment with the suite of its adapter.
FRAMEWORKS = {"langgraph_refund": "langgraph", "openai_handoffs": "openai_agents", "crewai_team": "crewai"}
#: All others fit into one.
PLAIN = ("openai>=3", "anthropic>=2", *adapters.NEEDS)
TRUE = "tests/integration/test_examples.py"


def main() -> int:
    known = sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))
    names = environments.named(known, "example") or known
    wheel = environments.wheel()
    by_framework: dict[str | None, list[str]] = {}
    for name in names:
        by_framework.setdefault(FRAMEWORKS.get(name), []).append(name)
    run = live if "--live" in sys.argv else offline
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = pool.map(lambda pair: run(pair[1], install(pair[0], wheel)), by_framework.items())
        failed = [name for names in tried for name in names]
    if failed:
        print(f"error: not as they should be: {', '.join(failed)}")
    return 1 if failed else 0


def install(framework: str | None, wheel: Path) -> Path:
    """Makes the environment; gives its Python."""
    if framework is not None:
        return adapters.install(framework, "current", wheel)
    return environments.environment("wheel-examples", environments.preferred(), PLAIN, wheel)


def offline(names: list[str], python: Path) -> list[str]:
    """Tries what the READMEs say, without a key; gives the names if something is not so."""
    path = os.pathsep.join([str(node.binaries()), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "TESTS_REQUIRE_EXAMPLES": ",".join(names)}
    command = [*pytest(python), "-v", TRUE, "-k", " or ".join(names)]
    return [] if environments.passes(", ".join(names), command, environment) else names


def live(names: list[str], python: Path) -> list[str]:
    """Runs the tests of the examples with the keys that are here; gives the names of those that fail."""
    return [
        name for name in names if subprocess.run([*pytest(python), "-rs"], cwd=EXAMPLES / name, check=False).returncode
    ]


def pytest(python: Path) -> list[str | Path]:
    return [python, "-m", "pytest", "-p", "no:cacheprovider"]


if __name__ == "__main__":
    sys.exit(main())
