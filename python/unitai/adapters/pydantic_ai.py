"""Pydantic AI.

A run's `ToolManager` checks the arguments of each call and hands it to the run's toolset, a tree of wrappers with
`FunctionToolset`, `MCPToolset` or somebody's own toolset at its leaves. In a run the leaves ask the mock, so that
hooks, approval, prefixes, timeouts and retries stay the framework's. What has a `call_tool` of somebody's own on the
way is answered before it is reached: nobody knows what it would do.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from unitai._engine import enter_agent, leave_agent
from unitai.adapters.awaiting import awaited
from unitai.adapters.base import AgentTool, BaseAdapter, returned_by
from unitai.adapters.frameworks import require
from unitai.adapters.model_calls import ModelKind, Usage, tokens, watched
from unitai.adapters.ports import Session, ToolCall
from unitai.errors import WrongArgumentsError
from unitai.traffic.patches import Patch

__all__ = ["PydanticAIAdapter", "redirects"]

_DISTRIBUTION = "pydantic-ai-slim"


class PydanticAIAdapter(BaseAdapter):
    """Runs agents of Pydantic AI. Output functions and validators are no tools: they are the agent, and run.

    Args:
        options: What `Agent.run` takes beside the input: `deps`, `message_history`, `usage_limits`, `toolsets`, ...
    """

    name = "pydantic_ai"
    handles = frozenset({"pydantic_ai.agent.abstract.AbstractAgent"})

    def __init__(self, **options: Any) -> None:
        self._options = options

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        return agent

    async def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        # An agent without a name would keep the one that it is given by its caller's variable.
        result = await wrapped_agent.run(input, **{"infer_name": False, **self._options})
        return result.output

    def extract_tools(self, agent: Any) -> list[str]:
        return list({str(tool): tool for each in _team(agent) for tool in _tools_of(each)}.values())

    def knows_all_tools(self, agent: Any) -> bool:
        if self._options.get("toolsets"):
            return False
        return all(not _output_functions(each) and all(map(_is_fixed, each.toolsets)) for each in _team(agent))


def _team(agent: Any) -> list[Any]:
    """The agent, and those that its tools and output functions name."""
    found = [agent]
    for each in found:
        tools = [tool for toolset in each.toolsets for _, tool in _functions(toolset)]
        functions = [tool.function for tool in tools if hasattr(tool, "function")]
        for function in (*functions, *_output_functions(each)):
            found += [other for other in _named_in(function) if all(other is not known for known in found)]
    return found


def _named_in(function: Any) -> Iterator[Any]:
    """The agents that a function names: in its closure, or in its module."""
    code = getattr(function, "__code__", None)
    if code is None:
        return
    named = [function.__globals__.get(name) for name in code.co_names]
    for cell in function.__closure__ or ():
        try:
            named.append(cell.cell_contents)
        except ValueError:  # Not there yet.
            continue
    yield from (each for each in named if PydanticAIAdapter.can_handle(_ANY, each))


def _output_functions(agent: Any) -> list[Any]:
    types = agent.output_type
    types = types if isinstance(types, (list, tuple)) else [types]
    plain = [getattr(each, "output", getattr(each, "output_function", each)) for each in types]
    return [each for each in plain if callable(each) and not isinstance(each, type) and hasattr(each, "__code__")]


def _tools_of(agent: Any) -> Iterator[AgentTool]:
    for toolset in agent.toolsets:
        for (name, *aliases), tool in _functions(toolset):
            yield AgentTool(
                name,
                description=tool.description or "",
                schema=partial(_schema, tool),
                returns=partial(_returns, tool),
                aliases=aliases,
                agent_id=agent.name,
            )
    for native in _hosted(agent):
        yield AgentTool(native.unique_id, kind="hosted", agent_id=agent.name)


def _functions(toolset: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The tools that can be known without a run, each with its names, the model's first."""
    if hasattr(toolset, "tool_defs"):
        yield from (((tool.name,), tool) for tool in toolset.tool_defs)
    elif isinstance(getattr(toolset, "tools", None), dict):
        yield from (((name,), tool) for name, tool in toolset.tools.items())
    elif hasattr(toolset, "toolsets"):
        for each in toolset.toolsets:
            yield from _functions(each)
    elif hasattr(toolset, "wrapped"):
        prefix = getattr(toolset, "prefix", None)
        renamed = {old: new for new, old in getattr(toolset, "name_map", {}).items()}
        for names, tool in _functions(toolset.wrapped):
            name = names[0]
            outer = f"{prefix}_{name}" if prefix else renamed.get(name, name)
            yield (names if outer == name else (outer, *names)), tool


