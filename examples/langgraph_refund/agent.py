"""A refund desk as a graph: the model proposes, the graph decides what is done."""

from langchain_core.messages import SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, interrupt

MODEL = "gpt-4o-mini"
INSTRUCTIONS = (
    "You handle refunds. Look an order up, refund it if it was delivered, and escalate what you cannot settle."
)
#: A refund of more dollars than this is a person's decision.
LIMIT = 100.0


@tool
def lookup_order(order_id: str) -> dict:
    """Status and amount of an order."""
    raise NotImplementedError("ask your shop here")


@tool
def process_refund(order_id: str, amount: float) -> dict:
    """Pay an order back."""
    raise NotImplementedError("ask your bank here")


@tool
def escalate(reason: str) -> dict:
    """Hand the case to a colleague."""
    raise NotImplementedError("open a ticket here")


TOOLS = [lookup_order, process_refund, escalate]


def refund_graph():
    """The agent: the model, a guard over what it asks for, and the tools."""
    model = ChatOpenAI(model=MODEL).bind_tools(TOOLS)

    def assistant(state: MessagesState) -> dict:
        return {"messages": [model.invoke([SystemMessage(INSTRUCTIONS), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("assistant", assistant)
    graph.add_node("guard", guard, destinations=("assistant", "tools"))
    graph.add_node("tools", ToolNode(TOOLS, handle_tool_errors=True))
    graph.add_edge(START, "assistant")
    graph.add_conditional_edges("assistant", tools_condition, {"tools": "guard", "__end__": "__end__"})
    graph.add_edge("tools", "assistant")
    return graph.compile(checkpointer=InMemorySaver())


def guard(state: MessagesState) -> Command:
    """Lets no refund through that was not looked up, nor a large one that nobody approved."""
    *before, asked = state["messages"]
    looked_up = {
        call["args"]["order_id"]
        for message in before
        for call in getattr(message, "tool_calls", [])
        if call["name"] == "lookup_order"
    }
    for call in asked.tool_calls:
        if call["name"] != "process_refund":
            continue
        if call["args"]["order_id"] not in looked_up:
            return _refused(asked, "Not done: look the order up first.")
        if call["args"]["amount"] > LIMIT and interrupt({"approve": call["args"]}) != "yes":
            return _refused(asked, "Not done: nobody approved it.")
    return Command(goto="tools")


def _refused(asked, reason: str) -> Command:
    """Every call of a message needs an answer, so all of them get this one."""
    answers = [ToolMessage(reason, tool_call_id=call["id"]) for call in asked.tool_calls]
    return Command(goto="assistant", update={"messages": answers})
