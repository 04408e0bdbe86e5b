"""How a graph of LangGraph runs: in steps, in each of which nodes read the state and write to it.

A node may be a graph itself, or call one. So each graph that runs has a `_Graph`, and each node a `_Node`, in context
variables, from which follows whose model calls and tool calls these are, and what changed by whom.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from types import FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

from unitai._engine import enter_agent, leave_agent
from unitai.adapters.ports import Session, StateChange, ToolCall, speaking

__all__ = [
    "InMemory",
    "agent_here",
    "astream",
    "chosen_executor",
    "is_in_run",
    "is_kind_of",
    "is_tool_node",
    "loop_after_tick",
    "loop_tick",
    "named",
    "node",
    "node_async",
    "note_reached",
    "runner_tick",
    "stream",
    "within",
]

_MISSING: Any = object()
#: Values that nobody can change in their place.
_FIXED = (str, int, float, bool, bytes, type(None))
#: Modules of the framework's own nodes and middleware begin with these. Packages of its partners are not among them: a
#: user's own module may well be called `langchain_shop`.
_FRAMEWORK = ("langchain.", "langchain_core.", "langgraph.")
#: Where decorators (`@after_model`, `@wrap_tool_call`) make classes around functions of the user.
_DECORATED = "langchain.agents.middleware.types"


class _Node:
    """A node that runs, or a tool inside of one."""

    __slots__ = ("changes", "name", "reached")

    def __init__(self, name: str, changes: dict[str, Any]) -> None:
        self.name = name
        #: The ids of the calls that came to a tool, or were recorded as rejected.
        self.reached: set[str] = set()
        #: What graphs inside of it have told of their state already.
        self.changes = changes


class _Graph:
    """A graph that runs."""

    __slots__ = ("changes", "loop", "name", "outer", "seen", "turns")

    def __init__(self, graph: Any) -> None:
        self.outer = _node.get()
        #: Whose doing is what it does. Where nobody gave a name, each node of the outermost graph is somebody.
        self.name: str | None = named(graph) or (None if self.outer is None else self.outer.name)
        #: What graphs inside of its nodes have told, by the id of the node's task.
        self.changes: dict[str, dict[str, Any]] = {}
        #: What runs it, once it does.
        self.loop: Any = None
        #: The state as it was told last.
        self.seen: dict[str, Any] | None = None
        #: For tools that are called at once by threads: what to wait for, and what to set.
        self.turns: dict[str, tuple[threading.Event | None, threading.Event]] = {}


_graph: ContextVar[_Graph | None] = ContextVar("unitai_langgraph_graph", default=None)
_node: ContextVar[_Node | None] = ContextVar("unitai_langgraph_node", default=None)


def is_in_run() -> bool:
    """Whether this code works for a run. A graph that works for one knows it, which is faster than to ask."""
    return _graph.get() is not None or Session.here(is_framework=False) is not None


def is_kind_of(thing: Any, name: str) -> bool:
    """Whether it is of a class of the framework, by the name of the class."""
    return any(base.__name__ == name and base.__module__.startswith("lang") for base in type(thing).__mro__)


def is_tool_node(thing: Any) -> bool:
    """Whether it is the framework's node that calls tools. A look-alike with `tools_by_name` is code of the user."""
    return any(base.__name__ == "ToolNode" and base.__module__.startswith(_FRAMEWORK) for base in type(thing).__mro__)


def named(graph: Any) -> str | None:
    """The name that somebody gave a graph."""
    return None if graph.name == "LangGraph" else graph.name


def agent_here() -> str | None:
    """Who acts, as far as the graphs know."""
    graph = _graph.get()
    return None if graph is None else graph.name


def note_reached(call_id: str | None) -> None:
    """The call came to its tool, or is in the record already."""
    node = _node.get()
    if node is not None and call_id:
        node.reached.add(call_id)


@contextmanager
def within(name: str) -> Iterator[None]:
    """A graph that has no name is called by what runs here: a node, a tool."""
    outer = _node.get()
    token = _node.set(_Node(name, {} if outer is None else outer.changes))
    try:
        yield
    finally:
        _node.reset(token)


# Graphs.


