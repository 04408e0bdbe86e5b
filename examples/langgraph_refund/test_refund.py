"""What the refund desk must do, whatever the model says. No key, no network: the model is scripted."""

import pytest
from agent import refund_graph
from langgraph.types import Command

from unitai.adapters.langgraph import LangGraphAdapter
from unitai.script import call, say, when

ORDER = {"order_id": "123", "status": "delivered", "amount": 49.99}
SOFA = {"order_id": "77", "status": "delivered", "amount": 899.0}


@pytest.fixture
def desk(monkeypatch):
    # The client wants a key to be there. Any will do.
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return refund_graph()


@pytest.fixture
def shop(mock_toolkit):
    mock_toolkit.mock(
        "lookup_order",
        conditional=[(lambda args: args["order_id"] == "77", SOFA), (lambda args: True, ORDER)],
    )
    mock_toolkit.mock("process_refund", return_value={"success": True, "refund_id": "R-456"})
    # The guard answers in the place of the bank if nobody has looked the order up, or the person says no.
    mock_toolkit.allow_refusal("process_refund")
    mock_toolkit.mock("escalate", return_value={"ticket": "T-1"})
    return mock_toolkit


def test_a_delivered_order_is_refunded(desk, shop, scripted_model):
    scripted_model(
        [
            call("lookup_order", order_id="123"),
            when(tool_result="delivered").then(call("process_refund", order_id="123", amount=49.99)),
            say("Your refund of $49.99 is on its way."),
        ]
    )

    result = shop.run(desk, "I want a refund for order 123.")

    assert result.call_order() == ["lookup_order", "process_refund"]
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("$49.99")
    assert result.total_cost < 0.01


def test_a_hasty_model_is_sent_back_to_look_first(desk, shop, scripted_model):
    scripted_model(
        [
            call("process_refund", order_id="123", amount=49.99),
            when(tool_result="look the order up first").then(call("lookup_order", order_id="123")),
            call("process_refund", order_id="123", amount=49.99),
            say("Your refund of $49.99 is on its way."),
        ]
    )

    result = shop.run(desk, "I want a refund for order 123, quickly!")

    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_call_count("process_refund") == 1


def test_a_large_refund_waits_for_a_person(desk, shop, scripted_model):
    scripted_model([call("lookup_order", order_id="77"), call("process_refund", order_id="77", amount=899.0)])

    result = shop.run(desk, "I want a refund for order 77.")

    assert result.tool_not_called("process_refund")
    (question,) = result.output
    assert question.value == {"approve": {"order_id": "77", "amount": 899.0}}


@pytest.mark.parametrize(("answer", "paid"), [("yes", 1), ("no", 0)])
def test_the_person_decides(desk, shop, scripted_model, answer, paid):
    conversation = LangGraphAdapter({"configurable": {"thread_id": "1"}}, sync=True)
    scripted_model(
        [
            call("lookup_order", order_id="77"),
            call("process_refund", order_id="77", amount=899.0),
            say("That is all I can tell you."),
        ],
        across_runs=True,
    )

    asked = shop.run(desk, "I want a refund for order 77.", adapter=conversation)
    assert asked.tool_not_called("process_refund")
    result = shop.run(desk, Command(resume=answer), adapter=conversation)

    assert result.tool_call_count("process_refund") == paid


def test_an_outage_of_the_bank_is_told_to_the_model(desk, shop, scripted_model):
    shop.mock("process_refund", side_effect=TimeoutError("the bank does not answer"), replace=True)
    scripted_model(
        [
            call("lookup_order", order_id="123"),
            call("process_refund", order_id="123", amount=49.99),
            when(tool_result="the bank does not answer").then(call("escalate", reason="no payments")),
            say("A colleague will get back to you."),
        ]
    )

    result = shop.run(desk, "I want a refund for order 123.")

    assert result.succeeded
    assert result.tool_called_immediately_before("process_refund", "escalate")
    assert result.output_not_contains("on its way")
