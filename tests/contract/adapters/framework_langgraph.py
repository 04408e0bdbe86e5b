"""LangGraph, with agents made by LangChain's `create_agent`."""

from __future__ import annotations

from typing import Any

import shop
from framework import Fixture
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph

from unitai.script import call, say


class LangGraph(Fixture):
    """Compiled graphs."""

    name = "langgraph"
    distribution = "langgraph"
    others = ("langchain-core", "langchain")
    tool_errors_end_the_run = True
    chokepoints = (
        ("langchain_core.tools.base", "BaseTool", "run"),
        ("langchain_core.tools.base", "BaseTool", "arun"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        return create_agent(self._model(base_url), [tool(each) for each in shop.TOOLS], name="support")

    def _model(self, base_url: str | None = None) -> Any:
        address = {} if base_url is None else {"base_url": f"{base_url}/v1"}
        return ChatOpenAI(model=self.model, max_retries=0, **address)

    def team(self) -> Any:
        billing = create_agent(self._model(), [tool(shop.refund)], name="billing")
        triage = create_agent(self._model(), [tool(shop.lookup_order)], name="triage")
        graph = StateGraph(MessagesState)
        graph.add_node("triage", triage)
        graph.add_node("billing", billing)
        graph.add_edge(START, "triage")
        graph.add_edge("triage", "billing")
        return graph.compile()

    def team_script(self) -> list[Any]:
        return [say("This is for billing."), call("refund", order_id="123", amount=10.0), say("Refunded.")]

    def state(self, agent: Any) -> Any:
        return {name: (id(node), id(node.bound)) for name, node in agent.nodes.items()}

    def run_as_users_do(self, agent: Any, input: str) -> Any:
        async def run() -> str:
            said = await agent.ainvoke({"messages": [("user", input)]})
            return said["messages"][-1].content

        return run()

    async def stream_as_users_do(self, agent: Any, input: str) -> str:
        said: dict[str, str] = {}
        async for message, _ in agent.astream({"messages": [("user", input)]}, stream_mode="messages"):
            if message.type.startswith("AIMessage"):
                said[message.id] = said.get(message.id, "") + message.content
        return list(said.values())[-1]


FIXTURE = LangGraph()
