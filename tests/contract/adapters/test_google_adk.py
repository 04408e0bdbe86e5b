"""What is special about Google's ADK: transfers, agents as tools, workflows, state, callbacks, servers of tools."""

from __future__ import annotations

import sys
import textwrap

import pytest

pytest.importorskip("google.adk")

import shop
from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.apps import App
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, BaseTool, FunctionTool, ToolContext, exit_loop, google_search
from google.genai import types
from pydantic import BaseModel

from unitai import MockToolkit, UnknownToolError, UnmockedToolError, scripted_model
from unitai.adapters.google_adk import GoogleADKAdapter
from unitai.adapters.registry import choose
from unitai.script import call, say, when

pytestmark = [pytest.mark.contract, pytest.mark.filterwarnings("ignore")]

MODEL = "gemini-2.5-flash"
REFUND = call("refund", order_id="123", amount=10.0)


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("refund", return_value="refunded")
    return toolkit


def agent(name="support", **options):
    return LlmAgent(name=name, model=options.pop("model", MODEL), **options)


def tools_of(result):
    return [step.tool_name for step in result.trajectory.steps if step.step_type == "tool_call"]


def speakers(result):
    return [step.agent_id for step in result.trajectory.steps if step.step_type == "llm_call"]


def changes(result):
    steps = [step for step in result.trajectory.steps if step.step_type == "state_change"]
    return [(step.key, step.old_value, step.new_value, step.agent_id) for step in steps]


class Remote(BaseTool):
    """A user's own tool."""

    def __init__(self):
        super().__init__(name="refund", description="Pay money back.")

    def _get_declaration(self):
        text, number = types.Schema(type="STRING"), types.Schema(type="NUMBER")
        schema = types.Schema(
            type="OBJECT", properties={"order_id": text, "amount": number}, required=["order_id", "amount"]
        )
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters=schema)

    async def run_async(self, *, args, tool_context):
        return shop.refund(**args)


class Careful(FunctionTool):
    """A user's own kind of function."""

    async def run_async(self, *, args, tool_context):
        shop.ran("Careful.run_async")
        return await super().run_async(args=args, tool_context=tool_context)


