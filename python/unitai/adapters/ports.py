"""The two narrow ports of an adapter, and what goes through them.

An adapter translates: a framework's tool call becomes a `ToolCall` that is answered, a model call
or a change of state becomes an event that is noted. It never sees the toolkit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from unitai._engine import FrameworkCall, Run, ToolHandle, enter_agent, leave_agent, run_here
from unitai.errors import UnmockedToolError

__all__ = ["ModelCall", "Session", "StateChange", "ToolCall", "speaking"]


class ToolCall(NamedTuple):
    """A framework is about to call a tool."""

    name: str
    args: dict[str, Any]
    #: The agent that calls. Unless given, whoever speaks here: see `speaking`.
    agent_id: str | None = None
    #: Other names of the tool that a test may use. It is recorded under the one that the test mocked.
    aliases: tuple[str, ...] = ()
    #: What the tool takes, where the framework does not see to it before it calls: a mock then refuses the rest.
    schema: Mapping[str, Any] | None = None
    #: The tool is another agent. Unless it is mocked, it runs, with its own tools mocked.
    is_agent: bool = False


class ModelCall(NamedTuple):
    """A framework called a model. A cost of `None` is looked up by the model's name; tokens of `None` are unknown."""

    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
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

    __slots__ = ("_run", "_tools", "are_tools_taken", "has_patches", "may_be_reported")

    def __init__(
        self, run: Run, tools: dict[str, Callable[..., Any]] | None = None, *, has_patches: bool = False
    ) -> None:
        self._run = run
        #: Whether real functions are replaced during the run.
        self.has_patches = has_patches
        self._tools: dict[str, Callable[..., Any]] = {} if tools is None else tools
        #: Whether the adapter asked for `tools`, so that every mock may be within the agent's reach.
        self.are_tools_taken = False
        #: Whether a `Trajectory` that comes out of the run is its adapter's report, and not what an agent returned.
        self.may_be_reported = False

    @property
    def tools(self) -> dict[str, Callable[..., Any]]:
        """The tools as callables bound to this run, for agents that are handed their tools."""
        self.are_tools_taken = True
        return self._tools

    def get_tool(self, name: str) -> ToolHandle:
        """A tool by its name, mocked or not: `invoke(args)` answers a call of it as `answer` does, and `calls` has
        those of this run.
        """
        self.are_tools_taken = True
        return self._run.tool(name)

    @staticmethod
    def here(*, is_framework: bool = True) -> Session | None:
        """The run that this code works for, for a redirect; `None` where no run is under way, and then the framework
        must go on as if there were no redirect.

        Where a framework takes part, all tools of its agents are reached by redirects. `is_framework=False` is for what
        calls some of an agent's tools only, as a client of an MCP server does.

        Raises what no agent catches by habit, if the run is over, and `AmbiguousRunError` in a thread that could work
        for several.
        """
        run = run_here()
        if run is None:
            return None
        if is_framework:
            run.joined_by_framework()
        return Session(run)

    @property
    def run_id(self) -> str:
        """The run's id: the same for every session of one run."""
        return self._run.run_id

    @property
    def is_strict(self) -> bool:
        """Whether a tool that is not mocked is an error."""
        return self._run.is_strict

    def stance(self, *names: str) -> Literal["mocked", "allowed"] | None:
        """What the test says about a tool, which may have several names."""
        return self._run.stance(list(names))

    def answer(self, call: ToolCall, real: Callable[[], Any] | None = None) -> Any:
        """The answer to a tool call: the mock's, or that of `real` if the tool is allowed to run. `real` is
        called without arguments; it has its own.

        It may be awaitable where the mock or the real tool is async. Raises what the tool raises,
        `WrongArgumentsError` where the arguments do not fit the schema of a mocked tool, and
        `UnmockedToolError` in strict mode.
        """
        return self._run.answer(call, real)

    def reject(self, call: ToolCall, error: BaseException) -> None:
        """Writes down a call that the framework refused itself: an unknown tool, arguments that it does not take."""
        self._run.reject(call, error)

    def deny(self, call: ToolCall, reason: object) -> None:
        """Writes down a call that a person, a limit, a guardrail or a filter stopped before its tool."""
        self.reject(call, PermissionError(str(reason)))

    def leave_to_framework(self, *calls: str) -> None:
        """The framework answers these calls itself, where no mock does: handoffs, structured output, calls that a
        filter, a guardrail or a person has stopped. Otherwise a result that reaches the model without a tool call in
        the record ends a strict run. Each is the id of a call; or the name of a tool, where its provider's calls have
        no ids.
        """
        self._run.answered_by_framework(list(calls))

    def refuse_hosted(self, *names: str) -> None:
        """Ends a strict run whose agent has a tool that runs at the model's provider, unless the test allows it by one
        of its names. To be called before the model is asked.
        """
        if not self.is_strict or self.stance(*names) == "allowed":
            return
        error = UnmockedToolError(
            f"{names[0]} runs at the model's provider, where no mock reaches it",
            remedy=f'let it run: toolkit.allow("{names[0]}"); or leave it out of the agent for the test',
        )
        self.fail(error)
        raise error

    def watch_model_call(self) -> FrameworkCall:
        """A model call of a framework that begins here: it is a step when it ends, unless its requests are seen."""
        return FrameworkCall(self._run)

    def note(self, event: ModelCall | StateChange) -> None:
        """Writes an event into the trajectory, at its place among the others."""
        self._run.note(event)

    def fail(self, error: BaseException) -> None:
        """Ends the run with an error, whatever the framework makes of it. The caller raises it, too."""
        self._run.fail(error)


@contextmanager
def speaking(agent_id: str | None) -> Iterator[None]:
    """What happens inside, model calls among it, is done by this agent."""
    token = enter_agent(agent_id)
    try:
        yield
    finally:
        leave_agent(token)
