"""How CrewAI calls its tools, and where the calls are redirected.

A model that calls functions has its calls made by `BaseTool.run`; one that writes them down as text, by
`CrewStructuredTool.invoke`. In a run both call a copy of the tool whose inside asks the mock, so that checking
arguments, limits of use and the handling of errors stay the framework's. What it refuses before it comes to a tool
(an unknown name, arguments that are no JSON, the same call twice) is seen one level above, where a call begins.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any

from unitai.adapters.awaiting import awaited, waited
from unitai.adapters.base import is_a
from unitai.adapters.frameworks import FRAMEWORKS, require
from unitai.adapters.model_calls import ModelKind, tokens, watched
from unitai.adapters.ports import Session, ToolCall, speaking
from unitai.errors import AmbiguousRunError
from unitai.traffic.patches import Patch

__all__ = ["SEAMS", "is_a", "is_own", "name_of", "names_of", "redirects", "sanitized", "schema_of"]


def names_of(tool: Any) -> tuple[str, tuple[str, ...]]:
    """What the model calls a tool, and what the program and an MCP server do, if those are other names."""
    name = sanitized(tool.name)
    behind = getattr(tool, "_original_tool", None) or tool
    others = (tool.name, getattr(behind, "original_tool_name", None))
    return name, tuple(dict.fromkeys(other for other in others if other not in (None, name)))


def sanitized(name: str) -> str:
    """A tool's name as models are told it."""
    return str(import_module("crewai.utilities.string_utils").sanitize_tool_name(name))


def name_of(agent: Any) -> str:
    """What an agent is called in a trajectory."""
    return str(agent.role).strip()


def schema_of(tool: Any) -> dict[str, Any] | None:
    """What a tool takes."""
    return None if tool.args_schema is None else dict(tool.args_schema.model_json_schema())


def is_own(tool: Any) -> bool:
    """Whether a tool is the framework's own means: of asking another agent, of reading what it was given."""
    return type(tool).__module__.startswith(("crewai.tools.agent_tools.", "crewai.skills."))


def redirects(module: Any) -> list[Patch]:
    """What is replaced in a module of the framework."""
    # Not by the module's own word: the framework writes the name of one into others.
    known = next(name for name in FRAMEWORKS["crewai"].modules if sys.modules.get(name) is module)
    if known == "crewai.events.event_bus":
        # Its thread is the framework's, and not one that the first run leaves behind.
        getattr(module.crewai_event_bus, "_ensure_executor_initialized", lambda: None)()
        return []
    found = []
    for owner, name, make in SEAMS[known]:
        place = module if owner is None else getattr(module, owner)
        require(place, name, "crewai")
        found.append(Patch(place, name, make))
    return found


class _Turn:
    """One call that a model asked for, until its result is known."""

    def __init__(self) -> None:
        #: Whether the mock was asked, or a refusal written down.
        self.is_told = False
        #: What the model is told in the end.
        self.result: Any = None


_turn: ContextVar[_Turn | None] = ContextVar("unitai_crewai_turn", default=None)


@contextmanager
def _turn_of(session: Session, call: ToolCall) -> Iterator[_Turn]:
    """A call that never comes to a tool is written down as refused."""
    turn = _Turn()
    token = _turn.set(turn)
    why: Exception | None = None
    try:
        yield turn
    except Exception as error:
        why = error
        raise
    finally:
        _turn.reset(token)
        if not turn.is_told and (why is not None or turn.result is not None):
            session.reject(call, why or LookupError(str(turn.result)))


