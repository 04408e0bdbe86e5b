"""An agent of AutoGen."""

from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken
from autogen_core.tools import FunctionTool
from autogen_ext.models.openai import OpenAIChatCompletionClient

from unitai.script import say

RAN: list[str] = []


def pay_back(order_id: str, cancellation_token: CancellationToken, amount: float = 1.0) -> str:
    """Pays an order back."""
    RAN.append("refund")
    return f"really refunded {order_id}"


async def lookup(order_id: str) -> str:
    """Finds an order."""
    RAN.append("lookup")
    return f"really found {order_id}"


refund = FunctionTool(pay_back, "Pays an order back.", name="refund")


def make() -> AssistantAgent:
    client = OpenAIChatCompletionClient(model="gpt-4o-mini", api_key="sk-of-nobody")
    return AssistantAgent("clerk", client, tools=[refund, lookup], max_tool_iterations=5)


AGENT = make()


async def ask(message: str, agent: AssistantAgent | None = None) -> str:
    agent = agent or AGENT
    result = await agent.run(task=message)
    return str(result.messages[-1].content)


def steps(*calls):
    return [*calls, say("Done.")]
