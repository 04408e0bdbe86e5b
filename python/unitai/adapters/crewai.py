"""CrewAI: crews, agents on their own, and flows.

A model that calls functions has its calls made by `BaseTool.run`; one that writes them down as text, by
`CrewStructuredTool.invoke`. In a run both call a copy of the tool whose inside asks the mock, so that checking
arguments, limits of use and the handling of errors stay the framework's. What it refuses before it comes to a tool
(an unknown name, arguments that are no JSON, the same call twice) is seen one level above, where a call begins.
"""

from __future__ import annotations

import asyncio
import copy
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from inspect import iscoroutinefunction, signature
from types import MethodType
from typing import Any

from unitai.adapters.base import AgentTool, BaseAdapter
from unitai.adapters.frameworks import require
from unitai.adapters.ports import Session, ToolCall, speaking
from unitai.errors import AmbiguousRunError, UnmockedToolError
from unitai.traffic.patches import Patch

__all__ = ["CrewAIAdapter", "redirects"]

_CREW = "crewai.crew.Crew"
_AGENT = "crewai.agents.agent_builder.base_agent.BaseAgent"
_LITE = "crewai.lite_agent.LiteAgent"
_FLOWS = ("crewai.flow.flow.Flow", "crewai.flow.runtime.Flow")


class CrewAIAdapter(BaseAdapter):
    """Runs crews, agents and flows.

    Args:
        memory: Whether crews and agents keep their memory, which asks models and writes to a disk.
        files: Whether tasks write their `output_file`, and crews their log.
        options: Further arguments of `akickoff`, such as `input_files` or, for an agent, `response_format`.
    """

    name = "crewai"
    handles = frozenset({_CREW, _AGENT, _LITE, *_FLOWS})

    def __init__(self, *, memory: bool = False, files: bool = False, **options: Any) -> None:
        self._memory = memory
        self._files = files
        self._options = options

    def inject_mocks(self, agent: Any, session: Session) -> Any:
        return _Copies(self._memory, self._files).of(agent)

    async def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        start = getattr(wrapped_agent, "akickoff", None) or wrapped_agent.kickoff_async
        if _is(wrapped_agent, _AGENT, _LITE):
            done = await start(input, **self._options)
        else:
            inputs = {"input": input} if isinstance(input, str) else input
            done = await start(inputs=inputs, **self._options)
        if hasattr(done, "__aiter__"):
            async for _ in done:
                pass
            done = done.result
        return _output(done)

    def extract_tools(self, agent: Any) -> list[str]:
        return list({str(tool): tool for tool in _tools(agent)}.values())

    def knows_all_tools(self, agent: Any) -> bool:
        if _is(agent, *_FLOWS):
            return False
        late = ("mcps", "apps", "skills", "memory")
        return not any(getattr(each, name, None) for each in (agent, *_agents(agent)) for name in late)


def _is(thing: Any, *names: str) -> bool:
    return any(f"{base.__module__}.{base.__qualname__}" in names for base in type(thing).__mro__)


def _output(done: Any) -> Any:
    """The structured output where one was asked for, else the text."""
    for name in ("pydantic", "json_dict", "raw"):
        value = getattr(done, name, None)
        if value is not None:
            return value
    return done


