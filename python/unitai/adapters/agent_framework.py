"""Microsoft Agent Framework.

Every local tool is a `FunctionTool`, those of MCP servers and agents as tools among them, and is called through its
`invoke`, inside of the user's middleware. In a run that calls a copy whose function asks the mock, so that checking
arguments, the form of the result and the handling of errors stay the framework's. Tools that run at the provider are
seen where a request leaves for the model.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from inspect import getclosurevars, isawaitable, iscoroutinefunction, signature
from typing import Any
from weakref import WeakKeyDictionary

from unitai.adapters.base import AgentTool, BaseAdapter, is_a, returned_by
from unitai.adapters.frameworks import require
from unitai.adapters.model_calls import ModelKind, Usage, tokens, watched
from unitai.adapters.ports import Session, StateChange, ToolCall, speaking
from unitai.errors import WrongArgumentsError
from unitai.traffic.patches import Patch

__all__ = ["AgentFrameworkAdapter", "redirects"]

_TOOLS = "agent_framework._tools"
_WORKFLOW = "agent_framework._workflows._workflow.Workflow"
_HISTORY = "agent_framework._sessions.HistoryProvider"
#: Marks a copy of a tool whose call was answered already.
_ASKED = "_unitai_asked"


class AgentFrameworkAdapter(BaseAdapter):
    """Runs agents and workflows.

    Args:
        options: What `run` of the agent or workflow takes: `session=`, `options=`, `middleware=`, ...
    """

    name = "agent_framework"
    handles = frozenset({"agent_framework._agents.BaseAgent", _WORKFLOW})

    def __init__(self, **options: Any) -> None:
        self._options = options

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        if not hasattr(agent, "context_providers"):
            return agent
        bound = copy.copy(agent)
        # A run adds to them, and they may write into a database.
        bound.context_providers = [_in_memory(each) for each in agent.context_providers]
        bound._async_exit_stack = AsyncExitStack()
        return bound

    async def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        opened = getattr(wrapped_agent, "_async_exit_stack", None)
        try:
            said = await wrapped_agent.run(input, **self._options)
        finally:
            if opened is not None:
                # Servers of tools that the run connected to.
                await opened.aclose()
        if not hasattr(said, "get_outputs"):
            return _output(said)
        outputs = said.get_outputs()
        return _output(outputs[-1]) if outputs else None

    def extract_tools(self, agent: Any) -> list[str]:
        return list({str(tool): tool for tool in _tools(agent, [])}.values())

    def knows_all_tools(self, agent: Any) -> bool:
        seen: list[Any] = []
        tools = list(_tools(agent, seen))
        return bool(tools) and "tools" not in self._options and not any(_may_have_more(each) for each in seen)


def _may_have_more(agent: Any) -> bool:
    """Whether tools may come up in a run: from a server, from a context, or in the code of a step."""
    servers, contexts = getattr(agent, "mcp_tools", ()), getattr(agent, "context_providers", ())
    return (
        any(not server.is_connected for server in servers)
        or any(not is_a(each, _HISTORY) for each in contexts)
        or any(_inside(each) is None for each in getattr(agent, "executors", {}).values())
    )


def _in_memory(provider: Any) -> Any:
    if not is_a(provider, _HISTORY) or is_a(provider, "agent_framework._sessions.InMemoryHistoryProvider"):
        return provider
    given = ("source_id", "load_messages", "store_inputs", "store_outputs")
    memory = import_module("agent_framework").InMemoryHistoryProvider
    return memory(**{name: getattr(provider, name) for name in given})


def _output(said: Any) -> Any:
    """The object that the agent was to give, or its text; all of it, if it waits for somebody's answer."""
    if isinstance(said, list) and said:
        return _output(said[-1])
    if getattr(said, "user_input_requests", None):
        return said
    value = getattr(said, "value", None)
    return getattr(said, "text", said) if value is None else value


def _tools(agent: Any, seen: list[Any]) -> Iterator[AgentTool]:
    """The tools of an agent or workflow, and of the agents in it, which are added to those that were seen."""
    if agent is None or any(each is agent for each in seen):
        return
    seen.append(agent)
    for inner in (agent, *getattr(agent, "executors", {}).values()):
        yield from _tools(_inside(inner), seen)
    given = getattr(agent, "default_options", {}).get("tools") or ()
    for tool in given:
        if not is_a(tool, f"{_TOOLS}.FunctionTool"):
            yield from (AgentTool(name, kind="hosted", agent_id=agent.name) for name in _hosted(tool)[:1])
            continue
        other = _agent_in(tool)
        yield AgentTool(
            tool.name,
            description=tool.description,
            schema=tool.parameters,
            returns=partial(_returns, tool),
            aliases=_aliases(tool),
            kind="tool" if other is None else "agent",
            agent_id=agent.name,
        )
        if other is not None:
            yield from _tools(other, seen)
    for tool in [each for server in getattr(agent, "mcp_tools", ()) for each in server.functions]:
        yield AgentTool(
            tool.name, description=tool.description, schema=tool.parameters, kind="mcp", agent_id=agent.name
        )