class TestTools:
    """Functions and others."""

    @pytest.mark.parametrize("tool", [FunctionTool(shop.refund), Remote(), Careful(shop.refund)])
    def test_every_kind_of_tool_is_mocked(self, tool, toolkit):
        wrong = call("refund", order_id="123", amount="a lot").unchecked()
        with scripted_model([wrong, REFUND, say("Done.")]):
            result = toolkit.run(agent(tools=[tool]), "go")
        assert result.error is None
        first, second = result.get_calls("refund")
        assert "amount" in str(first.error)
        assert second.result == "refunded"
        with scripted_model([REFUND]), pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run(agent(tools=[tool]), "go")

    def test_one_that_is_allowed_runs_once(self, monkeypatch):
        monkeypatch.setattr(shop, "ALLOWED", {"Careful.run_async": [], "refund": []})
        toolkit = MockToolkit()
        toolkit.allow("refund")
        with scripted_model([REFUND, say("Done.")]):
            result = toolkit.run(agent(tools=[Careful(shop.refund)]), "go")
        assert tools_of(result) == ["refund"]
        assert {name: len(calls) for name, calls in shop.ALLOWED.items()} == {"Careful.run_async": 1, "refund": 1}

    def test_the_context_is_no_argument_and_what_a_tool_writes_is_a_change_of_state(self, toolkit):
        def remember(name: str, tool_context: ToolContext) -> str:
            """Remember the customer's name."""
            tool_context.state["name"] = name
            return "ok"

        toolkit.allow("remember")
        support = agent(tools=[remember, shop.refund], output_key="answer")
        with scripted_model([call("remember", name="Ann"), REFUND, say("Done.")]):
            result = toolkit.run(support, "go", adapter=GoogleADKAdapter(state={"name": "Bob"}))
        assert result.error is None
        assert result.get_call("remember").args == {"name": "Ann"}
        assert changes(result) == [("name", "Bob", "Ann", "support"), ("answer", None, "Done.", "support")]

    def test_a_tool_with_the_name_of_one_of_the_frameworks_is_mocked(self):
        def transfer_to_agent(order_id: str) -> str:
            """Transfer an order to somebody who works here."""
            shop.ran("transfer_to_agent", order_id=order_id)
            return "transferred"

        with scripted_model([call("transfer_to_agent", order_id="1")]), pytest.raises(UnmockedToolError):
            MockToolkit().run(agent(tools=[transfer_to_agent]), "go")

    def test_a_tool_that_does_not_answer_at_once(self):
        from google.adk.tools import LongRunningFunctionTool

        def ask_the_boss(amount: float) -> dict:
            """Ask whether a refund is fine."""
            shop.ran("ask_the_boss", amount=amount)
            return {}

        toolkit = MockToolkit()
        toolkit.mock("ask_the_boss", return_value={"status": "pending"})
        with scripted_model([call("ask_the_boss", amount=10.0), when(tool_result="pending").then(say("Wait."))]):
            result = toolkit.run(agent(tools=[LongRunningFunctionTool(ask_the_boss)]), "go")
        assert result.error is None
        assert tools_of(result) == ["ask_the_boss"]
        assert result.output == "Wait."

    def test_a_server_of_tools_lists_them_and_the_mock_answers(self, tmp_path):
        pytest.importorskip("mcp")
        support = agent(tools=[server_of_tools(tmp_path)])
        toolkit = MockToolkit()
        toolkit.mock("shop_refund", return_value="refunded")
        refund = call("shop_refund", order_id="123", amount=10.0)
        script = [call("shop_refund", order_id="123", amount="a lot").unchecked(), refund, say("Done.")]
        with scripted_model(script):
            result = toolkit.run(support, "go")
        assert result.error is None
        first, second = result.get_calls("shop_refund")
        assert "amount" in str(first.error)
        assert second.result == "refunded"
        with scripted_model([refund]), pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run(support, "go")
        assert not (tmp_path / "leak.txt").exists()
        toolkit = MockToolkit()
        toolkit.allow("refund")
        with scripted_model([refund, say("Done.")]):
            result = toolkit.run(support, "go")
        assert tools_of(result) == ["refund"]
        assert "really refunded" in str(result.get_calls("refund")[0].result)
        assert (tmp_path / "leak.txt").exists()

    def test_the_mock_of_another_tool_is_an_error_unless_a_server_lists_them(self, toolkit, tmp_path):
        toolkit.mock("lookup_ordr", return_value={})
        with scripted_model([]), pytest.raises(UnknownToolError, match="lookup_order"):
            toolkit.run(agent(tools=[shop.lookup_order, shop.refund]), "go")
        pytest.importorskip("mcp")
        unknown = agent(tools=[shop.refund, server_of_tools(tmp_path)])
        assert not choose(unknown, None).knows_all_tools(unknown)


def server_of_tools(folder):
    """A real server, in a process of its own."""
    from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
    from mcp import StdioServerParameters

    (folder / "server.py").write_text(
        textwrap.dedent(
            f"""
            try:
                from mcp.server.mcpserver import MCPServer
            except ImportError:
                from mcp.server.fastmcp import FastMCP as MCPServer

            server = MCPServer("shop")

            @server.tool()
            def refund(order_id: str, amount: float) -> str:
                open({str(folder / "leak.txt")!r}, "w").write(order_id)
                return "really refunded"

            server.run()
            """
        ),
        encoding="utf-8",
    )
    program = StdioServerParameters(command=sys.executable, args=[str(folder / "server.py")])
    return McpToolset(
        connection_params=StdioConnectionParams(server_params=program, timeout=30), tool_name_prefix="shop"
    )


