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
from typing import Any
from weakref import WeakKeyDictionary

from unitai._engine import enter_agent, leave_agent
from unitai.adapters.ports import Session, StateChange, speaking

__all__ = [
    "InMemory",
    "agent_here",
    "astream",
    "chosen_executor",
    "is_in_run",
    "is_kind_of",
    "loop_after_tick",
    "loop_tick",
    "named",
    "node",
    "node_async",
    "runner_tick",
    "stream",
    "within",
]

_MISSING: Any = object()
#: Values that nobody can change in their place.
_FIXED = (str, int, float, bool, bytes, type(None))


class _Node:
    """A node that runs, or a tool inside of one."""

    __slots__ = ("changes", "name")

    def __init__(self, name: str, changes: dict[str, Any]) -> None:
        self.name = name
        #: What graphs inside of it have told of their state already.
        self.changes = changes


class _Graph:
    """A graph that runs."""

    __slots__ = ("changes", "name", "outer", "seen", "turns")

    def __init__(self, graph: Any) -> None:
        self.outer = _node.get()
        #: Whose doing is what it does. Where nobody gave a name, each node of the outermost graph is somebody.
        self.name: str | None = named(graph) or (None if self.outer is None else self.outer.name)
        #: What graphs inside of its nodes have told, by the id of the node's task.
        self.changes: dict[str, dict[str, Any]] = {}
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


def named(graph: Any) -> str | None:
    """The name that somebody gave a graph."""
    return None if graph.name == "LangGraph" else graph.name


def agent_here() -> str | None:
    """Who acts, as far as the graphs know."""
    graph = _graph.get()
    return None if graph is None else graph.name


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
                    return
                yield piece
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
                        return
                yield piece
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
    token = _node.set(_Node(task.name, changes))
    try:
        name = _speaker(graph, task)
        if name == graph.name:
            yield
        else:
            with speaking(name):
                yield
        _leave_answered_calls(task)
    finally:
        _node.reset(token)


def _speaker(graph: _Graph, task: Any) -> str | None:
    """Whose doing it is what a node does: in a graph without a name, that of a node with the user's own code."""
    if graph.name is not None or _calls_tools(task):
        return graph.name
    return None if _is_of_framework(task) else task.name


def _is_of_framework(task: Any) -> bool:
    """Whether a node is made by the framework: one that asks the model, or a middleware of its own."""
    step = _steps(task)[0]
    call = getattr(step, "func", None) or getattr(step, "afunc", None)
    home = getattr(call, "__module__", None) or ""
    return home.startswith(("langchain.", "langgraph."))


def _leave_answered_calls(task: Any) -> None:
    """Nodes of the framework answer calls without a tool, too: with structured output, or where a person, a limit or a
    middleware has stopped them. Code of a user that answers calls is not known, and stays suspect.
    """
    answered = [
        message.tool_call_id
        for channel, value in task.writes
        if channel == "messages"
        for message in (value if isinstance(value, list) else [value])
        if is_kind_of(message, "ToolMessage")
    ]
    if not answered or not (_calls_tools(task) or _is_of_framework(task)):
        return
    session = Session.here()
    if session is not None:
        session.leave_to_framework(*answered)


def _calls_tools(task: Any) -> bool:
    return any(hasattr(step, "tools_by_name") for step in _steps(task))


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
