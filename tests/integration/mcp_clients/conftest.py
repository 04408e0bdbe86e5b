"""Tests of tools that are called at MCP clients, with whatever generation of the package mcp is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from mcp_connections import CONNECTIONS, HAS_MCP, RAN


@pytest.fixture(autouse=True)
def ran():
    """The real tools that were called: none yet. Without the package, nothing is tested here."""
    if not HAS_MCP:
        pytest.skip("needs the package mcp: make mcp")
    RAN.clear()
    return RAN


@pytest.fixture(params=CONNECTIONS)
def connect(request):
    """A way to the server."""
    return CONNECTIONS[request.param]
