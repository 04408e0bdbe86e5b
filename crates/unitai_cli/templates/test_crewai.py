"""A first test of a CrewAI crew: no key, no network.

Put your own crew in the place of `refund_crew`. The tools are mocked, so nothing real
can happen, and the script answers in the model's place, inside its client.
"""

import pytest
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

from unitai.script import call, say, when


def refund_crew(tools):
    """Stands for your crew: its tools do what they are given."""

    @tool
    def lookup_order(order_id: str) -> dict:
        """The status and the amount of an order."""
        return tools["lookup_order"](order_id=order_id)

    @tool
    def process_refund(order_id: str, amount: float) -> dict:
        """Pays an order back."""
        return tools["process_refund"](order_id=order_id, amount=amount)

    # The address is nobody's. At OpenAI's own, CrewAI has the tokens counted before it
    # asks, and a script cannot count them.
    llm = LLM(model="openai/gpt-4o", api_key="none", base_url="http://model.example/v1")
    clerk = Agent(
        role="refund clerk",
        goal="Look an order up before you refund it.",
        backstory="You handle refunds.",
        llm=llm,
        tools=[lookup_order, process_refund],
    )
    task = Task(
        description="{message}",
        expected_output="A sentence for the customer.",
        agent=clerk,
    )
    return Crew(agents=[clerk], tasks=[task])


@pytest.fixture(autouse=True)
def no_telemetry(monkeypatch):
    """CrewAI reports to its makers; a test has nothing to say to them."""
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("CREWAI_TRACING_ENABLED", "false")


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

    def agent(message, tools):
        return refund_crew(tools).kickoff(inputs={"message": message}).raw

    result = mock_toolkit.run(agent, "Please refund order #123")

    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("$49.99")
    assert result.llm_calls == 3
