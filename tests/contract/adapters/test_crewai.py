"""What is special about CrewAI: tasks, managers, delegation, flows, calls written as text, and what it keeps."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from typing import Any

import pytest

pytest.importorskip("crewai")

import shop
from crewai import LLM, Agent, Crew, Flow, Process, Task
from crewai.flow.flow import listen, start
from crewai.tools import BaseTool, tool
from framework_crewai import FIXTURE
from pydantic import BaseModel
from test_suite import LOOKUP, REFUND, kinds

from unitai import MockToolkit, UnknownToolError, UnmockedToolError, scripted_model
from unitai.adapters.crewai import CrewAIAdapter
from unitai.script import call, say, when

pytestmark = [pytest.mark.contract, pytest.mark.filterwarnings("ignore")]

MODEL = "openai/gpt-4o-mini"


class Weather(BaseModel):
    city: str
    degrees: int


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("lookup_order", return_value={"status": "delivered"})
    toolkit.mock("refund", return_value="refunded")
    toolkit.mock("send_email", return_value="sent")
    return toolkit


@pytest.fixture
def writes_its_calls(monkeypatch):
    """The model calls no functions: it writes what it wants to do."""
    from crewai.llms.providers.openai.completion import OpenAICompletion

    monkeypatch.setattr(OpenAICompletion, "supports_function_calling", lambda self: False)


def member(role: str, *functions: Any, **options: Any) -> Agent:
    return FIXTURE.member(role, [each if isinstance(each, BaseTool) else tool(each) for each in functions], **options)


def crew_of(agent: Agent, **options: Any) -> Crew:
    return Crew(agents=[agent], tasks=[FIXTURE.task(agent)], **options)


def wants(tool_name: str, arguments: str) -> Any:
    return say(f"Thought: I need it.\nAction: {tool_name}\nAction Input: {arguments}")


FINAL = say("Thought: I know.\nFinal Answer: Done.")


class TestCrews:
    """Several agents, several tasks."""

    def test_a_crew_of_three_runs_unchanged(self):
        """The shape of the framework's own first example: research, an article about it, and its editing."""

        @tool("Search the web")
        def search(query: str) -> str:
            """Search the web."""
            shop.ran("search", query=query)
            return "really searched"

        @tool("Check spelling")
        def spelling(text: str) -> list[str]:
            """Words that are spelt wrong."""
            shop.ran("spelling", text=text)
            return []

        def agent(role: str, goal: str, *tools: Any) -> Agent:
            llm = LLM(model=MODEL)
            return Agent(role=role, goal=goal, backstory="You are at it for years.", tools=list(tools), llm=llm)

        researcher = agent("{topic} researcher", "Find what is new about {topic}.", search)
        writer = agent("writer", "Write about {topic}.")
        editor = agent("editor", "Make it right.", spelling)
        research = Task(description="Research {topic}.", expected_output="Three points.", agent=researcher)
        write = Task(description="Write.", expected_output="An article.", agent=writer, context=[research])
        edit = Task(description="Edit.", expected_output="The article.", agent=editor, context=[research, write])
        crew = Crew(agents=[researcher, writer, editor], tasks=[research, write, edit])

        toolkit = MockToolkit()
        toolkit.mock("search_the_web", conditional={"__default__": "agents test agents"})
        toolkit.mock("Check spelling", return_value=["agnets"])
        script = [
            call("search_the_web", query="AI agents"),
            when(tool_result="agents test agents").then(say("Points: agents test agents.")),
            when("Points: agents test agents").then(say("An article on agnets.")),
            call("check_spelling", text="An article on agnets."),
            when(tool_result="agnets").then(say("An article on agents.")),
        ]
        with scripted_model(script):
            result = toolkit.run(crew, {"topic": "AI"})
        assert result.error is None
        assert result.output == "An article on agents."
        assert result.call_order() == ["search_the_web", "Check spelling"]
        said = [step.agent_id for step in result.trajectory.steps]
        assert said == ["AI researcher"] * 3 + ["writer"] + ["editor"] * 3
        assert researcher.role == "{topic} researcher"
        assert research.description == "Research {topic}."
        assert research.output is None

    def test_the_tools_of_a_task_are_mocked(self, toolkit):
        support = member("support")
        task = Task(description="{input}", expected_output="?", agent=support, tools=[tool(shop.refund)])
        crew = Crew(agents=[support], tasks=[task])
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        with scripted_model([REFUND, say("Done.")]):
            assert kinds(toolkit.run(crew, "go")) == ["llm", "refund", "llm"]
        toolkit.mock("refnd", return_value="")
        with pytest.raises(UnknownToolError, match="refund"):
            toolkit.run(crew, "go")

    def test_a_manager_delegates_and_what_is_done_is_done_in_the_name_of_who_does_it(self, toolkit):
        billing = member("billing", shop.refund)
        crew = Crew(
            agents=[billing],
            tasks=[FIXTURE.task(None)],
            process=Process.hierarchical,
            manager_llm=LLM(model=MODEL),
        )
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        with scripted_model(FIXTURE.team_script()):
            result = toolkit.run(crew, "refund order 123")
        assert result.output == "Refunded."
        assert kinds(result) == ["llm", "delegate_work_to_coworker", "llm", "refund", "llm", "llm"]
        refund = next(step for step in result.trajectory.steps if step.tool_name == "refund")
        assert refund.agent_id == "billing"
        assert crew.manager_agent is None

    def test_delegation_can_be_mocked(self):
        toolkit = MockToolkit()
        toolkit.mock("Delegate work to coworker", return_value="billing has done it")
        with scripted_model([FIXTURE.team_script()[0], say("Refunded.")]):
            result = toolkit.run(FIXTURE.team(), "refund order 123")
        assert result.output == "Refunded."
        assert result.call_order() == ["Delegate work to coworker"]

    def test_a_question_to_a_coworker_is_really_asked(self, toolkit):
        ask = call("ask_question_to_coworker", question="May I?", context="A refund.", coworker="billing")
        with scripted_model([ask, say("You may."), when(tool_result="You may").then(say("Refunded."))]):
            result = MockToolkit().run(FIXTURE.team(), "refund order 123")
        assert result.output == "Refunded."

    def test_a_structured_output_is_the_output(self, toolkit):
        class Answer(BaseModel):
            paid: bool

        support = member("support", shop.refund)
        task = Task(description="{input}", expected_output="?", agent=support, output_pydantic=Answer)
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        with scripted_model([REFUND, say('{"paid": true}')]):
            result = toolkit.run(Crew(agents=[support], tasks=[task]), "go")
        assert result.output == Answer(paid=True)

    def test_a_crew_that_streams_is_run_to_its_end(self, toolkit):
        crew = FIXTURE.agent()
        crew.stream = True
        with scripted_model([LOOKUP, say("Done.")]):
            result = toolkit.run(crew, "go")
        assert result.output == "Done."
        assert all(step.streamed for step in result.trajectory.steps if step.step_type == "llm_call")
        assert crew.stream
        assert not crew.agents[0].llm.stream

    def test_tasks_at_the_same_time_are_told_apart(self, toolkit):
        finder, payer, speaker = member("finder", shop.lookup_order), member("payer", shop.refund), member("speaker")

        def task(description: str, agent: Agent, **options: Any) -> Task:
            return Task(description=description, expected_output="?", agent=agent, **options)

        tasks = [
            task("Find it.", finder, async_execution=True),
            task("Pay it.", payer, async_execution=True),
            task("Say it.", speaker),
        ]
        crew = Crew(agents=[finder, payer, speaker], tasks=tasks)
        toolkit = MockToolkit()
        toolkit.mock("lookup_order", return_value={"status": "delivered"})
        toolkit.mock("refund", return_value="refunded")
        script = [
            when(tool_result="delivered").then(say("Found.")),
            when(tool_result="refunded").then(say("Paid.")),
            when("Find it.").then(LOOKUP),
            when("Pay it.").then(REFUND),
            when("Say it.").then(say("Done.")),
        ]
        with scripted_model(script):
            result = toolkit.run(crew, {})
        assert result.output == "Done."
        tools = {step.tool_name: step.agent_id for step in result.trajectory.steps if step.step_type == "tool_call"}
        assert tools == {"lookup_order": "finder", "refund": "payer"}

    def test_a_limit_of_requests_is_counted_for_each_run(self, toolkit):
        crew = crew_of(member("support", *shop.TOOLS), max_rpm=3)
        for _ in range(3):
            with scripted_model([LOOKUP, say("Done.")]):
                assert toolkit.run(crew, "go", timeout=30).output == "Done."
        # A minute is counted by a thread of the framework, which outlives the crew, and so do the redirects with it.
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.cancel()
                thread.join()

    def test_agents_of_one_role_keep_their_own_tools(self):
        one, other = member("clerk", shop.lookup_order), member("clerk", shop.refund)
        crew = Crew(agents=[one, other], tasks=[FIXTURE.task(one), FIXTURE.task(other)])
        toolkit = MockToolkit()
        toolkit.mock("lookup_order", return_value={})
        toolkit.mock("refund", return_value="refunded")
        with scripted_model([LOOKUP, say("Found."), REFUND, say("Done.")]):
            assert toolkit.run(crew, "go").call_order() == ["lookup_order", "refund"]


