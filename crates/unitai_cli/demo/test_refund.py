"""What the refund agent must do."""

from refund_agent import refund_agent

DELIVERED = {"order_id": "123", "status": "delivered", "amount": 49.99}


def test_refund_requires_order_lookup(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value=DELIVERED)
    mock_toolkit.mock("process_refund", return_value={"success": True, "refund_id": "R-456"})

    result = mock_toolkit.run(refund_agent, "I want a refund for order #123")

    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("lookup_order", order_id="123")
    assert result.tool_not_called("delete_order")
    assert result.output_contains("$49.99")
    assert result.total_cost < 0.10


def test_order_that_was_not_delivered_is_not_refunded(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={**DELIVERED, "status": "shipped"})
    mock_toolkit.mock("process_refund", return_value={"success": True})

    result = mock_toolkit.run(refund_agent, "I want a refund for order #123")

    assert result.tool_was_called("lookup_order")
    assert result.tool_not_called("process_refund")


def test_agent_does_not_hide_a_payment_outage(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value=DELIVERED)
    mock_toolkit.mock("process_refund", side_effect=TimeoutError("payment service unavailable"))

    result = mock_toolkit.run(refund_agent, "I want a refund for order #123")

    assert result.error_is(TimeoutError)
    assert result.call_order() == ["lookup_order", "process_refund"]
