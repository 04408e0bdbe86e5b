"""An agent without a framework, with its tools mocked: once against a script, once against the real model."""

from __future__ import annotations

import os

import pytest

from tests.support.simple_agent import MODEL, simple_agent
from unitai import MockToolkit, scripted_model
from unitai.script import call, say, when

pytestmark = pytest.mark.integration

pytest.importorskip("openai", reason="the agent uses OpenAI's client")

QUESTION = "What is the status of order 123?"


@pytest.fixture
def toolkit():
    toolkit = MockToolkit(budget=0.01)
    toolkit.mock("lookup_order", return_value={"order_id": "123", "status": "delivered"})
    return toolkit


def test_the_agent_against_a_script(toolkit):
    script = [call("lookup_order", order_id="123"), when(tool_result="delivered").then(say("It was delivered."))]
    with scripted_model(script, block_network=True) as model:
        result = toolkit.run(lambda message, tools: simple_agent(message, tools, api_key="none"), QUESTION)

    assert result.succeeded
    assert result.tool_called_with("lookup_order", order_id="123")
    assert result.output == "It was delivered."
    assert [step.step_type for step in result.trajectory.steps] == ["llm_call", "tool_call", "llm_call"]
    assert [step.source for step in result.trajectory.steps] == ["script", None, "script"]
    assert 0 < result.total_cost < 0.001
    assert [request.model for request in model.requests] == [MODEL, MODEL]
    assert model.requests[1].tool_results == [("lookup_order", '{"order_id": "123", "status": "delivered"}')]


@pytest.mark.skipif(not os.environ.get("OPENAI_API_KEY"), reason="asks the real model: set OPENAI_API_KEY to run it")
def test_the_agent_against_the_real_model(toolkit):
    result = toolkit.run(simple_agent, QUESTION)

    assert result.succeeded
    assert result.tool_called_with("lookup_order", order_id="123")
    assert result.output_contains("delivered")
    assert [step.source for step in result.trajectory.steps if step.step_type == "llm_call"] == ["live", "live"]
    assert 0 < result.total_cost < 0.01