class TestAgents:
    """Agents without a crew."""

    def test_an_agent_runs_by_itself(self, toolkit):
        agent = member("support", *shop.TOOLS)
        with scripted_model([LOOKUP, when("where is it", turn=2).then(say("Here."))]):
            result = toolkit.run(agent, "where is it?")
        assert result.output == "Here."
        assert kinds(result) == ["llm", "lookup_order", "llm"]
        assert {step.agent_id for step in result.trajectory.steps} == {"support"}
        assert agent.agent_executor is None

    def test_options_go_to_the_call_of_the_framework(self, toolkit):
        class Answer(BaseModel):
            paid: bool

        adapter = CrewAIAdapter(response_format=Answer)
        with scripted_model([REFUND, say('{"paid": true}')]):
            result = toolkit.run(member("support", *shop.TOOLS), "go", adapter=adapter)
        assert result.output == Answer(paid=True)

    def test_a_lite_agent_is_mocked_too(self, toolkit):
        from crewai.lite_agent import LiteAgent

        tools = [tool(each) for each in shop.TOOLS]
        agent = LiteAgent(role="support", goal="Help.", backstory="A shop.", tools=tools, llm=LLM(model=MODEL))
        with scripted_model([wants("lookup_order", '{"order_id": "123"}'), FINAL]):
            result = toolkit.run(agent, "where is it?")
        assert result.output == "Done."
        assert kinds(result) == ["llm", "lookup_order", "llm"]
        assert {step.agent_id for step in result.trajectory.steps} == {"support"}

    def test_an_agent_that_plans_has_its_steps_mocked(self, toolkit):
        from crewai import PlanningConfig

        plan = call(
            "create_reasoning_plan",
            plan="Refund it.",
            steps=[{"step_number": 1, "description": "Refund order 123.", "tool_to_use": "refund", "depends_on": []}],
            ready=True,
        )
        agent = member("support", *shop.TOOLS, planning_config=PlanningConfig(reasoning_effort="low"))
        with scripted_model([plan, REFUND, say("Refunded."), say("Done.")]):
            result = toolkit.run(agent, "refund order 123")
        assert result.error is None
        assert result.call_order() == ["refund"]

    def test_tools_of_the_provider_are_refused_before_the_model_is_asked(self):
        llm = LLM(model=MODEL, api="responses", builtin_tools=["web_search"])
        agent = Agent(role="support", goal="Help.", backstory="A shop.", llm=llm, max_retry_limit=0)
        with pytest.raises(UnmockedToolError, match="web_search"), scripted_model([]):
            MockToolkit().run(agent, "go")
        toolkit = MockToolkit()
        toolkit.allow("web_search")
        with scripted_model([say("Done.")]):
            assert toolkit.run(agent, "go").output == "Done."


