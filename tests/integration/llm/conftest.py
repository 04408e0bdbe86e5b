"""The host of plugins, ended with its test, and a project that somebody judges."""

from __future__ import annotations

import pytest
from judged_project import JudgedProject
from plugin_host import Host
from yaml_project import DIARY


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


@pytest.fixture
def judged(tmp_path):
    """A project whose judge is scripted, with the plugin that keeps a diary."""
    project = JudgedProject(tmp_path)
    project.plugin("diary", DIARY)
    return project
