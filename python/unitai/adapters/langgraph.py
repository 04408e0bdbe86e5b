"""LangGraph, and agents of LangChain, which are its graphs.

Every tool of LangChain is called through `BaseTool.run` or `BaseTool.arun`, by whatever node: `langgraph_tools.py` gets
in there. A graph runs node by node, which tells who speaks, what changed and where it would be kept:
`langgraph_graphs.py`. A run is whole inside of the framework: nothing of the agent is copied, and nothing is changed.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from unitai.adapters.base import AgentTool, BaseAdapter
from unitai.adapters.frameworks import require
from unitai.adapters.langgraph_graphs import (
    InMemory,
    astream,
    chosen_executor,
    loop_after_tick,
    loop_tick,
    node,
    node_async,
    runner_tick,
    stream,
)
from unitai.adapters.langgraph_insides import arguments, getattribute
from unitai.adapters.langgraph_listing import are_all_known, tools_of
from unitai.adapters.langgraph_models import METHODS, agenerate, amodel_stream, asked, generate, model_stream
from unitai.adapters.langgraph_tools import (
    ainvoke,
    aremote,
    aremote_stream,
    arun,
    remote,
    remote_stream,
    run,
    untraced,
    validate,
)
from unitai.adapters.ports import Session
from unitai.traffic.patches import Patch

__all__ = ["LangGraphAdapter", "redirects"]


class LangGraphAdapter(BaseAdapter):
    """Runs compiled graphs, graphs that are not compiled yet, and functions with `@entrypoint`.

    Args:
        config: The graph's configuration for the run, as `ainvoke` takes it. A graph with a checkpointer that is given
            no `thread_id` gets one of its own for each run.
        sync: Call `invoke`, for agents that are made for it: with nodes or middleware that cannot be awaited, and for
            those that ask for their configuration, as interrupts do, on Python 3.10.
        options: Whatever else `ainvoke` takes: `context`, `interrupt_before`, `durability`.
    """

    name = "langgraph"
    handles = frozenset({"langgraph.pregel.main.Pregel", "langgraph.graph.state.StateGraph"})

    def __init__(self, config: dict[str, Any] | None = None, *, sync: bool = False, **options: Any) -> None:
        self._config = config
        self._is_sync = sync
        self._options = options

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        return _compiled(agent)

    def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        config = self._config
        if wrapped_agent.checkpointer:
            named = {"thread_id": str(uuid4()), **(config or {}).get("configurable", {})}
            config = {**(config or {}), "configurable": named}
        given = _input(wrapped_agent, input)
        if self._is_sync:
            return _output(wrapped_agent.invoke(given, config, **self._options))

        async def run() -> Any:
            return _output(await wrapped_agent.ainvoke(given, config, **self._options))

        return run()

    def extract_tools(self, agent: Any) -> list[AgentTool]:
        return tools_of(_compiled(agent))

    def knows_all_tools(self, agent: Any) -> bool:
        return are_all_known(_compiled(agent))


def _compiled(agent: Any) -> Any:
    return agent if hasattr(agent, "ainvoke") else agent.compile()


def _input(graph: Any, input: Any) -> Any:
    is_chat = isinstance(input, str) and "messages" in graph.channels
    return {"messages": [("user", input)]} if is_chat else input


def _output(state: Any) -> Any:
    """What the agent says in the end; what it waits for, where it was interrupted."""
    if not isinstance(state, dict):
        return state
    if "__interrupt__" in state:
        return state["__interrupt__"]
    if state.get("structured_response") is not None:
        return state["structured_response"]
    messages = state.get("messages")
    text = getattr(messages[-1], "text", None) if messages and isinstance(messages, list) else None
    if text is None:
        return state
    return text if isinstance(text, str) else text()


#: What is replaced: in which module, in which of its classes, of which distribution, and by what.
_REDIRECTS: tuple[tuple[str, str | None, str, dict[str, Any]], ...] = (
    (
        "langchain_core.tools.base",
        "BaseTool",
        "langchain-core",
        {"run": run, "arun": arun, "__getattribute__": getattribute, "_to_args_and_kwargs": arguments},
    ),
    ("langchain_core.tools.structured", "StructuredTool", "langchain-core", {"ainvoke": ainvoke}),
    ("langchain_core.tools.simple", "Tool", "langchain-core", {"ainvoke": ainvoke}),
    (
        "langchain_core.language_models.chat_models",
        "BaseChatModel",
        "langchain-core",
        {
            "generate": generate,
            "agenerate": agenerate,
            "stream": model_stream,
            "astream": amodel_stream,
            "__getattribute__": asked,
        },
    ),
    ("langchain_core.language_models.llms", "BaseLLM", "langchain-core", {"__getattribute__": asked}),
    ("langsmith.utils", None, "langsmith", {"tracing_is_enabled": untraced}),
    ("langgraph.prebuilt.tool_node", "ToolNode", "langgraph-prebuilt", {"_validate_tool_call": validate}),
    ("langgraph.prebuilt.tool_node", None, "langgraph-prebuilt", {"get_executor_for_config": chosen_executor}),
    (
        "langgraph.pregel.main",
        "Pregel",
        "langgraph",
        {
            "stream": stream,
            "astream": astream,
            "checkpointer": InMemory.of("checkpointer"),
            "store": InMemory.of("store"),
            "cache": InMemory.of("cache"),
        },
    ),
    ("langgraph.pregel._runner", None, "langgraph", {"run_with_retry": node, "arun_with_retry": node_async}),
    ("langgraph.pregel._runner", "PregelRunner", "langgraph", {"tick": runner_tick}),
    ("langgraph.pregel._loop", "PregelLoop", "langgraph", {"tick": loop_tick, "after_tick": loop_after_tick}),
    (
        "langgraph.pregel.remote",
        "RemoteGraph",
        "langgraph",
        {"invoke": remote, "ainvoke": aremote, "stream": remote_stream, "astream": aremote_stream},
    ),
)
#: What is called of these classes, and was not always there.
_USED: dict[str | None, tuple[str, ...]] = {
    "BaseTool": ("_filter_injected_args",),
    "BaseChatModel": METHODS,
    "BaseLLM": METHODS,
    "ToolNode": ("tools_by_name",),
}


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    patches: list[Patch] = []
    for name, owner, distribution, replaced in _REDIRECTS:
        if name != module.__name__:
            continue
        place = module if owner is None else getattr(module, owner)
        for attribute in (*replaced, *_USED.get(owner, ())):
            require(place, attribute, distribution)
        patches += [Patch(place, attribute, make) for attribute, make in replaced.items()]
    return patches
