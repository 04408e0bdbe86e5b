"""An agent of Strands."""

from strands import Agent, ToolContext, tool
from strands.models.openai import OpenAIModel

from unitai.script import say

RAN: list[str] = []


@tool
def refund(order_id: str, amount: float = 1.0) -> str:
    """Pays an order back."""
    RAN.append("refund")
    return f"really refunded {order_id}"


@tool(name="lookup")
async def find_order(order_id: str) -> str:
    """Finds an order."""
    RAN.append("lookup")
    return f"really found {order_id}"


lookup = find_order


class Kit:
    """Tools that are methods."""

    @tool
    def send(self, to: str) -> str:
        """Sends a letter."""
        RAN.append("send")
        return f"really sent to {to}"


KIT = Kit()


@tool(context=True)
def note(text: str, tool_context: ToolContext, agent: Agent) -> str:
    """Writes a note."""
    RAN.append("note")
    return f"really noted {text}"


def make() -> Agent:
    model = OpenAIModel(client_args={"api_key": "sk-of-nobody"}, model_id="gpt-4o-mini")
    return Agent(model=model, tools=[refund, find_order, KIT.send, note], callback_handler=None)


AGENT = make()


def ask(message: str, agent: Agent | None = None) -> str:
    agent = agent or AGENT
    agent.messages.clear()
    return str(agent(message)).strip()


def steps(*calls):
    return [*calls, say("Done.")]
