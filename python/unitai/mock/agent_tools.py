"""The tools that an agent has, beside those that a test mocks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from unitai._engine import example_of
from unitai.adapters.base import AgentTool, BaseAdapter
from unitai.errors import UnknownToolError

__all__ = ["check_known", "defaults", "routed"]


def check_known(agent: Any, adapter: BaseAdapter, mocked: Collection[str]) -> None:
    """Refuses the mock of a tool that the agent does not have: the real one, by its right name, is not mocked."""
    if not mocked or not adapter.knows_all_tools(agent):
        return
    tools = [_tool(tool) for tool in adapter.extract_tools(agent)]
    names = {name for tool in tools for name in tool.names}
    for mock in mocked:
        if mock in names:
            continue
        # Every start of a test would load it.
        from difflib import get_close_matches

        nearest = get_close_matches(mock, names, n=1)
        remedy = f'did you mean "{nearest[0]}"? ' if nearest else ""
        raise UnknownToolError(
            f"{mock} is mocked, but the agent has no tool of this name",
            expected=f"one of: {', '.join(tools) or 'none, it has no tools'}",
            found=mock,
            remedy=f'{remedy}A mock that not every agent needs: mock("{mock}", ..., optional=True)',
        )


def routed(agent: Any, adapter: BaseAdapter) -> list[str]:
    """The names of the agent's own tools whose calls the adapter redirects."""
    tools = [_tool(tool) for tool in adapter.extract_tools(agent)]
    return [name for tool in tools if tool.kind in ("tool", "mcp") for name in tool.names]


def defaults(agent: Any, adapter: BaseAdapter) -> dict[AgentTool, Any]:
    """What each tool of the agent could return, by its shape where that is known. Other agents are no tools to mock."""
    tools = [_tool(tool) for tool in adapter.extract_tools(agent)]
    found = {}
    for tool in tools:
        if tool.kind in ("tool", "mcp"):
            returns = tool.returns
            found[tool] = "ok" if not returns else example_of(returns)
    return found


def _tool(tool: str) -> AgentTool:
    return tool if isinstance(tool, AgentTool) else AgentTool(tool)