class _Copies:
    """Copies of what running itself would change: roles and descriptions are filled in for good, executors and
    results are kept. Everything else is shared, so that nothing is lost on the way.
    """

    def __init__(self, memory: bool, files: bool) -> None:
        self._memory = memory
        self._files = files
        self._made: dict[int, Any] = {}

    def of(self, thing: Any) -> Any:
        """The copy of a thing; the same one, if it is met again."""
        if thing is None:
            return None
        if id(thing) not in self._made:
            self._made[id(thing)] = made = _shallow(thing)
            if _is(thing, _CREW):
                self._crew(made)
            elif _is(thing, _AGENT, _LITE):
                self._agent(made)
            elif _is(thing, "crewai.task.Task"):
                self._task(made)
            elif _is(thing, *_FLOWS):
                self._flow(thing, made)
        return self._made[id(thing)]

    def _crew(self, crew: Any) -> None:
        agents, tasks = self._all(crew.agents), self._all(crew.tasks)
        changes = {"agents": agents, "tasks": tasks, "tracing": False}
        for name in ("manager_agent", "manager_llm", "function_calling_llm", "chat_llm", "planning_llm"):
            changes[name] = self._one(getattr(crew, name, None))
        if not self._memory:
            changes["memory"] = False
            crew._memory = None
        if not self._files:
            changes["output_log_file"] = None
        _set(crew, changes)

    def _agent(self, agent: Any) -> None:
        changes = {"tools": self._all(agent.tools), "agent_executor": None}
        for name in ("llm", "function_calling_llm", "tools_handler"):
            changes[name] = self._one(getattr(agent, name, None))
        if not self._memory:
            changes["memory"] = None
            _set_private(agent, {"_memory": None})
        process = (agent.__pydantic_private__ or {}).get("_token_process")
        _set_private(agent, {"_token_process": process and type(process)(), "_times_executed": 0})
        _set(agent, changes)

    def _task(self, task: Any) -> None:
        changes = {"tools": self._all(task.tools), "agent": self.of(task.agent)}
        if isinstance(task.context, list):
            changes["context"] = self._all(task.context)
        if not self._files:
            changes["output_file"] = None
        _set(task, changes)

    def _flow(self, flow: Any, made: Any) -> None:
        private = made.__pydantic_private__ or made.__dict__
        own = {name: _bound_to(made, method, flow) for name, method in getattr(flow, "_methods", {}).items()}
        _set_private(made, {"_methods": own, "_state": copy.deepcopy(private.get("_state"))})

    def _all(self, things: Any) -> Any:
        return [self.of(thing) for thing in things] if isinstance(things, list) else things

    def _one(self, thing: Any) -> Any:
        return thing if isinstance(thing, str) else self.of(thing)


def _shallow(thing: Any) -> Any:
    """A copy with containers of its own."""
    made = copy.copy(thing)
    for fields in (made.__dict__, getattr(made, "__pydantic_private__", None) or {}):
        for name, value in fields.items():
            if type(value) in (list, dict, set):
                fields[name] = copy.copy(value)
    return made


def _set(thing: Any, values: dict[str, Any]) -> None:
    """Past the checks, which would build some of it anew."""
    thing.__dict__.update({name: value for name, value in values.items() if name in thing.__dict__})


def _set_private(thing: Any, values: dict[str, Any]) -> None:
    private = thing.__pydantic_private__ or thing.__dict__
    private.update({name: value for name, value in values.items() if name in private})


def _bound_to(made: Any, method: Any, flow: Any) -> Any:
    return MethodType(method.__func__, made) if getattr(method, "__self__", None) is flow else method


def _agents(agent: Any) -> Iterator[Any]:
    """The agents that take part, each once."""
    if not _is(agent, _CREW):
        yield agent
        return
    found = [*agent.agents, *(task.agent for task in agent.tasks), agent.manager_agent]
    yield from {id(each): each for each in found if each is not None}.values()


def _tools(agent: Any) -> Iterator[AgentTool]:
    if _is(agent, *_FLOWS):
        return
    for each in _agents(agent):
        yield from (_agent_tool(tool, each) for tool in each.tools or ())
        for hosted in getattr(each.llm, "builtin_tools", None) or ():
            yield AgentTool(hosted, kind="hosted", agent_id=_name(each))
    for task in getattr(agent, "tasks", ()):
        yield from (_agent_tool(tool, task.agent) for tool in task.tools or ())
    is_led = str(getattr(agent, "process", "")).endswith("hierarchical")
    if is_led or any(each.allow_delegation for each in getattr(agent, "agents", ())):
        for name in ("Delegate work to coworker", "Ask question to coworker"):
            yield AgentTool(_sanitized(name), aliases=(name,), kind="agent")


def _agent_tool(tool: Any, agent: Any) -> AgentTool:
    name, aliases = _names(tool)
    is_remote = type(tool).__module__.startswith("crewai.tools.mcp_")
    return AgentTool(
        name,
        description=tool.description,
        schema=partial(_schema, tool),
        returns=partial(_returns, tool),
        aliases=aliases,
        kind="agent" if _is_own(tool) else "mcp" if is_remote else "tool",
        agent_id=None if agent is None else _name(agent),
    )


