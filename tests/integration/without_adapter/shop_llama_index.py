"""An agent of LlamaIndex."""

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context
from llama_index.llms.openai import OpenAI

from unitai.script import say

RAN: list[str] = []


def pay_back(ctx: Context, order_id: str, amount: float = 1.0) -> str:
    """Pays an order back."""
    RAN.append("refund")
    return f"really refunded {order_id}"


async def find_order(order_id: str) -> str:
    """Finds an order."""
    RAN.append("lookup")
    return f"really found {order_id}"


def speak(text: str) -> str:
    """Says it."""
    RAN.append("speak")
    return f"really said {text}"


async def speak_soon(text: str) -> str:
    """Says it."""
    RAN.append("speak_soon")
    return f"really said {text}"


refund = FunctionTool.from_defaults(pay_back, name="refund")
lookup = FunctionTool.from_defaults(async_fn=find_order, name="lookup")
both = FunctionTool.from_defaults(speak, async_fn=speak_soon, name="both")


def make() -> FunctionAgent:
    llm = OpenAI(model="gpt-4o-mini", api_key="sk-of-nobody")
    return FunctionAgent(tools=[refund, lookup, both], llm=llm, streaming=False)


AGENT = make()


async def ask(message: str, agent: FunctionAgent | None = None) -> str:
    agent = agent or AGENT
    return str(await agent.run(user_msg=message))


def steps(*calls):
    return [*calls, say("Done.")]
