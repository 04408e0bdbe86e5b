"""A first test of an agent: no key, no network.

Put your own agent in the place of `refund_agent`. The tools are mocked, so nothing real
can happen. If your agent asks a model, say what the model answers with the fixture
`scripted_model`, or record real answers once with `unitai test --record`.
"""


def refund_agent(message, tools):
    """Stands for your agent: a function of the input and its tools, sync or async."""
    order_id = message.split("#")[1]
    order = tools["lookup_order"](order_id=order_id)
    if order["status"] != "delivered":
        return f"Order {order_id} has not been delivered yet."
    tools["process_refund"](order_id=order_id, amount=order["amount"])
    return f"Your refund of ${order['amount']} is on its way."


def test_an_order_is_looked_up_before_it_is_refunded(mock_toolkit):
    mock_toolkit.mock(
        "lookup_order", return_value={"status": "delivered", "amount": 49.99}
    )
    mock_toolkit.mock("process_refund", return_value={"success": True})

    result = mock_toolkit.run(refund_agent, "Please refund order #123")

    assert result.succeeded
    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("$49.99")


def test_an_order_that_is_still_on_its_way_is_not_refunded(mock_toolkit):
    mock_toolkit.mock(
        "lookup_order", return_value={"status": "shipped", "amount": 49.99}
    )
    mock_toolkit.mock("process_refund", return_value={"success": True})

    result = mock_toolkit.run(refund_agent, "Please refund order #123")

    assert result.succeeded
    assert result.tool_called_with("lookup_order", order_id="123")
    assert result.tool_not_called("process_refund")
