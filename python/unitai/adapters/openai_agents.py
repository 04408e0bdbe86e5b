"""The OpenAI Agents SDK.

Its runner calls every function tool at one place, whichever agent has it: those of handoff targets, agents as tools and
MCP servers, too. In a run that place is given a copy of the tool whose inside asks the mock, so that time limits,
guardrails, hooks and what becomes of an error stay the framework's. Tools that run here without being functions (shell,
patches, custom ones) have places of their own, with the same done to each. Tools that run at the provider are out of
reach: they are refused before the model is asked.
"""

from __future__ import annotations

import asyncio
import copy
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import partial, wraps
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from unitai.adapters.awaiting import awaited
from unitai.adapters.base import AgentTool, BaseAdapter, returned_by
from unitai.adapters.frameworks import require
from unitai.adapters.model_calls import ModelKind, Usage, tokens, watched
from unitai.adapters.ports import Session, StateChange, ToolCall, speaking
from unitai.errors import InvalidArgumentError, WrongArgumentsError
from unitai.traffic.patches import Patch

__all__ = ["OpenAIAgentsAdapter", "redirects"]

_DISTRIBUTION = "openai-agents"
#: What function tools are called through that make text of their errors.
_INVOKER = "_FailureHandlingFunctionToolInvoker"


class OpenAIAgentsAdapter(BaseAdapter):
    """Runs agents by `Runner.run`. MCP servers that are not connected are, until the run ends.

    Args:
        context: The object that tools, hooks and guardrails are handed.
        max_turns: How often a model may be asked. Unless given, the framework's own limit.
        run_config: The framework's `RunConfig`.
        session: The framework's memory of a conversation, used as it is.
        hooks: The framework's `RunHooks`.
    """

    name = "openai_agents"
    handles = frozenset({"agents.agent.Agent"})

    def __init__(
        self,
        *,
        context: Any = None,
        max_turns: int | None = None,
        run_config: Any = None,
        session: Any = None,
        hooks: Any = None,
    ) -> None:
        given = {"max_turns": max_turns, "run_config": run_config, "session": session, "hooks": hooks}
        self._options = {name: value for name, value in given.items() if value is not None}
        self._context = context

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        for server in _servers(agent):
            if server.session is not None and server not in _kept:
                raise InvalidArgumentError(
                    f"the MCP server {server.name} is connected in another event loop than the agent runs in, "
                    "so it would never answer",
                    remedy="leave it unconnected: it is connected for the run; or connect it in the function that runs "
                    "the agent: toolkit.run_generic(function)",
                )
        return agent

    async def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        runner = import_module("agents").Runner
        async with _connected(_servers(wrapped_agent)):
            result = await runner.run(wrapped_agent, input, context=self._context, **self._options)
        # Who waits for somebody's consent is to be asked by the test, and run on from there.
        return result.to_state() if result.interruptions else result.final_output

    def extract_tools(self, agent: Any) -> list[str]:
        found: dict[str, AgentTool] = {}
        for owner in _agents(agent):
            for tool in _tools(owner):
                found.setdefault(str(tool), tool)
        return list(found.values())

    def knows_all_tools(self, agent: Any) -> bool:
        return all(
            type(each).get_all_tools.__module__ == "agents.agent"
            and not each.mcp_servers
            and None not in map(_target, each.handoffs)
            for each in _agents(agent)
        )


def _agents(agent: Any) -> Iterator[Any]:
    """The agent, and those that it can hand over to or call, each once."""
    waiting, seen = [agent], set()
    while waiting:
        agent = waiting.pop(0)
        if agent is None or id(agent) in seen:
            continue
        seen.add(id(agent))
        yield agent
        waiting += [getattr(tool, "_agent_instance", None) for tool in agent.tools]
        waiting += map(_target, agent.handoffs)


def _servers(agent: Any) -> list[Any]:
    """The MCP servers that have to be connected, each once."""
    found = {id(server): server for each in _agents(agent) for server in each.mcp_servers if hasattr(server, "session")}
    return list(found.values())


#: What keeps a server connected. Another run that needs it waits.
_kept: WeakKeyDictionary[Any, asyncio.Task[None]] = WeakKeyDictionary()


