"""Runs the official conformance suite of MCP against our client and our server, in each version of the protocol that
the suite knows.

    python scripts/conformance.py            # both
    python scripts/conformance.py client     # or one of them
    python scripts/conformance.py server

The suite comes from npm into a folder of its own. What is known to fail stands in `tests/conformance/*-baseline*.yml`,
with the reason; anything else that fails is an error, and so is a known failure that passes. The server is the example
`conformance_server`, which has the tools that the suite calls by name.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import node

SUITE = "@modelcontextprotocol/conformance"
#: The first that knows 2026-07-28. It is pinned because every release adds scenarios.
VERSION = "0.2.0-alpha.12"
MODULES = node.ROOT / ".venvs" / "conformance-modules"
BASELINES = node.ROOT / "tests" / "conformance"
#: The versions of the protocol that clients are tried in.
PROTOCOLS = ("2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
#: How the suite is asked about a server, with what is known to fail then.
SERVERS = {
    "up to 2025-11-25": (["--suite", "all", "--spec-version", "2025-11-25"], "server-baseline.yml"),
    "2026-07-28": (["--requirements", "2026-07-28"], "server-baseline-2026-07-28.yml"),
}
EXAMPLES = node.ROOT / "target" / "debug" / "examples"
SIDES = ("client", "server")


def main() -> int:
    wanted = sys.argv[1:] or SIDES
    unknown = [side for side in wanted if side not in SIDES]
    if unknown:
        print(f"error: no side {', '.join(unknown)}; there are {', '.join(SIDES)}")
        return 2
    return 0 if everything(*wanted) else 1


def everything(*wanted: str) -> bool:
    """Whether these sides, or both, are as expected. Where npm cannot be reached, that is told and nothing is run."""
    try:
        suite = install()
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        print(f"the conformance suite is left out, it could not be installed: {said.strip()[-400:]}", flush=True)
        return True
    # Of all crates, as the Rust tests build them: the features of one alone would be another build.
    build = ["cargo", "build", "--quiet", "--examples"]
    subprocess.run(build, cwd=node.ROOT, check=True)
    failed = []
    if "client" in (wanted or SIDES):
        failed += clients(suite)
    if "server" in (wanted or SIDES):
        failed += servers(suite)
    if failed:
        print(f"error: not as expected: {', '.join(failed)}", flush=True)
    return not failed


def clients(suite: list[str]) -> list[str]:
    """The versions in which our client is not as expected."""
    words = ["client", "--command", str(EXAMPLES / "conformance_client"), "--suite", "all"]
    words += baseline("client-baseline.yml")
    return [it for it in PROTOCOLS if not run(suite, f"client, {it}", [*words, "--spec-version", it])]


def servers(suite: list[str]) -> list[str]:
    """The questions in which our server is not as expected."""
    served = subprocess.Popen([EXAMPLES / "conformance_server", "0"], stdout=subprocess.PIPE, text=True)
    assert served.stdout is not None
    try:
        url = served.stdout.readline().strip()
        return [
            title
            for title, (words, known) in SERVERS.items()
            if not run(suite, f"server, {title}", ["server", "--url", url, *words, *baseline(known)])
        ]
    finally:
        served.terminate()
        served.wait(timeout=30)


def install() -> list[str]:
    """The command of the suite, up to its own words."""
    program = node.install()
    package = MODULES / "node_modules" / SUITE / "package.json"
    if not package.exists() or f'"version": "{VERSION}"' not in package.read_text(encoding="utf-8"):
        node.npm_install(MODULES, f"{SUITE}@{VERSION}")
    return [str(program), str(package.parent / "dist" / "index.js")]


def baseline(name: str) -> list[str]:
    """The words that name what is known to fail."""
    return ["--expected-failures", str(BASELINES / name)]


def run(suite: list[str], title: str, words: list[str]) -> bool:
    """Whether the suite finds what is expected; else all that it says is shown."""
    began = time.monotonic()
    # The suite writes what it saw into the folder that it runs in.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*suite, *words],
            cwd=Path(folder),
            check=False,
            timeout=600,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    summary = [line for line in done.stdout.splitlines() if line.startswith("Total:")]
    shown = summary if done.returncode == 0 else done.stdout.splitlines()
    print("\n".join(shown))
    word = "as expected" if done.returncode == 0 else "FAILED"
    print(f"--- conformance: {title}: {word} in {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