def stream(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Pregel.stream`, which `invoke` calls, too."""

    def stream(self: Any, *args: Any, **options: Any) -> Any:
        pieces = original(self, *args, **options)
        if Session.here() is None:
            yield from pieces
            return
        graph = _Graph(self)
        try:
            while True:
                with _at_work(graph):
                    piece = next(pieces, _MISSING)
                if piece is _MISSING:
                    _leave_pending_calls(graph)
                    return
                yield piece
        except Exception as error:
            _leave_interrupted_calls(graph, error)
            raise
        finally:
            pieces.close()

    return stream


def astream(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Pregel.astream`, which `ainvoke` calls, too."""

    async def astream(self: Any, *args: Any, **options: Any) -> Any:
        pieces = original(self, *args, **options)
        graph = None if Session.here() is None else _Graph(self)
        try:
            while True:
                with _at_work(graph):
                    try:
                        piece = await pieces.__anext__()
                    except StopAsyncIteration:
                        _leave_pending_calls(graph)
                        return
                yield piece
        except Exception as error:
            _leave_interrupted_calls(graph, error)
            raise
        finally:
            await pieces.aclose()

    return astream


@contextmanager
def _at_work(graph: _Graph | None) -> Iterator[None]:
    """A graph works between two pieces of its stream; what its caller does in between is not its doing."""
    if graph is None:
        yield
        return
    inside = _graph.set(graph)
    speaker = enter_agent(graph.name) if graph.name else None
    try:
        yield
    finally:
        if speaker is not None:
            leave_agent(speaker)
        _graph.reset(inside)


def _leave_interrupted_calls(graph: _Graph | None, error: Exception) -> None:
    """An inner graph is interrupted by an exception, which the outer one catches."""
    if is_kind_of(error, "GraphBubbleUp"):
        _leave_pending_calls(graph)


def _leave_pending_calls(graph: _Graph | None) -> None:
    """A graph that was interrupted ends with calls that no tool has had yet: a later run goes on with them."""
    loop = None if graph is None else graph.loop
    if loop is None or loop.status == "done":
        return
    session = Session.here()
    if session is None:
        return
    values = [_value(loop, key) for key in loop.channels]
    values += [value for *_, value in getattr(loop, "checkpoint_pending_writes", None) or ()]
    asking = (message for message in _messages(values) if is_kind_of(message, "AIMessage"))
    calls = (call for message in asking for call in message.tool_calls)
    session.leave_to_framework(*(call["id"] for call in calls if call["id"]))


# Nodes.


def node(original: Callable[..., Any]) -> Callable[..., Any]:
    """`run_with_retry`, which runs a node, in a thread."""

    def run_with_retry(task: Any, *args: Any, **options: Any) -> Any:
        graph = _graph.get()
        if graph is None:
            return original(task, *args, **options)
        earlier, done = graph.turns.pop(task.id, (None, None))
        if earlier is not None:
            earlier.wait()
        try:
            with _in_node(graph, task):
                return original(task, *args, **options)
        finally:
            if done is not None:
                done.set()

    return run_with_retry


def node_async(original: Callable[..., Any]) -> Callable[..., Any]:
    """`arun_with_retry`, which runs a node, on an event loop."""

    async def arun_with_retry(task: Any, *args: Any, **options: Any) -> Any:
        graph = _graph.get()
        if graph is None:
            return await original(task, *args, **options)
        with _in_node(graph, task):
            return await original(task, *args, **options)

    return arun_with_retry


@contextmanager
def _in_node(graph: _Graph, task: Any) -> Iterator[None]:
    changes = graph.changes.setdefault(task.id, {})
    node = _Node(task.name, changes)
    token = _node.set(node)
    try:
        name = _speaker(graph, task)
        if name == graph.name:
            yield
        else:
            with speaking(name):
                yield
        _leave_answered_calls(task, node)
    finally:
        _node.reset(token)


def _speaker(graph: _Graph, task: Any) -> str | None:
    """Whose doing it is what a node does: in a graph without a name, that of a node with the user's own code."""
    if graph.name is not None or _calls_tools(task):
        return graph.name
    return None if _is_of_framework(task) else task.name


def _is_of_framework(task: Any) -> bool:
    """Whether a node is made by the framework: one that asks the model, or a middleware."""
    call = _call_of(task)
    home = getattr(call, "__module__", None) or ""
    return home.startswith(("langchain.", "langgraph."))


def _call_of(task: Any) -> Any:
    """What a node calls."""
    step = _steps(task)[0]
    return getattr(step, "func", None) or getattr(step, "afunc", None)


def _leave_answered_calls(task: Any, node: _Node) -> None:
    """Nodes of the framework answer calls without a tool, too: with structured output, or where a person, a limit or a
    middleware has stopped them. Code of a user that answers calls is not known, and stays suspect: what it did is the
    engine's to judge by the result that reaches the model.
    """
    answers = {
        message.tool_call_id: message
        for message in _messages(value for channel, value in task.writes if channel == "messages")
        if is_kind_of(message, "ToolMessage")
    }
    session = Session.here() if answers else None
    if session is None:
        return
    if not _calls_tools(task):
        middleware = _middleware(_call_of(task))
        if middleware is None:
            if _is_of_framework(task):
                session.leave_to_framework(*answers)
        elif _is_the_frameworks(middleware):
            own = {tool.name for tool in getattr(middleware, "tools", None) or ()}
            _deny(session, task, answers, own)
        return
    session.leave_to_framework(*(answers.keys() & node.reached))
    if all(map(_is_plain_tool_node, filter(is_tool_node, _steps(task)))):
        _deny(session, task, {key: answers[key] for key in answers.keys() - node.reached}, set())


def _deny(session: Session, task: Any, answers: dict[str, Any], own: set[str]) -> None:
    """Writes down calls that the framework answered in the place of tools, but for those of the middleware itself."""
    session.leave_to_framework(*answers)
    for call in _requested(task):
        if call["id"] in answers and call["name"] not in own:
            answer = answers.pop(call["id"])
            session.deny(ToolCall(call["name"], dict(call["args"])), answer.content)


def _messages(values: Any) -> Iterator[Any]:
    for value in values:
        yield from value if isinstance(value, list) else [value]


def _requested(task: Any) -> Iterator[Any]:
    """The calls that models requested, as far as the node was told of them."""
    given = task.input
    if isinstance(given, dict):
        if "tool_call" in given:
            yield given["tool_call"]
        given = given.get("messages")
    elif not isinstance(given, list):
        given = getattr(given, "messages", None)
    for message in reversed(given if isinstance(given, list) else []):
        # A node of tools may be sent calls alone.
        is_call = isinstance(message, dict) and "args" in message
        yield from [message] if is_call else getattr(message, "tool_calls", None) or ()


def _middleware(call: Any) -> Any:
    """The middleware that a function belongs to; `None` if it belongs to none."""
    owner = getattr(_untraced(call), "__self__", None)
    return owner if is_kind_of(owner, "AgentMiddleware") else None


def _untraced(call: Any) -> Any:
    """What is called, without the framework's tracing around it. A method may be decorated itself, and stays one."""
    while not isinstance(call, MethodType) and hasattr(call, "__wrapped__"):
        call = call.__wrapped__
    return call


def _is_the_frameworks(middleware: Any) -> bool:
    home = type(middleware).__module__
    return home.startswith(_FRAMEWORK) and home != _DECORATED


def _is_plain_tool_node(node: Any) -> bool:
    """Whether nothing but the framework answers calls in a node of tools."""
    wrappers = (getattr(node, name, None) for name in ("_wrap_tool_call", "_awrap_tool_call"))
    return type(node).__module__.startswith(_FRAMEWORK) and all(map(_is_wrapped_by_framework, wrappers))


def _is_wrapped_by_framework(wrapper: Any) -> bool:
    if wrapper is None:
        return True
    call = _untraced(wrapper)
    if isinstance(call, MethodType):
        return _is_the_frameworks(call.__self__)
    if isinstance(call, FunctionType) and call.__module__ == "langchain.agents.factory":
        # Several, in one that the framework makes of them.
        parts = [cell.cell_contents for cell in call.__closure__ or ()]
        return all(_is_wrapped_by_framework(part) for part in parts if callable(part))
    return False


def _calls_tools(task: Any) -> bool:
    return any(map(is_tool_node, _steps(task)))


def _steps(task: Any) -> Any:
    return getattr(task.proc, "steps", (task.proc,))


def runner_tick(original: Callable[..., Any]) -> Callable[..., Any]:
    """`PregelRunner.tick`, which starts a thread for each node of a step."""

    def tick(self: Any, tasks: Any, *args: Any, **options: Any) -> Any:
        tasks = tuple(tasks)
        graph = _graph.get()
        if graph is not None and len(tasks) > 1:
            # Tools that the model calls at once begin in its order, and not in that of the threads.
            earlier: threading.Event | None = None
            for task in filter(_calls_tools, tasks):
                graph.turns[task.id] = (earlier, earlier := threading.Event())
        return original(self, tasks, *args, **options)

    return tick


def chosen_executor(original: Callable[..., Any]) -> Callable[..., Any]:
    """`get_executor_for_config`, by which a node that calls several tools calls each in a thread."""

    def get_executor_for_config(*args: Any, **options: Any) -> Any:
        return _in_order() if is_in_run() else original(*args, **options)

    return get_executor_for_config


@contextmanager
def _in_order() -> Iterator[Any]:
    yield _InOrder


class _InOrder:
    """Stands for a pool of threads, and calls one after the other."""

    @staticmethod
    def map(call: Callable[..., Any], *args: Any) -> Iterator[Any]:
        for each in zip(*args, strict=False):
            yield copy_context().run(call, *each)


# State.


def loop_tick(original: Callable[..., Any]) -> Callable[..., Any]:
    """`PregelLoop.tick`, before the nodes of a step run."""

    def tick(self: Any) -> Any:
        goes_on = original(self)
        graph = _graph.get()
        if graph is not None:
            graph.loop = self
        if goes_on and graph is not None and graph.seen is None:
            graph.seen = {key: _kept(_value(self, key)) for key in _keys(self)}
        return goes_on

    return tick


def loop_after_tick(original: Callable[..., Any]) -> Callable[..., Any]:
    """`PregelLoop.after_tick`, in which what the nodes wrote becomes the state."""

    def after_tick(self: Any) -> Any:
        graph = _graph.get()
        if graph is None or graph.seen is None:
            return original(self)
        tasks = list(self.tasks.values())
        try:
            return original(self)
        finally:
            _tell(graph, graph.seen, self, tasks)

    return after_tick


def _tell(graph: _Graph, seen: dict[str, Any], loop: Any, tasks: list[Any]) -> None:
    """Notes what a step changed, unless a graph inside of the node has done so."""
    told = {task.id: graph.changes.pop(task.id, {}) for task in tasks}
    for key in _keys(loop):
        if _is_talk(seen.get(key)):
            continue
        writers = [task for task in tasks if any(channel == key for channel, _ in task.writes)]
        new = _value(loop, key)
        if not writers:
            if new is _MISSING:
                seen[key] = new
            continue
        old = seen.get(key, _MISSING)
        if _is_same(_shown(old), _shown(new)):
            continue
        seen[key] = _kept(new)
        if _is_talk(new):
            continue
        if writers[0].name == "__start__":
            continue  # What the graph was given is no change.
        is_known = len(writers) == 1 and _is_same(told[writers[0].id].get(key, _MISSING), new)
        session = None if is_known else Session.here()
        if session is not None:
            # Several at once are told as one change, which is nobody's alone.
            by = _speaker(graph, writers[0]) if len(writers) == 1 else graph.name
            session.note(StateChange(key, _shown(old), _shown(new), by))
        if graph.outer is not None:
            graph.outer.changes[key] = seen[key]


def _keys(loop: Any) -> Any:
    keys = loop.stream_keys
    return [key for key in ([keys] if isinstance(keys, str) else keys) if key not in ("__end__", "__previous__")]


def _value(loop: Any, key: str) -> Any:
    channel = loop.channels.get(key)
    try:
        return _MISSING if channel is None else channel.get()
    except Exception:
        return _MISSING  # The framework's word for a channel that is empty.


def _kept(value: Any) -> Any:
    """The value as it is now: nodes change lists in their place, and call that a change."""
    if isinstance(value, _FIXED) or value is _MISSING or _is_talk(value) or _is_plain(value):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def _shown(value: Any) -> Any:
    return None if value is _MISSING else value


def _is_plain(value: Any) -> bool:
    """Whether it equals nothing but itself, so that a copy would always be a change."""
    return all("__eq__" not in base.__dict__ for base in type(value).__mro__[:-1])


def _is_same(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except Exception:
        return False


def _is_talk(value: Any) -> bool:
    """Whether it is messages, which model calls and tool calls tell already."""
    first = value[0] if isinstance(value, list) and value else value
    return is_kind_of(first, "BaseMessage")


# Memory.


class InMemory:
    """Stands for an attribute of a graph that keeps things longer than a run: in a run, it keeps them in memory.

    What would be a database is replaced by one in memory, which lives as long as the object it stands for: a run that
    was interrupted can be resumed by another. What is in memory already is the user's, and stays.
    """

    _stand_ins: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def __init__(self, name: str) -> None:
        self._name = name

    @classmethod
    def of(cls, name: str) -> Callable[[Any], InMemory]:
        """What replaces the attribute of this name."""
        return lambda _: cls(name)

    def __get__(self, graph: Any, owner: Any = None) -> Any:
        # A graph without one has none: that is the framework's default, too.
        kept = None if graph is None else graph.__dict__.get(self._name)
        if kept is None or isinstance(kept, bool) or Session.here() is None:
            return kept
        return self._stand_in(kept)

    def __set__(self, graph: Any, value: Any) -> None:
        graph.__dict__[self._name] = value

    def _stand_in(self, kept: Any) -> Any:
        if any(is_kind_of(kept, name) for name in ("InMemorySaver", "InMemoryStore", "InMemoryCache")):
            return kept
        found = self._stand_ins.get(kept)
        if found is None:
            # Two threads that meet here get the same one.
            found = self._stand_ins.setdefault(kept, self._made(kept))
        return found

    def _made(self, kept: Any) -> Any:
        from importlib import import_module

        if self._name == "checkpointer":
            return import_module("langgraph.checkpoint.memory").InMemorySaver(serde=kept.serde)
        if self._name == "store":
            return import_module("langgraph.store.memory").InMemoryStore()
        return import_module("langgraph.cache.memory").InMemoryCache()
