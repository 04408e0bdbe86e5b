"""LangGraph, with agents made by LangChain's `create_agent`."""

from __future__ import annotations

import sys
from typing import Any

import shop
from framework import Fixture, turns
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph

from unitai.script import call, say


class InHouse(BaseChatModel):
    """A model in this process."""

    model_name: str = "in-house"
    answers: Any

    @property
    def _llm_type(self) -> str:
        return "in-house"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, *args: Any, **options: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(**self._turn()))])

    def _stream(self, *args: Any, **options: Any) -> Any:
        yield ChatGenerationChunk(message=AIMessageChunk(**self._turn()))

    def _turn(self) -> dict[str, Any]:
        text, prompt, completion = next(self.answers)
        usage = None
        if prompt is not None:
            usage = UsageMetadata(input_tokens=prompt, output_tokens=completion, total_tokens=prompt + completion)
        called = {"name": "lookup_order", "args": {"order_id": "123"}, "id": "call_1", "type": "tool_call"}
        return {"content": text or "", "tool_calls": [] if text else [called], "usage_metadata": usage}


class LangGraph(Fixture):
    """Compiled graphs."""

    name = "langgraph"
    distribution = "langgraph"
    others = ("langchain-core", "langchain")
    tool_errors_end_the_run = True
    chokepoints = (
        ("langchain_core.tools.base", "BaseTool", "run"),
        ("langchain_core.tools.base", "BaseTool", "arun"),
        ("langchain_core.tools.structured", "StructuredTool", "ainvoke"),
        ("langchain_core.tools.simple", "Tool", "ainvoke"),
        ("langchain_core.language_models.chat_models", "BaseChatModel", "generate"),
        ("langchain_core.language_models.chat_models", "BaseChatModel", "agenerate"),
        ("langchain_core.language_models.chat_models", "BaseChatModel", "stream"),
        ("langchain_core.language_models.chat_models", "BaseChatModel", "astream"),
        ("langchain_core.language_models.chat_models", "BaseChatModel", "__getattribute__"),
        ("langchain_core.language_models.llms", "BaseLLM", "__getattribute__"),
        ("langsmith.utils", None, "tracing_is_enabled"),
        ("langgraph.prebuilt.tool_node", "ToolNode", "_validate_tool_call"),
        ("langgraph.prebuilt.tool_node", None, "get_executor_for_config"),
        ("langgraph.pregel.main", "Pregel", "stream"),
        ("langgraph.pregel.main", "Pregel", "astream"),
        ("langgraph.pregel.main", "Pregel", "checkpointer"),
        ("langgraph.pregel.main", "Pregel", "store"),
        ("langgraph.pregel.main", "Pregel", "cache"),
        ("langgraph.pregel._runner", None, "run_with_retry"),
        ("langgraph.pregel._runner", None, "arun_with_retry"),
        ("langgraph.pregel._runner", "PregelRunner", "tick"),
        ("langgraph.pregel._loop", "PregelLoop", "tick"),
        ("langgraph.pregel._loop", "PregelLoop", "after_tick"),
        ("langgraph.pregel.remote", "RemoteGraph", "invoke"),
        ("langgraph.pregel.remote", "RemoteGraph", "ainvoke"),
        ("langgraph.pregel.remote", "RemoteGraph", "stream"),
        ("langgraph.pregel.remote", "RemoteGraph", "astream"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        return create_agent(self._model(base_url), [tool(each) for each in shop.TOOLS], name="support")

    def in_house(self, reports: bool = True) -> Any:
        return create_agent(InHouse(answers=turns(reports)), [tool(each) for each in shop.TOOLS], name="support")

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
        asked = {"messages": [("user", input)]}
        if sys.version_info < (3, 11):
            # Messages reach a stream on an event loop from Python 3.11 on.
            pieces = list(agent.stream(asked, stream_mode="messages"))
        else:
            pieces = [piece async for piece in agent.astream(asked, stream_mode="messages")]
        for message, _ in pieces:
            if message.type.startswith("AIMessage"):
                said[message.id] = said.get(message.id, "") + message.content
        return list(said.values())[-1]


FIXTURE = LangGraph()
