"""Calls that a framework answers itself run no tool: handoffs, members of a team, managed agents, final answers. A tool of
the user's own that has such a name does.
"""

from __future__ import annotations

import pytest
from framework_chosen import CHOSEN

from unitai import MockToolkit, UnreachableToolError, scripted_model
from unitai.script import call, say

pytestmark = pytest.mark.integration

KEY = "sk-of-nobody"


def only(name):
    return pytest.mark.skipif(name != CHOSEN, reason=f"needs {name}: make test-adapters ONLY={name}")


def run(agent, *steps):
    with scripted_model(steps):
        return MockToolkit().run_generic(agent)


@only("autogen")
class TestAutoGen:
    def swarm(self, *tools, handoffs=("billing",)):
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
        from autogen_agentchat.teams import Swarm
        from autogen_ext.models.openai import OpenAIChatCompletionClient

        client = OpenAIChatCompletionClient(model="gpt-4o-mini", api_key=KEY)
        triage = AssistantAgent("triage", client, tools=[*tools], handoffs=[*handoffs])
        billing = AssistantAgent("billing", client, handoffs=["triage"])
        ends = TextMentionTermination("DONE") | MaxMessageTermination(10)
        team = Swarm([triage, billing], termination_condition=ends)

        async def agent():
            return str((await team.run(task="Refund order 7.")).messages[-1].content)

        return agent

    def test_a_handoff_is_no_tool_of_the_agent(self, shop):
        assert run(self.swarm(), call("transfer_to_billing"), say("DONE")).output == "DONE"

    def test_neither_is_one_there_and_back(self, shop):
        steps = [call("transfer_to_billing"), call("transfer_to_triage"), say("DONE")]
        assert run(self.swarm(), *steps).output == "DONE"

    def test_a_tool_with_the_name_of_a_handoff_is_one(self, shop):
        def transfer_to_bank() -> str:
            """Transfers the money to the bank."""
            return "really transferred"

        with pytest.raises(UnreachableToolError, match="transfer_to_bank"):
            run(self.swarm(transfer_to_bank), call("transfer_to_bank"), call("transfer_to_billing"), say("DONE"))


@only("llama_index")
class TestLlamaIndex:
    """LlamaIndex itself refuses a tool with the name of its handoffs."""

    def workflow(self):
        from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
        from llama_index.llms.openai import OpenAI

        def agent(name, others):
            return FunctionAgent(
                name=name,
                description=name,
                tools=[shop_lookup],
                llm=OpenAI(model="gpt-4o-mini", api_key=KEY),
                can_handoff_to=others,
                streaming=False,
            )

        agents = [agent("triage", ["billing"]), agent("billing", [])]
        workflow = AgentWorkflow(agents=agents, root_agent="triage")

        async def ask():
            return str(await workflow.run(user_msg="Refund order 7."))

        return ask

    def test_a_handoff_is_no_tool_of_the_agent(self, shop):
        assert run(self.workflow(), call("handoff", to_agent="billing", reason="x"), say("Done.")).output == "Done."


def shop_lookup(order_id: str) -> str:
    """Finds an order."""
    return f"really found {order_id}"


@only("strands")
class TestStrands:
    def model(self):
        from strands.models.openai import OpenAIModel

        return OpenAIModel(client_args={"api_key": KEY}, model_id="gpt-4o-mini")

    def test_a_handoff_of_a_swarm_is_no_tool_of_the_agent(self, shop):
        from strands import Agent
        from strands.multiagent import Swarm

        agents = [Agent(name=name, model=self.model(), callback_handler=None) for name in ("triage", "billing")]
        swarm = Swarm(agents)
        steps = [call("handoff_to_agent", agent_name="billing", message="x"), say("Over to billing."), say("Done.")]
        assert run(lambda: swarm("Refund order 7.").status.value, *steps).output == "completed"

    def test_a_tool_with_the_name_of_a_handoff_is_one(self, shop):
        from strands import Agent, tool

        @tool
        def handoff_to_agent(agent_name: str, message: str) -> str:
            """Sends the money on."""
            return "really sent"

        agent = Agent(model=self.model(), tools=[handoff_to_agent], callback_handler=None)
        with pytest.raises(UnreachableToolError, match="handoff_to_agent"):
            steps = [call("handoff_to_agent", agent_name="billing", message="x"), say("Done.")]
            run(lambda: str(agent("Refund order 7.")), *steps)


