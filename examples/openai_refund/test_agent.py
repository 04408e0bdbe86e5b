"""What the agent must do, whatever the model says. No key, no network: the model is scripted."""

import pytest
from agent import refund_agent, streaming_refund_agent

from unitai import Budget, CostLimitExceeded, MockToolkit
from unitai.script import call, fail, say, when

DELIVERED = {"order_id": "123", "status": "delivered", "amount": 49.99}


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    """The client wants a key to be there. Any will do."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def shop(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value=DELIVERED)
    mock_toolkit.mock("process_refund", return_value={"success": True, "refund_id": "R-456"})
    mock_toolkit.mock("escalate", return_value={"ticket": "T-1"})
    return mock_toolkit


def test_a_delivered_order_is_refunded(shop, scripted_model):
    model = scripted_model(
        [
            call("lookup_order", order_id="123").using(180, 18),
            when(tool_result="delivered").then(call("process_refund", order_id="123", amount=49.99).using(230, 24)),
            say("Your refund of $49.99 is on its way.").using(280, 12),
        ]
    )

    result = shop.run(refund_agent, "I want a refund for order #123")

    assert result.call_order() == ["lookup_order", "process_refund"]
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.tool_not_called("escalate")
    assert result.output_contains("$49.99")
    assert model.requests[0].tools == ["lookup_order", "process_refund", "escalate"]
    assert "Look an order up" in model.requests[0].system
    # What it took, and what gpt-4o would have cost.
    assert result.llm_calls == 3
    assert result.total_tokens == 744
    assert result.total_cost < 0.01


def test_a_payment_outage_is_told_to_the_model_and_escalated(shop, scripted_model):
    shop.mock("process_refund", side_effect=TimeoutError("payment service unavailable"), replace=True)
    scripted_model(
        [
            call("lookup_order", order_id="123"),
            call("process_refund", order_id="123", amount=49.99),
            when(tool_result="payment service unavailable").then(call("escalate", reason="no payments")),
            say("A colleague will get back to you."),
        ]
    )

    result = shop.run(refund_agent, "I want a refund for order #123")

    assert result.succeeded
    assert result.tool_called_immediately_before("process_refund", "escalate")
    assert result.output_not_contains("on its way")


def test_a_busy_provider_is_asked_again(shop, scripted_model):
    scripted_model([fail(429, retry_after=0.01), fail(503, retry_after=0.01), say("Hello! How can I help?")])

    result = shop.run(refund_agent, "Hello")

    assert result.output == "Hello! How can I help?"
    assert [step.llm_status for step in result.trajectory.steps] == [429, 503, None]


def test_a_model_that_never_comes_to_an_end_stops_at_the_budget(scripted_model):
    scripted_model([when(model="gpt").always(call("lookup_order", order_id="123").using(2000, 20))])
    budget = Budget(0.05)
    toolkit = MockToolkit(budget=budget)
    toolkit.mock("lookup_order", return_value=DELIVERED)

    result = toolkit.run(refund_agent, "I want a refund for order #123")

    assert result.error_is(CostLimitExceeded)
    assert 0 < budget.spent <= budget.limit


def test_a_streamed_answer_comes_whole(shop, scripted_model):
    scripted_model([call("lookup_order", order_id="123"), say("It was delivered on Monday.").after(0, pace=0.01)])

    result = shop.run(streaming_refund_agent, "Where is order #123?")

    assert result.output == "It was delivered on Monday."
    assert all(step.streamed for step in result.trajectory.steps if step.step_type == "llm_call")
    assert 0 < result.trajectory.steps[-1].time_to_first_token < result.trajectory.steps[-1].latency
