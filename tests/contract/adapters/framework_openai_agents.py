"""The OpenAI Agents SDK, with its default models, which speak the language of Responses."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import shop
from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_trace_processors, tool
from framework import Fixture
from openai import AsyncOpenAI

from unitai.script import call, say

#: Function tools are called by this since 0.20; before, by a function that both modules know.
INVOKER = "_invoke_function_tool_with_metadata"
INVOKER = INVOKER if hasattr(tool, INVOKER) else "invoke_function_tool"

# Outside of runs it would send its traces.
set_trace_processors([])


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
        ("agents.tracing.processors", "BatchTraceProcessor", "on_trace_start"),
        ("agents.tracing.processors", "BatchTraceProcessor", "on_span_end"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        return Agent(name="support", model=self._model(base_url), tools=[function_tool(each) for each in shop.TOOLS])

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
