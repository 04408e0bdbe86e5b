"""Google's Agent Development Kit.

Whoever calls a tool, the flow of a model or a node of a workflow, asks the tool for its `run_async`. In a run it is
given one that asks the mock: callbacks, plugins and confirmations around it stay the framework's. A tool that calls the
`run_async` of its own base class does not ask again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextvars import Context, ContextVar
from functools import partial, wraps
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from unitai._engine import enter_agent, leave_agent
from unitai.adapters.awaiting import awaited
from unitai.adapters.base import AgentTool, BaseAdapter, is_a, returned_by
from unitai.adapters.frameworks import require
from unitai.adapters.model_calls import ModelKind, Usage, tokens, watched
from unitai.adapters.ports import Session, StateChange, ToolCall
from unitai.errors import WrongArgumentsError
from unitai.traffic.patches import Patch

__all__ = ["GoogleADKAdapter", "redirects"]

_DISTRIBUTION = "google-adk"
_HAND_OVER = "transfer_to_agent"
#: Tools by which the model steers the framework. They run unless they are mocked.
_OF_THE_FRAMEWORK = frozenset({_HAND_OVER, "exit_loop", "set_model_response", "finish_task"})


class GoogleADKAdapter(BaseAdapter):
    """Runs agents, apps and workflows of the ADK, with sessions, artifacts and memories that are kept nowhere.

    Args:
        state: What the session's state begins with.
        user_id: The user whose session it is.
        run_config: The run's configuration, as `Runner.run_async` takes it.
        plugins: Plugins of the runner. Those of an app are its own.
    """

    name = "google_adk"
    handles = frozenset(
        {
            "google.adk.agents.base_agent.BaseAgent",
            "google.adk.apps.app.App",
            "google.adk.workflow._workflow.Workflow",
        }
    )

    def __init__(
        self, *, state: dict[str, Any] | None = None, user_id: str = "user", run_config: Any = None, plugins: Any = None
    ) -> None:
        self._state = state
        self._user = user_id
        self._config = {} if run_config is None else {"run_config": run_config}
        self._plugins = plugins

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        return agent

    async def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        root = _root(wrapped_agent)
        runner = self._runner(wrapped_agent)
        kept = await runner.session_service.create_session(
            app_name=runner.app_name, user_id=self._user, state=dict(self._state or {})
        )
        events = runner.run_async(user_id=self._user, session_id=kept.id, new_message=_message(input), **self._config)
        output = None
        toolsets = _toolsets(root)
        await _enter(toolsets)
        try:
            async for event in events:
                given = _output(event)
                output = output if given is None else given
        finally:
            await events.aclose()
            _leave(toolsets)
        schema: Any = getattr(root, "output_schema", None)
        is_object = isinstance(output, str) and hasattr(schema, "model_validate_json")
        return schema.model_validate_json(output) if is_object else output

    def _runner(self, agent: Any) -> Any:
        runner = import_module("google.adk.runners").InMemoryRunner
        if _is_app(agent):
            return runner(app=agent)
        kind = "agent" if hasattr(agent, "sub_agents") else "node"
        return runner(**{kind: agent}, app_name="unitai", plugins=self._plugins)

    def extract_tools(self, agent: Any) -> list[str]:
        return list({str(tool): tool for each in _team(_root(agent)) for tool in _tools_of(each)}.values())

    def knows_all_tools(self, agent: Any) -> bool:
        return all(
            type(each).__module__.startswith("google.adk.agents.")
            and all(_is_tool(tool) and not hasattr(tool, "node") for tool in getattr(each, "tools", None) or ())
            for each in _team(_root(agent))
        )


#: How many runs a toolset is used in, and those that are being closed.
_users: dict[int, int] = {}
_closing: dict[int, asyncio.Task[Any]] = {}


def _toolsets(agent: Any) -> list[Any]:
    given = [tool for each in _team(agent) for tool in getattr(each, "tools", None) or ()]
    return [tool for tool in given if hasattr(tool, "get_tools") and hasattr(tool, "close")]


async def _enter(toolsets: list[Any]) -> None:
    for toolset in toolsets:
        _users[id(toolset)] = _users.get(id(toolset), 0) + 1
        closing = _closing.get(id(toolset))
        if closing is not None and closing.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([closing])


def _leave(toolsets: list[Any]) -> None:
    """Ends the servers of tools that no other run is in the middle of. A run that is stopped does not wait for them."""
    for toolset in toolsets:
        key = id(toolset)
        _users[key] -= 1
        if _users[key]:
            continue
        del _users[key]
        # It is no part of the run.
        closing = Context().run(asyncio.get_running_loop().create_task, toolset.close())
        _closing[key] = closing
        closing.add_done_callback(partial(_closed, key))


def _closed(key: int, closing: asyncio.Task[Any]) -> None:
    if _closing.get(key) is closing:
        del _closing[key]
    if not closing.cancelled():
        # What goes wrong when a server ends is nothing of the agent's.
        closing.exception()


def _is_app(agent: Any) -> bool:
    return is_a(agent, "google.adk.apps.app.App")


def _root(agent: Any) -> Any:
    # An agent's own `root_agent` is another thing: where its tree begins.
    return agent.root_agent if _is_app(agent) else agent


def _message(input: Any) -> Any:
    if not isinstance(input, str):
        return input
    types = import_module("google.genai.types")
    return types.Content(role="user", parts=[types.Part(text=input)])


def _output(event: Any) -> Any:
    """What an event says to the user, if it ends what its agent has to say."""
    if getattr(event, "output", None) is not None:
        return event.output
    if event.partial or not event.is_final_response():
        return None
    parts = getattr(event.content, "parts", None) or ()
    texts = [part.text for part in parts if part.text and not part.thought]
    return "".join(texts) if texts else None


def _team(agent: Any) -> list[Any]:
    """The agent, its sub-agents, the nodes of a workflow and the agents that are tools."""
    found = [agent]
    for each in found:
        graph = getattr(each, "graph", None)
        others = [*getattr(each, "sub_agents", ()), *getattr(graph, "nodes", ())]
        others += [tool.agent for tool in getattr(each, "tools", None) or () if _is_agent(tool)]
        found += [other for other in others if all(other is not known for known in found)]
    return found


def _tools_of(agent: Any) -> Iterator[AgentTool]:
    for given in getattr(agent, "tools", None) or ():
        if not _is_tool(given):
            continue
        tool = given if hasattr(given, "_get_declaration") else import_module("google.adk.tools").FunctionTool(given)
        if tool.name in _OF_THE_FRAMEWORK and _is_the_frameworks(tool):
            continue
        is_hosted = _schema(tool) is None and not hasattr(tool, "func")
        yield AgentTool(
            tool.name,
            description=tool.description or "",
            schema=partial(_schema, tool),
            returns=partial(_returns, tool),
            kind="agent" if _is_agent(tool) else "hosted" if is_hosted else "tool",
            agent_id=agent.name,
        )


def _is_tool(given: Any) -> bool:
    """Whether it is one tool, and no toolset, no agent and no node."""
    is_function = callable(given) and not hasattr(given, "run_async")
    return is_function or hasattr(given, "_get_declaration")


def _is_agent(tool: Any) -> bool:
    return is_a(tool, "google.adk.tools.agent_tool.AgentTool")


def _schema(tool: Any) -> dict[str, Any] | None:
    declared = tool._get_declaration()
    if declared is None:
        return None
    given = getattr(declared, "parameters_json_schema", None)
    if given is not None:
        return dict(given)
    if declared.parameters is None:
        return {"type": "object", "properties": {}}
    schema: dict[str, Any] = declared.parameters.json_schema.model_dump(mode="json", exclude_none=True)
    return schema


def _returns(tool: Any) -> dict[str, Any] | None:
    return returned_by(getattr(tool, "func", None))


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    part = module.__name__.removeprefix("google.adk.")
    if part in ("flows.llm_flows.functions", "flows.llm_flows.tools._caller"):
        require(module, "_get_tool", _DISTRIBUTION)
        # The former has passed on the names of the latter since they moved there, and is where they were before.
        if module._get_tool.__module__ != module.__name__:
            return []
        build = "_build_response_event" if hasattr(module, "_build_response_event") else "__build_response_event"
        require(module, build, _DISTRIBUTION)
        return [Patch(module, "_get_tool", _get_tool), Patch(module, build, _build_response_event)]
    if part == "tools.base_tool":
        require(module.BaseTool, "run_async", _DISTRIBUTION)
        return [Patch(module.BaseTool, "__getattribute__", _getattribute)]
    if part == "code_executors.base_code_executor":
        require(module.BaseCodeExecutor, "execute_code", _DISTRIBUTION)
        return [Patch(module.BaseCodeExecutor, "__getattribute__", _executing)]
    name, made = _REDIRECTED[part]
    require(module, name, _DISTRIBUTION)
    owner = getattr(module, name)
    for method in made:
        require(owner, method, _DISTRIBUTION)
    return [Patch(owner, method, make) for method, make in made.items()]


#: The call that runs here for real: a tool may hand it on to what it is made of, under the same name.
_under_way: ContextVar[tuple[str, Any] | None] = ContextVar("unitai_google_adk_call", default=None)


#: The arguments of calls that have not come to their tools, by what the framework keeps for each call.
_requested: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def _run_before_tool(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where callbacks begin to look at a call, any of which may answer it in the tool's place."""

    async def run_before_tool_callback(self: Any, *, tool: Any, tool_args: Any, tool_context: Any) -> Any:
        # Of a tool that the model made up there is a step already, and the framework goes on with an empty one.
        is_made_up = type(tool).__name__ == "BaseTool"
        steers = tool.name in _OF_THE_FRAMEWORK and _is_the_frameworks(tool)
        if not is_made_up and not steers and Session.here() is not None:
            _requested[tool_context] = dict(tool_args)
        return await original(self, tool=tool, tool_args=tool_args, tool_context=tool_context)

    return run_before_tool_callback


