"""How tools of LangChain are called: by `BaseTool.run` or `BaseTool.arun`, with their arguments still to be checked.

In a run these call a copy of the tool whose inside asks the mock, so that checking arguments, callbacks, the handling
of errors and the form of the result stay the framework's. What runs elsewhere, at the model's provider or on a server
of graphs, is asked for before it is called.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from functools import wraps
from inspect import getclosurevars
from typing import Any
from weakref import WeakKeyDictionary

from unitai.adapters.awaiting import awaited, waited
from unitai.adapters.langgraph_graphs import agent_here, is_in_run, is_kind_of, note_reached, within
from unitai.adapters.ports import Session, StateChange, ToolCall
from unitai.errors import WrongArgumentsError

__all__ = [
    "ainvoke",
    "aliases",
    "aremote",
    "aremote_stream",
    "arun",
    "base_tool",
    "is_agent",
    "remote",
    "remote_name",
    "remote_stream",
    "run",
    "untraced",
    "validate",
]

#: How the makers of supervisors and swarms mark the tools by which agents hand over.
_HANDOFF = "__handoff_destination"
#: What tools take that are classes of their own. Making it is slow.
_schemas: WeakKeyDictionary[type, Any] = WeakKeyDictionary()


def run(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseTool.run`."""

    def run(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        # Code of the agent's own may call a tool by itself. It is the graph that makes a framework's agent.
        session = Session.here(is_framework=False)
        if session is None:
            return original(self, tool_input, *args, **options)
        called = _Called(self, tool_input, options.get("tool_call_id"), session)
        try:
            answer = original(called.tool, tool_input, *args, **options)
        except Exception as error:
            called.ended(error)
            raise
        called.ended(answer)
        return answer

    return run


def arun(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseTool.arun`."""

    async def arun(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        session = Session.here(is_framework=False)
        if session is None:
            return await original(self, tool_input, *args, **options)
        called = _Called(self, tool_input, options.get("tool_call_id"), session)
        try:
            answer = await original(called.tool, tool_input, *args, **options)
        except Exception as error:
            called.ended(error)
            raise
        called.ended(answer)
        return answer

    return arun


def base_tool(tool: Any) -> Any:
    """The framework's class of all tools, as this one inherits from it."""
    return next(base for base in type(tool).__mro__ if base.__name__ == "BaseTool")


def ainvoke(original: Callable[..., Any]) -> Callable[..., Any]:
    """`ainvoke` of a tool that may not be async."""

    async def ainvoke(self: Any, input: Any, config: Any = None, **options: Any) -> Any:
        if not is_in_run():
            return await original(self, input, config, **options)
        # It would be called in another thread, and parallel ones in any order.
        return await base_tool(self).ainvoke(self, input, config, **options)

    return ainvoke


def aliases(tool: Any) -> tuple[str, ...]:
    """The name of a tool at its MCP server, where that of the server stands before it here."""
    caller = getattr(tool, "coroutine", None)
    if caller is None or getattr(caller, "__module__", None) != "langchain_mcp_adapters.tools":
        return ()
    name = getattr(getclosurevars(caller).nonlocals.get("tool"), "name", tool.name)
    return () if name == tool.name else (name,)


class _Called:
    """One call of a tool, answered by the mock inside of the framework's own handling."""

    def __init__(self, tool: Any, tool_input: Any, tool_call_id: str | None, session: Session) -> None:
        self._real = tool
        self._session = session
        self._id = tool_call_id
        note_reached(tool_call_id)
        self._is_asked = self._is_real = False
        given = tool_input if isinstance(tool_input, dict) else {"input": tool_input}
        args = tool._filter_injected_args(given)
        self._call = ToolCall(tool.name, args, aliases=aliases(tool), schema=_unchecked(tool), is_agent=is_agent(tool))
        self.tool = copy.copy(tool)

        # Not by way of the redirect, which asks who reads them.
        real_run, real_arun = object.__getattribute__(tool, "_run"), object.__getattribute__(tool, "_arun")

        # With the real signatures: the framework hands over a configuration where one is asked for.
        @wraps(real_run)
        def run(*args: Any, **options: Any) -> Any:
            def real() -> Any:
                with within(tool.name):
                    self._is_real = True
                    return real_run(*args, **options)

            return self._formed(waited(self._answer(real)))

        @wraps(real_arun)
        async def arun(*args: Any, **options: Any) -> Any:
            async def real() -> Any:
                with within(tool.name):
                    self._is_real = True
                    return await real_arun(*args, **options)

            answer = self._answer(real)
            return self._formed(await awaited(answer))

        self.tool.__dict__["_run"] = run
        self.tool.__dict__["_arun"] = arun

    def _answer(self, real: Callable[[], Any]) -> Any:
        self._is_asked = True
        return self._session.answer(self._call, real)

    def _formed(self, answer: Any) -> Any:
        """The answer as the framework takes it from a tool: a mock says what matters, and no more."""
        if self._real.response_format == "content_and_artifact":
            is_whole = self._is_real or (isinstance(answer, tuple) and len(answer) == 2)
            return answer if is_whole else (answer, None)
        if not is_kind_of(answer, "Command"):
            return answer
        for goal in _goals(answer):
            self._session.note(StateChange("agent", agent_here(), goal))
        return answer if self._is_real else self._told(answer)

    def _told(self, command: Any) -> Any:
        """The command with a message that answers the call, which the framework insists on."""
        update = {} if command.update is None else command.update
        if command.graph is not None or self._id is None or not isinstance(update, dict):
            return command
        messages = update.get("messages") or []
        messages = list(messages) if isinstance(messages, (list, tuple)) else [messages]
        if any(getattr(message, "tool_call_id", None) == self._id for message in messages):
            return command
        from importlib import import_module

        message = import_module("langchain_core.messages").ToolMessage
        messages.append(message("ok", name=self._real.name, tool_call_id=self._id))
        return dataclasses.replace(command, update={**update, "messages": messages})

    def ended(self, how: Any) -> None:
        """Writes down what the framework refused without asking the tool."""
        if not self._is_asked:
            error = how if isinstance(how, Exception) else WrongArgumentsError(str(getattr(how, "content", how)))
            self._session.reject(self._call, error)


def _unchecked(tool: Any) -> Any:
    """What a tool takes, where the framework does not check it: that is only done by classes made for it."""
    if isinstance(tool.args_schema, dict):
        return tool.args_schema
    if tool.args_schema is not None or is_kind_of(tool, "Tool"):
        return None
    kind = type(tool)
    if kind not in _schemas:
        schema = tool.get_input_schema().model_json_schema()
        # A parameter of the framework's own among them is not the model's to give.
        _schemas[kind] = None if "config" in schema.get("properties", ()) else schema
    return _schemas[kind]


def is_agent(tool: Any) -> bool:
    """Whether a tool is another agent, or how to hand over to one, and nothing else."""
    if _HANDOFF in (tool.metadata or {}):
        return True
    # `graph.as_tool()` keeps the graph in what it calls.
    call: Any = tool.__dict__.get("func")
    if is_kind_of(getattr(call, "__self__", None), "Pregel"):
        return True
    is_made = getattr(call, "__module__", None) == "langchain_core.tools.convert"
    return is_made and any(is_kind_of(cell.cell_contents, "Pregel") for cell in call.__closure__ or ())


def _goals(command: Any) -> Iterator[str]:
    """The agents that a command hands over to."""
    if command.graph != "__parent__":
        return
    for goal in command.goto if isinstance(command.goto, (list, tuple)) else [command.goto]:
        name = getattr(goal, "node", goal)
        if isinstance(name, str) and name != "__end__":
            yield name


def validate(original: Callable[..., Any]) -> Callable[..., Any]:
    """`ToolNode._validate_tool_call`, which knows the tools that the model made up."""

    def validate(self: Any, call: Any) -> Any:
        refusal = original(self, call)
        session = None if refusal is None else Session.here()
        if session is not None:
            note_reached(call["id"])
            session.reject(ToolCall(call["name"], dict(call["args"])), LookupError(str(refusal.content)))
        return refusal

    return validate


def remote(original: Callable[..., Any]) -> Callable[..., Any]:
    """`RemoteGraph.invoke`: an agent on a server, with tools that cannot be reached."""

    def invoke(self: Any, input: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(self, input, *args, **options)
        return waited(session.answer(_remote_call(self, input), lambda: original(self, input, *args, **options)))

    return invoke


def aremote(original: Callable[..., Any]) -> Callable[..., Any]:
    """`RemoteGraph.ainvoke`."""

    async def ainvoke(self: Any, input: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return await original(self, input, *args, **options)
        answer = session.answer(_remote_call(self, input), lambda: original(self, input, *args, **options))
        return await awaited(answer)

    return ainvoke


def remote_stream(original: Callable[..., Any]) -> Callable[..., Any]:
    """`RemoteGraph.stream`."""

    def stream(self: Any, input: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None or session.stance(remote_name(self)) == "allowed":
            yield from original(self, input, *args, **options)
        else:
            yield waited(session.answer(_remote_call(self, input)))

    return stream


def aremote_stream(original: Callable[..., Any]) -> Callable[..., Any]:
    """`RemoteGraph.astream`."""

    async def astream(self: Any, input: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None or session.stance(remote_name(self)) == "allowed":
            async for piece in original(self, input, *args, **options):
                yield piece
        else:
            answer = session.answer(_remote_call(self, input))
            yield await awaited(answer)

    return astream


def remote_name(graph: Any) -> str:
    """What a graph on a server is called as a tool."""
    return str(graph.name or graph.assistant_id)


def _remote_call(graph: Any, input: Any) -> ToolCall:
    return ToolCall(remote_name(graph), input if isinstance(input, dict) else {"input": input})


def untraced(original: Callable[..., Any]) -> Callable[..., Any]:
    """`langsmith.utils.tracing_is_enabled`: a run tells nobody else what happens in it."""

    def tracing_is_enabled(*args: Any, **options: Any) -> Any:
        return not is_in_run() and original(*args, **options)

    return tracing_is_enabled
