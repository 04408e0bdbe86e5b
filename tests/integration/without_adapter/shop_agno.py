"""An agent of Agno."""

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.run import RunContext
from agno.tools import Toolkit, tool

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


class Kit(Toolkit):
    """Tools that are methods."""

    def __init__(self):
        super().__init__(name="kit", tools=[self.send, self.note])

    def send(self, to: str) -> str:
        """Sends a letter."""
        RAN.append("send")
        return f"really sent to {to}"

    @tool
    def note(self, text: str, run_context: RunContext) -> str:
        """Writes a note."""
        RAN.append("note")
        return f"really noted {text}"


KIT = Kit()


def make() -> Agent:
    model = OpenAIChat(id="gpt-4o-mini", api_key="sk-of-nobody")
    return Agent(model=model, tools=[refund, lookup, KIT], telemetry=False)


AGENT = make()


def ask(message: str, agent: Agent | None = None) -> str:
    agent = agent or AGENT
    return str(agent.run(message).content)


def steps(*calls):
    return [*calls, say("Done.")]