def _build_response_event(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where a call has its answer: the tool's, or that of a callback or a person who denied it."""

    @wraps(original)
    def build_response_event(tool: Any, result: Any, tool_context: Any, *rest: Any, **options: Any) -> Any:
        args = _requested.pop(tool_context, None)
        session = None if args is None else Session.here()
        waits = getattr(tool_context.actions, "requested_tool_confirmations", None)
        if session is not None and args is not None and not waits:
            call = ToolCall(tool.name, args, _speaker(tool_context), _aliases(tool))
            session.deny(call, result)
        return original(tool, result, tool_context, *rest, **options)

    return build_response_event


def _getattribute(original: Callable[..., Any]) -> Callable[..., Any]:
    def getattribute(self: Any, name: str) -> Any:
        found = original(self, name)
        return partial(_run, self, found) if name == "run_async" else found

    return getattribute


async def _run(tool: Any, run_async: Callable[..., Any], *, args: dict[str, Any], tool_context: Any) -> Any:
    """Calls a tool, in a run or outside."""
    session = Session.here()
    _requested.pop(tool_context, None)
    name, context = _under_way.get() or (None, None)
    if session is None or (name == tool.name and context is tool_context):
        return await run_async(args=args, tool_context=tool_context)

    async def real() -> Any:
        token = _under_way.set((tool.name, tool_context))
        try:
            return await run_async(args=args, tool_context=tool_context)
        finally:
            _under_way.reset(token)

    speaker = _speaker(tool_context)
    steers = tool.name in _OF_THE_FRAMEWORK and _is_the_frameworks(tool)
    if steers and tool.name == _HAND_OVER and session.stance(_HAND_OVER) is None:
        answer = await real()
        # Where the model names nobody that there is, the framework says so later.
        session.note(StateChange("agent", speaker, args.get("agent_name"), agent_id=speaker))
        return answer
    runs = steers or _is_agent(tool)
    schema = None if runs else _schema(tool)
    call = ToolCall(tool.name, dict(args), speaker, _aliases(tool), schema, is_agent=runs)
    try:
        answer = session.answer(call, real)
        return await awaited(answer)
    except WrongArgumentsError as error:
        # As the framework tells the model of arguments that are missing.
        return {"error": f"Invoking `{tool.name}()` failed: {error}"}


def _executing(original: Callable[..., Any]) -> Callable[..., Any]:
    """Code that a model wrote is a call of a tool, `execute_code`, whatever executes it."""

    def getattribute(self: Any, name: str) -> Any:
        found = original(self, name)
        return partial(_execute, found) if name == "execute_code" else found

    return getattribute


def _execute(real: Callable[..., Any], invocation_context: Any, code_execution_input: Any) -> Any:
    session = Session.here()
    if session is None:
        return real(invocation_context, code_execution_input)
    agent = getattr(getattr(invocation_context, "agent", None), "name", None)
    call = ToolCall("execute_code", {"code": code_execution_input.code}, agent)
    answer = session.answer(call, lambda: real(invocation_context, code_execution_input))
    result = import_module("google.adk.code_executors.code_execution_utils").CodeExecutionResult
    return answer if isinstance(answer, result) else result(stdout="" if answer is None else str(answer))


def _speaker(tool_context: Any) -> str | None:
    try:
        name: str = tool_context.agent_name
    except AttributeError:
        return None
    # A node of a workflow is nobody's.
    return None if name == "unknown" else name


def _is_the_frameworks(tool: Any) -> bool:
    made = getattr(tool, "func", None) or type(tool)
    return str(getattr(made, "__module__", "")).startswith("google.adk.")


def _aliases(tool: Any) -> tuple[str, ...]:
    """The name that a server has for its tool, where the toolset puts something before it."""
    name = getattr(getattr(tool, "_mcp_tool", None), "name", None)
    return () if name in (None, tool.name) else (name,)


def _get_tool(original: Callable[..., Any]) -> Callable[..., Any]:
    # Other modules take it over by its name, and are told from where by its module.
    @wraps(original)
    def get_tool(function_call: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is not None and function_call.name:
            # A callback may answer in the tool's place. Gemini's calls have no ids.
            session.leave_to_framework(function_call.name)
        try:
            return original(function_call, *args, **options)
        except ValueError as error:
            if session is not None:
                made_up = ToolCall(function_call.name or "", dict(function_call.args or {}))
                session.reject(made_up, LookupError(str(error).partition("\n\n")[0]))
            raise

    return get_tool


def _run_agent(original: Callable[..., Any]) -> Callable[..., Any]:
    async def run_async(self: Any, *args: Any, **options: Any) -> Any:
        events = original(self, *args, **options)
        try:
            while True:
                token = enter_agent(self.name)
                try:
                    event = await events.__anext__()
                except StopAsyncIteration:
                    return
                finally:
                    leave_agent(token)
                yield event
        finally:
            await events.aclose()

    return run_async


def _generate(original: Callable[..., Any]) -> Callable[..., Any]:
    def generate_content_async(self: Any, llm_request: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is not None:
            for tool in getattr(llm_request.config, "tools", None) or ():
                _refuse_hosted(session, tool)
        return original(self, llm_request, *args, **options)

    return generate_content_async


def _refuse_hosted(session: Session, tool: Any) -> None:
    for name in type(tool).model_fields if hasattr(type(tool), "model_fields") else ():
        if name != "function_declarations" and getattr(tool, name) is not None:
            session.refuse_hosted(name)


def _usage(answer: Any) -> Usage | None:
    return tokens(getattr(answer, "usage_metadata", None), "prompt_token_count", "candidates_token_count")


_MODELS = ModelKind(names=("model",), usage=_usage)


def _set_state(original: Callable[..., Any]) -> Callable[..., Any]:
    def setitem(self: Any, key: str, value: Any) -> None:
        old = self.get(key)
        original(self, key, value)
        _note_change(key, old, value)

    return setitem


def _update_state(original: Callable[..., Any]) -> Callable[..., Any]:
    def update(self: Any, delta: Any) -> None:
        changed = [(key, self.get(key), value) for key, value in dict(delta).items()]
        original(self, delta)
        for change in changed:
            _note_change(*change)

    return update


def _append_event(original: Callable[..., Any]) -> Callable[..., Any]:
    async def append_event(self: Any, session: Any, event: Any) -> Any:
        # What was written by assignment is in the state already, and was noted then.
        delta = {} if event.partial else event.actions.state_delta
        changed = [(key, session.state.get(key), value, event.author) for key, value in delta.items()]
        appended = await original(self, session=session, event=event)
        for change in changed:
            _note_change(*change)
        return appended

    return append_event


def _note_change(key: str, old: Any, new: Any, agent_id: str | None = None) -> None:
    session = Session.here()
    if session is None:
        return
    try:
        is_same = bool(old == new)
    except Exception:  # Not every value can be compared.
        is_same = False
    if not is_same:
        session.note(StateChange(key, old, new, agent_id))


#: By the module that holds it, the class and the methods that are replaced.
_REDIRECTED: dict[str, tuple[str, dict[str, Callable[[Any], Any]]]] = {
    "agents.base_agent": ("BaseAgent", {"run_async": _run_agent}),
    "models.base_llm": ("BaseLlm", {"__getattribute__": watched(_MODELS, "generate_content_async")}),
    "plugins.plugin_manager": ("PluginManager", {"run_before_tool_callback": _run_before_tool}),
    "models.google_llm": ("Gemini", {"generate_content_async": _generate}),
    "sessions.base_session_service": ("BaseSessionService", {"append_event": _append_event}),
    "sessions.state": ("State", {"__setitem__": _set_state, "update": _update_state}),
}
