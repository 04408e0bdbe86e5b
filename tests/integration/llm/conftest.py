"""The host of plugins, ended with its test."""

from __future__ import annotations

import pytest
from plugin_host import Host


@pytest.fixture
def host(tmp_path):
    """Starts a host: `host(name="text of a plugin")`."""
    hosts: list[Host] = []

    def start(**plugins: str) -> Host:
        hosts.append(Host(tmp_path, **plugins))
        return hosts[-1]

    yield start
    for each in hosts:
        each.kill()