class TestFlows:
    """Flows hold their crews where nobody sees them."""

    def test_the_crew_of_a_flow_is_mocked_and_the_flow_is_as_it_was(self, toolkit):
        class Refunds(Flow):
            @start()
            def triage(self) -> str:
                self.state["seen"] = True
                return member("triage", shop.lookup_order).kickoff(self.state["input"]).raw

            @listen(triage)
            async def pay(self, said: str) -> str:
                done = await crew_of(member("billing", shop.refund)).akickoff(inputs={"input": said})
                return done.raw

        flow = Refunds()
        for _ in range(2):
            with scripted_model([LOOKUP, say("It is for billing."), REFUND, say("Refunded.")]):
                result = toolkit.run(flow, "refund order 123")
            assert result.error is None
            assert result.output == "Refunded."
            assert [step.agent_id for step in result.trajectory.steps] == ["triage"] * 3 + ["billing"] * 3
        assert "seen" not in flow.state

    def test_a_tool_in_a_flow_that_is_not_mocked_never_runs(self):
        class Refunds(Flow):
            @start()
            def pay(self) -> str:
                return crew_of(member("billing", shop.refund)).kickoff(inputs={"input": "go"}).raw

        with pytest.raises(UnmockedToolError, match="refund"), scripted_model([REFUND, say("Done.")]):
            MockToolkit().run(Refunds(), {})


