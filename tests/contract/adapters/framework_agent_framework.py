"""Microsoft Agent Framework, with agents that have functions as tools."""

from __future__ import annotations

from typing import Any

import shop
from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient
from framework import Fixture
from openai import AsyncOpenAI

from unitai.script import call, say


def client(base_url: str | None = None) -> OpenAIChatCompletionClient:
    """The model of every agent here."""
    address = {} if base_url is None else {"base_url": f"{base_url}/v1"}
    return OpenAIChatCompletionClient(model=AgentFramework.model, async_client=AsyncOpenAI(max_retries=0, **address))


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
        ("agent_framework_orchestrations._handoff", "HandoffSentEvent", "__init__"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        return Agent(client(base_url), name="support", tools=[tool(each) for each in shop.TOOLS])

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
