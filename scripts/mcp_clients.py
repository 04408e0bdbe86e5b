"""Tests the tools that agents call at the client of an MCP server, from the wheel, with both generations of the package
mcp: each in an environment with agents that are built on it.

    python scripts/mcp_clients.py                # the current releases
    python scripts/mcp_clients.py mcp2           # the second generation alone
    python scripts/mcp_clients.py --all          # the oldest release that is supported, too
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import environments

TESTS = "tests/integration/mcp_clients"
NEEDS = ("pytest>=8", "pytest-xdist>=3.5", "urllib3>=2")


class Generation(NamedTuple):
    """A release of the package, and what is built on it."""

    needs: tuple[str, ...]
    #: The modules that the tests must find.
    modules: tuple[str, ...]
    is_current: bool = True


GENERATIONS = {
    "mcp2": Generation(("mcp>=2", "openai-agents", "anthropic"), ("mcp", "agents", "anthropic")),
    "mcp1": Generation(
        ("mcp<2", "langchain-mcp-adapters", "anthropic"), ("mcp", "langchain_mcp_adapters", "anthropic")
    ),
    # The first release in which servers say what their tools return.
    "mcp1-oldest": Generation(("mcp==1.10.0", "pydantic<2.12", "pydantic-settings<2.11"), ("mcp",), is_current=False),
}


def main() -> int:
    is_all = "--all" in sys.argv
    wanted = environments.named(GENERATIONS, "generation") or [
        name for name, generation in GENERATIONS.items() if generation.is_current or is_all
    ]
    wheel = environments.wheel()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(lambda name: tried(name, wheel), wanted))
    failed = [name for name, is_good in zip(wanted, passed, strict=True) if not is_good]
    if failed:
        print(f"error: the tests failed with {', '.join(failed)}")
    return 1 if failed else 0


def tried(name: str, wheel: Path) -> bool:
    """Whether the tests pass, in an environment that is made for them."""
    began = time.monotonic()
    generation = GENERATIONS[name]
    needs = [*generation.needs, *NEEDS]
    mine = environments.environment(
        f"client-{name}", environments.preferred(), needs, wheel, upgrade=generation.is_current
    )
    print(f"--- {name}: installed in {time.monotonic() - began:.0f} s", flush=True)
    env = {**os.environ, "TESTS_REQUIRE_MCP_CLIENTS": ",".join(generation.modules)}
    return environments.passes(name, [mine, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS], env)


if __name__ == "__main__":
    sys.exit(main())
