"""The first test that anybody is shown, to the letter, against what is installed."""

from __future__ import annotations

import pytest

from unitai import AgentTestCase, MockToolkit, assert_trajectory

pytestmark = pytest.mark.integration


def my_refund_agent(message, tools):
    order = tools["lookup_order"](order_id="123")
    tools["process_refund"](order_id=order["order_id"], amount=order["amount"])
    return "Your refund is on its way."


def test_refund_requires_order_lookup():
    toolkit = MockToolkit()
    toolkit.mock("lookup_order", return_value={"order_id": "123", "status": "delivered", "amount": 49.99})
    toolkit.mock("process_refund", return_value={"success": True, "refund_id": "R-456"})

    result = toolkit.run(agent=my_refund_agent, input="I want a refund for order #123")

    assert result.tool_was_called("lookup_order")
    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("lookup_order", order_id="123")
    assert result.tool_not_called("delete_order")
    assert result.total_cost < 0.10
    assert result.trajectory.input == "I want a refund for order #123"
    assert_trajectory(result).called("lookup_order").before("process_refund").never("delete_order")


class TestRefund(AgentTestCase):
    def test_refund_requires_order_lookup(self):
        self.toolkit.mock("lookup_order", return_value={"order_id": "123", "amount": 49.99})
        self.toolkit.mock("process_refund", return_value=True)
        result = self.toolkit.run(my_refund_agent, "I want a refund for order #123")
        self.assertToolCalledBefore(result, "lookup_order", "process_refund")
