"""A server of tools in this process, and the ways in which the installed release of the package mcp connects to it.

`make mcp` makes environments with both generations of the package.
"""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec

import pytest

#: What the environment promises to have: nothing of it is skipped.
REQUIRED = set(filter(None, os.environ.get("TESTS_REQUIRE_MCP_CLIENTS", "").split(",")))
HAS_MCP = find_spec("mcp") is not None or "mcp" in REQUIRED
#: The real tools that were called.
RAN: list[str] = []


def requires(module: str) -> pytest.MarkDecorator:
    """Skips where a package is missing that the environment does not promise."""
    is_missing = module not in REQUIRED and find_spec(module) is None
    return pytest.mark.skipif(is_missing, reason=f"needs {module}: make mcp")


def make_server():
    try:
        made = import_module("mcp.server.mcpserver").MCPServer("shop")
    except ModuleNotFoundError:
        made = import_module("mcp.server.fastmcp").FastMCP("shop")

    @made.tool()
    def refund(order_id: str, amount: int = 1) -> str:
        """Pay an order back."""
        RAN.append("refund")
        return f"really refunded {order_id}"

    @made.tool()
    def lookup(order_id: str) -> dict[str, str]:
        """Find an order."""
        RAN.append("lookup")
        return {"order_id": order_id, "status": "really delivered"}

    return made


@asynccontextmanager
async def by_client():
    async with import_module("mcp").Client(make_server()) as client:
        yield client


@asynccontextmanager
async def by_session():
    if IS_SECOND:
        async with by_client() as client:
            yield client.session
    else:
        connect = import_module("mcp.shared.memory").create_connected_server_and_client_session
        async with connect(make_server()._mcp_server) as session:
            yield session


#: The second generation of the package has a client around its session.
IS_SECOND = HAS_MCP and hasattr(import_module("mcp"), "Client")
CONNECTIONS = {"session": by_session, **({"client": by_client} if IS_SECOND else {})}


def plain(result) -> dict:
    """A result in the words of the protocol, which both generations write alike."""
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


def texts(result) -> list[str]:
    return [block.text for block in result.content]
