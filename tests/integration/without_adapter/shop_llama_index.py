"""An agent of LlamaIndex."""

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI

from unitai.script import say

RAN: list[str] = []


def pay_back(order_id: str, amount: float = 1.0) -> str:
    """Pays an order back."""
    RAN.append("refund")
    return f"really refunded {order_id}"


async def find_order(order_id: str) -> str:
    """Finds an order."""
    RAN.append("lookup")
    return f"really found {order_id}"


refund = FunctionTool.from_defaults(pay_back, name="refund")
lookup = FunctionTool.from_defaults(async_fn=find_order, name="lookup")

AGENT = FunctionAgent(tools=[refund, lookup], llm=OpenAI(model="gpt-4o-mini", api_key="sk-of-nobody"), streaming=False)


async def ask(message: str) -> str:
    return str(await AGENT.run(user_msg=message))


def steps(*calls):
    return [*calls, say("Done.")]
