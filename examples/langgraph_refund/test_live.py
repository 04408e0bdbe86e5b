"""The same desk with the real model, where there is a key: does it take the right way by itself, most of the time?"""

import pytest
from agent import refund_graph

from unitai import statistical


@pytest.mark.unitai_skip_if_no_api_key
@statistical(n=20, threshold=0.8, budget=0.10)
def test_the_model_refunds_what_was_delivered(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={"order_id": "123", "status": "delivered", "amount": 49.99})
    mock_toolkit.mock("process_refund", return_value={"success": True, "refund_id": "R-456"})
    mock_toolkit.mock("escalate", return_value={"ticket": "T-1"})

    result = mock_toolkit.run(refund_graph(), "I want a refund for order 123. It arrived broken.")

    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
