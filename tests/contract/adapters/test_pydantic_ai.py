"""What is special about Pydantic AI: deps, toolsets, servers of tools, output functions, agents inside of tools."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

import shop
from pydantic import BaseModel
from pydantic_ai import Agent, ModelResponse, ModelRetry, RunContext, TextPart, Tool
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset, WrapperToolset
from pydantic_ai.usage import UsageLimits

from unitai import MockToolkit, UnknownToolError, UnmockedToolError, UnmockedToolWarning, scripted_model
from unitai.adapters.pydantic_ai import PydanticAIAdapter
from unitai.script import call, say, when

pytestmark = [pytest.mark.contract, pytest.mark.filterwarnings("ignore")]

MODEL = "openai-chat:gpt-4o-mini"
REFUND = call("refund", order_id="123", amount=10.0)


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("refund", return_value="refunded")
    return toolkit


def tools_of(result):
    return [step.tool_name for step in result.trajectory.steps if step.step_type == "tool_call"]


def speakers(result):
    return [step.agent_id for step in result.trajectory.steps if step.step_type == "llm_call"]


@dataclass
class Deps:
    customer: str


class TestFakes:
    """Models that come with the framework for tests."""

    def test_their_calls_are_steps_that_cost_nothing(self, toolkit):
        result = toolkit.run(Agent(TestModel(), tools=[shop.refund]), "go")
        assert tools_of(result) == ["refund"]
        assert (result.llm_calls, result.total_cost) == (2, 0)
        assert result.total_tokens > 0

    def test_one_that_asks_another_is_no_second_call(self):
        def answer(messages, info):
            return ModelResponse([TextPart("Hello.")])

        result = MockToolkit().run(Agent(FallbackModel(FunctionModel(answer), TestModel())), "go")
        assert (result.output, result.llm_calls, result.total_cost) == ("Hello.", 1, 0)


class TestTools:
    """Functions with and without context."""

    def test_a_tool_with_context_is_mocked_and_the_context_is_no_argument(self, toolkit):
        agent = Agent(MODEL, deps_type=Deps)

        @agent.tool
        def refund(ctx: RunContext[Deps], order_id: str, amount: float) -> str:
            return shop.refund(order_id, amount)

        with scripted_model([REFUND, say("Done.")]):
            result = toolkit.run(agent, "go", adapter=PydanticAIAdapter(deps=Deps("Ann")))
        assert result.get_call("refund").args == {"order_id": "123", "amount": 10.0}

    def test_an_allowed_tool_gets_the_deps_of_the_adapter(self):
        seen = []
        agent = Agent(MODEL, deps_type=Deps)

        @agent.tool
        def who(ctx: RunContext[Deps]) -> str:
            seen.append(ctx.deps.customer)
            return ctx.deps.customer

        toolkit = MockToolkit()
        toolkit.allow("who")
        with scripted_model([call("who"), when(tool_result="Ann").then(say("Hello Ann."))]):
            result = toolkit.run(agent, "go", adapter=PydanticAIAdapter(deps=Deps("Ann")))
        assert seen == ["Ann"]
        assert result.output == "Hello Ann."

    def test_a_mock_may_ask_the_model_to_try_again(self, toolkit):
        toolkit.mock("refund", sequence=[ModelRetry("Which currency?"), "refunded"], replace=True)
        agent = Agent(MODEL, tools=[shop.refund])
        with scripted_model([REFUND, when(tool_result="Which currency?").then(REFUND), say("Done.")]):
            result = toolkit.run(agent, "go")
        assert result.output == "Done."
        assert tools_of(result) == ["refund", "refund"]
        assert "Which currency?" in str(result.get_calls("refund")[0].error)

    def test_its_time_limit_holds_for_the_mock(self, toolkit):
        import asyncio

        async def slow(args):
            await asyncio.sleep(5)

        toolkit.mock("refund", side_effect=slow, replace=True)
        agent = Agent(MODEL, tools=[Tool(shop.refund, timeout=0.05)])
        with scripted_model([REFUND, when(tool_result="Timed out").then(say("Sorry."))]):
            assert toolkit.run(agent, "go").output == "Sorry."

    def test_usage_limits_are_kept(self, toolkit):
        agent = Agent(MODEL, tools=[shop.refund])
        with scripted_model([REFUND]):
            result = toolkit.run(agent, "go", adapter=PydanticAIAdapter(usage_limits=UsageLimits(request_limit=1)))
        assert isinstance(result.error, UsageLimitExceeded)

    def test_a_conversation_goes_on(self, toolkit):
        from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart

        history = [ModelRequest([SystemPromptPart("The customer is Ann.")]), ModelResponse([TextPart("Hello Ann.")])]
        with scripted_model([when(system="Ann").then(say("Still here."))]):
            result = toolkit.run(
                Agent(MODEL, tools=[shop.refund]), "Hello?", adapter=PydanticAIAdapter(message_history=history)
            )
        assert result.output == "Still here."

    def test_an_agent_without_a_name_gets_none(self, toolkit):
        agent = Agent(MODEL, tools=[shop.refund])
        with scripted_model([say("Done.")]):
            toolkit.run(agent, "go")
        assert agent.name is None


class Logged(WrapperToolset[Any]):
    """A user's own wrapper: what it does nobody knows."""

    async def call_tool(self, name, tool_args, ctx, tool):
        shop.ran("Logged.call_tool", name=name)
        return await super().call_tool(name, tool_args, ctx, tool)