@asynccontextmanager
async def _connected(servers: list[Any]) -> AsyncIterator[None]:
    """Connects servers, each in a task of its own: to close one takes longer than a run may take to be stopped."""
    is_over = asyncio.Event()
    keeping = []
    try:
        for server in servers:
            while server in _kept:
                await asyncio.wait([_kept[server]])
            is_there = asyncio.get_running_loop().create_future()
            _kept[server] = asyncio.create_task(_keep(server, is_there, is_over))
            keeping.append(_kept[server])
            try:
                await is_there
            except asyncio.CancelledError:
                _kept[server].cancel()
                raise
        yield
    except asyncio.CancelledError:
        # Nobody waits any more.
        keeping = []
        raise
    finally:
        is_over.set()
        await asyncio.shield(asyncio.gather(*keeping))


async def _keep(server: Any, is_there: asyncio.Future[None], is_over: asyncio.Event) -> None:
    try:
        async with server:
            if not is_there.done():
                is_there.set_result(None)
            await is_over.wait()
    except Exception as error:
        if is_there.done():
            raise
        is_there.set_exception(error)
    finally:
        del _kept[server]


def _target(handoff: Any) -> Any:
    """The agent that a handoff leads to; `None` if only calling it would tell."""
    if hasattr(handoff, "on_invoke_handoff"):
        reference = getattr(handoff, "_agent_ref", None)
        return None if reference is None else reference()
    return handoff


def _tools(agent: Any) -> Iterator[AgentTool]:
    for tool in agent.tools:
        yield AgentTool(
            tool.name,
            description=getattr(tool, "description", ""),
            schema=getattr(tool, "params_json_schema", None),
            returns=partial(_returns, tool),
            aliases=_aliases(tool),
            kind="hosted" if _is_hosted(tool) else "agent" if getattr(tool, "_is_agent_tool", False) else "tool",
            agent_id=agent.name,
        )
    for server in agent.mcp_servers:
        for listed in getattr(server, "cached_tools", None) or ():
            told = listed.model_dump(by_alias=True)
            yield AgentTool(
                listed.name,
                description=listed.description or "",
                schema=told.get("inputSchema"),
                returns=told.get("outputSchema"),
                kind="mcp",
                agent_id=agent.name,
            )


def _returns(tool: Any) -> dict[str, Any] | None:
    declared: dict[str, Any] | None = getattr(tool, "output_json_schema", None)
    return declared or returned_by(getattr(tool, "__wrapped__", None))


def _aliases(tool: Any) -> tuple[str, ...]:
    """The name with its namespace, that of a tool at its MCP server, and that of a server at the provider."""
    binding = getattr(tool, "_mcp_tool_binding", None)
    config = getattr(tool, "tool_config", None)
    names = (
        getattr(tool, "qualified_name", None),
        binding[1] if binding else None,
        config.get("server_label") if isinstance(config, dict) else None,
    )
    return tuple(dict.fromkeys(name for name in names if name and name != tool.name))


#: Tools that run here: what of them is called.
_CALLED = {
    "FunctionTool": "on_invoke_tool",
    "LocalShellTool": "executor",
    "ShellTool": "executor",
    "CustomTool": "on_invoke_tool",
    "ApplyPatchTool": "editor",
}
#: Those of them that are no functions: what calls them, and where it holds the tool.
_CALLERS = {
    "LocalShellTool": ("LocalShellAction", "local_shell_tool"),
    "ShellTool": ("ShellAction", "shell_tool"),
    "CustomTool": ("CustomToolAction", "custom_tool"),
    "ApplyPatchTool": ("ApplyPatchAction", "apply_patch_tool"),
}


