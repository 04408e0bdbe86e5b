"""Runs the official conformance suite of MCP against our client, in each version of the protocol that the suite knows,
and against a server of ours that is up.

    python scripts/conformance.py                                # the client
    python scripts/conformance.py http://127.0.0.1:8000/mcp      # the server at this address

The suite comes from npm into a folder of its own. What is known to fail stands in `tests/conformance/*-baseline.yml`,
with the reason; anything else that fails is an error, and so is a known failure that passes.
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
CLIENT = node.ROOT / "target" / "debug" / "examples" / "conformance_client"


def main() -> int:
    urls = sys.argv[1:]
    try:
        suite = install()
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        print(f"error: the suite could not be installed: {said.strip()[-400:]}")
        return 1
    if urls:
        failed = [url for url in urls if not run(suite, url, ["server", "--url", url, *baseline("server")])]
    else:
        subprocess.run(
            ["cargo", "build", "--quiet", "-p", "unitai_mcp", "--example", CLIENT.name], cwd=node.ROOT, check=True
        )
        words = ["client", "--command", str(CLIENT), "--suite", "all", *baseline("client")]
        failed = [it for it in PROTOCOLS if not run(suite, f"client, {it}", [*words, "--spec-version", it])]
    if failed:
        print(f"error: not as expected: {', '.join(failed)}")
    return 1 if failed else 0


def install() -> list[str]:
    """The command of the suite, up to its own words."""
    program = node.install()
    package = MODULES / "node_modules" / SUITE / "package.json"
    if not package.exists() or f'"version": "{VERSION}"' not in package.read_text(encoding="utf-8"):
        MODULES.mkdir(parents=True, exist_ok=True)
        npm = node.binaries().parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--ignore-scripts")
        node.run([program, npm, "install", "--prefix", MODULES, *quiet, f"{SUITE}@{VERSION}"])
    return [str(program), str(package.parent / "dist" / "index.js")]


def baseline(side: str) -> list[str]:
    """The words that name what is known to fail."""
    path = BASELINES / f"{side}-baseline.yml"
    return ["--expected-failures", str(path)] if path.exists() else []


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
    summary = [line for line in done.stdout.splitlines() if line.startswith(("✓", "✗", "Total:"))]
    shown = summary if done.returncode == 0 else done.stdout.splitlines()
    print("\n".join(shown))
    print(f"--- {title}: {'as expected' if done.returncode == 0 else 'FAILED'} in {time.monotonic() - began:.0f} s")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