def _inside(step: Any) -> Any:
    """The agent or the workflow that a step of a workflow runs, or the workflow that an agent is made of."""
    return next(
        (vars(step)[name] for name in ("agent", "_agent", "workflow", "_workflow") if vars(step).get(name)), None
    )


def _agent_in(tool: Any) -> Any:
    """The agent that a tool stands for: one that was made by `as_tool`."""
    if not getattr(tool.func, "__qualname__", "").startswith("BaseAgent.as_tool.<locals>"):
        return None
    return getclosurevars(tool.func).nonlocals.get("self")


def _aliases(tool: Any) -> tuple[str, ...]:
    """The name of the agent that it stands for, and that of a tool at its MCP server."""
    at_server = (getattr(tool, "additional_properties", None) or {}).get("_mcp_remote_name")
    names = (getattr(_agent_in(tool), "name", None), at_server)
    return tuple(name for name in names if name not in (None, tool.name))


def _returns(tool: Any) -> dict[str, Any] | None:
    return returned_by(getattr(tool, "func", None))


def _hosted(tool: Any) -> tuple[str, ...]:
    """The names of a tool, if it runs at the provider: what it is called, and what it is."""
    if is_a(tool, f"{_TOOLS}.FunctionTool") or is_a(tool, "agent_framework._mcp.MCPTool") or callable(tool):
        return ()
    said = tool.get if isinstance(tool, Mapping) else partial(getattr, tool)
    kind = said("type", None) or type(tool).__name__
    names = [said(name, None) for name in ("name", "server_label")]
    return () if kind == "function" else (*(name for name in names if isinstance(name, str)), kind)


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    distribution = "agent-framework-core"
    if module.__name__ == _TOOLS:
        for owner, name in ((module.FunctionTool, "invoke"), (module, "_auto_invoke_function")):
            require(owner, name, distribution)
        content = sys.modules["agent_framework._types"].Content
        require(content, "from_function_approval_request", distribution)
        return [
            Patch(content, "from_function_approval_request", _ask_for_approval),
            Patch(module.FunctionTool, "invoke", _invoke),
            Patch(module.FunctionTool, "__call__", _call),
            Patch(module, "_auto_invoke_function", _auto_invoke_function),
        ]
    if module.__name__ == "agent_framework._agents":
        require(module.RawAgent, "run", distribution)
        require(module.ResponseStream, "with_pull_context_manager", distribution)
        return [Patch(module.RawAgent, "run", _run)]
    if module.__name__ == "agent_framework._clients":
        require(module.BaseChatClient, "get_response", distribution)
        require(module.BaseChatClient, "_inner_get_response", distribution)
        return [
            Patch(module.BaseChatClient, "get_response", _get_response),
            Patch(module.BaseChatClient, "__getattribute__", watched(_MODELS, "_inner_get_response")),
        ]
    require(module, "HandoffSentEvent", "agent-framework-orchestrations")
    return [Patch(module.HandoffSentEvent, "__init__", _handoff)]


def _invoke(original: Callable[..., Any]) -> Callable[..., Any]:
    async def invoke(self: Any, *, arguments: Any = None, context: Any = None, **options: Any) -> Any:
        session = Session.here()
        if session is None or self.declaration_only:
            return await original(self, arguments=arguments, context=context, **options)
        reached = _reached.get()
        if reached is not None:
            reached.append(self)
        given = arguments if arguments is not None else getattr(context, "arguments", None)
        names = {"tool_call_id", "skip_parsing"}
        given = given if given is not None else {name: options[name] for name in options.keys() - names}
        call = _tool_call(self, given if isinstance(given, Mapping) else given.model_dump(exclude_unset=True))
        is_asked = False

        async def answer(**values: Any) -> Any:
            nonlocal is_asked
            is_asked = True
            answer = session.answer(call, partial(_real, self, values))
            return await answer if isawaitable(answer) else answer

        counter = _counter(self, session)
        mock = _asked(counter or self)
        mock.func, mock._instance = answer, None
        failed = mock.invocation_exception_count
        try:
            return await original(mock, arguments=arguments, context=context, **options)
        except Exception as error:
            if not is_asked:
                session.reject(call, error)
            raise
        finally:
            if context is not None:
                context.function = self
            if counter is not None:
                counter.invocation_count += 1
                counter.invocation_exception_count += mock.invocation_exception_count - failed

    return invoke


def _tool_call(tool: Any, args: Mapping[str, Any]) -> ToolCall:
    # A schema that was given as such is hardly looked at by the framework.
    schema = tool.parameters() if tool._schema_supplied else None
    is_agent = _agent_in(tool) is not None
    return ToolCall(tool.name, dict(args), aliases=_aliases(tool), schema=schema, is_agent=is_agent)


#: Copies of the tools that may be called so many times only: they count for a run, by its id.
_counting: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def _counter(tool: Any, session: Session) -> Any:
    if tool.max_invocations is None and tool.max_invocation_exceptions is None:
        return None
    return _counting.setdefault(tool, {}).setdefault(session.run_id, copy.copy(tool))


