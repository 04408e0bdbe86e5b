"""Runs every example as its README says, from the wheel, in an environment that has what it is written with.

python scripts/examples.py                                  # all of them, without a key
python scripts/examples.py langgraph_refund yaml_api_check  # these
python scripts/examples.py --live                           # with your keys: some tests ask real models, for cents
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import adapters
import clients
import matrix
import node

EXAMPLES = matrix.ROOT / "examples"
#: The framework of those that are written with one: they share its environment with the suite of its adapter.
FRAMEWORKS = {"langgraph_refund": "langgraph", "openai_handoffs": "openai_agents", "crewai_team": "crewai"}
#: All others fit into one.
PLAIN = ("openai>=3", "anthropic>=2", *adapters.NEEDS)
TRUE = "tests/integration/test_examples.py"


def main() -> int:
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    names = sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))
    unknown = [word for word in wanted if word not in names]
    if unknown:
        print(f"error: no example {', '.join(unknown)}; there are {', '.join(names)}")
        return 2
    wheel = clients.newest_wheel() or matrix.build()
    by_framework: dict[str | None, list[str]] = {}
    for name in wanted or names:
        by_framework.setdefault(FRAMEWORKS.get(name), []).append(name)
    # Installing waits for disk and network, tests for the processor.
    with ThreadPoolExecutor(2) as pool:
        installed = [pool.submit(install, framework, wheel) for framework in by_framework]
        failed = [
            name
            for members, home in zip(by_framework.values(), installed, strict=True)
            for name in (live if "--live" in sys.argv else offline)(members, home.result())
        ]
    if failed:
        print(f"error: not as they should be: {', '.join(failed)}")
    return 1 if failed else 0


def install(framework: str | None, wheel: Path) -> Path:
    """Makes the environment; gives its Python."""
    if framework is not None:
        return adapters.install(framework, "current", wheel)
    python = next((path for path in map(matrix.interpreter, clients.VERSIONS) if path is not None), None)
    if python is None:
        raise SystemExit(f"error: no Python of {', '.join(clients.VERSIONS)} was found")
    return matrix.environment("wheel-examples", python, PLAIN, wheel)


def offline(names: list[str], python: Path) -> list[str]:
    """Tries what the READMEs say, without a key; gives the names if something is not so."""
    began = time.monotonic()
    path = os.pathsep.join([str(node.binaries()), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "TESTS_REQUIRE_EXAMPLES": ",".join(names)}
    command = [*pytest(python), "-v", TRUE, "-k", " or ".join(names)]
    done = subprocess.run(command, cwd=matrix.ROOT, env=environment, check=False)
    print(f"--- {', '.join(names)}: {time.monotonic() - began:.0f} s", flush=True)
    return names if done.returncode else []


def live(names: list[str], python: Path) -> list[str]:
    """Runs the tests of the examples with the keys that are here; gives the names of those that fail."""
    return [
        name for name in names if subprocess.run([*pytest(python), "-rs"], cwd=EXAMPLES / name, check=False).returncode
    ]


def pytest(python: Path) -> list[str | Path]:
    return [python, "-m", "pytest", "-p", "no:cacheprovider"]


if __name__ == "__main__":
    sys.exit(main())
