"""An agent of Agno."""

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.tools import tool

from unitai.script import say

RAN: list[str] = []


@tool
def refund(order_id: str, amount: float = 1.0) -> str:
    """Pays an order back."""
    RAN.append("refund")
    return f"really refunded {order_id}"


def lookup(order_id: str) -> str:
    """Finds an order."""
    RAN.append("lookup")
    return f"really found {order_id}"


AGENT = Agent(model=OpenAIChat(id="gpt-4o-mini", api_key="sk-of-nobody"), tools=[refund, lookup], telemetry=False)


def ask(message: str) -> str:
    return str(AGENT.run(message).content)


def steps(*calls):
    return [*calls, say("Done.")]
