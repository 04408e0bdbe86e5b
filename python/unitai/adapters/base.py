"""The interface of every adapter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from unitai.adapters.ports import Session

__all__ = ["BaseAdapter"]


class BaseAdapter(ABC):
    """Runs the agents of one framework with their tools mocked.

    Register your own with `unitai.adapters.register(MyAdapter())`. An adapter holds no state of a
    run: what belongs to one run is in what `inject_mocks` returns.
    """

    #: The name that `run(..., adapter=name)` takes.
    name: str = ""

    @abstractmethod
    def can_handle(self, agent: Any) -> bool:
        """Whether this adapter knows how to run the agent. Must not import the framework."""

    @abstractmethod
    def inject_mocks(self, agent: Any, session: Session) -> Any:
        """The agent bound to a session, so that each of its tool calls goes to `session.answer`.

        The agent itself must not be changed.
        """

    @abstractmethod
    def execute(self, wrapped_agent: Any, input: Any, timeout: float | None) -> Any:
        """Runs what `inject_mocks` returned and gives the agent's final output, or an awaitable of it.

        The time limit is kept by the caller; it is told here for frameworks that want to know. What
        the agent raises is let through.
        """

    @abstractmethod
    def extract_tools(self, agent: Any) -> list[str]:
        """The names of the agent's tools, as far as they can be known without running it."""