def _is_fixed(toolset: Any) -> bool:
    """Whether `_functions` knows all of a toolset: no server lists its tools, and nothing makes or renames them."""
    if hasattr(toolset, "wrapped"):
        return not hasattr(toolset, "prepare_func") and _is_the_frameworks(toolset) and _is_fixed(toolset.wrapped)
    if hasattr(toolset, "toolsets"):
        return all(map(_is_fixed, toolset.toolsets))
    if hasattr(toolset, "tool_defs"):
        return True
    tools = getattr(toolset, "tools", None)
    return isinstance(tools, dict) and all(tool.prepare is None for tool in tools.values())


def _hosted(agent: Any) -> list[Any]:
    natives = getattr(agent, "_cap_native_tools", None) or getattr(agent, "_cap_builtin_tools", None) or []
    return [tool for tool in natives if not callable(tool) and tool.kind != "tool_search"]


def _schema(tool: Any) -> dict[str, Any]:
    # One that is called elsewhere is no function.
    schema = tool.function_schema.json_schema if hasattr(tool, "function") else tool.parameters_json_schema
    return dict(schema)


def _returns(tool: Any) -> dict[str, Any] | None:
    return returned_by(getattr(tool, "function", None))


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    part = module.__name__.rpartition(".")[2]
    name, made = _REDIRECTED[part.removeprefix("_")]
    require(module, name, _DISTRIBUTION)
    owner = getattr(module, name)
    for method in made:
        require(owner, method, _DISTRIBUTION)
    return [Patch(owner, method, make) for method, make in made.items()]


class _Asked:
    """One call of the model, until somebody on its way through the toolsets has answered it."""

    def __init__(self, session: Session, call: ToolCall, id: str | None) -> None:
        self.id = id
        #: The tool that answered it, once one did.
        self.answered_by: str | None = None
        self._session = session
        self._call = call

    async def answer(
        self, leaf: str, schema: Any, real: Callable[[], Any] | None, *, is_framework: bool = False
    ) -> Any:
        self.answered_by = leaf
        # The framework's own run unless they are mocked, as other agents do.
        call = self._call._replace(schema=schema, is_agent=is_framework)
        if leaf != call.name:
            call = call._replace(aliases=(leaf,))
        return await awaited(self._session.answer(call, real))


_asked: ContextVar[_Asked | None] = ContextVar("unitai_pydantic_ai_asked", default=None)


def _call_of(part: Any, ctx: Any) -> ToolCall:
    """A call as the model made it."""
    try:
        args = part.args_as_dict()
    except Exception:  # No JSON, or none that is an object.
        args = {"input": part.args}
    return ToolCall(part.tool_name, args, agent_id=_name(ctx))


def _name(ctx: Any) -> str | None:
    name: str | None = getattr(getattr(ctx, "agent", None), "name", None)
    return name


def _validate(original: Callable[..., Any]) -> Callable[..., Any]:
    async def validate_tool_call(self: Any, call: Any, **options: Any) -> Any:
        try:
            return await original(self, call, **options)
        except Exception as error:
            session = Session.here()
            if session is not None:
                session.reject(_call_of(call, self.ctx), _why(error))
            raise

    return validate_tool_call


def _execute(original: Callable[..., Any]) -> Callable[..., Any]:
    async def execute_tool_call(self: Any, validated: Any, **options: Any) -> Any:
        session = None if validated.args_valid else Session.here()
        if session is not None and getattr(_definition(validated.tool), "kind", None) != "output":
            session.reject(_call_of(validated.call, self.ctx), _why(validated.validation_error))
        return await original(self, validated, **options)

    return execute_tool_call


def _definition(tool: Any) -> Any:
    return None if tool is None else tool.tool_def


def _why(error: BaseException | None) -> BaseException:
    """Why a call was refused: what is told to the model, as the error that it is for a reader."""
    said = getattr(error, "tool_retry", None) or getattr(error, "tool_return", None)
    if said is None:
        cause = None if error is None else error.__cause__
        return WrongArgumentsError(str(cause or error))
    text = said.model_response() if hasattr(said, "model_response") else str(said.content)
    return LookupError(text) if "Unknown tool name" in text else WrongArgumentsError(text)


