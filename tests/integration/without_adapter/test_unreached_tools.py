"""Mocks that nothing routes to: the framework calls the real tool, which the model's traffic gives away."""

from __future__ import annotations

import pytest
from framework_chosen import CHOSEN

from unitai import MockToolkit, UnmockedToolWarning, UnreachableToolError, scripted_model
from unitai.script import call

pytestmark = pytest.mark.integration

REFUND = call("refund", order_id="7")


def run(shop, toolkit, *calls):
    with scripted_model(shop.steps(*calls)):
        return toolkit.run_generic(lambda: shop.ask("Refund order 7."))


def test_a_mock_that_nothing_routes_to_is_an_error(shop):
    toolkit = MockToolkit()
    toolkit.mock("refund", return_value="mocked")
    with pytest.raises(UnreachableToolError, match="refund is mocked, but its calls do not reach the mock"):
        run(shop, toolkit, REFUND)


def test_so_is_a_real_tool_that_is_neither_mocked_nor_allowed(shop):
    with pytest.raises(UnreachableToolError, match="refund, which is neither mocked nor allowed"):
        run(shop, MockToolkit(), REFUND)


def test_an_error_says_which_of_two_it_is(shop):
    toolkit = MockToolkit()
    toolkit.patch(f"{shop.__name__}.lookup", return_value="found")
    toolkit.mock("refund", return_value="mocked")
    with pytest.raises(UnreachableToolError, match="refund is mocked"):
        run(shop, toolkit, call("lookup", order_id="7"), REFUND)


def test_an_allowed_tool_runs(shop):
    toolkit = MockToolkit()
    toolkit.allow("refund")
    result = run(shop, toolkit, REFUND)
    assert result.succeeded
    assert result.output == "Done."
    assert shop.RAN == ["refund"]


def test_without_strictness_it_is_a_warning(shop):
    toolkit = MockToolkit(strict=False)
    toolkit.mock("refund", return_value="mocked")
    with pytest.warns(UnmockedToolWarning, match="refund"):
        assert run(shop, toolkit, REFUND).output == "Done."


def test_an_agent_that_calls_no_tool_is_left_alone(shop):
    toolkit = MockToolkit()
    toolkit.mock("refund", return_value="mocked")
    assert run(shop, toolkit).output == "Done."


@pytest.mark.skipif(CHOSEN != "smolagents", reason="needs smolagents: make test-adapters ONLY=smolagents")
class TestGeneratedCode:
    def ask(self, shop, toolkit, code):
        with scripted_model(shop.code_steps(code)):
            return toolkit.run_generic(lambda: shop.ask_coder("Refund order 7."))

    def test_a_mock_that_the_code_calls_and_nothing_reached_is_an_error(self, shop):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="mocked")
        with pytest.raises(UnreachableToolError, match="an answer of the model calls refund in its text"):
            self.ask(shop, toolkit, "print(refund('7'))")

    def test_code_that_only_mentions_it_is_left_alone(self, shop):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="mocked")
        assert self.ask(shop, toolkit, "print('no refund today')").output == "Done."
