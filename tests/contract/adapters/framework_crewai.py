"""CrewAI, with crews of one agent and of two."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import shop
from crewai import LLM, Agent, BaseLLM, Crew, Process, Task
from crewai.tools import tool
from framework import Fixture, turns

from unitai.adapters.crewai_calls import SEAMS
from unitai.script import call, say


class InHouse(BaseLLM):
    """A model in this process, which cannot call functions: it writes what it wants."""

    answers: Any

    def call(self, *args: Any, **options: Any) -> str:
        text, prompt, completion = next(self.answers)
        if prompt is not None:
            self._track_token_usage_internal({"prompt_tokens": prompt, "completion_tokens": completion})
        if text is None:
            return 'Thought: I look it up.\nAction: lookup_order\nAction Input: {"order_id": "123"}'
        return f"Thought: I know it.\nFinal Answer: {text}"

    async def acall(self, *args: Any, **options: Any) -> str:
        return self.call(*args, **options)


class CrewAI(Fixture):
    """Crews."""

    name = "crewai"
    distribution = "crewai"
    #: Releases differ in where their executors are.
    chokepoints = tuple(
        (module, owner, name) for module, seams in SEAMS.items() if find_spec(module) for owner, name, _ in seams
    )

    def agent(self, base_url: str | None = None) -> Any:
        support = self.member("support", [tool(each) for each in shop.TOOLS], self._model(base_url))
        return Crew(agents=[support], tasks=[self.task(support)])

    def in_house(self, reports: bool = True) -> Any:
        model = InHouse(model="in-house", answers=turns(reports))
        support = self.member("support", [tool(each) for each in shop.TOOLS], model)
        return Crew(agents=[support], tasks=[self.task(support)])

    def _model(self, base_url: str | None = None) -> Any:
        address = {} if base_url is None else {"base_url": f"{base_url}/v1"}
        return LLM(model=f"openai/{self.model}", **address)

    def member(self, role: str, tools: list[Any], llm: Any = None, **options: Any) -> Agent:
        """An agent. It does a task once only, whatever comes of it."""
        return Agent(
            role=role,
            goal="Help the customer.",
            backstory="You work for a shop.",
            llm=llm or self._model(),
            tools=tools,
            max_retry_limit=0,
            **options,
        )

    def task(self, agent: Agent | None) -> Task:
        return Task(description="{input}", expected_output="A sentence for the customer.", agent=agent)

    def team(self) -> Any:
        triage = self.member("triage", [tool(shop.lookup_order)], allow_delegation=True)
        billing = self.member("billing", [tool(shop.refund)])
        return Crew(agents=[triage, billing], tasks=[self.task(triage)], process=Process.sequential)

    def team_script(self) -> list[Any]:
        return [
            call("delegate_work_to_coworker", task="Refund order 123.", context="It is $10.", coworker="billing"),
            call("refund", order_id="123", amount=10.0),
            say("It is paid back."),
            say("Refunded."),
        ]

    def state(self, agent: Any) -> Any:
        def of(thing: Any) -> dict[str, Any]:
            fields = {**thing.__dict__, **thing.__pydantic_private__}
            return {name: repr(value) for name, value in fields.items()}

        tools = [each.current_usage_count for member in agent.agents for each in member.tools]
        return of(agent), [of(each) for each in agent.agents], [of(each) for each in agent.tasks], tools

    def run_as_users_do(self, agent: Any, input: str) -> Any:
        return agent.kickoff(inputs={"input": input}).raw

    async def stream_as_users_do(self, agent: Any, input: str) -> str:
        agent.stream = True
        said = await agent.akickoff(inputs={"input": input})
        async for _ in said:
            pass
        return said.result.raw


FIXTURE = CrewAI()
