"""The two narrow ports of an adapter, and what goes through them.

An adapter translates: a framework's tool call becomes a `ToolCall` that is answered, a model call
or a change of state becomes an event that is noted. It never sees the toolkit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from unitai._engine import Run

__all__ = ["ModelCall", "Session", "StateChange", "ToolCall"]


class ToolCall(NamedTuple):
    """A framework is about to call a tool."""

    name: str
    args: dict[str, Any]
    agent_id: str | None = None


class ModelCall(NamedTuple):
    """A framework called a model. A cost of `None` is looked up by the model's name."""

    model: str
    prompt_tokens: int
    completion_tokens: int
    cost: float | None = None
    agent_id: str | None = None
    step_type: str = "llm_call"


class StateChange(NamedTuple):
    """A part of the agent's state changed."""

    key: str
    old_value: Any
    new_value: Any
    agent_id: str | None = None
    step_type: str = "state_change"


class Session:
    """One run, as an adapter sees it."""

    def __init__(self, run: Run, tools: dict[str, Callable[..., Any]]) -> None:
        self._run = run
        #: The tools as callables bound to this run, for agents that are handed their tools.
        self.tools = tools

    def answer(self, call: ToolCall, real: Callable[[], Any] | None = None) -> Any:
        """The answer to a tool call: the mock's, or that of `real` if the tool is allowed to run. `real` is
        called without arguments; it has its own.

        It may be awaitable where the mock or the real tool is async. Raises what the tool raises,
        and `UnmockedToolError` in strict mode.
        """
        return self._run.answer(call, real)

    def note(self, event: ModelCall | StateChange) -> None:
        """Writes an event into the trajectory, at its place among the others."""
        self._run.note(event)