def _raw_execute(original: Callable[..., Any]) -> Callable[..., Any]:
    async def raw_execute(self: Any, validated: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None or validated.tool.tool_def.kind == "output":
            return await original(self, validated, **options)
        asked = _Asked(session, _call_of(validated.call, self.ctx), validated.call.tool_call_id)
        toolset = self.toolset

        async def call_tool(name: str, args: Any, ctx: Any, tool: Any) -> Any:
            token = _asked.set(asked)
            try:
                real = partial(toolset.call_tool, name, args, ctx, tool)
                if _finds_tools(tool):
                    return await asked.answer(name, None, real, is_framework=True)
                if _asks(toolset, tool):
                    return await real()
                return await _retried(asked.answer(name, tool.tool_def.parameters_json_schema, real))
            finally:
                _asked.reset(token)

        manager = copy.copy(self)
        manager.toolset = SimpleNamespace(call_tool=call_tool)
        return await original(manager, validated, **options)

    return raw_execute


def _finds_tools(tool: Any) -> bool:
    """Whether it is a tool of the framework itself, by which the model finds and loads others."""
    own = ("ToolSearchToolset", "DeferredCapabilityLoaderToolset")
    return type(tool.toolset).__name__ in own and _is_the_frameworks(tool.toolset)


def _asks(toolset: Any, tool: Any) -> bool:
    """Whether a call comes to a leaf that asks the mock, with nothing but the framework's own on its way."""
    while _is_the_frameworks(toolset):
        if hasattr(tool, "source_toolset") and hasattr(toolset, "toolsets"):
            toolset, tool = tool.source_toolset, tool.source_tool
        elif hasattr(toolset, "wrapped"):
            toolset = toolset.wrapped
        elif hasattr(toolset, "toolset_func"):
            toolset = toolset._toolset
        else:
            return any(base.__name__ in ("FunctionToolset", "MCPToolset") for base in type(toolset).__mro__)
    return False


def _is_the_frameworks(toolset: Any) -> bool:
    """Whether its `call_tool` is the framework's."""
    owner = next((base for base in type(toolset).__mro__ if "call_tool" in base.__dict__), object)
    return owner.__module__.startswith("pydantic_ai.")


def _call_function(original: Callable[..., Any]) -> Callable[..., Any]:
    async def call_tool(self: Any, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        asked = _to_answer(name, tool_args, ctx)
        if asked is None:
            return await original(self, name, tool_args, ctx, tool)

        async def call_func(args: dict[str, Any], ctx: Any) -> Any:
            # The manager has checked the arguments already.
            return await asked.answer(name, None, partial(tool.call_func, args, ctx))

        return await original(self, name, tool_args, ctx, replace(tool, call_func=call_func))

    return call_tool


def _call_mcp(original: Callable[..., Any]) -> Callable[..., Any]:
    async def call_tool(self: Any, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        asked = _to_answer(name, tool_args, ctx)
        real = partial(original, self, name, tool_args, ctx, tool)
        if asked is None:
            return await real()
        return await _retried(asked.answer(name, tool.tool_def.parameters_json_schema, real))

    return call_tool


def _to_answer(name: str, args: dict[str, Any], ctx: Any) -> _Asked | None:
    """The call that a leaf is to answer; `None` if it is answered, or nobody tests."""
    session = Session.here()
    if session is None:
        return None
    asked = _asked.get()
    is_another = asked is not None and asked.answered_by not in (None, name)
    if asked is None or is_another or asked.id != ctx.tool_call_id:
        # Somebody called the toolset without a manager, a tool that hands on to others, for one.
        return _Asked(session, ToolCall(name, args, agent_id=_name(ctx)), None)
    return None if asked.answered_by == name else asked


async def _retried(answer: Any) -> Any:
    """The model is told of arguments that a mock does not take, as it is by a server of tools."""
    try:
        return await answer
    except WrongArgumentsError as error:
        raise import_module("pydantic_ai").ModelRetry(str(error)) from error


def _resolve_deferred(original: Callable[..., Any]) -> Callable[..., Any]:
    async def resolve_deferred_tool_calls(self: Any, requests: Any) -> Any:
        results = await original(self, requests)
        session = Session.here()
        if session is None:
            return results
        # Those that are denied are answered without their tools, and what nobody decides waits for another run.
        session.leave_to_framework(*(part.tool_call_id for part in (*requests.approvals, *requests.calls)))
        _deny(session, results, requests.approvals, _name(self.ctx))
        retry = import_module("pydantic_ai").ModelRetry
        resolved = {} if results is None else results.calls
        given = {}
        for part in requests.calls:
            if part.tool_call_id not in resolved and session.stance(part.tool_name) == "mocked":
                schema = self.tools[part.tool_name].tool_def.parameters_json_schema
                asked = _Asked(session, _call_of(part, self.ctx), part.tool_call_id)
                try:
                    given[part.tool_call_id] = await _retried(asked.answer(part.tool_name, schema, None))
                except retry as error:
                    given[part.tool_call_id] = error
        if not given:
            return results
        if results is None:
            return import_module("pydantic_ai").DeferredToolResults(calls=given)
        return replace(results, calls={**resolved, **given})

    return resolve_deferred_tool_calls


def _deny(session: Session, results: Any, requested: Iterable[Any], agent: str | None) -> None:
    """Writes down the calls that a person, or who decides in the place of one, did not approve."""
    decisions = {} if results is None else results.approvals
    for part in requested:
        decision = decisions.get(part.tool_call_id)
        if decision is False or type(decision).__name__ == "ToolDenied":
            reason = getattr(decision, "message", "The tool call was denied.")
            session.deny(_call_of(part, None)._replace(agent_id=agent), reason)


def _in_history(messages: Any, kind: str) -> Iterator[Any]:
    """The parts of one kind in messages."""
    return (part for message in messages or () for part in message.parts if part.part_kind == kind)


def _leave_skipped(session: Session, run: Any) -> None:
    """With a final result at hand, the framework may call no more tools, and says so in each one's place."""
    returned = _in_history(run.new_messages(), "tool-return")
    skipped = (part.tool_call_id for part in returned if str(part.content).startswith("Tool not executed"))
    session.leave_to_framework(*skipped)


def _prepare_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def prepare_request(self: Any, *args: Any, **options: Any) -> Any:
        settings, parameters = original(self, *args, **options)
        session = Session.here()
        if session is not None:
            session.leave_to_framework(*(tool.name for tool in parameters.output_tools))
            natives = getattr(parameters, "native_tools", None) or getattr(parameters, "builtin_tools", None) or ()
            for native in natives:
                if native.kind != "tool_search":
                    session.refuse_hosted(native.kind, native.unique_id)
        return settings, parameters

    return prepare_request


def _usage(answer: Any) -> Usage | None:
    """What an answer says of its tokens, or a stream, once it was read."""
    said = getattr(answer, "usage", None)
    return tokens(said() if callable(said) else said, "input_tokens", "output_tokens")


_asked_models = watched(
    ModelKind(names=("model_name",), usage=_usage, fakes=("pydantic_ai.models.test", "pydantic_ai.models.function")),
    "request",
    "request_stream",
)


def _iter(original: Callable[..., Any]) -> Callable[..., Any]:
    @asynccontextmanager
    async def iter(self: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            async with original(self, *args, **options) as run:
                yield run
            return
        requested = _in_history(options.get("message_history"), "tool-call")
        _deny(session, options.get("deferred_tool_results"), requested, self.name)
        token = enter_agent(self.name)
        try:
            async with original(self, *args, **options) as run:
                yield run
            _leave_skipped(session, run)
        finally:
            try:
                leave_agent(token)
            except ValueError:
                pass  # Left in another task than entered: its context is gone.

    return iter


_ANY = PydanticAIAdapter()
#: By the module that holds it, the class whose methods are replaced.
_REDIRECTED: dict[str, tuple[str, dict[str, Callable[[Any], Any]]]] = {
    "tool_manager": (
        "ToolManager",
        {
            "validate_tool_call": _validate,
            "execute_tool_call": _execute,
            "resolve_deferred_tool_calls": _resolve_deferred,
            "_raw_execute": _raw_execute,
        },
    ),
    "function": ("FunctionToolset", {"call_tool": _call_function}),
    "mcp": ("MCPToolset", {"call_tool": _call_mcp}),
    "models": ("Model", {"prepare_request": _prepare_request, "__getattribute__": _asked_models}),
    "agent": ("Agent", {"iter": _iter}),
}
