"""A test that fails on purpose, to show what a failure looks like. Its name keeps it out of a plain run."""

from refund_agent import hasty_refund_agent


def test_refund_requires_order_lookup(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={"order_id": "123", "status": "delivered", "amount": 49.99})
    mock_toolkit.mock("process_refund", return_value={"success": True, "refund_id": "R-456"})

    result = mock_toolkit.run(hasty_refund_agent, "I want a refund for order #123")

    assert result.tool_called_before("lookup_order", "process_refund")
