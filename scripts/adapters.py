"""Runs the contract suite of the adapters with each framework, at its current and at its oldest version, in an
environment of its own that has the wheel: frameworks cannot share one.

    python scripts/adapters.py                      # all of them
    python scripts/adapters.py langgraph crewai     # these
    python scripts/adapters.py --current            # without the oldest versions
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import clients
import matrix


class Framework(NamedTuple):
    """What is installed for one framework."""

    #: The extra of the distribution that names it, with its oldest version.
    extra: str
    #: What the tests need besides, at its newest.
    besides: tuple[str, ...]
    #: What the tests need besides at the oldest version, where that does not go with the newest.
    besides_oldest: tuple[str, ...] | None = None
    #: Python, best first.
    pythons: tuple[str, ...] = clients.VERSIONS


#: By the name of the adapter.
FRAMEWORKS = {
    "langgraph": Framework(
        "langgraph",
        ("langchain", "langchain-openai", "langgraph-supervisor"),
        ("langchain==1.0.3", "langchain-openai==1.0.2", "langgraph-supervisor"),
    ),
    "openai_agents": Framework("openai", (), ("openai==2.26.0",)),
    "crewai": Framework("crewai", ()),
    "semantic_kernel": Framework("semantic-kernel", ("semantic-kernel[mcp]", "protobuf")),
    "agent_framework": Framework(
        "agent-framework",
        ("agent-framework-openai", "agent-framework-orchestrations", "mcp", "tenacity"),
        ("agent-framework-openai", "agent-framework-orchestrations", "mcp<2"),
    ),
    "pydantic_ai": Framework(
        "pydantic-ai", ("pydantic-ai-slim[mcp]",), ("pydantic-ai-slim[mcp]", "fastmcp<3.5", "mcp<2")
    ),
    "google_adk": Framework("google-adk", ("google-adk[mcp]",), ("google-adk[mcp]", "mcp<2")),
}

SUITE = "tests/contract/adapters"
#: What `unitai init` writes for a framework is run, too.
FIRST_TEST = "tests/integration/test_first_tests.py::test_the_first_test_passes[{}]"
TEMPLATES = matrix.ROOT / "crates" / "unitai_cli" / "templates"
NEEDS = ("pytest>=8", "pytest-xdist>=3.5", "urllib3>=2")


def main() -> int:
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")] or list(FRAMEWORKS)
    unknown = [word for word in wanted if word not in FRAMEWORKS]
    if unknown:
        print(f"error: no framework {', '.join(unknown)}; there are {', '.join(FRAMEWORKS)}")
        return 2
    ages = ["current"] if "--current" in sys.argv else ["current", "oldest"]
    wheel = clients.newest_wheel() or matrix.build()
    environments = [(name, age) for name in wanted for age in ages]
    # Installing waits for disk and network, tests for the processor.
    with ThreadPoolExecutor(2) as pool:
        installed = [pool.submit(install, name, age, wheel) for name, age in environments]
        failed = [
            f"{name} ({age})"
            for (name, age), home in zip(environments, installed, strict=True)
            if not test(name, age, home.result())
        ]
    if failed:
        print(f"error: the tests failed with {', '.join(failed)}")
    return 1 if failed else 0


def requirements(extra: str) -> list[str]:
    """What an extra of the distribution asks for."""
    text = (matrix.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(extra)} = \[(.*)\]$", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"error: pyproject.toml has no extra {extra}")
    return re.findall(r'"([^"]+)"', found[1])


def install(name: str, age: str, wheel: Path) -> Path:
    """Makes the environment; gives its Python."""
    began = time.monotonic()
    framework = FRAMEWORKS[name]
    python = next((path for path in map(matrix.interpreter, framework.pythons) if path is not None), None)
    if python is None:
        raise SystemExit(f"error: no Python of {', '.join(framework.pythons)} was found")
    asked, besides = requirements(framework.extra), framework.besides
    if age == "oldest":
        # The lower bound is the version.
        asked = [re.sub(r">=([^,;]+).*", r"==\1", each) for each in asked]
        besides = framework.besides if framework.besides_oldest is None else framework.besides_oldest
    needs = [*asked, *besides, *NEEDS]
    mine = matrix.environment(f"adapter-{name}-{age}", python, needs, wheel, upgrade=age == "current")
    print(f"--- {name} ({age}): installed in {time.monotonic() - began:.0f} s", flush=True)
    return mine


def test(name: str, age: str, python: Path) -> bool:
    """Whether the suite passes."""
    began = time.monotonic()
    word = name.replace("_", "-")
    has_template = (TEMPLATES / f"test_{name}.py").exists()
    tests = [SUITE, *([FIRST_TEST.format(word)] if has_template else [])]
    env = {**os.environ, "TESTS_FRAMEWORK": name, "TESTS_REQUIRE_FRAMEWORKS": word}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=matrix.ROOT, env=env, check=False)
    print(f"--- {name} ({age}): tested in {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
