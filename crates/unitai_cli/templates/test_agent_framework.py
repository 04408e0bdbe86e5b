"""A first test of an agent of Microsoft Agent Framework: no key, no network.

Put your own agent in the place of `refund_agent`. Its tools are mocked, so nothing real
can happen, and the script answers in the model's place, inside its client.
"""

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatClient

from unitai.script import call, say, when


@tool
def lookup_order(order_id: str) -> dict:
    """Look an order up."""
    raise RuntimeError("the real shop was called")


@tool
def process_refund(order_id: str, amount: float) -> dict:
    """Pay money back."""
    raise RuntimeError("the real bank was called")


# The client wants a key to be there. Any will do.
refund_agent = Agent(
    OpenAIChatClient(model="gpt-4o", api_key="none"),
    "Look an order up before you refund it.",
    name="refunds",
    tools=[lookup_order, process_refund],
)


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
