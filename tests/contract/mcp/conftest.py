"""The servers that `make mcp` has installed, and a project to drive them from."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
from pathlib import Path

import pytest
from projects import COMMAND
from yaml_project import YamlProject

#: Where the YAML tests are.
TESTS = Path(__file__).parent / "tests"


class Servers(YamlProject):
    """A project whose YAML tests use real servers."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.variables = {"UNITAI": str(COMMAND), "TOLD": "told"}

    def test(self, name: str, protocol: str) -> str:
        """Takes one of the YAML tests, for a version of the protocol."""
        text = (TESTS / f"{name}.yaml").read_text(encoding="utf-8")
        assert 'protocol: ""' in text
        self.yaml(text.replace('protocol: ""', f'protocol: "{protocol}"'), f"{name}.yaml")
        return f"tests/llm/{name}.yaml"

    def environment(self, **variables: str) -> dict[str, str]:
        return super().environment(**{**self.variables, **variables})

    def has(self, server: str) -> list[str]:
        """The command of a server; the test is skipped where it is not there."""
        told = os.environ.get("TESTS_MCP_SERVERS")
        if told is None:
            pytest.skip("real MCP servers are not here; `make mcp` brings them")
        command = json.loads(told)[server]
        if isinstance(command, str):
            pytest.skip(f"{server}: {command}")
        return command

    def passes(self, name: str, protocol: str) -> None:
        """Runs a YAML test by pytest and by the command, and expects it to pass."""
        path = self.test(name, protocol)
        code, out = self.run("pytest", "-v", path)
        assert code == 0 and re.search(r"::.* PASSED", out), out
        code, out = self.run("command, verbose", path)
        assert code == 0 and "1 passed" in out, out


@pytest.fixture
def project(tmp_path):
    made = Servers(tmp_path)
    yield made
    # No server outlives its test.
    assert made.left() == []


@pytest.fixture
def everything_url(project):
    """Where server-everything is, over HTTP."""
    command = project.has("everything")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {**os.environ, "PORT": str(port)}
    with subprocess.Popen(
        [*command, "streamableHttp"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as served:
        try:
            until = time.monotonic() + 60
            while not _is_open(port):
                assert served.poll() is None and time.monotonic() < until, "server-everything did not start"
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            served.kill()


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