class Remote(AbstractToolset[Any]):
    """A user's own toolset."""

    id = "remote"

    async def get_tools(self, ctx):
        inner = await FunctionToolset([shop.refund]).get_tools(ctx)
        from dataclasses import replace

        return {name: replace(tool, toolset=self) for name, tool in inner.items()}

    async def call_tool(self, name, tool_args, ctx, tool):
        return shop.refund(**tool_args)


class TestToolsets:
    """Trees of them."""

    @pytest.mark.parametrize(
        ("toolset", "name"),
        [
            (FunctionToolset([shop.refund]).prefixed("shop"), "shop_refund"),
            (FunctionToolset([shop.refund]).renamed({"pay_back": "refund"}), "pay_back"),
            (FunctionToolset([shop.refund]).filtered(lambda ctx, tool: True).prefixed("a").prefixed("b"), "b_a_refund"),
        ],
    )
    def test_a_tool_is_mocked_by_the_name_that_the_model_knows_or_by_its_own(self, toolset, name):
        agent = Agent(MODEL, toolsets=[toolset])
        for mocked in (name, "refund"):
            toolkit = MockToolkit()
            toolkit.mock(mocked, return_value="refunded")
            with scripted_model([call(name, order_id="123", amount=1.0), say("Done.")]):
                result = toolkit.run(agent, "go")
            assert result.error is None
            assert tools_of(result) == [mocked]
        toolkit.mock("refnd", return_value=1)
        with scripted_model([]), pytest.raises(UnknownToolError, match="refund"):
            toolkit.run(agent, "go")

    def test_a_toolset_that_is_made_for_each_run(self, toolkit):
        agent = Agent(MODEL)

        @agent.toolset
        def for_this_run(ctx: RunContext[None]) -> FunctionToolset:
            return FunctionToolset([shop.refund])

        with scripted_model([REFUND, say("Done.")]):
            assert tools_of(toolkit.run(agent, "go")) == ["refund"]
        with scripted_model([REFUND]), pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run(agent, "go")

    @pytest.mark.parametrize("toolset", [Logged(FunctionToolset([shop.refund])), Remote(), Logged(Remote())])
    def test_a_toolset_of_somebodys_own_is_answered_before_it_is_reached(self, toolset, toolkit):
        agent = Agent(MODEL, toolsets=[toolset])
        with scripted_model([REFUND, say("Done.")]):
            assert tools_of(toolkit.run(agent, "go")) == ["refund"]
        with scripted_model([REFUND]), pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run(agent, "go")

    def test_one_that_is_allowed_runs_once_with_all_that_it_wraps(self, monkeypatch):
        monkeypatch.setattr(shop, "ALLOWED", {"Logged.call_tool": [], "refund": []})
        toolkit = MockToolkit()
        toolkit.allow("refund")
        agent = Agent(MODEL, toolsets=[Logged(FunctionToolset([shop.refund]))])
        with scripted_model([REFUND, say("Done.")]):
            result = toolkit.run(agent, "go")
        assert tools_of(result) == ["refund"]
        assert {name: len(calls) for name, calls in shop.ALLOWED.items()} == {"Logged.call_tool": 1, "refund": 1}

    def test_approval_is_asked_for_before_the_mock(self, toolkit):
        from pydantic_ai import DeferredToolRequests, DeferredToolResults

        agent = Agent(
            MODEL,
            toolsets=[FunctionToolset([shop.refund]).approval_required()],
            output_type=[str, DeferredToolRequests],
        )
        kept = []

        async def ask():
            kept.append(await agent.run("go"))
            return kept[0].output

        with scripted_model([REFUND]):
            asked = toolkit.run_generic(ask)
        assert isinstance(asked.output, DeferredToolRequests)
        assert tools_of(asked) == []
        approved = DeferredToolResults(approvals={part.tool_call_id: True for part in asked.output.approvals})
        options = {"message_history": kept[0].all_messages(), "deferred_tool_results": approved}
        with scripted_model([say("Done.")]):
            result = toolkit.run(agent, None, adapter=PydanticAIAdapter(**options))
        assert result.error is None
        assert tools_of(result) == ["refund"]
        assert result.output == "Done."

    def test_a_call_that_a_person_denies_is_a_rejected_step(self, toolkit):
        from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolDenied

        agent = Agent(
            MODEL,
            toolsets=[FunctionToolset([shop.refund]).approval_required()],
            output_type=[str, DeferredToolRequests],
        )
        kept = []

        async def ask():
            kept.append(await agent.run("go"))
            return kept[0].output

        with scripted_model([REFUND]):
            asked = toolkit.run_generic(ask)
        assert asked.error is None
        (part,) = asked.output.approvals
        denied = DeferredToolResults(approvals={part.tool_call_id: ToolDenied("Too much.")})
        options = {"message_history": kept[0].all_messages(), "deferred_tool_results": denied}
        with scripted_model([say("Sorry.")]):
            result = toolkit.run(agent, None, adapter=PydanticAIAdapter(**options))
        assert result.output == "Sorry."
        assert result.tool_call_attempted("refund")
        assert not result.tool_was_called("refund")
        (step,) = (step for step in result.trajectory.steps if step.step_type == "tool_call")
        assert (step.rejected, str(step.tool_error), step.tool_args["order_id"]) == (True, "Too much.", "123")

    def test_a_tool_that_is_not_called_because_there_is_a_result_is_no_error(self, toolkit):
        class Answer(BaseModel):
            text: str

        agent = Agent(MODEL, tools=[shop.refund], output_type=Answer, end_strategy="early")
        with scripted_model([[call("final_result", text="Done."), REFUND]]):
            result = toolkit.run(agent, "go")
        assert result.error is None
        assert result.output == Answer(text="Done.")
        assert tools_of(result) == []

    def test_a_tool_that_is_called_elsewhere_is_answered_if_it_is_mocked(self):
        from pydantic_ai import DeferredToolRequests
        from pydantic_ai.tools import ToolDefinition
        from pydantic_ai.toolsets import ExternalToolset

        schema = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}
        confirm = ToolDefinition(name="confirm", parameters_json_schema=schema)
        agent = Agent(MODEL, toolsets=[ExternalToolset([confirm])], output_type=[str, DeferredToolRequests])
        with scripted_model([call("confirm", question="Sure?")]):
            result = MockToolkit().run(agent, "go")
        assert isinstance(result.output, DeferredToolRequests)
        toolkit = MockToolkit()
        toolkit.mock("confirm", return_value="yes")
        script = [
            call("confirm").unchecked(),
            call("confirm", question="Sure?"),
            when(tool_result="yes").then(say("Done.")),
        ]
        with scripted_model(script):
            result = toolkit.run(agent, "go")
        assert result.output == "Done."
        first, second = result.get_calls("confirm")
        assert "question" in str(first.error)
        assert second.result == "yes"

    def test_tools_that_the_model_has_to_find_first(self, toolkit):
        agent = Agent(MODEL, toolsets=[FunctionToolset([Tool(shop.refund, defer_loading=True)])])
        with scripted_model([call("search_tools", queries=["refund pay money back"]), REFUND, say("Done.")]):
            result = toolkit.run(agent, "go")
        assert result.error is None
        assert tools_of(result) == ["search_tools", "refund"]
        assert "refund" in str(result.get_call("search_tools").result)

    def test_a_server_of_tools_lists_them_and_the_mock_answers(self, tmp_path):
        pytest.importorskip("fastmcp")
        agent = Agent(MODEL, toolsets=[server_of_tools(tmp_path).prefixed("shop")])
        toolkit = MockToolkit()
        toolkit.mock("shop_refund", return_value="refunded")
        script = [
            call("shop_refund", order_id="123", amount="a lot").unchecked(),
            call("shop_refund", order_id="123", amount=10.0),
            say("Done."),
        ]
        with scripted_model(script):
            result = toolkit.run(agent, "go")
        assert result.error is None
        assert tools_of(result) == ["shop_refund", "shop_refund"]
        first, second = result.get_calls("shop_refund")
        assert "amount" in str(first.error)
        assert second.result == "refunded"
        with scripted_model(script[1:]), pytest.warns(UnmockedToolWarning, match="refund"):
            assert MockToolkit(strict=False).run(agent, "go").output == "Done."
        assert not (tmp_path / "leak.txt").exists()
        toolkit = MockToolkit()
        toolkit.allow("refund")
        with scripted_model(script[1:]):
            result = toolkit.run(agent, "go")
        assert tools_of(result) == ["refund"]
        assert "really refunded" in str(result.get_calls("refund")[0].result)
        (tmp_path / "leak.txt").unlink()
        with scripted_model(script[1:2]), pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run(agent, "go")
        assert not (tmp_path / "leak.txt").exists()


