"""Assertions that raise by themselves: a chain of checks on one run."""

from __future__ import annotations

from typing import Any

from unitai._engine import AgentRunResult, Finding, Trajectory
from unitai.errors import BrokenExpectationError

__all__ = ["TrajectoryAssertions", "assert_trajectory", "require"]


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
    return TrajectoryAssertions(AgentRunResult(subject) if isinstance(subject, Trajectory) else subject)


def require(finding: Finding) -> None:
    """Raises with the whole report if the finding does not hold."""
    if not finding:
        raise BrokenExpectationError(f"{finding.assertion}\n\n{finding}", finding=finding)


class TrajectoryAssertions:
    """A chain of assertions on one run. Each returns the chain."""

    def __init__(self, result: AgentRunResult) -> None:
        self._result = result
        self._last: str | None = None

    def called(self, tool: str, /, *args: Any, times: int | None = None, **kwargs: Any) -> TrajectoryAssertions:
        """The tool was called; with these arguments among others, and exactly so many times, if given."""
        require(self._result.tool_was_called(tool))
        if args or kwargs:
            require(self._result.tool_called_with_partial(tool, *args, **kwargs))
        if times is not None:
            require(self._result.tool_call_count_is(tool, times))
        self._last = tool
        return self

    def called_with(self, tool: str, /, *args: Any, **kwargs: Any) -> TrajectoryAssertions:
        """The tool was called with exactly these arguments, at least once."""
        require(self._result.tool_called_with(tool, *args, **kwargs))
        self._last = tool
        return self

    def before(self, tool: str) -> TrajectoryAssertions:
        """The tool named last was called before this one, which is then the tool named last."""
        require(self._result.tool_called_before(self._subject("before"), tool))
        self._last = tool
        return self

    def immediately_before(self, tool: str) -> TrajectoryAssertions:
        """The tool named last was called directly before this one, which is then the tool named last."""
        require(self._result.tool_called_immediately_before(self._subject("immediately_before"), tool))
        self._last = tool
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
