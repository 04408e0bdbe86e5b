"""The first test that `unitai init` writes passes at once, with the framework it is written with: no key, no network.

Run where the framework is installed: `make test-adapters` says which must be found.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from projects import clean_environment

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"
#: The module of each, by its word on the command line.
FRAMEWORKS = {
    "generic": "unitai",
    "openai": "openai",
    "langgraph": "langgraph",
    "openai-agents": "agents",
    "pydantic-ai": "pydantic_ai",
    "semantic-kernel": "semantic_kernel",
    "agent-framework": "agent_framework",
    "google-adk": "google.adk",
    "crewai": "crewai",
}
REQUIRED = set(filter(None, os.environ.get("TESTS_REQUIRE_FRAMEWORKS", "").split(",")))

# Every way out of this machine is closed before the first test is collected.
NO_NETWORK = """
import socket

def refuse(*args, **kwargs):
    raise AssertionError(f"something wanted to leave this machine: {args}")

socket.getaddrinfo = socket.create_connection = refuse
"""


def is_here(module):
    """Whether a module is installed, whose parent may not be."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_first_test_passes(framework, tmp_path):
    if not is_here(FRAMEWORKS[framework]):
        assert framework not in REQUIRED, f"{framework} should be installed here"
        pytest.skip(f"{framework} is not installed")
    known = clean_environment(keys=False, PYTEST_ADDOPTS="")
    quiet = {name: value for name, value in known.items() if not name.endswith(("_proxy", "_PROXY"))}
    options = {"cwd": tmp_path, "env": quiet, "capture_output": True, "text": True, "timeout": 300}
    made = subprocess.run([COMMAND, "init", "--framework", framework], check=False, **options)
    assert made.returncode == 0, made.stderr
    (tmp_path / "conftest.py").write_text(NO_NETWORK, encoding="utf-8")
    done = subprocess.run([COMMAND, "test", "-p", "no:cacheprovider"], check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "failed" not in done.stdout
    # Parts that need more than the framework may be skipped, but not where all of it is installed.
    assert "skipped" not in done.stdout or framework not in REQUIRED