def server_of_tools(folder):
    """A real server, in a process of its own."""
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
    from fastmcp.client.transports import PythonStdioTransport
    from pydantic_ai.mcp import MCPToolset

    # The server ends with each run.
    return MCPToolset(PythonStdioTransport(folder / "server.py", keep_alive=False))


class TestOutput:
    """What the agent gives is the agent's, and real."""

    def test_the_output_may_be_an_object(self, toolkit):
        class Answer(BaseModel):
            order_id: str
            refunded: bool

        agent = Agent(MODEL, tools=[shop.refund], output_type=Answer)
        with scripted_model([REFUND, call("final_result", order_id="123", refunded=True)]):
            result = toolkit.run(agent, "go")
        assert result.output == Answer(order_id="123", refunded=True)
        assert tools_of(result) == ["refund"]

    def test_validators_and_functions_of_the_output_run(self, toolkit):
        seen = []

        def shout(text: str) -> str:
            """Say it aloud."""
            seen.append(text)
            return text.upper()

        agent = Agent(MODEL, tools=[shop.refund], output_type=shout)

        @agent.output_validator
        def not_too_short(output: str) -> str:
            if len(output) < 3:
                raise ModelRetry("Say more.")
            return output

        with scripted_model([REFUND, call("final_result", text="ok"), call("final_result", text="refunded")]):
            result = toolkit.run(agent, "go")
        assert result.output == "REFUNDED"
        assert seen == ["ok", "refunded"]
        assert tools_of(result) == ["refund"]


