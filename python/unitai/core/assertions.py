"""Checks on one run without its result at hand: as functions of a trajectory, and as a chain that raises by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from unitai._engine import AgentRunResult, Finding, Trajectory
from unitai.errors import BrokenExpectationError

# What fails is the test, not this file: neither pytest nor unittest shows its frames.
__tracebackhide__ = True
__unittest = True

__all__ = [
    "TrajectoryAssertions",
    "assert_trajectory",
    "call_order",
    "call_order_contains",
    "call_order_is",
    "did_not_invent",
    "error_is",
    "failed",
    "get_call",
    "get_calls",
    "judge",
    "llm_judge",
    "matches",
    "output_contains",
    "output_matches",
    "output_not_contains",
    "recovered_from",
    "require",
    "retried_at_most",
    "step_called_before",
    "succeeded",
    "tool_call_attempted",
    "tool_call_count",
    "tool_call_count_is",
    "tool_called_before",
    "tool_called_immediately_before",
    "tool_called_with",
    "tool_called_with_partial",
    "tool_not_called",
    "tool_was_called",
    "within",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Check = Callable[Concatenate[AgentRunResult, _P], _R]
_OfTrajectory = Callable[Concatenate["AgentRunResult | Trajectory", _P], _R]


def _of_trajectory(check: _Check[_P, _R]) -> _OfTrajectory[_P, _R]:
    """A check of a result as a function of a trajectory."""

    @wraps(check)
    def function(subject: AgentRunResult | Trajectory, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return check(_result(subject), *args, **kwargs)

    return function


def _result(subject: AgentRunResult | Trajectory) -> AgentRunResult:
    return AgentRunResult(subject) if isinstance(subject, Trajectory) else subject


tool_call_attempted = _of_trajectory(AgentRunResult.tool_call_attempted)
tool_was_called = _of_trajectory(AgentRunResult.tool_was_called)
tool_not_called = _of_trajectory(AgentRunResult.tool_not_called)
tool_call_count = _of_trajectory(AgentRunResult.tool_call_count)
tool_call_count_is = _of_trajectory(AgentRunResult.tool_call_count_is)
tool_called_with = _of_trajectory(AgentRunResult.tool_called_with)
tool_called_with_partial = _of_trajectory(AgentRunResult.tool_called_with_partial)
tool_called_before = _of_trajectory(AgentRunResult.tool_called_before)
tool_called_immediately_before = _of_trajectory(AgentRunResult.tool_called_immediately_before)
step_called_before = _of_trajectory(AgentRunResult.step_called_before)
call_order = _of_trajectory(AgentRunResult.call_order)
call_order_is = _of_trajectory(AgentRunResult.call_order_is)
call_order_contains = _of_trajectory(AgentRunResult.call_order_contains)
output_contains = _of_trajectory(AgentRunResult.output_contains)
output_not_contains = _of_trajectory(AgentRunResult.output_not_contains)
output_matches = _of_trajectory(AgentRunResult.output_matches)
error_is = _of_trajectory(AgentRunResult.error_is)
within = _of_trajectory(AgentRunResult.within)
recovered_from = _of_trajectory(AgentRunResult.recovered_from)
retried_at_most = _of_trajectory(AgentRunResult.retried_at_most)
did_not_invent = _of_trajectory(AgentRunResult.did_not_invent)
judge = _of_trajectory(AgentRunResult.judge)
llm_judge = _of_trajectory(AgentRunResult.llm_judge)
matches = _of_trajectory(AgentRunResult.matches)
get_calls = _of_trajectory(AgentRunResult.get_calls)
get_call = _of_trajectory(AgentRunResult.get_call)


def succeeded(subject: AgentRunResult | Trajectory) -> Finding:
    """The agent completed without raising."""
    return _result(subject).succeeded


def failed(subject: AgentRunResult | Trajectory) -> Finding:
    """The agent raised."""
    return _result(subject).failed


def assert_trajectory(subject: AgentRunResult | Trajectory) -> TrajectoryAssertions:
    """Begins a chain of assertions. The first one that does not hold raises with the whole report.

    >>> from unitai import MockToolkit, assert_trajectory
    >>> toolkit = MockToolkit()
    >>> toolkit.mock("lookup", return_value={"status": "delivered"})
    >>> toolkit.mock("refund", return_value=True)
    >>> def agent(input, tools):
    ...     tools["lookup"](order_id=input)
    ...     tools["refund"](order_id=input)
    ...     return "refunded"
    >>> result = toolkit.run(agent, "123")
    >>> chain = assert_trajectory(result).called("lookup", order_id="123").before("refund")
    >>> chain = chain.never("delete_order").within(cost=0.10).output_contains("refunded")
    """
    return TrajectoryAssertions(_result(subject))


def require(finding: Finding) -> None:
    """Raises with the whole report if the finding does not hold."""
    __tracebackhide__ = True
    if not finding:
        raise BrokenExpectationError(f"{repr(finding)[1:-1]}\n\n{finding}", finding=finding)


class TrajectoryAssertions:
    """A chain of assertions on one run. Each returns the chain."""

    def __init__(self, result: AgentRunResult) -> None:
        self._result = result
        self._last: str | None = None
        #: The call that was named, where it was named by its arguments.
        self._step: int | None = None

    def called(self, tool: str, /, *args: Any, **kwargs: Any) -> TrajectoryAssertions:
        """The tool was called; with these arguments and perhaps others, if any are given."""
        found = self._result.tool_was_called(tool)
        if args or kwargs:
            found = self._result.tool_called_with_partial(tool, *args, **kwargs)
        return self._name(tool, found, is_any=not (args or kwargs))

    def called_with(self, tool: str, /, *args: Any, **kwargs: Any) -> TrajectoryAssertions:
        """The tool was called with exactly these arguments, at least once."""
        return self._name(tool, self._result.tool_called_with(tool, *args, **kwargs), is_any=False)

    def times(self, count: int) -> TrajectoryAssertions:
        """The tool named last was called exactly so many times."""
        require(self._result.tool_call_count_is(self._subject("times"), count))
        return self

    def before(self, tool: str) -> TrajectoryAssertions:
        """The tool named last was called before this one, which is then the tool named last. Where it was
        named with arguments, that very call was.
        """
        first = self._subject("before")
        if self._step is not None:
            require(self._result.step_called_before(self._step, tool))
        return self._name(tool, self._result.tool_called_before(first, tool), is_any=True)

    def immediately_before(self, tool: str, *, first: bool = False) -> TrajectoryAssertions:
        """A call of the tool named last was directly before one of this, which is then the tool named last; with
        `first`, the first call of each.
        """
        subject = self._subject("immediately_before")
        return self._name(tool, self._result.tool_called_immediately_before(subject, tool, first=first), is_any=True)

    def _name(self, tool: str, found: Finding, *, is_any: bool) -> TrajectoryAssertions:
        require(found)
        self._last = tool
        self._step = None if is_any else found.cites[0]
        return self

    def never(self, tool: str) -> TrajectoryAssertions:
        """The tool was never called."""
        require(self._result.tool_not_called(tool))
        return self

    def in_order(self, *tools: str) -> TrajectoryAssertions:
        """The tools were called in this order, others between them or not."""
        require(self._result.call_order_contains(list(tools)))
        return self

    def exactly(self, *tools: str) -> TrajectoryAssertions:
        """The tools were called in this order, and no others."""
        require(self._result.call_order_is(list(tools)))
        return self

    def matches(self, reference: Any, mode: str = "strict") -> TrajectoryAssertions:
        """The calls agree with a reference; see `AgentRunResult.matches`."""
        require(self._result.matches(reference, mode))
        return self

    def output_contains(self, text: str) -> TrajectoryAssertions:
        """The final output contains the text."""
        require(self._result.output_contains(text))
        return self

    def output_not_contains(self, text: str) -> TrajectoryAssertions:
        """The final output does not contain the text."""
        require(self._result.output_not_contains(text))
        return self

    def output_matches(self, pattern: Any) -> TrajectoryAssertions:
        """The pattern is found in the final output."""
        require(self._result.output_matches(pattern))
        return self

    def within(
        self,
        *,
        cost: float | None = None,
        tokens: int | None = None,
        llm_calls: int | None = None,
        duration: float | None = None,
    ) -> TrajectoryAssertions:
        """The run stayed within each limit that is given."""
        if cost is not None:
            require(self._result.within(cost=cost))
        if tokens is not None:
            require(self._result.within(tokens=tokens))
        if llm_calls is not None:
            require(self._result.within(llm_calls=llm_calls))
        if duration is not None:
            require(self._result.within(duration=duration))
        return self

    def recovered_from(self, fault: str | None = None) -> TrajectoryAssertions:
        """Calls went wrong (by this kind of fault, if given), and the agent recovered."""
        require(self._result.recovered_from(fault))
        return self

    def retried_at_most(self, n: int, tool: str | None = None) -> TrajectoryAssertions:
        """No call that went wrong was made again more than `n` times in a row."""
        require(self._result.retried_at_most(n, tool))
        return self

    def did_not_invent(self, pattern: Any = None, *, known: list[str] | None = None) -> TrajectoryAssertions:
        """Every value in the final output is from the input, from a tool or known."""
        require(self._result.did_not_invent(pattern, known=known or []))
        return self

    def judged(
        self,
        question: str,
        threshold: float | None = None,
        *,
        repeats: int | None = None,
        provider: str | None = None,
        model: str | None = None,
    ) -> TrajectoryAssertions:
        """A judge answers the question about the run with yes."""
        require(self._result.judge(question, threshold, repeats=repeats, provider=provider, model=model))
        return self

    def succeeded(self) -> TrajectoryAssertions:
        """The agent ended without raising."""
        require(self._result.succeeded)
        return self

    def failed(self, error: Any = None) -> TrajectoryAssertions:
        """The agent raised; an error of this class, if given."""
        require(self._result.failed if error is None else self._result.error_is(error))
        return self

    def _subject(self, method: str) -> str:
        if self._last is None:
            from unitai.errors import InvalidArgumentError

            raise InvalidArgumentError(
                f"{method}() follows a tool that the chain has named",
                remedy=f'name one first: assert_trajectory(result).called("lookup").{method}("refund")',
            )
        return self._last