class TestTools:
    """Kinds of tools, and what the framework does around them."""

    def test_a_tool_is_mocked_by_either_of_its_names(self):
        @tool("Get Weather")
        def weather(city: str) -> str:
            """The weather of a city."""
            shop.ran("weather", city=city)
            return "really sunny"

        for name in ("Get Weather", "get_weather"):
            toolkit = MockToolkit()
            toolkit.mock(name, return_value="rain")
            with scripted_model([call("get_weather", city="Ulm"), when(tool_result="rain").then(say("Rain."))]):
                result = toolkit.run(member("support", weather), "go")
            assert result.tool_called_with(name, city="Ulm")

    def test_a_class_that_has_a_run_of_its_own_is_mocked(self):
        class Refund(BaseTool):
            name: str = "refund"
            description: str = "Pay money back."

            def run(self, *args: Any, **given: Any) -> Any:
                return self._run(*args, **given)

            def _run(self, order_id: str, amount: float) -> str:
                return shop.refund(order_id, amount)

        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        with scripted_model([REFUND, say("Done.")]):
            assert kinds(toolkit.run(member("support", Refund()), "go")) == ["llm", "refund", "llm"]

    def test_a_tool_of_a_server_of_tools_is_mocked(self):
        from crewai.tools.mcp_native_tool import MCPNativeTool

        def client() -> Any:
            shop.ran("mcp")

        remote = MCPNativeTool(client, "pay", {"description": "Pay.", "args_schema": None}, "bank")
        agent = member("support", remote)
        (found,) = CrewAIAdapter().extract_tools(agent)
        assert (found.kind, found.agent_id) == ("mcp", "support")
        for name in (str(found), "pay"):
            toolkit = MockToolkit()
            toolkit.mock(name, return_value="paid")
            with scripted_model([call(str(found)), when(tool_result="paid").then(say("Done."))]):
                assert toolkit.run(agent, "go").output == "Done."

    def test_the_result_of_a_tool_may_be_the_answer(self, writes_its_calls):
        self.check_result_as_answer(wants("refund", '{"order_id": "123", "amount": 10.0}'))

    def test_the_result_of_a_function_may_be_the_answer(self):
        self.check_result_as_answer(REFUND)

    def check_result_as_answer(self, wanted: Any) -> None:
        paying = tool("refund", result_as_answer=True)(shop.refund)
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        with scripted_model([wanted]):
            result = toolkit.run(crew_of(member("support", paying)), "go")
        assert result.output == "refunded"
        assert kinds(result) == ["llm", "refund"]

    def test_a_limit_of_use_is_kept_within_a_run_and_forgotten_after_it(self):
        once = tool("refund", max_usage_count=1)(shop.refund)
        agent = member("support", once)
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        for _ in range(2):
            with scripted_model([REFUND, REFUND, when(tool_result="usage limit").then(say("Done."))]):
                result = toolkit.run(agent, "go")
            first, second = (step for step in result.trajectory.steps if step.tool_name == "refund")
            assert first.tool_error is None
            assert "usage limit" in str(second.tool_error)
        assert once.current_usage_count == 0

    def test_results_that_are_kept_bypass_no_mock(self, toolkit):
        crew = crew_of(member("support", *shop.TOOLS, cache=True), cache=True)
        for status in ("sent", "on its way"):
            toolkit.mock("lookup_order", return_value={"status": status}, replace=True)
            with scripted_model([LOOKUP, LOOKUP, say("Done.")]):
                result = toolkit.run(crew, "go")
            found = [step.tool_result for step in result.trajectory.steps if step.step_type == "tool_call"]
            assert found == [{"status": status}] * 2
        assert crew.agents[0].cache_handler.read("lookup_order", '{"order_id": "123"}') is None

    def test_a_crew_that_ran_before_calls_no_real_tool(self, toolkit, monkeypatch):
        crew = FIXTURE.agent()
        monkeypatch.setattr(shop, "ALLOWED", {"lookup_order": []})
        with scripted_model([LOOKUP, say("Done.")]):
            crew.kickoff(inputs={"input": "go"})
        assert len(shop.ALLOWED["lookup_order"]) == 1
        for run in (lambda: crew.kickoff(inputs={"input": "go"}).raw, lambda: crew.copy().kickoff().raw):
            with scripted_model([LOOKUP, say("Done.")]):
                assert toolkit.run_generic(run).call_order() == ["lookup_order"]
        with scripted_model([LOOKUP, say("Done.")]):
            assert toolkit.run(crew, "go").call_order() == ["lookup_order"]
        assert len(shop.ALLOWED["lookup_order"]) == 1

    def test_all_tools_are_mocked_by_the_shape_of_what_they_return(self):
        @tool
        def weather(city: str) -> Weather:
            """The weather of a city."""
            shop.ran("weather", city=city)
            return Weather(city=city, degrees=0)

        agent = member("support", weather, *shop.TOOLS)
        toolkit = MockToolkit()
        assert toolkit.auto_mock(agent) == ["weather", "lookup_order", "refund", "send_email"]
        with scripted_model([call("weather", city="Ulm"), LOOKUP, REFUND, say("Done.")]):
            result = toolkit.run(agent, "go")
        assert set(result.get_call("weather").result) == {"city", "degrees"}
        assert isinstance(result.get_call("lookup_order").result, dict)
        assert isinstance(result.get_call("refund").result, str)