class Support(BaseModel):
    """What the bank's agent answers."""

    advice: str
    block_card: bool
    risk: int


class Database:
    """Where the bank keeps its customers."""

    async def name_of(self, id: int) -> str:
        return {123: "John"}[id]

    async def balance_of(self, id: int) -> float:
        shop.ran("balance_of", id=id)
        return 0.0


@dataclass
class Bank:
    """The deps of the bank's agent."""

    customer: int
    database: Database


class Flight(BaseModel):
    """What the search is for."""

    number: str
    price: int


class Seat(BaseModel):
    """What comes next."""

    row: int


class TestTeams:
    """Agents that call others."""

    def test_an_agent_inside_of_a_tool_is_mocked_too(self, toolkit):
        billing = Agent(MODEL, name="billing", tools=[shop.refund])
        triage = Agent(MODEL, name="triage")

        @triage.tool
        async def ask_billing(ctx: RunContext[None], request: str) -> str:
            return (await billing.run(request, usage=ctx.usage)).output

        toolkit.allow("ask_billing")
        script = [call("ask_billing", request="refund 123"), REFUND, say("It is paid."), say("All done.")]
        with scripted_model(script):
            result = toolkit.run(triage, "go")
        assert result.error is None
        assert result.output == "All done."
        assert speakers(result) == ["triage", "billing", "billing", "triage"]
        assert {step.tool_name: step.agent_id for step in result.trajectory.steps if step.tool_name} == {
            "ask_billing": "triage",
            "refund": "billing",
        }
        toolkit = MockToolkit()
        toolkit.allow("ask_billing")
        with scripted_model(script[:2]), pytest.raises(UnmockedToolError, match="refund"):
            toolkit.run(triage, "go")

    def test_without_being_allowed_it_is_mocked_as_any_tool(self, toolkit):
        billing = Agent(MODEL, name="billing", tools=[shop.refund])
        triage = Agent(MODEL, name="triage")

        @triage.tool_plain
        async def ask_billing(request: str) -> str:
            return (await billing.run(request)).output

        toolkit.mock("ask_billing", return_value="It is paid.")
        with scripted_model([call("ask_billing", request="refund 123"), say("All done.")]):
            result = toolkit.run(triage, "go")
        assert tools_of(result) == ["ask_billing"]

    def test_a_bank_that_supports_its_customers(self):
        """The shape of the framework's own example: deps with a database, instructions from it, a structured answer."""

        agent = Agent(MODEL, name="bank", deps_type=Bank, output_type=Support, instructions="You are a bank's support.")

        @agent.instructions
        async def customers_name(ctx: RunContext[Bank]) -> str:
            return f"The customer's name is {await ctx.deps.database.name_of(ctx.deps.customer)}."

        @agent.tool
        async def customer_balance(ctx: RunContext[Bank], include_pending: bool = False) -> str:
            """The customer's current balance."""
            return f"${await ctx.deps.database.balance_of(ctx.deps.customer):.2f}"

        toolkit = MockToolkit()
        toolkit.mock("customer_balance", return_value="$123.45")
        script = [
            when(system="John").then(call("customer_balance", include_pending=True)),
            when(tool_result="123.45").then(call("final_result", advice="You have $123.45.", block_card=False, risk=1)),
        ]
        with scripted_model(script):
            result = toolkit.run(agent, "What is my balance?", adapter=PydanticAIAdapter(deps=Bank(123, Database())))
        assert result.error is None
        assert result.output == Support(advice="You have $123.45.", block_card=False, risk=1)
        assert result.tool_called_with("customer_balance", include_pending=True)

    def test_flights_are_booked_by_agents_one_after_the_other(self):
        """The shape of the framework's flight booking: a program that hands from one agent to the next, one of which
        asks a third in a tool.
        """

        extraction = Agent(MODEL, name="extraction", output_type=list[Flight])
        search = Agent(MODEL, name="search", output_type=Flight)
        seats = Agent(MODEL, name="seats", output_type=Seat)

        def buy(number: str) -> str:
            """Buy a ticket."""
            shop.ran("buy", number=number)
            return "bought"

        seats.tool_plain(buy)

        @search.tool
        async def extract_flights(ctx: RunContext[None]) -> list[Flight]:
            """Get all flights."""
            return (await extraction.run("the page", usage=ctx.usage)).output

        async def book():
            flight = (await search.run("SFO to ANC")).output
            seat = (await seats.run(f"flight {flight.number}, row 1")).output
            return f"{flight.number}, row {seat.row}"

        toolkit = MockToolkit()
        toolkit.allow("extract_flights")
        toolkit.mock("buy", return_value="bought")
        script = [
            call("extract_flights"),
            call("final_result", response=[{"number": "AK1", "price": 100}]),
            call("final_result", number="AK1", price=100),
            call("buy", number="AK1"),
            call("final_result", row=1),
        ]
        with scripted_model(script):
            result = toolkit.run_generic(book)
        assert result.error is None
        assert result.output == "AK1, row 1"
        assert speakers(result) == ["search", "extraction", "search", "seats", "seats"]
        assert tools_of(result) == ["extract_flights", "buy"]


