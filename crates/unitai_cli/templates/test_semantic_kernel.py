"""A first test of a Semantic Kernel agent: no key, no network.

Put your own agent in the place of `refund_agent`: it is run as it is. Its functions are
mocked, so nothing real can happen, and the script answers in the model's place, inside
its client. Real answers are recorded once with `unitai test --record`.
"""

import pytest
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function

from unitai.script import call, say, when


class Shop:
    """Stands for your plugin."""

    @kernel_function
    def lookup_order(self, order_id: str) -> dict:
        raise RuntimeError("the real shop is never asked")

    @kernel_function
    def process_refund(self, order_id: str, amount: float) -> dict:
        raise RuntimeError("the real bank is never asked")


@pytest.fixture
def refund_agent():
    """Stands for your agent."""
    return ChatCompletionAgent(
        name="refunds",
        instructions="Look an order up before you refund it.",
        service=OpenAIChatCompletion(ai_model_id="gpt-4o", api_key="none"),
        plugins=[Shop()],
    )


def test_an_order_is_looked_up_before_it_is_refunded(
    refund_agent, mock_toolkit, scripted_model
):
    mock_toolkit.mock(
        "lookup_order", return_value={"status": "delivered", "amount": 49.99}
    )
    mock_toolkit.mock("process_refund", return_value={"success": True})
    # Semantic Kernel tells a model the name of the plugin, too.
    scripted_model(
        [
            call("Shop-lookup_order", order_id="123"),
            when(tool_result="delivered").then(
                call("Shop-process_refund", order_id="123", amount=49.99)
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


def test_an_order_that_is_still_on_its_way_is_not_refunded(
    refund_agent, mock_toolkit, scripted_model
):
    mock_toolkit.mock("lookup_order", return_value={"status": "shipped"})
    scripted_model(
        [
            call("Shop-lookup_order", order_id="123"),
            say("Order 123 has not been delivered yet."),
        ]
    )

    result = mock_toolkit.run(refund_agent, "Please refund order #123")

    assert result.succeeded
    assert result.tool_not_called("process_refund")