@pytest.mark.usefixtures("writes_its_calls")
class TestCallsAsText:
    """A model that calls no functions writes its calls down; the framework reads them."""

    @pytest.fixture
    def crew(self):
        return FIXTURE.agent()

    def test_they_are_mocked(self, toolkit, crew):
        script = [
            wants("lookup_order", '{"order_id": "123"}'),
            wants("refund", '{"order_id": "123", "amount": 10.0}'),
            wants("send_email", '{"to": "a@b.c", "text": "Done."}'),
            FINAL,
        ]
        before = FIXTURE.state(crew)
        with scripted_model(script):
            result = toolkit.run(crew, "go")
        assert FIXTURE.state(crew) == before
        assert result.output == "Done."
        assert kinds(result) == ["llm", "lookup_order", "llm", "refund", "llm", "send_email", "llm"]
        assert result.tool_called_with("refund", order_id="123", amount=10.0)

    def test_an_async_mock_is_awaited(self, toolkit, crew):
        async def send(args):
            return f"sent to {args['to']}"

        toolkit.mock("send_email", side_effect=send, replace=True)
        with scripted_model([wants("send_email", '{"to": "a@b.c", "text": "Done."}'), FINAL]):
            assert toolkit.run(crew, "go").get_call("send_email").result == "sent to a@b.c"

    def test_one_that_is_not_mocked_never_runs(self, crew):
        script = [wants("refund", '{"order_id": "123", "amount": 10.0}'), FINAL]
        with pytest.raises(UnmockedToolError, match="refund"), scripted_model(script):
            MockToolkit().run(crew, "go")

    def test_one_that_is_allowed_runs(self, crew, monkeypatch):
        monkeypatch.setattr(shop, "ALLOWED", {"send_email": []})
        toolkit = MockToolkit()
        toolkit.allow("send_email")
        with scripted_model([wants("send_email", '{"to": "a@b.c", "text": "Done."}'), FINAL]):
            assert toolkit.run(crew, "go").get_call("send_email").result == "really sent"
        assert shop.ALLOWED == {"send_email": [{"to": "a@b.c", "text": "Done."}]}

    @pytest.mark.parametrize(
        ("wanted", "name", "why"),
        [
            (wants("refund", '{"order_id": "123", "amount": "a lot"}'), "refund", "amount"),
            (wants("refund", "a lot, please"), "refund", "Input"),
            (wants("delete_everything", '{"now": true}'), "delete_everything", "exist"),
        ],
    )
    def test_what_the_framework_refuses_is_recorded_once(self, toolkit, crew, wanted, name, why):
        with scripted_model([wanted, FINAL]):
            result = toolkit.run(crew, "go")
        assert result.output == "Done."
        (refused,) = (step for step in result.trajectory.steps if step.step_type == "tool_call")
        assert refused.tool_name == name
        assert why in str(refused.tool_error)

    def test_the_same_call_twice_is_refused_by_the_framework(self, toolkit, crew):
        again = wants("lookup_order", '{"order_id": "123"}')
        with scripted_model([again, again, FINAL]):
            result = toolkit.run(crew, "go")
        first, second = (step for step in result.trajectory.steps if step.step_type == "tool_call")
        assert first.tool_error is None
        assert second.tool_error is not None


