"""A first test of a LangGraph agent: no key, no network.

Put your own agent in the place of `refund_graph`: whatever LangChain's `create_agent`
or `StateGraph` gives. It is run unchanged. Its tools are mocked, so nothing real can
happen. If a node asks a model (through langchain-openai, langchain-anthropic, ...), say
what it answers with the fixture `scripted_model`, or record real answers once with
`unitai test --record`.
"""

from typing import TypedDict

from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph


@tool
def lookup_order(order_id: str) -> dict:
    """Look an order up."""
    raise RuntimeError("the real shop was called")


@tool
def process_refund(order_id: str, amount: float) -> dict:
    """Pay money back."""
    raise RuntimeError("the real bank was called")


class State(TypedDict, total=False):
    order_id: str
    order: dict
    answer: str


def look_up(state: State) -> State:
    return {"order": lookup_order.invoke({"order_id": state["order_id"]})}


def refund(state: State) -> State:
    amount = state["order"]["amount"]
    process_refund.invoke({"order_id": state["order_id"], "amount": amount})
    return {"answer": f"Your refund of ${amount} is on its way."}


def decline(state: State) -> State:
    return {"answer": f"Order {state['order_id']} has not been delivered yet."}


def decide(state: State) -> str:
    return "refund" if state["order"]["status"] == "delivered" else "decline"


graph = StateGraph(State)
graph.add_node("look_up", look_up)
graph.add_node("refund", refund)
graph.add_node("decline", decline)
graph.add_edge(START, "look_up")
graph.add_conditional_edges("look_up", decide, ["refund", "decline"])
graph.add_edge("refund", END)
graph.add_edge("decline", END)
refund_graph = graph.compile()


def test_an_order_is_looked_up_before_it_is_refunded(mock_toolkit):
    mock_toolkit.mock(
        "lookup_order", return_value={"status": "delivered", "amount": 49.99}
    )
    mock_toolkit.mock("process_refund", return_value={"success": True})

    result = mock_toolkit.run(refund_graph, {"order_id": "123"})

    assert result.tool_called_before("lookup_order", "process_refund")
    assert result.tool_called_with("process_refund", order_id="123", amount=49.99)
    assert "$49.99" in result.output["answer"]


def test_an_order_that_is_still_on_its_way_is_not_refunded(mock_toolkit):
    mock_toolkit.mock(
        "lookup_order", return_value={"status": "shipped", "amount": 49.99}
    )

    result = mock_toolkit.run(refund_graph, {"order_id": "123"})

    assert result.tool_called_with("lookup_order", order_id="123")
    assert result.tool_not_called("process_refund")