@only("agno")
class TestAgno:
    def team(self, **options):
        from agno.agent import Agent
        from agno.models.openai import OpenAIChat
        from agno.team import Team

        def model():
            return OpenAIChat(id="gpt-4o-mini", api_key=KEY)

        member = Agent(name="billing", model=model(), telemetry=False)
        team = Team(members=[member], model=model(), telemetry=False, **options)
        return lambda: team.run("Refund order 7.").content

    def test_a_task_for_a_member_is_no_tool_of_the_agent(self, shop):
        steps = [call("delegate_task_to_member", member_id="billing", task="x"), say("Paid."), say("Done.")]
        assert run(self.team(), *steps).output == "Done."

    def test_a_task_for_all_members_is_none(self, shop):
        steps = [call("delegate_task_to_members", task="x"), say("Paid."), say("Done.")]
        assert run(self.team(delegate_to_all_members=True), *steps).output == "Done."

    def test_a_list_of_tasks_is_none(self, shop):
        from agno.team.mode import TeamMode

        calls = [call("create_task", title="x"), call("list_tasks"), call("mark_all_complete", summary="done")]
        assert run(self.team(mode=TeamMode.tasks), *calls, say("Done.")).succeeded

    def test_a_tool_with_the_name_of_one_is_a_tool(self, shop):
        from agno.agent import Agent
        from agno.models.openai import OpenAIChat

        def create_task(title: str, description: str = "", assignee: str = "", depends_on: str = "") -> str:
            """Creates a ticket."""
            return "really created"

        model = OpenAIChat(id="gpt-4o-mini", api_key=KEY)
        agent = Agent(model=model, tools=[create_task], telemetry=False)
        with pytest.raises(UnreachableToolError, match="create_task"):
            run(lambda: agent.run("Refund order 7.").content, call("create_task", title="x"), say("Done."))


@only("smolagents")
class TestSmolagents:
    def manager(self, *tools, **managed):
        from smolagents import OpenAIModel, ToolCallingAgent

        model = OpenAIModel("gpt-4o-mini", api_key=KEY)
        agents = [
            ToolCallingAgent(tools=[], model=model, name=name, description=text) for name, text in managed.items()
        ]
        return ToolCallingAgent(tools=[*tools], model=model, managed_agents=agents)

    def test_a_managed_agent_is_no_tool_of_the_agent(self, shop):
        manager = self.manager(researcher="Finds things out.")
        steps = [
            call("researcher", task="find"),
            call("final_answer", answer="found"),
            call("final_answer", answer="Done."),
        ]
        assert run(lambda: manager.run("Refund order 7."), *steps).output == "Done."

    def test_a_final_answer_is_none(self, shop):
        manager = self.manager()

        def agent():
            manager.run("Refund order 7.")
            return manager.run("And order 8.", reset=False)

        steps = [call("final_answer", answer="Done."), call("final_answer", answer="Done again.")]
        assert run(agent, *steps).output == "Done again."

    def test_a_tool_that_takes_a_task_is_one(self, shop):
        from smolagents import tool

        @tool
        def researcher(task: str, additional_args: str = "") -> str:
            """Pays for a research.

            Args:
                task: What to look for.
                additional_args: What else is known.
            """
            return "really paid"

        manager = self.manager(researcher)
        with pytest.raises(UnreachableToolError, match="researcher"):
            steps = [call("researcher", task="find"), call("final_answer", answer="Done.")]
            run(lambda: manager.run("Refund order 7."), *steps)
