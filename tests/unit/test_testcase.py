"""AgentTestCase: a fresh toolkit for each test, and every check as a method that fails the test."""

import unittest

import pytest

from unitai import AgentTestCase, MockToolkit

pytestmark = pytest.mark.unit


def outcome_of(test, *bases):
    """Runs a function as the one test of a case."""
    case = type("Case", bases or (AgentTestCase,), {"test_it": test})
    outcome = unittest.TestResult()
    case("test_it").run(outcome)
    return outcome


def refund(toolkit):
    toolkit.mock("lookup", return_value=1)
    toolkit.mock("refund", return_value=2)

    def agent(input, tools):
        tools["lookup"](id=1, full=True)
        toolkit.record_llm_call("m", 1, 1, cost=0.05)
        tools["refund"](id=1)
        return "refunded"

    return toolkit.run(agent, "x")


def again(toolkit):
    for name in ("refund", "log"):
        toolkit.mock(name, return_value=None)
    return toolkit.run(lambda input, tools: [tools[name]() for name in ("refund", "log", "refund")], "x")


def failing(toolkit):
    return toolkit.run(lambda input, tools: {}["gone"], "x")


METHODS = {
    "assertToolWasCalled": (["lookup"], ["delete"]),
    "assertToolNotCalled": (["delete"], ["lookup"]),
    "assertToolCallCount": (["lookup", 1], ["lookup", 2]),
    "assertToolCalledBefore": (["lookup", "refund"], ["refund", "lookup"]),
    "assertToolCalledImmediatelyBefore": (["lookup", "refund"], ["refund", "lookup"]),
    "assertCallOrder": ([["lookup", "refund"]], [["lookup"]]),
    "assertCallOrderContains": ([["refund"]], [["refund", "lookup"]]),
    "assertTrajectoryMatches": ([["refund", "lookup"], "unordered"], [["refund", "lookup"]]),
    "assertOutputContains": (["refund"], ["sorry"]),
    "assertOutputNotContains": (["sorry"], ["refund"]),
    "assertOutputMatches": (["^refund"], ["^sorry"]),
    "assertAgentSucceeded": ([], None),
    "assertErrorIs": (None, [KeyError]),
}


@pytest.mark.parametrize(("method", "good", "bad"), [(name, *pair) for name, pair in METHODS.items()], ids=METHODS)
def test_each_method_passes_when_its_check_holds_and_fails_when_not(method, good, bad):
    if good is not None:
        outcome = outcome_of(lambda self: getattr(self, method)(refund(self.toolkit), *good))
        assert outcome.wasSuccessful(), outcome.failures + outcome.errors
    if bad is not None:
        outcome = outcome_of(lambda self: getattr(self, method)(refund(self.toolkit), *bad))
        assert (len(outcome.failures), len(outcome.errors)) == (1, 0)
        assert "lookup(id=1, full=True)" in outcome.failures[0][1]


@pytest.mark.parametrize(
    ("test", "passes"),
    [
        (lambda self: self.assertToolCalledWith(refund(self.toolkit), "refund", id=1), True),
        (lambda self: self.assertToolCalledWith(refund(self.toolkit), "lookup", id=1), False),
        (lambda self: self.assertToolCalledWithPartial(refund(self.toolkit), "lookup", id=1), True),
        (lambda self: self.assertToolCalledWithPartial(refund(self.toolkit), "lookup", id=2), False),
        (lambda self: self.assertToolCalledImmediatelyBefore(again(self.toolkit), "log", "refund"), True),
        (lambda self: self.assertToolCalledImmediatelyBefore(again(self.toolkit), "log", "refund", first=True), False),
        (lambda self: self.assertWithin(refund(self.toolkit), cost=0.05), True),
        (lambda self: self.assertWithin(refund(self.toolkit), tokens=1), False),
        (lambda self: self.assertAgentFailed(failing(self.toolkit)), True),
        (lambda self: self.assertAgentFailed(refund(self.toolkit)), False),
        (lambda self: self.assertAgentSucceeded(failing(self.toolkit)), False),
        (lambda self: self.assertErrorIs(failing(self.toolkit), KeyError), True),
    ],
)
def test_checks_with_keywords_and_of_errors_do_so_too(test, passes):
    outcome = outcome_of(test)
    assert (len(outcome.failures), outcome.errors) == (0 if passes else 1, [])


def test_each_test_has_a_toolkit_of_its_own_even_without_super_setup():
    toolkits = []

    class Case(AgentTestCase):
        def setUp(self):
            self.toolkit.mock("tool", return_value=1)
            toolkits.append(self.toolkit)

        def test_a(self):
            assert self.toolkit.get_tool("tool").calls == []

        test_b = test_a

    outcome = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(outcome)
    assert outcome.wasSuccessful()
    assert len(toolkits) == 2
    assert toolkits[0] is not toolkits[1]
    assert all(isinstance(toolkit, MockToolkit) for toolkit in toolkits)


def test_it_goes_together_with_async_test_cases():
    async def test_it(self):
        result = await self.toolkit.arun(lambda input, tools: "done", "x")
        self.assertOutputContains(result, "done")

    outcome = outcome_of(test_it, AgentTestCase, unittest.IsolatedAsyncioTestCase)
    assert (outcome.testsRun, outcome.wasSuccessful()) == (1, True)