class TestWhatItKeeps:
    """Nothing of a run is left on the disk, and nobody is told of it."""

    def test_memory_is_off_unless_it_is_asked_for(self, toolkit):
        crew = crew_of(member("support", *shop.TOOLS), memory=True)
        with scripted_model([LOOKUP, say("Done.")]):
            result = toolkit.run(crew, "go")
        assert result.output == "Done."
        assert kinds(result) == ["llm", "lookup_order", "llm"]
        assert crew.memory

    def test_files_are_written_only_if_they_are_asked_for(self, toolkit, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        support = member("support", *shop.TOOLS)
        task = Task(description="{input}", expected_output="?", agent=support, output_file="answer.md")
        crew = Crew(agents=[support], tasks=[task], output_log_file="log.txt")
        with scripted_model([say("Done.")]):
            toolkit.run(crew, "go")
        assert list(tmp_path.iterdir()) == []
        with scripted_model([say("Done.")]):
            toolkit.run(crew, "go", adapter=CrewAIAdapter(files=True))
        assert (tmp_path / "answer.md").read_text(encoding="utf-8") == "Done."

    def test_nobody_is_told_of_the_tests_and_nothing_is_left_behind(self, tmp_path):
        (tmp_path / "conftest.py").write_text(
            textwrap.dedent("""
                import sys
                from pathlib import Path

                told = Path(__file__).with_name("told.txt")


                def note(event, args):
                    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
                        with told.open("a") as file:
                            file.write(f"{event} {args}\\n")


                sys.addaudithook(note)
                from crewai import LLM, Agent, Crew, Task

                agent = Agent(role="a", goal="b", backstory="c", llm=LLM(model="openai/gpt-4o", api_key="none"))
                crew = Crew(agents=[agent], tasks=[Task(description="d", expected_output="e", agent=agent)])
            """),
            encoding="utf-8",
        )
        (tmp_path / "test_it.py").write_text(
            textwrap.dedent("""
                import conftest
                from unitai.script import say


                def test_it(mock_toolkit, scripted_model):
                    scripted_model([say("Done.")])
                    assert mock_toolkit.run(conftest.crew, {}).output == "Done."
            """),
            encoding="utf-8",
        )
        home = tmp_path / "home"
        home.mkdir()
        names = ("CREWAI_", "UNITAI_", "PYTEST_", "XDG_", "OTEL_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(names)}
        environment |= {"HOME": str(home), "TMPDIR": str(home)}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "1 passed" in done.stdout, done.stdout + done.stderr
        assert not (tmp_path / "told.txt").exists(), (tmp_path / "told.txt").read_text(encoding="utf-8")
        # Its own key it writes when it is imported.
        assert [path.name for path in home.rglob("*") if path.suffix == ".db"] == []
        assert list(home.glob("unitai-*")) == []


def test_functions_that_code_offers_to_a_model_are_mocked():
    """Without any agent: the class of the model calls them by itself."""
    from crewai import LLM

    parameters = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
    offered = {"type": "function", "function": {"name": "lookup_order", "description": "x", "parameters": parameters}}
    llm = LLM(model="gpt-4o-mini")
    toolkit = MockToolkit()
    toolkit.mock("lookup_order", return_value="mocked")
    functions = {"lookup_order": shop.lookup_order}
    with scripted_model([call("lookup_order", order_id="1")]):
        result = toolkit.run_generic(lambda: llm.call("?", tools=[offered], available_functions=functions))
    assert result.error is None
    assert result.output == "mocked"
    assert result.tool_called_with("lookup_order", order_id="1")
    with pytest.raises(UnmockedToolError, match="lookup_order"), scripted_model([call("lookup_order", order_id="1")]):
        MockToolkit().run_generic(lambda: llm.call("?", tools=[offered], available_functions=functions))
