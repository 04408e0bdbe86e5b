"""Which tools a graph of LangGraph has: those of its nodes, of graphs in them, and of what their functions refer to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from inspect import unwrap
from types import FunctionType, MethodType
from typing import Any, get_type_hints

from unitai.adapters.base import AgentTool
from unitai.adapters.langgraph_graphs import is_kind_of, is_tool_node, named
from unitai.adapters.langgraph_models import hosted_name
from unitai.adapters.langgraph_tools import aliases, is_agent, remote_name

__all__ = ["are_all_known", "tools_of"]

#: Nodes that these make call no tools but those that they show.
_MAKERS = ("langchain.", "langgraph.", "langgraph_supervisor.", "langgraph_swarm.")
#: How far functions are followed: a node's function, and one that it calls.
_DEPTH = 2


def tools_of(graph: Any) -> list[AgentTool]:
    """Every tool that can be found without running the graph, each name once."""
    found: dict[str, AgentTool] = {}
    for tool in _in_graph(graph, named(graph), set()):
        found.setdefault(str(tool), tool)
    return list(found.values())


def are_all_known(graph: Any) -> bool:
    """Whether nothing but the framework decides what is called."""
    return all(
        _is_known(node.bound) and all(are_all_known(inner) for inner in _graphs(node))
        for name, node in graph.nodes.items()
        if name != "__start__"
    )


def _is_known(bound: Any) -> bool:
    if is_tool_node(bound):
        wrappers = (getattr(bound, name, None) for name in ("_wrap_tool_call", "_awrap_tool_call"))
        return all(wrapper is None for wrapper in wrappers)
    if is_kind_of(bound, "Pregel"):
        return True
    call = getattr(bound, "func", None) or getattr(bound, "afunc", None)
    return (getattr(call, "__module__", None) or "").startswith(_MAKERS)


def _graphs(node: Any) -> list[Any]:
    inner = [node.bound, *(getattr(node, "subgraphs", None) or ())]
    return [each for each in inner if is_kind_of(each, "Pregel")]


def _in_graph(graph: Any, agent: str | None, seen: set[int]) -> Iterator[AgentTool]:
    if id(graph) in seen:
        return
    seen.add(id(graph))
    nodes = [(name, node) for name, node in graph.nodes.items() if name != "__start__"]
    # What is certain comes first: a function may refer to a tool of another agent.
    for name, node in nodes:
        for inner in _graphs(node):
            yield from _in_graph(inner, named(inner) or name, seen)
        if hasattr(node.bound, "tools_by_name"):
            yield from _in(node.bound, agent, seen, 0)
    for name, node in nodes:
        yield from _in(node.bound, agent or name, seen, 0)


def _in(thing: Any, agent: str | None, seen: set[int], depth: int) -> Iterator[AgentTool]:
    """The tools that something is, has, or refers to."""
    if is_kind_of(thing, "BaseTool"):
        yield _tool(thing, agent)
    elif is_kind_of(thing, "Pregel"):
        yield from _in_graph(thing, named(thing) or agent, seen)
    elif hasattr(type(thing), "tools_by_name"):
        yield from (_tool(tool, agent) for tool in thing.tools_by_name.values())
    elif is_kind_of(thing, "RemoteGraph"):
        yield AgentTool(remote_name(thing), kind="agent", agent_id=agent)
    elif hosted_name(thing) is not None:
        yield AgentTool(str(hosted_name(thing)), kind="hosted", agent_id=agent)
    elif isinstance(thing, FunctionType):
        if id(thing) not in seen and depth < _DEPTH:
            seen.add(id(thing))
            for each in _referred(unwrap(thing)):
                yield from _in(each, agent, seen, depth + 1)
    else:
        for part in _parts(thing):
            yield from _in(part, agent, seen, depth)


def _parts(thing: Any) -> list[Any]:
    if isinstance(thing, (list, tuple)):
        return [
            each
            for each in thing
            if isinstance(each, dict) or is_kind_of(each, "BaseTool") or is_kind_of(each, "Pregel")
        ]
    if isinstance(thing, dict):
        return [each for each in thing.values() if is_kind_of(each, "BaseTool") or is_kind_of(each, "Pregel")]
    if isinstance(thing, MethodType):
        is_its = is_kind_of(thing.__self__, "BaseTool") or is_kind_of(thing.__self__, "Pregel")
        return [thing.__self__ if is_its else thing.__func__]
    if is_kind_of(thing, "Runnable"):
        parts = [getattr(thing, name, None) for name in ("func", "afunc", "bound")]
        bound = getattr(thing, "kwargs", {}).get("tools") if is_kind_of(thing, "RunnableBinding") else None
        return [*parts, *(getattr(thing, "steps", None) or ()), *(bound or ())]
    return []


def _referred(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue  # It is not filled yet.
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield function.__globals__[name]


def _tool(tool: Any, agent: str | None) -> AgentTool:
    return AgentTool(
        tool.name,
        description=tool.description,
        schema=partial(_schema, tool),
        returns=partial(_returns, tool),
        aliases=aliases(tool),
        kind="agent" if is_agent(tool) else "tool",
        agent_id=agent,
    )


def _schema(tool: Any) -> dict[str, Any]:
    schema = tool.tool_call_schema
    return schema if isinstance(schema, dict) else schema.model_json_schema()


def _returns(tool: Any) -> dict[str, Any] | None:
    if tool.response_format != "content":
        return None
    call = getattr(tool, "coroutine", None) or getattr(tool, "func", None) or type(tool)._run
    try:
        hint = get_type_hints(call)["return"]
        if hint is Any or is_kind_of(hint, "Command") or getattr(hint, "__name__", "") == "Command":
            return None
        schema: dict[str, Any] = import_module("pydantic").TypeAdapter(hint).json_schema()
    except Exception:
        return None  # There is no word of it, or none that JSON knows.
    return schema
