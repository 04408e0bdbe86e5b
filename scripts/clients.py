"""Runs the tests of model traffic with the real clients, in two environments that have the wheel: two, because
OpenAI's SDK has two releases in use and LiteLLM does not take the newer one. A cluster of Dask is tried, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import matrix

TESTS = (
    "tests/contract/clients",
    "tests/integration/traffic",
    "tests/integration/test_dask.py",
)
DASK = "distributed>=2023.5"
#: Python, best first: all clients have wheels for these.
VERSIONS = ("3.12", "3.13", "3.11", "3.10", matrix.MINE)


class Environment(NamedTuple):
    """One set of clients that fit together."""

    name: str
    #: The clients that the tests must find, and what to install for them.
    clients: dict[str, str]
    #: What else is installed: other ways to send a request, and codecs.
    others: tuple[str, ...]


ENVIRONMENTS = (
    Environment(
        "wheel-clients",
        {
            "openai": "openai>=3",
            "anthropic": "anthropic>=2",
            "google-genai": "google-genai>=3",
            "mistralai": "mistralai>=3",
            "ollama": "ollama>=0.6",
            "boto3": "boto3>=1.44",
            "langchain-openai": "langchain-openai>=1.7",
            "langchain-anthropic": "langchain-anthropic>=1.7",
        },
        ("httpx", "httpx2", "aiohttp", "requests", "brotli", "zstandard", DASK),
    ),
    Environment(
        "wheel-clients-openai2",
        # Newer releases of LiteLLM need the package mcp as soon as tools are passed.
        {"openai": "openai>=2,<3", "litellm": "litellm<1.106", "boto3": "boto3>=1.44"},
        ("httpx", "aiohttp", "requests", "brotli", "zstandard"),
    ),
)


def main() -> int:
    python = next((path for path in map(matrix.interpreter, VERSIONS) if path is not None), None)
    if python is None:
        print(f"error: no Python of {', '.join(VERSIONS)} was found")
        return 1
    wheel = newest_wheel() or matrix.build()
    failed = [environment.name for environment in ENVIRONMENTS if not test(environment, python, wheel)]
    if failed:
        print(f"error: the tests failed in {', '.join(failed)}")
    return 1 if failed else 0


def newest_wheel() -> Path | None:
    """The wheel that `matrix.py` built, if no source has changed since."""
    wheels = sorted((matrix.ROOT / "target" / "wheels-under-test").glob("*.whl"))
    if len(wheels) != 1:
        return None
    built = wheels[0].stat().st_mtime
    folders = ("crates", "python", "Cargo.toml", "pyproject.toml")
    sources = (path for folder in folders for path in [matrix.ROOT / folder, *(matrix.ROOT / folder).rglob("*")])
    is_stale = any(
        path.suffix in (".rs", ".py", ".pyi", ".toml", ".json") and path.stat().st_mtime > built for path in sources
    )
    return None if is_stale else wheels[0]


def test(environment: Environment, python: Path, wheel: Path) -> bool:
    """Whether the tests pass with these clients, none of which may be missing."""
    began = time.monotonic()
    needs = [*environment.clients.values(), *environment.others, *matrix.NEEDS]
    mine = matrix.environment(environment.name, python, needs, wheel)
    installed = time.monotonic()
    print(f"--- {environment.name}: installed in {installed - began:.0f} s", flush=True)
    promised = {
        **os.environ,
        "TESTS_REQUIRE_CLIENTS": ",".join(environment.clients),
    }
    if DASK in environment.others:
        promised["TESTS_REQUIRE_DASK"] = "1"
    command = [mine, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "auto", *TESTS]
    done = subprocess.run(command, cwd=matrix.ROOT, env=promised, check=False)
    print(f"--- {environment.name}: tested in {time.monotonic() - installed:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