def _names(tool: Any) -> tuple[str, tuple[str, ...]]:
    """What the model calls a tool, and what the program does, if that is another name."""
    name = _sanitized(tool.name)
    return name, () if name == tool.name else (tool.name,)


def _sanitized(name: str) -> str:
    from crewai.utilities import string_utils

    return str(string_utils.sanitize_tool_name(name))


def _name(agent: Any) -> str:
    return str(agent.role).strip()


def _schema(tool: Any) -> dict[str, Any] | None:
    return None if tool.args_schema is None else dict(tool.args_schema.model_json_schema())


def _returns(tool: Any) -> dict[str, Any] | None:
    from pydantic import TypeAdapter

    shape = getattr(tool, "result_schema", None)
    try:
        given = signature(getattr(tool, "func", tool._run), eval_str=True).return_annotation
        shape = given if shape is None else shape
        return None if shape in (signature.empty, Any) else TypeAdapter(shape).json_schema()
    except Exception:
        # An annotation that nobody can resolve, or that is no shape, says nothing.
        return None


def _is_own(tool: Any) -> bool:
    """Whether a tool is the framework's own means: of asking another agent, of reading what it was given."""
    return type(tool).__module__.startswith(("crewai.tools.agent_tools.", "crewai.skills."))


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    if module is sys.modules.get("crewai.events.event_bus"):
        # Its thread is the framework's, and not one that the first run leaves behind.
        module.crewai_event_bus._ensure_executor_initialized()
        return []
    # Not by the module's own word: the framework writes the name of one into others.
    known = next(name for name in _SEAMS if sys.modules.get(name) is module)
    found = []
    for owner, name, make in _SEAMS[known]:
        place = module if owner is None else getattr(module, owner)
        require(place, name, "crewai")
        found.append(Patch(place, name, make))
    return found


class _Turn:
    """One call that a model asked for, until its result is known."""

    def __init__(self) -> None:
        #: Whether the mock was asked, or a refusal written down.
        self.is_told = False


_turn: ContextVar[_Turn | None] = ContextVar("unitai_crewai_turn", default=None)


def _told(session: Session, call: ToolCall, act: Callable[[], Any], said: Callable[[Any], Any]) -> Any:
    """Does what a call of the model leads to, and writes down if that never came to a tool: `said` is why."""
    turn = _Turn()
    token = _turn.set(turn)
    try:
        done = act()
    finally:
        _turn.reset(token)
    if not turn.is_told:
        session.reject(call, LookupError(str(said(done))))
    return done