def _asked(tool: Any) -> Any:
    found = copy.copy(tool)
    found.__dict__[_ASKED] = True
    return found


async def _real(tool: Any, values: Mapping[str, Any]) -> Any:
    tool = _asked(tool)
    # What is not async runs in a thread, in releases that do so.
    return await _awaited(tool._invoke_function(values) if hasattr(tool, "_invoke_function") else tool(**values))


def _call(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None or _ASKED in self.__dict__ or self.declaration_only:
            return original(self, *args, **options)
        # Somebody's code calls it, as if it were the function.
        bound = signature(self.func).bind(*((self._instance,) if self._instance is not None else ()), *args, **options)
        known = self.parameters().get("properties", {})
        values = {name: value for name, value in bound.arguments.items() if name in known}
        answer = session.answer(_tool_call(self, values), partial(original, self, *args, **options))
        return _awaited(answer) if iscoroutinefunction(self.func) else answer

    return call


async def _awaited(answer: Any) -> Any:
    return await answer if isawaitable(answer) else answer


#: The tool that was reached by the model's call that is under way.
_reached: ContextVar[list[Any] | None] = ContextVar("unitai_agent_framework_reached", default=None)


def _auto_invoke_function(original: Callable[..., Any]) -> Callable[..., Any]:
    async def auto_invoke_function(function_call_content: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return await original(function_call_content, *args, **options)
        asked = getattr(function_call_content, "function_call", None) or function_call_content
        reached: list[Any] = []
        token = _reached.set(reached)
        try:
            said = await original(function_call_content, *args, **options)
        finally:
            _reached.reset(token)
        why = getattr(said, "exception", None)
        tool = options["tool_map"].get(asked.name)
        if tool is not None and not why and not reached:
            # A middleware answered in the function's place.
            session.deny(_tool_call(tool, asked.parse_arguments() or {}), _said(said))
        if asked.call_id:
            session.leave_to_framework(asked.call_id)
        if why and not reached:
            # The framework refused it by itself.
            given = dict(asked.parse_arguments() or {})
            if tool is None:
                session.reject(ToolCall(asked.name, given), LookupError(why))
            else:
                session.reject(_tool_call(tool, given), WrongArgumentsError(why))
        return said

    return auto_invoke_function


def _said(content: Any) -> str:
    result = getattr(content, "result", content)
    return result if isinstance(result, str) else str(getattr(content, "items", None) or result)


def _ask_for_approval(original: Any) -> Any:
    """Where a call begins to wait for somebody's consent: the run ends with it."""

    def from_function_approval_request(cls: Any, /, id: str, function_call: Any, **options: Any) -> Any:
        session = Session.here()
        if session is not None and getattr(function_call, "call_id", None):
            session.leave_to_framework(function_call.call_id)
        return original.__func__(cls, id, function_call, **options)

    return classmethod(from_function_approval_request)


def _note_denied(session: Session, given: Any, agent: str | None) -> None:
    """Writes down the calls that a person denies in what an agent is given. Those with a result were denied before."""
    messages = given if isinstance(given, (list, tuple)) else [given]
    contents = [each for message in messages for each in getattr(message, "contents", None) or [message]]
    settled = {getattr(each, "call_id", None) for each in contents if getattr(each, "type", "") == "function_result"}
    for each in contents:
        call: Any = getattr(each, "function_call", None)
        if getattr(each, "type", "") != "function_approval_response" or each.approved or call.call_id in settled:
            continue
        args = dict(call.parse_arguments() or {})
        session.deny(ToolCall(call.name, args, agent_id=agent), "The call was not approved.")


def _run(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is not None:
            _note_denied(session, args[0] if args else options.get("messages"), self.name)
        said = original(self, *args, **options)
        if self.name is None or Session.here() is None:
            return said
        if hasattr(said, "with_pull_context_manager"):
            return said.with_pull_context_manager(partial(speaking, self.name))
        return _spoken(self.name, said)

    return run


async def _spoken(name: str, said: Any) -> Any:
    with speaking(name):
        return await said


def _get_response(original: Callable[..., Any]) -> Callable[..., Any]:
    def get_response(self: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is not None:
            tools = (options.get("options") or {}).get("tools") or ()
            for names in map(_hosted, tools if isinstance(tools, (list, tuple)) else (tools,)):
                if names:
                    session.refuse_hosted(*names)
        return original(self, *args, **options)

    return get_response


def _usage(answer: Any) -> Usage | None:
    """What an answer says of its tokens, or those pieces of one that are about it."""
    told = [getattr(each, "usage_details", None) for each in (answer, *(getattr(answer, "contents", None) or ()))]
    said = next((each for each in told if each), None)
    return tokens(said, "input_token_count", "output_token_count")


_MODELS = ModelKind(names=("model", "model_id"), usage=_usage, is_summed=True)


def _handoff(original: Callable[..., Any]) -> Callable[..., Any]:
    def made(self: Any, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        session = Session.here()
        if session is not None:
            session.note(StateChange("agent", self.source, self.target))

    return made
