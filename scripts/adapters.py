"""Runs the contract suite of the adapters with each framework in an environment of its own that has the wheel:
frameworks cannot share one. So do frameworks without an adapter, with the tests of what their users meet.

    python scripts/adapters.py                        # at their current versions: all with an adapter, two without
    python scripts/adapters.py langgraph crewai       # these
    python scripts/adapters.py --all langgraph        # current and oldest
    python scripts/adapters.py --all                  # everything
"""

from __future__ import annotations

import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import environments


class Framework(NamedTuple):
    """What is installed for one framework."""

    #: The extra of the distribution that names it, with its oldest version.
    extra: str
    #: What the tests need besides, at its newest.
    besides: tuple[str, ...]
    #: What the tests need besides at the oldest version, where that does not go with the newest.
    besides_oldest: tuple[str, ...] | None = None
    #: Python, best first.
    pythons: tuple[str, ...] = environments.PREFERRED


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

#: What is installed for frameworks that have no adapter. Their tools are mocked by `patch`, or found out by the wire.
WITHOUT_ADAPTER = {
    "smolagents": ("smolagents[openai]",),
    "strands": ("strands-agents[openai]",),
    "agno": ("agno", "openai"),
    "llama_index": ("llama-index-core", "llama-index-llms-openai"),
    "autogen": ("autogen-agentchat", "autogen-ext[openai]"),
}
#: Those whose tools are objects of their own. The others are tried with `--all`.
ALWAYS_TRIED = ("smolagents", "strands")

SUITE = "tests/contract/adapters"
SUITE_WITHOUT_ADAPTER = "tests/integration/without_adapter"
#: A helper of the tests must not take the place of what a framework imports.
HELPERS = "tests/contract/test_helper_names.py"
#: What `unitai init` writes for a framework is run, too.
FIRST_TEST = "tests/integration/test_first_tests.py::test_the_first_test_passes[{}]"
TEMPLATES = environments.ROOT / "crates" / "unitai_cli" / "templates"
NEEDS = ("pytest>=8", "pytest-xdist>=3.5", "urllib3>=2")


def main() -> int:
    is_all = "--all" in sys.argv
    others = WITHOUT_ADAPTER if is_all else ALWAYS_TRIED
    wanted = environments.named([*FRAMEWORKS, *WITHOUT_ADAPTER], "framework") or [*FRAMEWORKS, *others]
    wheel = environments.wheel()
    pairs = [(name, "current") for name in wanted]
    if is_all:
        # Of a framework without an adapter, no release is promised.
        pairs += [(name, "oldest") for name in wanted if name in FRAMEWORKS]
    # One process tests a framework, so that two of them keep two cores busy.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(lambda pair: tried(*pair, wheel), pairs))
    failed = [f"{name} ({age})" for (name, age), is_good in zip(pairs, passed, strict=True) if not is_good]
    if failed:
        print(f"error: the tests failed with {', '.join(failed)}")
    return 1 if failed else 0


def tried(name: str, age: str, wheel: Path) -> bool:
    """Whether the suite passes, in an environment that is made for it."""
    return test(name, age, install(name, age, wheel))


def requirements(extra: str) -> list[str]:
    """What an extra of the distribution asks for."""
    text = (environments.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(extra)} = \[(.*)\]$", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"error: pyproject.toml has no extra {extra}")
    return re.findall(r'"([^"]+)"', found[1])


def packages(framework: Framework, age: str) -> tuple[str, ...]:
    """What is installed for a framework with an adapter."""
    asked, besides = requirements(framework.extra), framework.besides
    if age == "oldest":
        # The lower bound is the version.
        asked = [re.sub(r">=([^,;]+).*", r"==\1", each) for each in asked]
        besides = framework.besides if framework.besides_oldest is None else framework.besides_oldest
    return (*asked, *besides)


def install(name: str, age: str, wheel: Path) -> Path:
    """Makes the environment; gives its Python."""
    began = time.monotonic()
    framework = FRAMEWORKS.get(name)
    needs = WITHOUT_ADAPTER[name] if framework is None else packages(framework, age)
    python = environments.preferred(environments.PREFERRED if framework is None else framework.pythons)
    home, is_current = f"adapter-{name}-{age}", age == "current"
    mine = environments.environment(home, python, [*needs, *NEEDS], wheel, upgrade=is_current)
    print(f"--- {name} ({age}): installed in {time.monotonic() - began:.0f} s", flush=True)
    return mine


def test(name: str, age: str, python: Path) -> bool:
    """Whether the suite passes."""
    word = name.replace("_", "-")
    has_template = (TEMPLATES / f"test_{name}.py").exists()
    suite = SUITE if name in FRAMEWORKS else SUITE_WITHOUT_ADAPTER
    tests = [suite, HELPERS, *([FIRST_TEST.format(word)] if has_template else [])]
    env = {**os.environ, "TESTS_FRAMEWORK": name, "TESTS_REQUIRE_FRAMEWORKS": word}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    return environments.passes(f"{name} ({age})", command, env)


if __name__ == "__main__":
    sys.exit(main())
