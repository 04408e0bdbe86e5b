"""Pydantic AI, with agents that call OpenAI's models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import shop
from framework import Fixture, turns
from openai import AsyncOpenAI
from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import RequestUsage

from unitai.script import call, say


@dataclass
class Pieces(StreamedResponse):
    """An answer of a model in this process, as a stream."""

    answer: ModelResponse
    model_name = "in-house"
    provider_name = "in-house"
    provider_url = None
    timestamp = datetime(2026, 1, 1, tzinfo=timezone.utc)

    async def _get_event_iterator(self) -> AsyncIterator[Any]:
        self._usage = self.answer.usage
        for part in self.answer.parts:
            yield self._parts_manager.handle_part(vendor_part_id=None, part=part)

    async def close_stream(self) -> None:
        """There is none."""


class InHouse(Model):
    """A model in this process."""

    model_name = "in-house"
    system = "in-house"

    def __init__(self, reports: bool) -> None:
        super().__init__()
        self.answers = turns(reports)

    async def request(self, *args: Any, **options: Any) -> ModelResponse:
        text, prompt, completion = next(self.answers)
        part = TextPart(text) if text else ToolCallPart("lookup_order", {"order_id": "123"})
        usage = RequestUsage() if prompt is None else RequestUsage(input_tokens=prompt, output_tokens=completion)
        return ModelResponse([part], usage=usage, model_name=self.model_name)

    @asynccontextmanager
    async def request_stream(self, messages: Any, settings: Any, parameters: Any, *rest: Any) -> AsyncIterator[Any]:
        yield Pieces(parameters, await self.request())


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
        ("pydantic_ai.models", "Model", "__getattribute__"),
        ("pydantic_ai.agent", "Agent", "iter"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        return Agent(self._model(base_url), name="support", tools=shop.TOOLS)

    def in_house(self, reports: bool = True) -> Any:
        return Agent(InHouse(reports), name="support", tools=shop.TOOLS)

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