def _native(original: Callable[..., Any]) -> Callable[..., Any]:
    """A call of a function, made by an executor: by the call as the model made it, or taken apart."""

    @wraps(original)
    def execute(self: Any, *args: Any, **parts: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(self, *args, **parts)
        functions = parts.get("available_functions") or self._available_functions
        functions.update(_functions(self._tool_name_mapping))
        call = _native_call(args[0]) if args else ToolCall(parts["func_name"], _args(parts["func_args"]))
        with _turn_of(session, call) as turn:
            done = original(self, *args, **parts)
            turn.result = done["result"]
        return done

    return execute


def _native_step(original: Callable[..., Any]) -> Callable[..., Any]:
    """A call of a function, made for one step of a plan."""

    @wraps(original)
    def execute(tool_call: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(tool_call, **options)
        tools = {sanitized(tool.name): tool for tool in options["original_tools"]}
        options["available_functions"] = {**options["available_functions"], **_functions(tools)}
        with _turn_of(session, _native_call(tool_call)) as turn:
            done = original(tool_call, **options)
            turn.result = done.result
        return done

    return execute


def _functions(tools: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """What calls each tool: looked up now, for the executor did so when it was made, maybe before this run."""
    return {
        name: tool.run if hasattr(type(tool).run, "_unitai_own") else partial(_called, tool)
        for name, tool in tools.items()
    }


def _called(tool: Any, **given: Any) -> Any:
    """Calls a tool whose class has a `run` of its own, around which there is no redirect."""
    session = Session.here()
    if session is None:
        return tool.run(**given)
    turn = _turn.get()
    if turn is not None:
        turn.is_told = True
    name, aliases = names_of(tool)
    call = ToolCall(name, given, aliases=aliases, schema=schema_of(tool), is_agent=is_own(tool))
    return waited(session.answer(call, lambda: tool.run(**given)))


def _native_call(tool_call: Any) -> ToolCall:
    read = import_module("crewai.utilities.agent_utils").extract_tool_call_info
    _, name, args = read(tool_call) or ("", "unknown", str(tool_call))
    return ToolCall(name, _args(args))


def _written(original: Callable[..., Any]) -> Callable[..., Any]:
    """A call that the model wrote down as text."""
    if iscoroutinefunction(original):

        @wraps(original)
        async def aexecute(agent_action: Any, *args: Any, **options: Any) -> Any:
            session = Session.here()
            if session is None:
                return await original(agent_action, *args, **options)
            with _turn_of(session, _written_call(agent_action)) as turn:
                done = await original(agent_action, *args, **options)
                turn.result = done.result
            return done

        return aexecute

    @wraps(original)
    def execute(agent_action: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(agent_action, *args, **options)
        with _turn_of(session, _written_call(agent_action)) as turn:
            done = original(agent_action, *args, **options)
            turn.result = done.result
        return done

    return execute


def _written_call(action: Any) -> ToolCall:
    return ToolCall(sanitized(action.tool or "unknown"), _args(action.tool_input))


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
        name, aliases = names_of(tool)
        self._call = ToolCall(name, given, aliases=aliases, is_agent=is_own(behind))
        self.tool = copy.copy(tool)
        for inside in ("_run", "_arun", "func"):
            if getattr(tool, inside, None) is not None:
                self.tool.__dict__[inside] = partial(self._ask, getattr(tool, inside))

    def _ask(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        self._is_asked = self._turn.is_told = True
        return waited(self._session.answer(self._call, lambda: real(*args, **options)))

    async def _aask(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        self._is_asked = self._turn.is_told = True
        answer = self._session.answer(self._call, lambda: real(*args, **options))
        return await awaited(answer)

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
    if is_a(tool, "crewai.tools.structured_tool.CrewStructuredTool"):
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
            with speaking(name_of(_agent_of(self))):
                return await original(self, *args, **options)

        return ainvoke

    @wraps(original)
    def invoke(self: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(self, *args, **options)
        _check_hosted(self, session)
        with speaking(name_of(_agent_of(self))):
            return original(self, *args, **options)

    return invoke


def _check_hosted(executor: Any, session: Session) -> None:
    """Refuses tools that run at the model's provider, where no mock reaches them."""
    hosted: Iterable[str] = getattr(executor.llm, "builtin_tools", None) or ()
    for name in hosted:
        session.refuse_hosted(name)


def _one_by_one(original: Any) -> Any:
    """Calls that the model makes at once begin in any order where each has a thread; its own is to be recorded."""

    @wraps(original, updated=())
    def pool(*args: Any, **options: Any) -> Any:
        return original(*args, **options) if Session.here() is None else _Line()

    return pool


class _Line:
    """A pool whose work is done as it comes."""

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def submit(self, call: Callable[..., Any], *args: Any, **options: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(call(*args, **options))
        except Exception as error:
            done.set_exception(error)
        return done

    def shutdown(self, **options: Any) -> None:
        """There is nothing left to do."""


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


_Seam = tuple[str | None, str, Callable[[Any], Any]]

#: The executor of agents.
_EXECUTOR: tuple[_Seam, ...] = (
    ("AgentExecutor", "_execute_single_native_tool_call", _native),
    ("AgentExecutor", "invoke", _spoken),
    ("AgentExecutor", "invoke_async", _spoken),
    (None, "ThreadPoolExecutor", _one_by_one),
    (None, "execute_tool_and_check_finality", _written),
)


def _offered(original: Callable[..., Any]) -> Callable[..., Any]:
    """Functions that code offers to a model, and that the model's own class calls."""

    @wraps(original)
    def handle(self: Any, *args: Any, **options: Any) -> Any:
        session = Session.here()
        if session is None:
            return original(self, *args, **options)
        asked = [_asking(session, each) for each in args]
        return original(self, *asked, **{name: _asking(session, each) for name, each in options.items()})

    return handle


def _asking(session: Session, given: Any) -> Any:
    """Functions by name, each of which asks the mock; anything else as it is. Tools ask by themselves, and what the
    framework offers is no tool of the agent.
    """
    if not isinstance(given, dict) or not given or not all(map(callable, given.values())):
        return given

    def ask(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        is_of_a_tool = hasattr(getattr(real, "__self__", None), "args_schema")
        if is_of_a_tool or str(getattr(real, "__module__", "")).startswith("crewai."):
            return real
        return lambda **args: session.answer(ToolCall(name, args), lambda: real(**args))

    return {name: ask(name, real) for name, real in given.items()}


#: Answers are texts. What they took is counted by the model itself, if at all.
_MODELS = ModelKind(
    names=("model",),
    counter=lambda model: tokens(getattr(model, "_token_usage", None), "prompt_tokens", "completion_tokens") or (0, 0),
)

#: The seams of each module: the class, or `None` for the module itself; the name; and what is made of it.
SEAMS: dict[str, tuple[_Seam, ...]] = {
    "crewai.llms.base_llm": (
        ("BaseLLM", "_handle_tool_execution", _offered),
        ("BaseLLM", "__getattribute__", watched(_MODELS, "call", "acall")),
    ),
    "crewai.llm": (("LLM", "_handle_tool_call", _offered),),
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
    "crewai.agents.agent_executor": _EXECUTOR,
    # Where older releases have it, and the executor that they had before.
    "crewai.experimental.agent_executor": _EXECUTOR,
    "crewai.agents.crew_agent_executor": (
        ("CrewAgentExecutor", "_execute_single_native_tool_call", _native),
        ("CrewAgentExecutor", "invoke", _spoken),
        ("CrewAgentExecutor", "ainvoke", _spoken),
        (None, "ThreadPoolExecutor", _one_by_one),
        (None, "execute_tool_and_check_finality", _written),
        (None, "aexecute_tool_and_check_finality", _written),
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