class TestCallbacks:
    """The user's code around tools and models is real."""

    def test_callbacks_and_plugins_run_around_the_mock(self, toolkit):
        seen = []

        def before(tool, args, tool_context):
            seen.append(("before", tool.name))

        def after(tool, args, tool_context, tool_response):
            seen.append(("after", tool_response))
            return {"result": f"{tool_response}, thank you"}

        class Watch(BasePlugin):
            async def before_tool_callback(self, *, tool, tool_args, tool_context):
                seen.append(("plugin", tool.name))

        support = agent(tools=[shop.refund], before_tool_callback=before, after_tool_callback=after)
        app = App(name="shop", root_agent=support, plugins=[Watch(name="watch")])
        with scripted_model([REFUND, when(tool_result="thank you").then(say("Done."))]):
            result = toolkit.run(app, "go")
        assert result.output == "Done."
        assert seen == [("plugin", "refund"), ("before", "refund"), ("after", "refunded")]

    @pytest.mark.parametrize("who", ["agent", "plugin"])
    def test_a_call_that_a_callback_denies_is_a_rejected_step(self, toolkit, who):
        class Guard(BasePlugin):
            async def before_tool_callback(self, *, tool, tool_args, tool_context):
                return {"error": "Too much."}

        def guard(tool, args, tool_context):
            return {"error": "Too much."}

        support = agent(tools=[shop.refund], before_tool_callback=guard if who == "agent" else None)
        app = App(name="shop", root_agent=support, plugins=[Guard(name="guard")] if who == "plugin" else [])
        with scripted_model([REFUND, when(tool_result="Too much.").then(say("I may not."))]):
            result = toolkit.run(app, "go")
        assert result.output == "I may not."
        assert result.tool_call_attempted("refund")
        assert not result.tool_was_called("refund")
        assert "Too much." in str(result.get_call("refund").error)

    def test_a_callback_that_answers_a_tools_error_is_asked(self, toolkit):
        toolkit.mock("refund", side_effect=RuntimeError("the bank is closed"), replace=True)

        def closed(tool, args, tool_context, error):
            return {"error": "come back tomorrow"}

        support = agent(tools=[shop.refund], on_tool_error_callback=closed)
        with scripted_model([REFUND, when(tool_result="tomorrow").then(say("Tomorrow."))]):
            result = toolkit.run(support, "go")
        assert result.output == "Tomorrow."
        assert "the bank is closed" in str(result.get_call("refund").error)


