"""Drives real MCP servers by YAML tests, from the wheel, and runs the official conformance suite against our client and
our server.

    python scripts/mcp_servers.py                      # everything
    python scripts/mcp_servers.py --no-conformance     # the servers alone

The servers come from PyPI, new and old in an environment each, and from npm. One that cannot be installed is told, and
its tests are skipped with that reason.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import conformance
import environments
import node

TESTS = "tests/contract/mcp"
#: In the words of the tests: the command of each server, or why there is none.
VARIABLE = "TESTS_MCP_SERVERS"
NEEDS = ("pytest>=8", "pytest-xdist>=3.5")


class Distribution(NamedTuple):
    """A server that PyPI has."""

    #: The environment that it is installed in.
    home: str
    needs: tuple[str, ...]
    program: str


#: By the names that the tests have for them.
FROM_PYPI = {
    "time": Distribution("mcp-servers", ("mcp-server-time",), "mcp-server-time"),
    "git": Distribution("mcp-servers", ("mcp-server-git",), "mcp-server-git"),
    # The first release of the SDK knows the first version of the protocol only.
    "time-old": Distribution(
        "mcp-servers-old", ("mcp-server-time==0.6.2", "mcp==1.2.0", "pydantic<2.11"), "mcp-server-time"
    ),
}
EVERYTHING = "@modelcontextprotocol/server-everything"
MODULES = node.ROOT / ".venvs" / "mcp-server-modules"


def main() -> int:
    began = time.monotonic()
    python = environments.preferred()
    mine = environments.environment("wheel-mcp", python, NEEDS, environments.wheel())
    servers = installed(python)
    print(f"--- MCP servers: installed in {time.monotonic() - began:.0f} s", flush=True)
    is_good = test(mine, servers)
    if "--no-conformance" not in sys.argv:
        is_good = conformance.everything() and is_good
    return 0 if is_good else 1


def installed(python: Path) -> dict[str, list[str] | str]:
    """The command of each server; a text where it could not be installed."""
    servers: dict[str, list[str] | str] = {}
    for name, distribution in FROM_PYPI.items():
        servers[name] = attempted(lambda it=distribution: from_pypi(it, python))
    servers["everything"] = attempted(from_npm)
    return servers


def attempted(install) -> list[str] | str:  # type: ignore[no-untyped-def]
    try:
        return install()
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        return f"it could not be installed: {said.strip()[-400:]}"


def from_pypi(distribution: Distribution, python: Path) -> list[str]:
    """Installs a server; gives its command."""
    mine = environments.bare(distribution.home, python)
    node.run([environments.BIN / "uv", "pip", "install", "--quiet", "--python", mine, *distribution.needs])
    return [str(mine.with_name(distribution.program))]


def from_npm() -> list[str]:
    """Installs the server that has a bit of everything; gives its command."""
    program = node.install()
    package = MODULES / "node_modules" / EVERYTHING
    if not (package / "package.json").exists():
        node.npm_install(MODULES, EVERYTHING)
    return [str(program), str(package / "dist" / "index.js")]


def test(python: Path, servers: dict[str, list[str] | str]) -> bool:
    """Whether the tests pass."""
    began = time.monotonic()
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "auto", TESTS]
    env = {**os.environ, VARIABLE: json.dumps(servers)}
    done = subprocess.run(command, cwd=environments.ROOT, env=env, check=False)
    print(f"--- MCP servers: tested in {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
