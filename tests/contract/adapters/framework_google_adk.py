"""Google's ADK, with agents that call Gemini."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import shop
from framework import Fixture, turns
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.flows.llm_flows import functions
from google.adk.models import BaseLlm, Gemini, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import Client, types

from unitai.script import call, say


class Local(Gemini):
    """A model elsewhere. Nobody closes the pool of its client, so no connection stays in it."""

    address: str

    @cached_property
    def api_client(self) -> Client:
        return Client(http_options=types.HttpOptions(base_url=self.address, headers={"Connection": "close"}))


class InHouse(BaseLlm):
    """A model in this process."""

    answers: Any

    async def generate_content_async(self, *args: Any, **options: Any) -> Any:
        text, prompt, completion = next(self.answers)
        called = types.FunctionCall(name="lookup_order", args={"order_id": "123"})
        part = types.Part(text=text) if text else types.Part(function_call=called)
        usage = None
        if prompt is not None:
            usage = types.GenerateContentResponseUsageMetadata(
                prompt_token_count=prompt, candidates_token_count=completion
            )
        yield LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)


class GoogleADK(Fixture):
    """Agents with functions as tools."""

    name = "google_adk"
    distribution = "google-adk"
    model = "gemini-2.5-flash"
    other_model = "gemini-2.5-pro"
    tool_errors_end_the_run = True
    # As they did until the model was told.
    made_up_tools_end_the_run = not hasattr(functions, "_execute_single_prepared_call")
    chokepoints = (
        (functions._get_tool.__module__, None, "_get_tool"),
        ("google.adk.tools.base_tool", "BaseTool", "__getattribute__"),
        ("google.adk.agents.base_agent", "BaseAgent", "run_async"),
        ("google.adk.models.google_llm", "Gemini", "generate_content_async"),
        ("google.adk.models.base_llm", "BaseLlm", "__getattribute__"),
        ("google.adk.sessions.base_session_service", "BaseSessionService", "append_event"),
        ("google.adk.sessions.state", "State", "__setitem__"),
        ("google.adk.sessions.state", "State", "update"),
    )

    def agent(self, base_url: str | None = None) -> Any:
        model = self.model if base_url is None else Local(model=self.model, address=base_url)
        return LlmAgent(name="support", model=model, tools=list(shop.TOOLS))

    def in_house(self, reports: bool = True) -> Any:
        return LlmAgent(name="support", model=InHouse(model="in-house", answers=turns(reports)), tools=list(shop.TOOLS))

    def team(self) -> Any:
        billing = LlmAgent(name="billing", model=self.model, description="Pays money back.", tools=[shop.refund])
        return LlmAgent(name="triage", model=self.model, tools=[shop.lookup_order], sub_agents=[billing])

    def team_script(self) -> list[Any]:
        return [
            call("transfer_to_agent", agent_name="billing"),
            call("refund", order_id="123", amount=10.0),
            say("Refunded."),
        ]

    def state(self, agent: Any) -> Any:
        return {name: (id(value), repr(value)) for name, value in vars(agent).items()}

    def run_as_users_do(self, agent: Any, input: str) -> Any:
        return self._run(agent, input, RunConfig())

    async def stream_as_users_do(self, agent: Any, input: str) -> str:
        return await self._run(agent, input, RunConfig(streaming_mode=StreamingMode.SSE))

    async def _run(self, agent: Any, input: str, config: RunConfig) -> str:
        runner = InMemoryRunner(agent=agent, app_name="shop")
        session = await runner.session_service.create_session(app_name="shop", user_id="ann")
        message = types.Content(role="user", parts=[types.Part(text=input)])
        text = ""
        async for event in runner.run_async(
            user_id="ann", session_id=session.id, new_message=message, run_config=config
        ):
            if event.is_final_response() and event.content and event.content.parts:
                text = event.content.parts[0].text or ""
        return text


FIXTURE = GoogleADK()
