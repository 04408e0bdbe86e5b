"""Pydantic AI, with agents that call OpenAI's models."""

from __future__ import annotations

from typing import Any

import shop
from framework import Fixture
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from unitai.script import call, say


class PydanticAI(Fixture):
    """Agents with plain tools."""

    name = "pydantic_ai"
    distribution = "pydantic-ai-slim"
    tool_errors_end_the_run = True
    chokepoints = (
        ("pydantic_ai.tool_manager", "ToolManager", "_raw_execute"),
        ("pydantic_ai.tool_manager", "ToolManager", "validate_tool_call"),
        ("pydantic_ai.tool_manager", "ToolManager", "execute_tool_call"),
        ("pydantic_ai.tool_manager", "ToolManager", "resolve_deferred_tool_calls"),
        ("pydantic_ai.toolsets.function", "FunctionToolset", "call_tool"),
        ("pydantic_ai.models", "Model", "prepare_request"),
        ("pydantic_ai.agent", "Agent", "iter"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        return Agent(self._model(base_url), name="support", tools=shop.TOOLS)

    def _model(self, base_url: str | None = None) -> Any:
        if base_url is None:
            return OpenAIChatModel(self.model, provider=OpenAIProvider())
        # Nobody closes the pool of an agent's client: no connection stays in it.
        client = AsyncOpenAI(base_url=f"{base_url}/v1", default_headers={"Connection": "close"})
        return OpenAIChatModel(self.model, provider=OpenAIProvider(openai_client=client))

    def team(self) -> Any:
        billing = Agent(self._model(), name="billing", tools=[shop.refund])

        async def hand_over_to_billing(request: str) -> str:
            """Hand the customer over to billing."""
            return (await billing.run(request)).output

        return Agent(self._model(), name="triage", tools=[shop.lookup_order], output_type=[hand_over_to_billing, str])

    def team_script(self) -> list[Any]:
        return [
            call("final_result", request="refund order 123"),
            call("refund", order_id="123", amount=10.0),
            say("Refunded."),
        ]

    def state(self, agent: Any) -> Any:
        return {name: (id(value), repr(value)) for name, value in vars(agent).items()}

    def run_as_users_do(self, agent: Any, input: str) -> Any:
        async def run() -> str:
            return (await agent.run(input)).output

        return run()

    async def stream_as_users_do(self, agent: Any, input: str) -> str:
        async with agent.run_stream(input) as response:
            text = ""
            async for piece in response.stream_text(delta=True):
                text += piece
        return text


FIXTURE = PydanticAI()