class TestTeams:
    """Agents that work together."""

    def test_a_transfer_is_real_and_noted(self, toolkit):
        billing = agent("billing", description="Pays money back.", tools=[shop.refund])
        triage = agent("triage", sub_agents=[billing])
        with scripted_model([call("transfer_to_agent", agent_name="billing"), REFUND, say("Refunded.")]):
            result = toolkit.run(triage, "go")
        assert changes(result) == [("agent", "triage", "billing", "triage")]
        assert tools_of(result) == ["refund"]
        assert speakers(result) == ["triage", "billing", "billing"]

    def test_an_agent_as_a_tool_runs_with_its_own_tools_mocked(self, toolkit):
        billing = agent("billing", description="Pays money back.", tools=[shop.refund])
        triage = agent("triage", tools=[AgentTool(agent=billing)])
        script = [call("billing", request="refund 123"), REFUND, say("It is paid."), say("All done.")]
        with scripted_model(script):
            result = toolkit.run(triage, "go")
        assert result.error is None
        assert result.output == "All done."
        assert speakers(result) == ["triage", "billing", "billing", "triage"]
        assert sorted(tools_of(result)) == ["billing", "refund"]
        with scripted_model(script[:2]), pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run(triage, "go")
        toolkit.mock("billing", return_value="It is paid.")
        with scripted_model([script[0], script[3]]):
            assert tools_of(toolkit.run(triage, "go")) == ["billing"]

    def test_agents_one_after_the_other(self, toolkit):
        pipeline = SequentialAgent(
            name="pipeline",
            sub_agents=[
                agent("first", tools=[shop.refund], output_key="paid"),
                agent("second", instruction="Tell the customer: {paid}"),
            ],
        )
        script = [REFUND, say("10 dollars"), when(system="10 dollars").then(say("You got 10 dollars."))]
        with scripted_model(script):
            result = toolkit.run(pipeline, "go")
        assert result.error is None
        assert result.output == "You got 10 dollars."
        assert speakers(result) == ["first", "first", "second"]
        assert changes(result) == [("paid", None, "10 dollars", "first")]

    def test_agents_at_the_same_time(self):
        both = ParallelAgent(
            name="both",
            sub_agents=[
                agent("one", instruction="You are the first.", tools=[shop.lookup_order]),
                agent("two", instruction="You are the second.", tools=[shop.refund]),
            ],
        )
        toolkit = MockToolkit()
        toolkit.mock("lookup_order", return_value={"status": "delivered"})
        toolkit.mock("refund", return_value="refunded")
        script = [
            when(system="first", turn=1).then(call("lookup_order", order_id="123")),
            when(system="second").then(REFUND),
            when(tool="lookup_order").then(say("It was delivered.")),
            when(tool="refund").then(say("It is paid.")),
        ]
        with scripted_model(script):
            result = toolkit.run(both, "go")
        assert result.error is None
        whose = {step.tool_name: step.agent_id for step in result.trajectory.steps if step.tool_name}
        assert whose == {"lookup_order": "one", "refund": "two"}
        assert sorted(speakers(result)) == ["one", "one", "two", "two"]

    def test_a_loop_ends_when_the_model_says_so(self, toolkit):
        loop = LoopAgent(name="loop", max_iterations=5, sub_agents=[agent("worker", tools=[shop.refund, exit_loop])])
        with scripted_model([REFUND, say("Once more."), call("exit_loop")]):
            result = toolkit.run(loop, "go")
        assert result.error is None
        assert tools_of(result) == ["refund", "exit_loop"]

    def test_customer_service(self):
        """The shape of Google's own samples of customer service: a root with state and callbacks, a specialist that it
        transfers to, and another that is its tool.
        """

        def load_customer(callback_context):
            callback_context.state["customer"] = "Ann"

        def limit_discounts(tool, args, tool_context):
            if tool.name == "approve_discount" and args["value"] > 10:
                return {"status": "rejected", "message": "at most 10 percent"}
            return None

        def approve_discount(value: float) -> dict:
            """Approve a discount."""
            shop.ran("approve_discount", value=value)
            return {}

        def access_cart(customer_id: str) -> dict:
            """What is in the cart."""
            shop.ran("access_cart", customer_id=customer_id)
            return {}

        def schedule(date: str, tool_context: ToolContext) -> dict:
            """Schedule a planting service."""
            shop.ran("schedule", date=date)
            return {}

        planner = agent("planner", description="Schedules services.", tools=[schedule])
        critic = agent("critic", description="Says whether a cart is complete.")
        root = agent(
            "customer_service",
            instruction="The customer is {customer}.",
            tools=[access_cart, approve_discount, AgentTool(agent=critic)],
            sub_agents=[planner],
            before_agent_callback=load_customer,
            before_tool_callback=limit_discounts,
        )
        toolkit = MockToolkit()
        toolkit.mock("access_cart", return_value={"items": ["soil"]})
        toolkit.mock("approve_discount", return_value={"status": "ok"})
        toolkit.mock("schedule", return_value={"status": "ok", "date": "tomorrow"})
        script = [
            when(system="Ann").then(call("access_cart", customer_id="7")),
            when(tool_result="soil").then(call("critic", request="soil")),
            say("Add a pot."),
            call("approve_discount", value=50.0),
            when(tool_result="rejected").then(call("approve_discount", value=5.0)),
            call("transfer_to_agent", agent_name="planner"),
            call("schedule", date="tomorrow"),
            say("See you tomorrow."),
        ]
        with scripted_model(script):
            result = toolkit.run(root, "I want a garden")
        assert result.error is None
        assert result.output == "See you tomorrow."
        assert [name for name in tools_of(result) if name != "critic"] == [
            "access_cart",
            "approve_discount",
            "approve_discount",
            "schedule",
        ]
        # The first was more than the callback allows.
        assert [
            step.rejected for step in (each for each in result.trajectory.steps if each.tool_name == "approve_discount")
        ] == [True, False]
        assert result.tool_called_with("approve_discount", value=5.0)
        assert speakers(result)[-2:] == ["planner", "planner"]
        assert ("agent", "customer_service", "planner", "customer_service") in changes(result)
        assert ("customer", None, "Ann", "customer_service") in changes(result)


