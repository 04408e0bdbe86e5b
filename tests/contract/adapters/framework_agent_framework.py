"""Microsoft Agent Framework, with agents that have functions as tools."""

from __future__ import annotations

from typing import Any

import shop
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)
from agent_framework.openai import OpenAIChatCompletionClient
from framework import Fixture, turns
from openai import AsyncOpenAI

from unitai.script import call, say


def client(base_url: str | None = None) -> OpenAIChatCompletionClient:
    """The model of every agent here."""
    address = {} if base_url is None else {"base_url": f"{base_url}/v1"}
    return OpenAIChatCompletionClient(model=AgentFramework.model, async_client=AsyncOpenAI(max_retries=0, **address))


class InHouse(FunctionInvocationLayer, BaseChatClient):
    """A model in this process."""

    def __init__(self, reports: bool) -> None:
        super().__init__()
        self.model = "in-house"
        self.answers = turns(reports)

    def _inner_get_response(self, *, stream: bool = False, **options: Any) -> Any:
        if stream:
            return ResponseStream(self._pieces(), finalizer=ChatResponse.from_updates)
        return self._whole()

    async def _whole(self) -> ChatResponse:
        contents, usage = self._turn()
        return ChatResponse(messages=[Message("assistant", contents)], usage_details=usage)

    async def _pieces(self) -> Any:
        contents, usage = self._turn()
        yield ChatResponseUpdate(contents=contents, role="assistant")
        if usage is not None:
            yield ChatResponseUpdate(contents=[Content.from_usage(usage)], role="assistant")

    def _turn(self) -> Any:
        text, prompt, completion = next(self.answers)
        called = Content.from_function_call("call_1", "lookup_order", arguments={"order_id": "123"})
        usage = {"input_token_count": prompt, "output_token_count": completion}
        return [Content.from_text(text) if text else called], None if prompt is None else usage


class AgentFramework(Fixture):
    """Agents of its core."""

    name = "agent_framework"
    distribution = "agent-framework-core"
    others = ("agent-framework-orchestrations",)
    chokepoints = (
        ("agent_framework._tools", "FunctionTool", "invoke"),
        ("agent_framework._tools", "FunctionTool", "__call__"),
        ("agent_framework._tools", None, "_auto_invoke_function"),
        ("agent_framework._agents", "RawAgent", "run"),
        ("agent_framework._clients", "BaseChatClient", "get_response"),
        ("agent_framework._clients", "BaseChatClient", "__getattribute__"),
        ("agent_framework_orchestrations._handoff", "HandoffSentEvent", "__init__"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        return Agent(client(base_url), name="support", tools=[tool(each) for each in shop.TOOLS])

    def in_house(self, reports: bool = True) -> Any:
        return Agent(InHouse(reports), name="support", tools=[tool(each) for each in shop.TOOLS])

    def team(self) -> Any:
        billing = Agent(client(), name="billing", tools=[tool(shop.refund)])
        return Agent(client(), name="triage", tools=[tool(shop.lookup_order), billing.as_tool()])

    def team_script(self) -> list[Any]:
        return [
            call("billing", task="Refund order 123."),
            call("refund", order_id="123", amount=10.0),
            say("It is done."),
            say("Refunded."),
        ]

    def state(self, agent: Any) -> Any:
        tools = [(id(each), each.func, each.invocation_count) for each in agent.default_options["tools"]]
        return tools, list(agent.context_providers), agent.middleware, id(agent.client), dict(agent.default_options)

    def run_as_users_do(self, agent: Any, input: str) -> Any:
        async def run() -> str:
            return (await agent.run(input)).text

        return run()

    async def stream_as_users_do(self, agent: Any, input: str) -> str:
        return "".join([piece.text async for piece in agent.run(input, stream=True)])


FIXTURE = AgentFramework()
