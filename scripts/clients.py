"""Runs the tests of model traffic with the real clients, in environments that have the wheel: two, because OpenAI's SDK
has two generations in use and LiteLLM does not take the newer one. A cluster of Dask is tried, too.

    python scripts/clients.py                    # the current clients, and LiteLLM with the OpenAI SDK that it takes
    python scripts/clients.py openai litellm     # the suite of clients with these alone
    python scripts/clients.py --all              # everything with the older generation, too
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import NamedTuple

import environments
import python_suite

#: What every client must do,
SUITE = "tests/contract/clients"
#: also against a provider like the real ones, recorded and replayed.
RECORDINGS = "tests/integration/traffic/test_recordings.py"
#: What holds for all HTTP clients, a cluster, and an agent on an SDK.
TRAFFIC = ("tests/integration/traffic", "tests/integration/test_dask.py", "tests/integration/test_simple_agent.py")
DASK = "distributed>=2023.5"


class Environment(NamedTuple):
    """One set of clients that fit together."""

    name: str
    #: The clients that the tests must find, and what to install for them.
    clients: dict[str, str]
    #: What else is installed: other ways to send a request, and codecs.
    others: tuple[str, ...]


CURRENT = Environment(
    "wheel-clients",
    {
        "openai": "openai>=3",
        "anthropic": "anthropic>=2",
        "google-genai": "google-genai>=3",
        "mistralai": "mistralai>=3",
        "ollama": "ollama>=0.6",
        "boto3": "boto3>=1.44",
        "cohere": "cohere>=7",
        "langchain-openai": "langchain-openai>=1.7",
        "langchain-anthropic": "langchain-anthropic>=1.7",
    },
    # xai-sdk brings gRPC; starlette has the client with which applications are tested.
    (
        "httpx",
        "httpx2",
        "aiohttp",
        "requests",
        "brotli",
        "zstandard",
        "h2",
        "xai-sdk>=1.21",
        "google-auth",
        "starlette",
        DASK,
    ),
)
OLDER = Environment(
    "wheel-clients-openai2",
    # Newer releases of LiteLLM need the package mcp as soon as tools are passed.
    {"openai": "openai>=2,<3", "litellm": "litellm<1.106", "boto3": "boto3>=1.44"},
    ("httpx", "aiohttp", "requests", "brotli", "zstandard"),
)
#: Google's own SDK of Vertex AI, which is large.
VERTEX = Environment("wheel-clients-vertex", {}, ("google-cloud-aiplatform>=1.150",))


def main() -> int:
    known = list(dict.fromkeys([*CURRENT.clients, *OLDER.clients]))
    named, is_all = environments.named(known, "client"), "--all" in sys.argv
    current = [name for name in named if name in CURRENT.clients]
    # Without `--all`, only what has no place among the current clients.
    older = [name for name in named or known if name in OLDER.clients and (is_all or name not in CURRENT.clients)]
    everything = (SUITE, *TRAFFIC)
    runs = [
        (CURRENT, (SUITE, RECORDINGS) if named else everything, current),
        (OLDER, everything if is_all and not named else (SUITE, RECORDINGS), older),
    ]
    if is_all and not named:
        runs.append((VERTEX, ("tests/integration/traffic/test_grpc.py",), []))
    failed = [
        environment.name
        for environment, tests, only in runs
        if (only or not named) and not test(environment, tests, only)
    ]
    if failed:
        print(f"error: the tests failed in {', '.join(failed)}")
    return 1 if failed else 0


def test(environment: Environment, tests: tuple[str, ...], only: list[str]) -> bool:
    """Whether the tests pass with these clients, none of which may be missing. `only`: those that the suite tries."""
    began = time.monotonic()
    needs = [*environment.clients.values(), *environment.others, *python_suite.NEEDS]
    mine = environments.environment(environment.name, environments.preferred(), needs, environments.wheel())
    installed = time.monotonic()
    print(f"--- {environment.name}: installed in {installed - began:.0f} s", flush=True)
    promised = {
        **os.environ,
        "TESTS_REQUIRE_CLIENTS": ",".join(environment.clients),
        "TESTS_ONLY_CLIENTS": ",".join(only),
    }
    if DASK in environment.others:
        promised["TESTS_REQUIRE_DASK"] = "1"
    command = [mine, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(python_suite.WORKERS), *tests]
    done = subprocess.run(command, cwd=environments.ROOT, env=promised, check=False)
    print(f"--- {environment.name}: tested in {time.monotonic() - installed:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
