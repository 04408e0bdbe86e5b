"""LangGraph, and agents of LangChain, which are its graphs.

Every tool of LangChain is called through `BaseTool.run` or `BaseTool.arun`, by whatever node, and with its arguments
still to be checked. In a run these call a copy of the tool whose inside asks the mock, so that checking arguments,
callbacks, the handling of errors and the form of the result stay the framework's.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any

from unitai._engine import enter_agent, leave_agent
from unitai.adapters.base import AgentTool, BaseAdapter
from unitai.adapters.frameworks import require
from unitai.adapters.ports import Session, ToolCall
from unitai.errors import WrongArgumentsError
from unitai.traffic.patches import Patch

__all__ = ["LangGraphAdapter", "redirects"]


class LangGraphAdapter(BaseAdapter):
    """Runs compiled graphs, and graphs that are not compiled yet.

    Args:
        config: The graph's configuration for the run, as `ainvoke` takes it.
    """

    name = "langgraph"
    handles = frozenset({"langgraph.pregel.main.Pregel", "langgraph.graph.state.StateGraph"})

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        self._config = config

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        return _compiled(agent)

    async def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        state = await wrapped_agent.ainvoke(_input(input), self._config)
        return _output(state)

    def extract_tools(self, agent: Any) -> list[str]:
        return list({str(tool): tool for tool in _tools(_compiled(agent))}.values())

    def knows_all_tools(self, agent: Any) -> bool:
        return bool(self.extract_tools(agent))


def _compiled(agent: Any) -> Any:
    return agent if hasattr(agent, "ainvoke") else agent.compile()


def _input(input: Any) -> Any:
    return {"messages": [("user", input)]} if isinstance(input, str) else input


def _output(state: Any) -> Any:
    messages = state.get("messages") if isinstance(state, dict) else None
    if not messages:
        return state
    text = messages[-1].text
    return text() if callable(text) and not isinstance(text, str) else text


def _tools(graph: Any) -> Iterator[AgentTool]:
    for node in graph.nodes.values():
        bound = getattr(node, "bound", None)
        for tool in getattr(bound, "tools_by_name", {}).values():
            yield AgentTool(tool.name, description=tool.description, schema=partial(_schema, tool))
        for inner in getattr(node, "subgraphs", None) or ([bound] if hasattr(bound, "nodes") else []):
            if hasattr(inner, "nodes"):
                yield from _tools(inner)


def _schema(tool: Any) -> dict[str, Any]:
    schema = tool.tool_call_schema
    return schema if isinstance(schema, dict) else schema.model_json_schema()


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    if module.__name__ == "langchain_core.tools.base":
        for name in ("run", "arun"):
            require(module.BaseTool, name, "langchain-core")
        return [Patch(module.BaseTool, "run", _run), Patch(module.BaseTool, "arun", _arun)]
    if module.__name__ == "langchain_core.tools.structured":
        return [Patch(module.StructuredTool, "ainvoke", _ainvoke)]
    if module.__name__ == "langgraph.pregel.main":
        require(module.Pregel, "astream", "langgraph")
        return [Patch(module.Pregel, "astream", _astream)]
    require(module.ToolNode, "_validate_tool_call", "langgraph-prebuilt")
    return [Patch(module.ToolNode, "_validate_tool_call", _validate)]


def _run(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(self, tool_input, *args, **options)
        mock = _Mocked(self, tool_input, session)
        return mock.called(lambda: original(mock.tool, tool_input, *args, **options))

    return run


def _arun(original: Callable[..., Any]) -> Callable[..., Any]:
    async def arun(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return await original(self, tool_input, *args, **options)
        mock = _Mocked(self, tool_input, session)
        return await mock.acalled(lambda: original(mock.tool, tool_input, *args, **options))

    return arun


def _ainvoke(original: Callable[..., Any]) -> Callable[..., Any]:
    async def ainvoke(self: Any, input: Any, config: Any = None, **options: Any) -> Any:
        if Session.here() is None:
            return await original(self, input, config, **options)
        # A tool that is not async would be called in another thread, and parallel ones in any order.
        return await _base_tool(self).ainvoke(self, input, config, **options)

    return ainvoke


def _base_tool(tool: Any) -> Any:
    return next(base for base in type(tool).__mro__ if base.__name__ == "BaseTool")


def _validate(original: Callable[..., Any]) -> Callable[..., Any]:
    def validate(self: Any, call: Any) -> Any:
        refusal = original(self, call)
        session = None if refusal is None else Session.here()
        if session is not None:
            session.reject(ToolCall(call["name"], dict(call["args"])), LookupError(str(refusal.content)))
        return refusal

    return validate


def _astream(original: Callable[..., Any]) -> Callable[..., Any]:
    async def astream(self: Any, *args: Any, **options: Any) -> Any:
        pieces = original(self, *args, **options)
        name = None if self.name == "LangGraph" else self.name
        while True:
            token = enter_agent(name) if name else None
            try:
                piece = await pieces.__anext__()
            except StopAsyncIteration:
                return
            finally:
                if token is not None:
                    leave_agent(token)
            yield piece

    return astream


class _Mocked:
    """One call of a tool, answered by the mock inside of the framework's own handling."""

    def __init__(self, tool: Any, tool_input: Any, session: Session) -> None:
        self._real = tool
        self._session = session
        self._is_asked = False
        given = tool_input if isinstance(tool_input, dict) else {"input": tool_input}
        self._call = ToolCall(tool.name, tool._filter_injected_args(given))
        self.tool = copy.copy(tool)
        if tool.args_schema is None:
            # It is taken from what the tool runs, which is another now.
            self.tool.__dict__["args_schema"] = tool.get_input_schema()
        # With the real signatures: the framework hands over a configuration where one is asked for.
        self.tool.__dict__["_run"] = wraps(tool._run)(self._run)
        self.tool.__dict__["_arun"] = wraps(tool._arun)(self._arun)

    def _run(self, *args: Any, **options: Any) -> Any:
        self._is_asked = True
        answer = self._session.answer(self._call, lambda: self._real._run(*args, **options))
        return asyncio.run(answer) if hasattr(type(answer), "__await__") else answer

    async def _arun(self, *args: Any, **options: Any) -> Any:
        self._is_asked = True
        answer = self._session.answer(self._call, lambda: self._real._arun(*args, **options))
        return await answer if hasattr(type(answer), "__await__") else answer

    def called(self, call: Callable[[], Any]) -> Any:
        try:
            answer = call()
        except Exception as error:
            self._refused(error)
            raise
        self._refused(answer)
        return answer

    async def acalled(self, call: Callable[[], Any]) -> Any:
        try:
            answer = await call()
        except Exception as error:
            self._refused(error)
            raise
        self._refused(answer)
        return answer

    def _refused(self, why: Any) -> None:
        """Writes down what the framework refused without asking the tool."""
        if not self._is_asked:
            error = why if isinstance(why, Exception) else WrongArgumentsError(str(getattr(why, "content", why)))
            self._session.reject(self._call, error)
