"""The OpenAI Agents SDK, with its default models, which speak the language of Responses."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import shop
from agents import (
    Agent,
    Model,
    ModelResponse,
    OpenAIResponsesModel,
    Runner,
    Usage,
    function_tool,
    set_trace_processors,
    tool,
)
from framework import Fixture, turns
from openai import AsyncOpenAI
from openai.types.responses import Response, ResponseCompletedEvent, ResponseTextDeltaEvent

from unitai.script import call, say

#: Function tools are called by this since 0.20; before, by a function that both modules know.
INVOKER = "_invoke_function_tool_with_metadata"
INVOKER = INVOKER if hasattr(tool, INVOKER) else "invoke_function_tool"

# Outside of runs it would send its traces.
set_trace_processors([])


class InHouse(Model):
    """A model in this process."""

    model = "in-house"

    def __init__(self, reports: bool) -> None:
        self.answers = turns(reports)

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        said = self._answer()
        usage = Usage()
        if said.usage is not None:
            usage = Usage(1, input_tokens=said.usage.input_tokens, output_tokens=said.usage.output_tokens)
        return ModelResponse(said.output, usage, None)

    async def stream_response(self, *args: Any, **options: Any) -> Any:
        said = self._answer()
        for item in said.output:
            for part in getattr(item, "content", ()):
                place = {"content_index": 0, "item_id": item.id, "output_index": 0, "sequence_number": 0}
                yield ResponseTextDeltaEvent(delta=part.text, logprobs=[], type="response.output_text.delta", **place)
        yield ResponseCompletedEvent(response=said, sequence_number=1, type="response.completed")

    def _answer(self) -> Response:
        text, prompt, completion = next(self.answers)
        item: dict[str, Any] = {"id": "item_1", "status": "completed"}
        if text is None:
            item.update(type="function_call", call_id="call_1", name="lookup_order", arguments='{"order_id": "123"}')
        else:
            part = {"type": "output_text", "text": text, "annotations": []}
            item.update(type="message", role="assistant", content=[part])
        said = {"id": "resp_1", "created_at": 0, "model": self.model, "object": "response", "output": [item]}
        choices = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        usage = None
        if prompt is not None:
            usage = {
                "input_tokens": prompt,
                "output_tokens": completion,
                "total_tokens": prompt + completion,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            }
        return Response.model_validate({**said, **choices, "usage": usage})


class OpenAIAgents(Fixture):
    """Agents with function tools, and handoffs."""

    name = "openai_agents"
    distribution = "openai-agents"
    made_up_tools_end_the_run = True
    chokepoints = (
        ("agents.run_internal.tool_execution", None, INVOKER),
        ("agents.run_internal.tool_actions", "ShellAction", "execute"),
        ("agents.run_internal.tool_actions", "LocalShellAction", "execute"),
        ("agents.run_internal.tool_actions", "ApplyPatchAction", "execute"),
        ("agents.run_internal.turn_resolution", None, "process_model_response"),
        ("agents.run_internal.run_loop", None, "get_all_tools"),
        ("agents.run_internal.run_loop", None, "run_single_turn_streamed"),
        ("agents.run", None, "run_single_turn"),
        ("agents.models.interface", "Model", "__getattribute__"),
        ("agents.tracing.processors", "BatchTraceProcessor", "on_trace_start"),
        ("agents.tracing.processors", "BatchTraceProcessor", "on_span_end"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        return Agent(name="support", model=self._model(base_url), tools=[function_tool(each) for each in shop.TOOLS])

    def in_house(self, reports: bool = True) -> Any:
        return Agent(name="support", model=InHouse(reports), tools=[function_tool(each) for each in shop.TOOLS])

    def _model(self, base_url: str | None = None) -> Any:
        if base_url is None:
            return self.model
        # Nobody closes the client, so its connections must not outlive a request.
        headers = {"Connection": "close"}
        client = AsyncOpenAI(base_url=f"{base_url}/v1", max_retries=0, default_headers=headers)
        return OpenAIResponsesModel(self.model, client)

    def team(self) -> Any:
        billing = Agent(name="billing", model=self.model, tools=[function_tool(shop.refund)])
        return Agent(name="triage", model=self.model, tools=[function_tool(shop.lookup_order)], handoffs=[billing])

    def team_script(self) -> list[Any]:
        return [call("transfer_to_billing"), call("refund", order_id="123", amount=10.0), say("Refunded.")]

    def state(self, agent: Any) -> Any:
        # What the framework itself keeps on an agent that ran is no field.
        given = {field.name: getattr(agent, field.name) for field in fields(agent)}
        return {**given, "tools": [(id(each), dict(each.__dict__)) for each in agent.tools]}

    def run_as_users_do(self, agent: Any, input: str) -> Any:
        async def run() -> str:
            return (await Runner.run(agent, input)).final_output

        return run()

    async def stream_as_users_do(self, agent: Any, input: str) -> str:
        result = Runner.run_streamed(agent, input)
        said = ""
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.created":
                said = ""
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                said += event.data.delta
        return said


FIXTURE = OpenAIAgents()
