"""What is special about Microsoft Agent Framework: middleware, agents as tools, approvals, sessions, servers of tools,
workflows.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pytest
import shop
from framework import CHOSEN, fixture
from pydantic import BaseModel

if CHOSEN != "agent_framework":
    pytest.skip("another framework is tested", allow_module_level=True)
fixture()

from agent_framework import (  # noqa: E402
    Agent,
    AgentSession,
    FunctionInvocationContext,
    HistoryProvider,
    MCPStdioTool,
    Message,
    WorkflowBuilder,
    function_middleware,
    tool,
)
from agent_framework.openai import OpenAIChatClient  # noqa: E402
from agent_framework_orchestrations import HandoffBuilder  # noqa: E402
from framework_agent_framework import client  # noqa: E402

from unitai import MockToolkit, UnmockedToolError, scripted_model  # noqa: E402
from unitai.adapters.agent_framework import AgentFrameworkAdapter  # noqa: E402
from unitai.script import call, say, when  # noqa: E402

pytestmark = [pytest.mark.contract, pytest.mark.filterwarnings("ignore")]

LOOKUP = call("lookup_order", order_id="123")
REFUND = call("refund", order_id="123", amount=10.0)


def agent(*tools, **options):
    return Agent(client(), name="support", tools=list(tools), **options)


def tools(result):
    return [(step.tool_name, step.agent_id) for step in result.trajectory.steps if step.step_type == "tool_call"]


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("lookup_order", return_value={"status": "delivered"})
    return toolkit


class TestTools:
    """Whatever a tool is made of."""

    def test_a_function_a_method_and_one_that_gets_its_context(self, toolkit):
        class Bank:
            @tool(approval_mode="never_require")
            def refund(self, order_id: str, amount: float) -> str:
                """Pay money back."""
                shop.ran("refund", order_id=order_id, amount=amount)
                return ""

        @tool
        def send_email(to: Annotated[str, "The address."], text: str, ctx: FunctionInvocationContext) -> str:
            """Write."""
            shop.ran("send_email", to=to)
            return ""

        toolkit.mock("refund", return_value="refunded")
        toolkit.mock("send_email", return_value="sent")
        made = agent(shop.lookup_order, Bank().refund, send_email)
        with scripted_model([[LOOKUP, REFUND, call("send_email", to="a@b.c", text="Done.")], say("Done.")]):
            result = toolkit.run(made, "refund")
        assert result.error is None
        assert result.call_order() == ["lookup_order", "refund", "send_email"]
        assert result.get_call("send_email").args == {"to": "a@b.c", "text": "Done."}

    def test_a_tool_that_code_calls_is_mocked(self, toolkit):
        lookup_order, send_email, refund = tool(shop.lookup_order), tool(shop.send_email), tool(shop.refund)
        toolkit.mock("send_email", return_value="sent")

        async def run():
            return lookup_order("123"), await send_email("a@b.c", text="Hello.")

        result = toolkit.run_generic(run)
        assert result.output == ({"status": "delivered"}, "sent")
        assert result.tool_called_with("lookup_order", order_id="123")
        assert result.tool_called_with("send_email", to="a@b.c", text="Hello.")
        with pytest.raises(UnmockedToolError, match="refund"):
            toolkit.run_generic(lambda: refund("123", 10.0))

    def test_a_limit_of_calls_holds_within_a_run_and_the_tool_is_as_it_was(self, toolkit):
        once = tool(shop.lookup_order, max_invocations=1)
        made = agent(once)
        for _ in range(2):
            with scripted_model([LOOKUP, LOOKUP, say("Enough.")]):
                result = toolkit.run(made, "look twice")
            steps = [step for step in result.trajectory.steps if step.tool_name]
            assert [step.tool_error is None for step in steps] == [True, False]
            assert "limit" in str(steps[1].tool_error)
        assert once.invocation_count == 0

    def test_a_tool_that_needs_an_approval_waits_for_it(self, toolkit):
        made = agent(tool(shop.lookup_order, approval_mode="always_require"))
        conversation = AgentFrameworkAdapter(session=AgentSession())
        with scripted_model([LOOKUP]):
            result = toolkit.run(made, "look", adapter=conversation)
        assert result.tool_not_called("lookup_order")
        (request,) = result.output.user_input_requests
        approved = Message(role="user", contents=[request.to_function_approval_response(True)])
        with scripted_model([say("It was delivered.")]):
            result = toolkit.run(made, approved, adapter=conversation)
        assert result.output == "It was delivered."
        assert result.call_order() == ["lookup_order"]

    def test_a_call_that_a_person_denies_is_a_rejected_step(self, toolkit):
        made = agent(tool(shop.lookup_order, approval_mode="always_require"))
        conversation = AgentFrameworkAdapter(session=AgentSession())
        with scripted_model([LOOKUP]):
            result = toolkit.run(made, "look", adapter=conversation)
        (request,) = result.output.user_input_requests
        denied = Message(role="user", contents=[request.to_function_approval_response(False)])
        with scripted_model([say("I may not look.")]):
            result = toolkit.run(made, denied, adapter=conversation)
        assert result.output == "I may not look."
        assert result.tool_call_attempted("lookup_order")
        assert not result.tool_was_called("lookup_order")
        (step,) = (step for step in result.trajectory.steps if step.step_type == "tool_call")
        assert (step.rejected, step.tool_args, step.agent_id) == (True, {"order_id": "123"}, "support")

    def test_a_tool_that_runs_at_the_provider_is_refused_before_the_model_is_asked(self, toolkit):
        model = OpenAIChatClient(model="gpt-4o-mini")
        made = Agent(model, name="support", tools=[tool(shop.lookup_order), model.get_web_search_tool()])
        assert [each.kind for each in AgentFrameworkAdapter().extract_tools(made)] == ["tool", "hosted"]
        with scripted_model([]), pytest.raises(UnmockedToolError, match="web_search"):
            toolkit.run(made, "look it up")
        made_with_server = Agent(model, name="support", tools=[model.get_mcp_tool(name="parcels", url="https://a.b")])
        with scripted_model([]), pytest.raises(UnmockedToolError, match=r'allow\("parcels"\)'):
            MockToolkit().run(made_with_server, "look it up")
        toolkit.allow("web_search")
        with scripted_model([LOOKUP, say("It was delivered.")]):
            result = toolkit.run(made, "look it up")
        assert result.output == "It was delivered."
        assert tools(result) == [("lookup_order", "support")]

    def test_a_server_of_tools_is_asked_what_it_has_and_nothing_else(self, toolkit, tmp_path):
        server, mark = Path(__file__).with_name("mcp_shop.py"), tmp_path / "leaks.txt"
        parcels = MCPStdioTool("parcels", command=sys.executable, args=[str(server), str(mark)])
        toolkit.mock("track_parcel", return_value="in a van")
        wrong = call("track_parcel", parcel_id="7", days="many").unchecked()
        with scripted_model([wrong, call("track_parcel", parcel_id="7"), say("In a van.")]):
            result = toolkit.run(agent(parcels), "where is it?")
        assert result.output == "In a van."
        first, second = toolkit.get_tool("track_parcel").calls
        assert "days" in str(first.error)
        assert second.args == {"parcel_id": "7"}
        assert not mark.exists()
        assert not parcels.is_connected
        toolkit = MockToolkit()
        toolkit.allow("track_parcel")
        with scripted_model([call("track_parcel", parcel_id="8"), when(tool_result="really").then(say("In a van."))]):
            result = toolkit.run(agent(parcels), "where is it?")
        assert result.output == "In a van."
        assert tools(result) == [("track_parcel", "support")]
        assert mark.read_text(encoding="utf-8") == "track_parcel 8 1\n"

    def test_a_prefix_is_not_a_part_of_the_name_that_the_server_knows(self, toolkit, tmp_path):
        server, mark = Path(__file__).with_name("mcp_shop.py"), tmp_path / "leaks.txt"
        parcels = MCPStdioTool("parcels", command=sys.executable, args=[str(server), str(mark)])
        if not hasattr(parcels, "tool_name_prefix"):
            pytest.skip("this release has no prefixes")
        parcels.tool_name_prefix = "shop"
        for name in ("shop_track_parcel", "track_parcel"):
            toolkit = MockToolkit()
            toolkit.allow(name)
            with scripted_model([call("shop_track_parcel", parcel_id="8"), say("In a van.")]):
                result = toolkit.run(agent(parcels), "where is it?")
            assert tools(result) == [(name, "support")]
        assert mark.read_text(encoding="utf-8") == "track_parcel 8 1\n" * 2


class TestMiddleware:
    """The middleware of the user runs around the mock."""

    def test_what_it_answers_in_the_place_of_a_tool_is_a_rejected_step(self, toolkit):
        @function_middleware
        async def denied(context, call_next):
            context.result = "Not today."

        with scripted_model([LOOKUP, when(tool_result="Not today.").then(say("Not today."))]):
            result = toolkit.run(agent(tool(shop.lookup_order), middleware=[denied]), "look")
        assert result.output == "Not today."
        assert result.tool_call_attempted("lookup_order")
        assert not result.tool_was_called("lookup_order")
        assert "Not today." in str(result.get_call("lookup_order").error)

    def test_it_sees_the_call_and_the_answer(self, toolkit):
        seen = []

        @function_middleware
        async def around(context, call_next):
            seen.append((context.function.name, dict(context.arguments)))
            await call_next()
            seen.append([each.text for each in context.result])

        with scripted_model([LOOKUP, say("Done.")]):
            result = toolkit.run(agent(tool(shop.lookup_order), middleware=[around]), "look")
        assert result.error is None
        assert seen == [("lookup_order", {"order_id": "123"}), ['{"status": "delivered"}']]

    def test_what_it_stops_is_not_called(self, toolkit):
        @function_middleware
        async def guard(context, call_next):
            if context.function.name == "refund":
                context.result = "not today"
            else:
                await call_next()

        made = agent(tool(shop.lookup_order), tool(shop.refund), middleware=[guard])
        with scripted_model([LOOKUP, REFUND, when(tool_result="not today").then(say("I may not."))]):
            result = toolkit.run(made, "refund")
        assert result.output == "I may not."
        assert not result.tool_was_called("refund")
        assert result.tool_call_attempted("refund")


class TestAgents:
    """Agents as tools, sessions, and what they give."""

    def test_an_agent_as_a_tool_runs_with_its_own_tools_mocked_or_is_mocked_itself(self, toolkit):
        billing = Agent(client(), name="billing", tools=[tool(shop.refund)])
        triage = Agent(client(), name="triage", tools=[tool(shop.lookup_order), billing.as_tool(name="ask_billing")])
        known = {str(each): (each.kind, each.agent_id) for each in AgentFrameworkAdapter().extract_tools(triage)}
        assert known == {
            "lookup_order": ("tool", "triage"),
            "ask_billing": ("agent", "triage"),
            "refund": ("tool", "billing"),
        }
        toolkit.mock("refund", return_value="refunded")
        asked = call("ask_billing", task="Refund order 123.")
        with scripted_model([asked, REFUND, say("It is done."), say("Refunded.")]):
            result = toolkit.run(triage, "refund")
        assert tools(result) == [("ask_billing", "triage"), ("refund", "billing")]
        toolkit.mock("billing", return_value="It is done.")
        with scripted_model([asked, say("Refunded.")]):
            result = toolkit.run(triage, "refund")
        assert tools(result) == [("billing", "triage")]

    def test_a_conversation_goes_on_in_its_session_and_the_agent_is_as_it_was(self, toolkit):
        made = agent(tool(shop.lookup_order))
        session = AgentSession()
        adapter = AgentFrameworkAdapter(session=session)
        with scripted_model([LOOKUP, say("It was delivered.")]):
            toolkit.run(made, "Where is order 123?", adapter=adapter)
        with scripted_model([say("You asked.")]):
            result = toolkit.run(made, "Why?", adapter=adapter)
        assert result.output == "You asked."
        (kept,) = session.state.values()
        roles = [message.role for message in kept["messages"]]
        assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant"]
        assert made.context_providers == []

    def test_the_history_of_the_user_is_not_written_to(self, toolkit):
        class Database(HistoryProvider):
            async def get_messages(self, session_id, **options):
                raise AssertionError("the database was read")

            async def save_messages(self, session_id, messages, **options):
                raise AssertionError("the database was written to")

        made = agent(tool(shop.lookup_order), context_providers=[Database("database")])
        with scripted_model([LOOKUP, say("Done.")]):
            result = toolkit.run(made, "look", adapter=AgentFrameworkAdapter(session=AgentSession()))
        assert result.error is None
        assert result.output == "Done."

    def test_an_object_that_the_agent_was_to_give_is_its_output(self, toolkit):
        class Status(BaseModel):
            delivered: bool

        adapter = AgentFrameworkAdapter(options={"response_format": Status})
        with scripted_model([LOOKUP, say('{"delivered": true}')]):
            result = toolkit.run(agent(tool(shop.lookup_order)), "look", adapter=adapter)
        assert result.output == Status(delivered=True)


class TestWorkflows:
    """Several agents, as in the framework's own examples, in small."""

    def test_one_after_the_other(self, toolkit):
        finder = Agent(client(), name="finder", tools=[tool(shop.lookup_order)])
        writer = Agent(client(), name="writer", tools=[tool(shop.send_email)])
        workflow = WorkflowBuilder(start_executor=finder).add_edge(finder, writer).build()
        assert list(AgentFrameworkAdapter().extract_tools(workflow)) == ["lookup_order", "send_email"]
        toolkit.mock("send_email", return_value="sent")
        script = [LOOKUP, say("Found."), call("send_email", to="a@b.c", text="Found."), say("Written.")]
        with scripted_model(script):
            result = toolkit.run(workflow, "Where is order 123?")
        assert result.error is None
        assert result.output == "Written."
        assert tools(result) == [("lookup_order", "finder"), ("send_email", "writer")]
        speakers = [step.agent_id for step in result.trajectory.steps if step.step_type == "llm_call"]
        assert speakers == ["finder", "finder", "writer", "writer"]

    @pytest.fixture
    def service_desk(self):
        def member(name, *functions):
            made = [tool(each) for each in functions]
            return Agent(
                client(), name=name, description=name, tools=made, require_per_service_call_history_persistence=True
            )

        triage, status, refunds = (
            member("triage"),
            member("status", shop.lookup_order),
            member("refunds", shop.refund),
        )
        builder = HandoffBuilder(
            participants=[triage, status, refunds],
            termination_condition=lambda talk: bool(talk) and "Refunded" in talk[-1].text,
        )
        builder = builder.add_handoff(triage, [status, refunds]).add_handoff(status, [refunds])
        return builder.with_start_agent(triage).build()

    SCRIPT = (
        call("handoff_to_status"),
        LOOKUP,
        call("handoff_to_refunds"),
        REFUND,
        say("Refunded order 123."),
    )

    def test_the_talk_is_handed_over_for_real_and_the_tools_of_all_are_mocked(self, service_desk, toolkit):
        toolkit.mock("refund", return_value="refunded")
        with scripted_model(self.SCRIPT):
            result = toolkit.run(service_desk, "My order 123 is broken, I want my money back.")
        assert result.error is None
        assert result.output == "Refunded order 123."
        assert tools(result) == [("lookup_order", "status"), ("refund", "refunds")]
        moves = [(step.old_value, step.new_value) for step in result.trajectory.steps if step.key == "agent"]
        assert moves == [("triage", "status"), ("status", "refunds")]
        speakers = [step.agent_id for step in result.trajectory.steps if step.step_type == "llm_call"]
        assert speakers == ["triage", "status", "status", "refunds", "refunds"]

    def test_an_unmocked_tool_of_any_of_them_never_runs(self, service_desk, toolkit):
        with pytest.raises(UnmockedToolError, match="refund"), scripted_model(self.SCRIPT):
            toolkit.run(service_desk, "My order 123 is broken, I want my money back.")
