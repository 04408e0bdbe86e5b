"""A first test of a CrewAI crew: no key, no network.

Put your own crew in the place of `refund_crew`. Its tools are mocked, so nothing real
can happen, and the script answers in the model's place, inside its client.
"""

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

from unitai.script import call, say, when


@tool
def lookup_order(order_id: str) -> dict:
    """The status and the amount of an order."""
    raise RuntimeError("a real tool ran")


@tool
def process_refund(order_id: str, amount: float) -> dict:
    """Pays an order back."""
    raise RuntimeError("a real tool ran")


clerk = Agent(
    role="refund clerk",
    goal="Look an order up before you refund it.",
    backstory="You handle refunds.",
    llm=LLM(model="openai/gpt-4o", api_key="none"),
    tools=[lookup_order, process_refund],
)
task = Task(
    description="{message}",
    expected_output="A sentence for the customer.",
    agent=clerk,
)
refund_crew = Crew(agents=[clerk], tasks=[task])


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

    result = mock_toolkit.run(refund_crew, {"message": "Please refund order #123"})

    assert result.succeeded
    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("$49.99")
    assert result.llm_calls == 3
