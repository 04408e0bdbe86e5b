"""First tests of LangGraph agents: no key, no network.

Put your own agents in the place of these: whatever LangChain's `create_agent` or
`StateGraph` gives. They are run unchanged. Their tools are mocked, so nothing real can
happen, and the script answers in the model's place, inside its client: langchain-openai
here, langchain-anthropic and others alike. Or record real answers once, with
`unitai test --record`.
"""

from typing import TypedDict

import pytest
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from unitai.script import call, say, when


@tool
def lookup_order(order_id: str) -> dict:
    """Look an order up."""
    raise RuntimeError("the real shop was called")


@tool
def process_refund(order_id: str, amount: float) -> dict:
    """Pay money back."""
    raise RuntimeError("the real bank was called")


@pytest.fixture
def refund_agent():
    """Stands for an agent of yours whose model decides what is done."""
    openai = pytest.importorskip(
        "langchain_openai", reason="its model needs: pip install langchain-openai"
    )
    # The client wants a key to be there. Any will do.
    model = openai.ChatOpenAI(model="gpt-4o", api_key="none")
    tools = [lookup_order, process_refund]

    def ask(state: MessagesState) -> MessagesState:
        return {"messages": [model.bind_tools(tools).invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    return graph.compile()


def test_an_order_is_looked_up_before_it_is_refunded(
    refund_agent, mock_toolkit, scripted_model
):
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

    result = mock_toolkit.run(refund_agent, "Please refund order #123")

    assert result.succeeded
    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert result.output_contains("$49.99")
    assert result.llm_calls == 3


class Order(TypedDict, total=False):
    order_id: str
    status: str
    answer: str


def look_up(state: Order) -> Order:
    return {"status": lookup_order.invoke({"order_id": state["order_id"]})["status"]}


def decline(state: Order) -> Order:
    return {"answer": f"Order {state['order_id']} has not been delivered yet."}


def refund(state: Order) -> Order:
    process_refund.invoke({"order_id": state["order_id"], "amount": 49.99})
    return {"answer": "Your refund is on its way."}


def decide(state: Order) -> str:
    return "refund" if state["status"] == "delivered" else "decline"


# Stands for a graph of yours whose code decides what is done.
graph = StateGraph(Order)
graph.add_node("look_up", look_up)
graph.add_node("refund", refund)
graph.add_node("decline", decline)
graph.add_edge(START, "look_up")
graph.add_conditional_edges("look_up", decide, ["refund", "decline"])
graph.add_edge("refund", END)
graph.add_edge("decline", END)
refund_graph = graph.compile()


def test_an_order_that_is_still_on_its_way_is_not_refunded(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={"status": "shipped"})

    result = mock_toolkit.run(refund_graph, {"order_id": "123"})

    assert result.succeeded
    assert result.tool_called_with("lookup_order", order_id="123")
    assert result.tool_not_called("process_refund")