class TestOtherWays:
    """Its other calls."""

    def test_every_way_to_run_it_is_mocked(self, toolkit):
        agent = Agent(MODEL, name="support", tools=[shop.refund])

        async def events():
            stream = agent.run_stream_events("go")
            if hasattr(stream, "__aenter__"):
                async with stream as entered:
                    return [event async for event in entered][-1].result.output
            return [event async for event in stream][-1].result.output

        async def nodes():
            async with agent.iter("go") as run:
                async for _ in run:
                    pass
            return run.result.output

        for way in (lambda: agent.run_sync("go").output, events, nodes):
            with scripted_model([REFUND, say("Done.")]):
                result = toolkit.run_generic(way)
            assert result.error is None
            assert result.output == "Done."
            assert tools_of(result) == ["refund"]
            assert speakers(result) == ["support", "support"]


class TestHosted:
    """Tools that run at the provider."""

    def agent(self):
        from pydantic_ai import WebSearchTool

        model = "openai-responses:gpt-4o-mini"
        try:
            from pydantic_ai.capabilities import NativeTool
        except ImportError:
            return Agent(model, builtin_tools=[WebSearchTool()])
        return Agent(model, capabilities=[NativeTool(WebSearchTool())])

    def test_they_are_refused_before_the_model_is_asked(self):
        with scripted_model([]), pytest.raises(UnmockedToolError, match="web_search") as caught:
            MockToolkit().run(self.agent(), "go")
        assert caught.value.result.llm_calls == 0

    def test_unless_they_are_allowed(self):
        toolkit = MockToolkit()
        toolkit.allow("web_search")
        with scripted_model([say("Found.")]):
            assert toolkit.run(self.agent(), "go").output == "Found."
