"""`AgentTestCase`: agent tests for those who write `unittest` classes."""

from __future__ import annotations

import unittest
from typing import Any

from unitai._engine import AgentRunResult
from unitai.core.assertions import require
from unitai.mock.toolkit import MockToolkit

__tracebackhide__ = True
__unittest = True

__all__ = ["AgentTestCase"]


class AgentTestCase(unittest.TestCase):
    """A `unittest.TestCase` with a fresh `self.toolkit` for each test and the checks as methods.

    >>> from unitai import AgentTestCase
    >>> class TestRefund(AgentTestCase):
    ...     def test_looks_up_first(self):
    ...         self.toolkit.mock("lookup", return_value={"status": "delivered"})
    ...         result = self.toolkit.run(lambda input, tools: tools["lookup"](id=input), "123")
    ...         self.assertToolCalledWith(result, "lookup", id="123")
    >>> TestRefund("test_looks_up_first").run().wasSuccessful()
    True
    """

    toolkit: MockToolkit

    def run(self, result: unittest.TestResult | None = None) -> unittest.TestResult | None:
        # Here and not in setUp: a subclass that forgets super().setUp() still gets its toolkit.
        self.toolkit = MockToolkit()
        return super().run(result)

    def debug(self) -> None:
        self.toolkit = MockToolkit()
        super().debug()

    def assertToolWasCalled(self, result: AgentRunResult, tool: str) -> None:
        """The tool was called at least once."""
        require(result.tool_was_called(tool))

    def assertToolNotCalled(self, result: AgentRunResult, tool: str) -> None:
        """The tool was never called."""
        require(result.tool_not_called(tool))

    def assertToolCallCount(self, result: AgentRunResult, tool: str, count: int) -> None:
        """The tool was called exactly so many times."""
        require(result.tool_call_count_is(tool, count))

    def assertToolCalledWith(self, result: AgentRunResult, tool: str, /, *args: Any, **kwargs: Any) -> None:
        """The tool was called with exactly these arguments, at least once."""
        require(result.tool_called_with(tool, *args, **kwargs))

    def assertToolCalledWithPartial(self, result: AgentRunResult, tool: str, /, *args: Any, **kwargs: Any) -> None:
        """The tool was called with these arguments, and perhaps others, at least once."""
        require(result.tool_called_with_partial(tool, *args, **kwargs))

    def assertToolCalledBefore(self, result: AgentRunResult, first: str, second: str) -> None:
        """The first call of `first` came before the first call of `second`."""
        require(result.tool_called_before(first, second))

    def assertToolCalledImmediatelyBefore(
        self, result: AgentRunResult, tool: str, second: str, *, first: bool = False
    ) -> None:
        """A call of `tool` was directly followed by a call of `second` among tool calls; with `first`, the first call
        of each.
        """
        require(result.tool_called_immediately_before(tool, second, first=first))

    def assertCallOrder(self, result: AgentRunResult, tools: list[str]) -> None:
        """The tools were called in this order, and no others."""
        require(result.call_order_is(tools))

    def assertCallOrderContains(self, result: AgentRunResult, tools: list[str]) -> None:
        """The tools were called in this order, others between them or not."""
        require(result.call_order_contains(tools))

    def assertTrajectoryMatches(self, result: AgentRunResult, reference: Any, mode: str = "strict") -> None:
        """The calls agree with a reference; see `AgentRunResult.matches`."""
        require(result.matches(reference, mode))

    def assertOutputContains(self, result: AgentRunResult, text: str) -> None:
        """The final output contains the text."""
        require(result.output_contains(text))

    def assertOutputNotContains(self, result: AgentRunResult, text: str) -> None:
        """The final output does not contain the text."""
        require(result.output_not_contains(text))

    def assertOutputMatches(self, result: AgentRunResult, pattern: Any) -> None:
        """The pattern is found in the final output."""
        require(result.output_matches(pattern))

    def assertRecoveredFrom(self, result: AgentRunResult, fault: str | None = None) -> None:
        """Calls went wrong (by this kind of fault, if given), and the agent recovered."""
        require(result.recovered_from(fault))

    def assertRetriedAtMost(self, result: AgentRunResult, n: int, tool: str | None = None) -> None:
        """No call that went wrong was made again more than `n` times in a row."""
        require(result.retried_at_most(n, tool))

    def assertDidNotInvent(
        self, result: AgentRunResult, pattern: Any = None, *, known: list[str] | None = None
    ) -> None:
        """Every value in the final output is from the input, from a tool or known."""
        require(result.did_not_invent(pattern, known=known or []))

    def assertJudged(
        self,
        result: AgentRunResult,
        question: str,
        threshold: float | None = None,
        *,
        repeats: int | None = None,
        provider: str | None = None,
        model: str | None = None,
    ) -> None:
        """A judge answers the question about the run with yes."""
        require(result.judge(question, threshold, repeats=repeats, provider=provider, model=model))

    def assertAgentSucceeded(self, result: AgentRunResult) -> None:
        """The agent ended without raising."""
        require(result.succeeded)

    def assertAgentFailed(self, result: AgentRunResult) -> None:
        """The agent raised, or was stopped."""
        require(result.failed)

    def assertErrorIs(self, result: AgentRunResult, error: Any) -> None:
        """The agent raised an error of this class."""
        require(result.error_is(error))

    def assertWithin(
        self,
        result: AgentRunResult,
        *,
        cost: float | None = None,
        tokens: int | None = None,
        llm_calls: int | None = None,
        duration: float | None = None,
    ) -> None:
        """The run stayed within the limit. Give exactly one."""
        require(result.within(cost=cost, tokens=tokens, llm_calls=llm_calls, duration=duration))
