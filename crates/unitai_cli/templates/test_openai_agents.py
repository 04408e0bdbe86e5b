"""A first test of an agent of the OpenAI Agents SDK: no key, no network.

Put your own agent in the place of `refund_agent`. Its tools are mocked, so nothing real
can happen, and the script answers in the model's place, inside the client.
"""

import pytest
from agents import Agent, function_tool

from unitai.script import call, say, when


@function_tool
def lookup_order(order_id: str) -> dict:
    """Look an order up."""
    raise NotImplementedError("a real tool, which no test calls")


@function_tool
def process_refund(order_id: str, amount: float) -> dict:
    """Pay money back."""
    raise NotImplementedError("a real tool, which no test calls")


refund_agent = Agent(
    name="refunds",
    instructions="Look an order up before you refund it.",
    model="gpt-4o",
    tools=[lookup_order, process_refund],
)


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    """The SDK wants a key to be there. Any will do."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_an_order_is_looked_up_before_it_is_refunded(mock_toolkit, scripted_model):
    mock_toolkit.mock(
        "lookup_order", return_value={"status": "delivered", "amount": 49.99}
    )
    mock_toolkit.mock("process_refund", return_value={"success": True})
    scripted_model(
        [
            call("lookup_order", order_id="123"),
            when(tool_result="delivered").then(
                call("process_refund", order_id="123", amount=49.99)
            ),
            say("Your refund of $49.99 is on its way."),
        ]
    )

    result = mock_toolkit.run(refund_agent, "Please refund order #123")

    assert result.succeeded
    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("$49.99")
    assert result.llm_calls == 3