class TestOtherWays:
    """Its other calls, and what it gives."""

    def test_the_output_may_be_an_object(self, toolkit):
        class Answer(BaseModel):
            order_id: str
            refunded: bool

        with scripted_model([say('{"order_id": "123", "refunded": true}')]):
            result = MockToolkit().run(agent(output_schema=Answer), "go")
        assert result.output == Answer(order_id="123", refunded=True)

    def test_a_message_may_be_a_content(self, toolkit):
        message = types.Content(role="user", parts=[types.Part(text="refund order 123")])
        with scripted_model([when("refund order 123").then(say("Done."))]):
            assert toolkit.run(agent(tools=[shop.refund]), message).output == "Done."

    def test_a_runner_of_the_users_own_in_a_thread(self, toolkit):
        """`Runner.run` works in a thread that it starts."""
        support = agent(tools=[shop.refund])

        def run():
            import asyncio

            runner = InMemoryRunner(agent=support, app_name="shop")
            session = asyncio.run(runner.session_service.create_session(app_name="shop", user_id="ann"))
            message = types.Content(role="user", parts=[types.Part(text="go")])
            events = list(runner.run(user_id="ann", session_id=session.id, new_message=message))
            return events[-1].content.parts[0].text

        with scripted_model([REFUND, say("Done.")]):
            result = toolkit.run_generic(run)
        assert result.error is None
        assert result.output == "Done."
        assert tools_of(result) == ["refund"]

    def test_a_workflow_of_nodes(self, toolkit):
        workflows = pytest.importorskip("google.adk.workflow")
        support = agent(tools=[shop.refund])
        workflow = workflows.Workflow(name="flow", edges=[("START", support)])
        assert choose(workflow, None).name == "google_adk"
        with scripted_model([REFUND, say("Done.")]):
            result = toolkit.run(workflow, "go")
        assert result.error is None
        assert tools_of(result) == ["refund"]
        assert speakers(result) == ["support", "support"]
        with scripted_model([REFUND]), pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run(workflow, "go")

    def test_a_tool_that_is_a_node_is_mocked_and_a_function_that_is_one_runs(self):
        workflows = pytest.importorskip("google.adk.workflow")

        def find_the_order(node_input: str) -> dict:
            return {"order_id": "123"}

        workflow = workflows.Workflow(name="flow", edges=[("START", find_the_order, FunctionTool(shop.lookup_order))])
        toolkit = MockToolkit()
        toolkit.mock("lookup_order", return_value={"status": "delivered"})
        with scripted_model([]):
            result = toolkit.run(workflow, "go")
        assert result.error is None
        assert result.tool_called_with("lookup_order", order_id="123")
        assert result.output == {"status": "delivered"}
        with scripted_model([]), pytest.raises(UnmockedToolError, match="lookup_order"):
            MockToolkit().run(workflow, "go")


class TestHosted:
    """Tools that run at the provider."""

    def test_they_are_refused_before_the_model_is_asked(self):
        with scripted_model([]), pytest.raises(UnmockedToolError, match="google_search") as caught:
            MockToolkit().run(agent(tools=[google_search]), "go")
        assert caught.value.result.llm_calls == 0
        from google.adk.code_executors import BuiltInCodeExecutor

        with scripted_model([]), pytest.raises(UnmockedToolError, match="code_execution"):
            MockToolkit().run(agent(code_executor=BuiltInCodeExecutor()), "go")

    def test_unless_they_are_allowed(self):
        toolkit = MockToolkit()
        toolkit.allow("google_search")
        with scripted_model([say("Found.")]):
            assert toolkit.run(agent(tools=[google_search]), "go").output == "Found."

    def test_it_is_listed_as_what_it_is(self):
        support = agent(tools=[google_search])
        (tool,) = choose(support, None).extract_tools(support)
        assert (str(tool), tool.kind) == ("google_search", "hosted")


class TestCodeAndToolsInsideOfTools:
    """Code that the model wrote, and tools that an allowed tool calls, are mocked like any other."""

    def agent(self, **options):
        return LlmAgent(name="support", model="gemini-2.5-flash", **options)

    def test_code_of_the_model_is_never_executed_unless_it_is_mocked_or_allowed(self):
        from google.adk.code_executors import UnsafeLocalCodeExecutor

        code = "```python\nimport shop\nshop.ran('execute_code')\n```"
        agent = self.agent(code_executor=UnsafeLocalCodeExecutor())
        with pytest.raises(UnmockedToolError, match="execute_code"), scripted_model([say(code)]):
            MockToolkit().run(agent, "compute")
        toolkit = MockToolkit()
        toolkit.mock("execute_code", return_value="42", optional=True)
        with scripted_model([say(code), say("It is 42.")]):
            result = toolkit.run(agent, "compute")
        assert result.output_contains("It is 42.")
        assert "shop.ran" in result.get_call("execute_code").args["code"]

    def test_a_tool_that_an_allowed_tool_calls_is_mocked(self):
        inner = FunctionTool(shop.refund)

        async def outer(order_id: str, tool_context: ToolContext) -> dict:
            """Refund an order."""
            return {
                "said": await inner.run_async(args={"order_id": order_id, "amount": 1.0}, tool_context=tool_context)
            }

        outer.__annotations__["tool_context"] = ToolContext
        toolkit = MockToolkit()
        toolkit.allow("outer")
        toolkit.mock("refund", return_value="refunded", optional=True)
        with scripted_model([call("outer", order_id="1"), say("Done.")]):
            result = toolkit.run(self.agent(tools=[outer]), "go")
        assert result.error is None
        assert result.call_order() == ["outer", "refund"]
        assert result.get_call("outer").result == {"said": "refunded"}