def _native(original: Callable[..., Any]) -> Callable[..., Any]:
    """A call of a function, made by an executor."""

    @wraps(original)
    def execute(self: Any, tool_call: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(self, tool_call)
        # They were looked up when the executor was made, which may have been before this run.
        self._available_functions.update(_functions(getattr(self, "_tool_name_mapping", {})))
        return _told(session, _native_call(tool_call), lambda: original(self, tool_call), lambda done: done["result"])

    return execute


def _native_step(original: Callable[..., Any]) -> Callable[..., Any]:
    """A call of a function, made for one step of a plan."""

    @wraps(original)
    def execute(tool_call: Any, *, available_functions: Any, original_tools: Any, **options: Any) -> Any:
        session = Session.here()
        if session is not None:
            tools = {_sanitized(tool.name): tool for tool in original_tools}
            available_functions = {**available_functions, **_functions(tools)}
        options.update(available_functions=available_functions, original_tools=original_tools)
        if session is None:
            return original(tool_call, **options)
        return _told(session, _native_call(tool_call), lambda: original(tool_call, **options), lambda done: done.result)

    return execute


def _functions(tools: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    return {name: tool.run for name, tool in tools.items() if _is_redirected(tool)} | {
        name: partial(_called, tool) for name, tool in tools.items() if not _is_redirected(tool)
    }


def _is_redirected(tool: Any) -> bool:
    return hasattr(type(tool).run, "_unitai_own")


def _called(tool: Any, **given: Any) -> Any:
    """Calls a tool whose class has a `run` of its own, around which there is no redirect."""
    session = Session.here()
    if session is None:
        return tool.run(**given)
    turn = _turn.get()
    if turn is not None:
        turn.is_told = True
    name, aliases = _names(tool)
    call = ToolCall(name, given, aliases=aliases, schema=_schema(tool), is_agent=_is_own(tool))
    return _waited(session.answer(call, lambda: tool.run(**given)))


def _native_call(tool_call: Any) -> ToolCall:
    from crewai.utilities.agent_utils import extract_tool_call_info

    _, name, args = extract_tool_call_info(tool_call) or ("", "unknown", str(tool_call))
    return ToolCall(name, _args(args))


def _written(original: Callable[..., Any]) -> Callable[..., Any]:
    """A call that the model wrote down as text."""

    @wraps(original)
    def execute(agent_action: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(agent_action, *args, **options)
        call = ToolCall(_sanitized(agent_action.tool or "unknown"), _args(agent_action.tool_input))
        return _told(session, call, lambda: original(agent_action, *args, **options), lambda done: done.result)

    return execute


def _args(given: Any) -> dict[str, Any]:
    """Arguments as far as they can be read."""
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        read = None
    return read if isinstance(read, dict) else {"input": given}


class _Asked:
    """One call of a tool, answered by the mock inside of the framework's own handling."""

    def __init__(self, tool: Any, given: dict[str, Any], session: Session) -> None:
        self._real = tool
        self._session = session
        self._turn = _turn.get() or _Turn()
        self._is_asked = False
        behind = getattr(tool, "_original_tool", None) or tool
        name, aliases = _names(tool)
        self._call = ToolCall(name, given, aliases=aliases, is_agent=_is_own(behind))
        self.tool = copy.copy(tool)
        for inside in ("_run", "_arun", "func"):
            if getattr(tool, inside, None) is not None:
                self.tool.__dict__[inside] = partial(self._ask, getattr(tool, inside))

    def _ask(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        self._is_asked = self._turn.is_told = True
        return _waited(self._session.answer(self._call, lambda: real(*args, **options)))

    async def _aask(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        self._is_asked = self._turn.is_told = True
        answer = self._session.answer(self._call, lambda: real(*args, **options))
        return await answer if hasattr(type(answer), "__await__") else answer

    def asynchronous(self, inside: str) -> _Asked:
        """Whoever calls awaits the answer."""

        async def ask(*args: Any, **options: Any) -> Any:
            return await self._aask(getattr(self._real, inside), *args, **options)

        self.tool.__dict__[inside] = ask
        return self

    def done(self, answer: Any) -> Any:
        """The call is over: the framework may have refused it without asking the tool."""
        self._count()
        if not self._is_asked:
            self._refused(RuntimeError(str(answer)))
        return answer

    def failed(self, error: Exception) -> None:
        """As `done`, for a call that raised."""
        self._count()
        if not self._is_asked:
            self._refused(error)

    def _refused(self, error: Exception) -> None:
        # A call that is written as text is tried several times before the model is told.
        if not self._turn.is_told:
            self._turn.is_told = True
            self._session.reject(self._call, error)

    def _count(self) -> None:
        """How often it was used is kept by the tool itself."""
        used = getattr(self.tool, "current_usage_count", None)
        if used is not None and used != self._real.current_usage_count:
            self._real.current_usage_count = used


def _waited(answer: Any) -> Any:
    return asyncio.run(_while_it_runs(answer)) if hasattr(type(answer), "__await__") else answer


async def _while_it_runs(answer: Any) -> Any:
    """Awaits in a thread that nobody can cancel: it looks by itself whether the run is over."""
    task = asyncio.ensure_future(answer)
    try:
        while not (await asyncio.wait({task}, timeout=0.05))[0]:
            Session.here()
        return task.result()
    finally:
        task.cancel()


def _sync(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseTool.run`, which is handed keywords, and `CrewStructuredTool.invoke`, which is handed a dictionary."""

    @wraps(original)
    def call(self: Any, *args: Any, **given: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(self, *args, **given)
        asked = _Asked(self, _given(self, args, given), session)
        try:
            return asked.done(original(asked.tool, *args, **given))
        except Exception as error:
            asked.failed(error)
            raise

    return call


def _async(inside: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        async def call(self: Any, *args: Any, **given: Any) -> Any:
            session = Session.here()
            if session is None:
                return await original(self, *args, **given)
            asked = _Asked(self, _given(self, args, given), session).asynchronous(inside)
            try:
                return asked.done(await original(asked.tool, *args, **given))
            except Exception as error:
                asked.failed(error)
                raise

        return call

    return make


def _given(tool: Any, args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
    if _is(tool, "crewai.tools.structured_tool.CrewStructuredTool"):
        return _args(args[0] if args else given.get("input"))
    names = tool.args_schema.model_fields if tool.args_schema is not None else ()
    return {**dict(zip(names, args, strict=False)), **given}


def _agent_of(executor: Any) -> Any:
    return getattr(executor, "agent", None) or executor


def _spoken(original: Callable[..., Any]) -> Callable[..., Any]:
    """What an agent does is done in its name."""
    if iscoroutinefunction(original):

        @wraps(original)
        async def ainvoke(self: Any, *args: Any, **options: Any) -> Any:
            session = Session.here()
            if session is None:
                return await original(self, *args, **options)
            _check_hosted(self, session)
            with speaking(_name(_agent_of(self))):
                return await original(self, *args, **options)

        return ainvoke

    @wraps(original)
    def invoke(self: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(self, *args, **options)
        _check_hosted(self, session)
        with speaking(_name(_agent_of(self))):
            return original(self, *args, **options)

    return invoke


def _check_hosted(executor: Any, session: Session) -> None:
    """Refuses tools that run at the model's provider, where no mock reaches them."""
    hosted: Iterable[str] = getattr(executor.llm, "builtin_tools", None) or ()
    for name in hosted:
        if session.is_strict and session.stance(name) != "allowed":
            error = UnmockedToolError(
                f"{name} of the agent {_name(_agent_of(executor))!r} runs at the model's provider, "
                "where it cannot be mocked",
                remedy=f'let it run: toolkit.allow("{name}"); or test an agent whose model has no builtin_tools',
            )
            session.fail(error)
            raise error


def _in_order(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def parallelize(self: Any, tool_calls: Any) -> Any:
        # Threads begin in any order; the order of the model's calls is to be recorded.
        return original(self, tool_calls) if Session.here() is None else False

    return parallelize


def _left_out(original: Callable[..., Any]) -> Callable[..., Any]:
    """What no run does: keep results for the next one, speak to the framework's makers."""

    @wraps(original)
    def nothing(*args: Any, **options: Any) -> Any:
        try:
            is_outside = Session.here() is None
        except AmbiguousRunError:
            is_outside = False
        return original(*args, **options) if is_outside else None

    return nothing


#: The seams of each module: the class, or `None` for the module itself; the name; and what is made of it.
_SEAMS: dict[str, tuple[tuple[str | None, str, Callable[[Any], Any]], ...]] = {
    "crewai.tools.base_tool": (
        ("BaseTool", "run", _sync),
        ("BaseTool", "arun", _async("_arun")),
        ("Tool", "run", _sync),
        ("Tool", "arun", _async("_arun")),
    ),
    "crewai.tools.structured_tool": (
        ("CrewStructuredTool", "invoke", _sync),
        ("CrewStructuredTool", "ainvoke", _async("func")),
    ),
    "crewai.agents.agent_executor": (
        ("AgentExecutor", "_execute_single_native_tool_call", _native),
        ("AgentExecutor", "_should_parallelize_native_tool_calls", _in_order),
        ("AgentExecutor", "invoke", _spoken),
        ("AgentExecutor", "invoke_async", _spoken),
        (None, "execute_tool_and_check_finality", _written),
    ),
    "crewai.agents.step_executor": (
        (None, "execute_single_native_tool_call", _native_step),
        (None, "execute_tool_and_check_finality", _written),
    ),
    "crewai.lite_agent": (
        ("LiteAgent", "_invoke_loop", _spoken),
        (None, "execute_tool_and_check_finality", _written),
    ),
    "crewai.agents.cache.cache_handler": (("CacheHandler", "read", _left_out), ("CacheHandler", "add", _left_out)),
    "crewai.telemetry.telemetry": (("Telemetry", "_safe_telemetry_operation", _left_out),),
    "crewai.utilities.task_output_storage_handler": (
        ("TaskOutputStorageHandler", "add", _left_out),
        ("TaskOutputStorageHandler", "update", _left_out),
        ("TaskOutputStorageHandler", "reset", _left_out),
    ),
}
