"""A first test of a LangGraph agent: no key, no network.

Put your own graph in the place of `refund_agent`: whatever `create_agent` or
`StateGraph` gives. It is run unchanged. Its tools are mocked, so nothing real can
happen, and the script answers in the model's place, inside the client.
"""

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from unitai.script import call, say, when


def lookup_order(order_id: str) -> dict:
    """Look an order up."""
    raise AssertionError("the real shop was asked")


def process_refund(order_id: str, amount: float) -> dict:
    """Pay money back."""
    raise AssertionError("real money was paid")


def refund_agent():
    """Stands for your agent."""
    return create_agent(
        # The client wants a key to be there. Any will do.
        ChatOpenAI(model="gpt-4o", api_key="none"),
        tools=[lookup_order, process_refund],
        system_prompt="Look an order up before you refund it.",
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

    result = mock_toolkit.run(refund_agent(), "Please refund order #123")

    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("$49.99")


def test_an_order_that_is_still_on_its_way_is_not_refunded(
    mock_toolkit, scripted_model
):
    mock_toolkit.mock(
        "lookup_order", return_value={"status": "shipped", "amount": 49.99}
    )
    mock_toolkit.mock("process_refund", return_value={"success": True})
    scripted_model(
        [
            call("lookup_order", order_id="123"),
            when(tool_result="shipped").then(say("It has not been delivered yet.")),
        ]
    )

    result = mock_toolkit.run(refund_agent(), "Please refund order #123")

    assert result.tool_not_called("process_refund")
