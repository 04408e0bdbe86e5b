"""An agent of smolagents."""

from smolagents import CodeAgent, MultiStepAgent, OpenAIModel, Tool, ToolCallingAgent, tool

from unitai.script import call, say

RAN: list[str] = []


@tool
def refund(order_id: str, amount: float = 1.0) -> str:
    """Pays an order back.

    Args:
        order_id: The order.
        amount: How much.
    """
    RAN.append("refund")
    return f"really refunded {order_id}"


class Lookup(Tool):
    """A tool that is a class of its own."""

    name = "lookup"
    description = "Finds an order."
    inputs = {"order_id": {"type": "string", "description": "The order."}}  # noqa: RUF012
    output_type = "string"

    def forward(self, order_id: str) -> str:
        RAN.append("lookup")
        return f"really found {order_id}"


class Kit:
    """A place for a tool."""

    @tool
    def send(to: str) -> str:  # noqa: N805
        """Sends a letter.

        Args:
            to: To whom.
        """
        RAN.append("send")
        return f"really sent to {to}"


lookup = Lookup()
other_lookup = Lookup()


def make(kind: type[MultiStepAgent] = ToolCallingAgent) -> MultiStepAgent:
    return kind(tools=[refund, lookup, Kit.send], model=OpenAIModel("gpt-4o-mini", api_key="sk-of-nobody"), max_steps=4)


AGENT = make()
CODE_AGENT = make(CodeAgent)


def ask(message: str, agent: MultiStepAgent | None = None) -> str:
    agent = agent or AGENT
    return str(agent.run(message))


def ask_coder(message: str) -> str:
    return str(CODE_AGENT.run(message))


def steps(*calls):
    return [*calls, call("final_answer", answer="Done.")]


def code_steps(code: str):
    return [say(f"<code>\n{code}\nfinal_answer('Done.')\n</code>")]