def _is_hosted(tool: Any) -> bool:
    """Whether no mock reaches the tool. A search among the agent's own tools changes nothing."""
    kinds = {base.__name__ for base in type(tool).__mro__}
    is_local = any(kind in kinds and getattr(tool, called, None) is not None for kind, called in _CALLED.items())
    return not is_local and "ToolSearchTool" not in kinds


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    wanted: list[tuple[Any, str, Callable[..., Any]]] = []
    if module.__name__ == "agents.run_internal.tool_actions":
        callers: dict[str, Callable[..., Any]] = {"ComputerAction": _use_computer}
        for kind, (caller, held) in _CALLERS.items():
            # Not every version has every kind of tool.
            if hasattr(sys.modules["agents.tool"], kind):
                callers[caller] = partial(_execute, held, _CALLED[kind])
        for caller, make in callers.items():
            require(module, caller, _DISTRIBUTION)
            wanted.append((getattr(module, caller), "execute", make))
        wanted += [(module, name, make) for name, make in _DENYING.items() if hasattr(module, name)]
    elif module.__name__ == "agents.items":
        # A call that waits for consent is in the hands of the framework, too.
        items = (module.ToolCallOutputItem, module.HandoffOutputItem, module.ToolApprovalItem)
        wanted = [(item, "__init__", _answered) for item in items]
    elif module.__name__ == "agents.tool":
        invoker = getattr(module, _INVOKER, None)
        wanted = [] if invoker is None else [(invoker, "__call__", _invoked)]
    elif module.__name__ in _CLASSES:
        name, made = _CLASSES[module.__name__]
        require(module, name, _DISTRIBUTION)
        wanted = [(getattr(module, name), method, make) for method, make in made.items()]
    else:
        former = {name: make for name, make in {**_FORMER, **_DENYING}.items() if hasattr(module, name)}
        current = _FUNCTIONS[module.__name__]
        # Whoever called tools by the former function may know nothing of the current one.
        if "invoke_function_tool" in former:
            current = {name: make for name, make in current.items() if hasattr(module, name)}
        wanted = [(module, name, make) for name, make in {**current, **former}.items()]
    if module.__name__ == "agents.run_internal.tool_execution":
        require(sys.modules["agents.tool"], _INVOKER, _DISTRIBUTION)
    for owner, name, _ in wanted:
        require(owner, name, _DISTRIBUTION)
    return [Patch(*each) for each in wanted]


