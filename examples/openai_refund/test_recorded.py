"""The same agent on recorded answers: recorded once, replayed ever after, with no key and no network.

`unitai test --record test_recorded.py` asks the real model, with your key, and records afresh.
"""

import os
from pathlib import Path

import pytest
from agent import refund_agent, streaming_refund_agent

pytestmark = pytest.mark.unitai_cassette(
    directory=Path(__file__).with_name("recordings"),
    ttl_hours=0,  # They are committed, and live until somebody records again.
)


@pytest.fixture
def shop(mock_toolkit, monkeypatch):
    # The client wants a key to be there. For a replay any will do.
    monkeypatch.setenv("OPENAI_API_KEY", os.environ.get("OPENAI_API_KEY", "none"))
    mock_toolkit.mock("lookup_order", return_value={"order_id": "123", "status": "delivered", "amount": 49.99})
    mock_toolkit.mock("process_refund", return_value={"success": True, "refund_id": "R-456"})
    mock_toolkit.mock("escalate", return_value={"ticket": "T-1"})
    return mock_toolkit


def test_the_order_is_looked_up_before_it_is_refunded(shop):
    result = shop.run(refund_agent, "I want a refund for order 123. It arrived broken.")

    assert result.succeeded
    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("49.99")
    assert result.total_cost < 0.01


def test_text_is_handed_on_as_it_comes(shop):
    result = shop.run(lambda message, tools: list(streaming_refund_agent(message, tools)), "Hello, who are you?")

    assert len(result.output) > 3
    assert result.llm_calls == 1
    assert result.tool_not_called("process_refund")
