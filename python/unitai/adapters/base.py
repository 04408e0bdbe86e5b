"""The interface of every adapter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal, get_type_hints

from unitai.adapters.ports import Session

__all__ = ["AgentTool", "BaseAdapter", "is_a"]

Schema = dict[str, Any]


def returned_by(function: Any) -> Schema | None:
    """What a function says that it returns, as JSON schema; `None` if it does not say, or says what has none."""
    try:
        return shape_of(get_type_hints(function)["return"])
    except Exception:
        return None


def shape_of(kind: Any) -> Schema | None:
    """A type as JSON schema, by pydantic, which every framework brings."""
    schema: Schema = import_module("pydantic").TypeAdapter(kind).json_schema()
    return schema


class AgentTool(str):
    """A tool of an agent: its name, with what else is known about it.

    >>> tool = AgentTool("refund", schema={"type": "object"})
    >>> tool == "refund", tool.schema
    (True, {'type': 'object'})
    """

    description: str
    #: Other names that a test may mock it by.
    aliases: tuple[str, ...]
    #: `tool` runs here; `mcp` in a server of tools; `hosted` at the model's provider, where no mock reaches it;
    #: `agent` is another agent, which runs with its own tools mocked.
    kind: Literal["tool", "mcp", "hosted", "agent"]
    #: The agent that has it, where several take part.
    agent_id: str | None
    _schema: Schema | Callable[[], Schema | None] | None
    _returns: Schema | Callable[[], Schema | None] | None

    def __new__(
        cls,
        name: str,
        *,
        description: str = "",
        schema: Schema | Callable[[], Schema | None] | None = None,
        returns: Schema | Callable[[], Schema | None] | None = None,
        aliases: Sequence[str] = (),
        kind: Literal["tool", "mcp", "hosted", "agent"] = "tool",
        agent_id: str | None = None,
    ) -> AgentTool:
        self = super().__new__(cls, name)
        self.description = description
        self._schema, self._returns = schema, returns
        self.aliases = tuple(aliases)
        self.kind = kind
        self.agent_id = agent_id
        return self

    @property
    def schema(self) -> Schema | None:
        """What it takes, as JSON schema; made when somebody asks."""
        return self._schema() if callable(self._schema) else self._schema

    @property
    def returns(self) -> Schema | None:
        """What it gives, as JSON schema, where that is known."""
        return self._returns() if callable(self._returns) else self._returns

    @property
    def names(self) -> tuple[str, ...]:
        """All its names."""
        return (str(self), *self.aliases)


def is_a(thing: Any, *names: str) -> bool:
    """Whether something is an instance of one of these classes, `module.Class` each, which need not be imported."""
    return any(f"{base.__module__}.{base.__qualname__}" in names for base in type(thing).__mro__)


class BaseAdapter(ABC):
    """Runs the agents of one framework with their tools mocked.

    Register your own with `unitai.adapters.register(MyAdapter())`, or by an entry point of the group
    `unitai.adapters`. An adapter holds no state of a run: what belongs to one run is in what `inject_mocks` returns.
    """

    #: The name that `run(..., adapter=name)` takes.
    name: str = ""
    #: The classes whose instances it runs, as `module.Class`.
    handles: frozenset[str] = frozenset()

    def can_handle(self, agent: Any) -> bool:
        """Whether this adapter knows how to run the agent. Must not import the framework."""
        return is_a(agent, *self.handles)

    @abstractmethod
    def inject_mocks(self, agent: Any, session: Session) -> Any:
        """The agent bound to a session, so that each of its tool calls goes to `session.answer`.

        The agent itself must not be changed.
        """

    @abstractmethod
    def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        """Runs what `inject_mocks` returned and gives the agent's final output, or an awaitable of it. A `Trajectory`
        takes the place of what the run recorded: it must have every call that the run has, or no steps at all.

        The time limit is kept by the caller; it is told here for frameworks that want to know. What
        the agent raises is let through.
        """

    @abstractmethod
    def extract_tools(self, agent: Any) -> Sequence[str]:
        """The names of the agent's tools, as far as they can be known without running it: best as `AgentTool`."""

    def knows_all_tools(self, agent: Any) -> bool:
        """Whether `extract_tools` lists all that the agent can call, so that any other mock is a mistake."""
        return False