def _invoke(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where a function tool is called, within its time limit."""

    async def invoke(*, function_tool: Any, context: Any, arguments: str) -> Any:
        session = Session.here()
        if session is not None and not _is_made_by_the_framework(function_tool):
            function_tool = _mocked(function_tool, session)
        return await original(function_tool=function_tool, context=context, arguments=arguments)

    return invoke


def _is_made_by_the_framework(tool: Any) -> bool:
    """Structured output of some models comes as a call of a tool that nobody has."""
    return getattr(tool.on_invoke_tool, "__module__", None) == "agents.run_internal.tool_execution"


def _mocked(tool: Any, session: Session) -> Any:
    """A copy of the tool that asks the mock. What the framework makes of errors is in what it calls, and stays."""
    invoker = tool.on_invoke_tool
    is_handling_errors = type(invoker).__name__ == _INVOKER
    real = invoker._invoke_tool_impl if is_handling_errors else invoker

    @wraps(real)
    async def inside(context: Any, arguments: str) -> Any:
        call = ToolCall(
            tool.name,
            _arguments(tool, arguments, session),
            agent_id=getattr(getattr(context, "agent", None), "name", None),
            aliases=_aliases(tool),
            schema=tool.params_json_schema,
            is_agent=getattr(tool, "_is_agent_tool", False),
        )
        return await awaited(session.answer(call, lambda: real(context, arguments)))

    mock = object.__new__(type(tool))
    mock.__dict__.update(tool.__dict__)
    mock.__dict__["on_invoke_tool"] = copy.copy(invoker) if is_handling_errors else inside
    if is_handling_errors:
        mock.on_invoke_tool._invoke_tool_impl = inside
        mock.on_invoke_tool._asks_a_mock = True
    return mock


def _invoked(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where a tool is called by code that has it in hand, a hook or another tool, as the runner would call it."""

    async def invoke(self: Any, context: Any, arguments: str) -> Any:
        tool = getattr(self, "_function_tool", None)
        session = None if tool is None or getattr(self, "_asks_a_mock", False) else Session.here()
        if session is None:
            return await original(self, context, arguments)
        return await _mocked(tool, session).on_invoke_tool(context, arguments)

    return invoke


def _arguments(tool: Any, given: str, session: Session) -> dict[str, Any]:
    try:
        arguments = json.loads(given) if given else {}
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        return arguments
    error = WrongArgumentsError(
        f"{tool.name} was called with arguments that are no JSON object", expected="a JSON object", found=given
    )
    session.reject(ToolCall(tool.name, {"arguments": given}), error)
    raise error


#: The call that a guardrail has just denied: where consent is needed, the framework goes on as if a person had.
_denied: ContextVar[str | None] = ContextVar("unitai_openai_agents_denied", default=None)


def _guarded(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where guardrails look at the arguments of a function tool, before it is called."""

    async def execute_tool_input_guardrails(*, func_tool: Any, tool_context: Any, **options: Any) -> Any:
        refusal = await original(func_tool=func_tool, tool_context=tool_context, **options)
        session = None if refusal is None else Session.here()
        if session is not None:
            agent = getattr(options.get("agent"), "name", None)
            session.deny(_requested(func_tool.name, tool_context.tool_arguments, agent), refusal)
            _denied.set(tool_context.tool_call_id)
        return refusal

    return execute_tool_input_guardrails


def _refused(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where a call that a person denied is answered."""

    def rejection_item(agent: Any, call: Any, **options: Any) -> Any:
        item = original(agent, call, **options)
        call = options.get("tool_call", call)
        session = None if call is None or isinstance(call, str) else Session.here()
        if session is not None and _denied.get() != getattr(call, "call_id", None):
            # Those that are no functions have no name of their own: a `shell_call` calls the tool `shell`.
            name = getattr(call, "name", None) or str(getattr(call, "type", "")).removesuffix("_call")
            session.deny(_made_up(name, call, agent.name), item.output)
        return item

    return rejection_item


def _answered(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where a call has its output: that of a tool, of a handoff, or of whatever stopped it. Or where it waits."""

    @wraps(original)
    def init(self: Any, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        item = self.raw_item
        call_id = item.get("call_id") if isinstance(item, dict) else getattr(item, "call_id", None)
        session = Session.here()
        if session is not None and call_id:
            session.leave_to_framework(call_id)

    return init


def _execute(held: str, called: str, original: Any) -> Any:
    """Where a tool is called that runs here and is no function."""

    async def execute(cls: Any, /, *, call: Any, **options: Any) -> Any:
        session = Session.here()
        if session is not None:
            tool = copy.copy(getattr(call, held))
            asking = partial(_asked, tool.name, session, options["agent"].name)
            real = getattr(tool, called)
            setattr(tool, called, _Editor(real, asking) if called == "editor" else _asking(real, asking))
            call = copy.copy(call)
            setattr(call, held, tool)
        return await original.__func__(cls, call=call, **options)

    return classmethod(execute)


def _asking(real: Callable[..., Any], asking: Callable[..., Any]) -> Callable[..., Any]:
    # The last argument is what the model said.
    return lambda *given: asking(given[-1], lambda: real(*given))


class _Editor:
    """Stands for the editor that patches are applied by."""

    def __init__(self, real: Any, asking: Callable[..., Any]) -> None:
        self._real = real
        self._asking = asking

    def __getattr__(self, name: str) -> Any:
        return _asking(getattr(self._real, name), self._asking)


async def _asked(name: str, session: Session, agent: str, given: Any, real: Callable[[], Any]) -> Any:
    given = getattr(getattr(given, "data", given), "action", given)
    if is_dataclass(given):
        said = {field.name: getattr(given, field.name) for field in fields(given) if field.name != "ctx_wrapper"}
    else:
        said = given.model_dump() if hasattr(given, "model_dump") else {"input": given}
    args = {key: value for key, value in said.items() if value is not None}
    return await awaited(session.answer(ToolCall(name, args, agent_id=agent), real))


def _turn(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where an agent asks its model once, and calls what the model wants called."""

    async def turn(*args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return await original(*args, **options)
        given = options.get("bindings") or options.get("agent") or args[1]
        agent = getattr(given, "public_agent", given)
        with speaking(agent.name):
            result = await original(*args, **options)
        target = getattr(result.next_step, "new_agent", None)
        if target is not None:
            session.note(StateChange("agent", agent.name, target.name, agent_id=agent.name))
        return result

    return turn


def _get_all_tools(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where the tools are listed that a model is told of."""

    async def get_all_tools(agent: Any, *args: Any, **options: Any) -> Any:
        tools = await original(agent, *args, **options)
        session = Session.here()
        if session is not None:
            for tool in tools:
                _refuse(session, tool)
        return tools

    return get_all_tools


def _use_computer(original: Any) -> Any:
    """Where a computer is used, by a run that may have begun before this one."""

    async def execute(cls: Any, /, *, action: Any, **options: Any) -> Any:
        session = Session.here()
        if session is not None:
            _refuse(session, action.computer_tool)
        return await original.__func__(cls, action=action, **options)

    return classmethod(execute)


def _refuse(session: Session, tool: Any) -> None:
    """Ends the run if no mock can stand for a tool, and the test does not allow the real one."""
    if _is_hosted(tool):
        session.refuse_hosted(tool.name, *_aliases(tool))


def _process(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where the calls that a model wants are matched with tools."""

    def process_model_response(*args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(*args, **options)
        agent = options["agent"].name
        try:
            processed = original(*args, **options)
        except Exception as error:
            for call in options["response"].output:
                name = getattr(call, "name", None)
                if name and str(error).startswith(f"Tool {name} not found"):
                    session.reject(_made_up(name, call, agent), LookupError(str(error)))
                    break
            raise
        for unknown in getattr(processed, "function_tools_not_found", ()):
            refusal = LookupError(f"Tool {unknown.tool_name} not found in agent {agent}")
            session.reject(_made_up(unknown.tool_name, unknown.tool_call, agent), refusal)
        return processed

    return process_model_response


def _made_up(name: str, call: Any, agent: str) -> ToolCall:
    """A call that comes to no tool, as the model made it."""
    return _requested(name, getattr(call, "arguments", None) or getattr(call, "input", None) or "{}", agent)


def _requested(name: str, given: str, agent: str | None) -> ToolCall:
    try:
        arguments = json.loads(given)
    except ValueError:
        arguments = given
    return ToolCall(name, arguments if isinstance(arguments, dict) else {"arguments": arguments}, agent_id=agent)


def _exported(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where traces are kept until a thread sends them to the provider."""

    def keep(self: Any, item: Any) -> None:
        try:
            is_of_a_run = Session.here() is not None
        except BaseException:
            # Of one that is over, or of one of several: what is not sent harms nobody.
            is_of_a_run = True
        if not is_of_a_run:
            original(self, item)

    return keep


def _usage(answer: Any) -> Usage | None:
    """What an answer says of its tokens, or the event that ends a stream, which has the answer in it."""
    return tokens(getattr(getattr(answer, "response", answer), "usage", None), "input_tokens", "output_tokens")


_asked_models = watched(ModelKind(names=("model", "model_name"), usage=_usage), "get_response", "stream_response")


#: By the module that holds it, a class whose methods are replaced.
_CLASSES: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "agents.models.interface": ("Model", {"__getattribute__": _asked_models}),
    "agents.tracing.processors": ("BatchTraceProcessor", {"on_trace_start": _exported, "on_span_end": _exported}),
}
#: What is replaced in each module.
_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "agents.run_internal.tool_execution": {"_invoke_function_tool_with_metadata": _invoke},
    "agents.run_internal.turn_resolution": {"process_model_response": _process},
    "agents.run_internal.run_loop": {"get_all_tools": _get_all_tools, "run_single_turn_streamed": _turn},
    "agents.run": {"run_single_turn": _turn},
    "agents.realtime.session": {"invoke_function_tool": _invoke},
}
#: What is replaced, too, where it is there: before 0.20 tools were called by one, and listed by the other.
_FORMER = {"invoke_function_tool": _invoke, "get_all_tools": _get_all_tools}
#: Where calls are denied. Not every version has all of them.
_DENYING = {
    "_execute_tool_input_guardrails": _guarded,
    "function_rejection_item": _refused,
    "shell_rejection_item": _refused,
    "apply_patch_rejection_item": _refused,
}
