"""A server of tools in a process of its own. It writes into the file that it is given when a tool really runs."""

from __future__ import annotations

import sys
from pathlib import Path

try:
    from mcp.server.mcpserver import MCPServer
except ModuleNotFoundError:
    from mcp.server.fastmcp import FastMCP as MCPServer

server = MCPServer("shop")


@server.tool()
def track_parcel(parcel_id: str, days: int = 1) -> str:
    """Say where a parcel is."""
    with Path(sys.argv[1]).open("a", encoding="utf-8") as file:
        file.write(f"track_parcel {parcel_id} {days}\n")
    return "really in a van"


if __name__ == "__main__":
    server.run()
