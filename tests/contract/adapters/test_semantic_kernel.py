"""What is special about Semantic Kernel: names with plugins, filters, prompts, kernels, agents as plugins, orchestrations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pytest
import shop
from framework import CHOSEN, fixture

if CHOSEN != "semantic_kernel":
    pytest.skip("another framework is tested", allow_module_level=True)
fixture()

from framework_semantic_kernel import plugin, service  # noqa: E402
from semantic_kernel import Kernel  # noqa: E402
from semantic_kernel.agents import (  # noqa: E402
    ChatCompletionAgent,
    ChatHistoryAgentThread,
    OpenAIResponsesAgent,
)
from semantic_kernel.connectors.ai import FunctionChoiceBehavior, PromptExecutionSettings  # noqa: E402
from semantic_kernel.functions import FunctionResult, KernelArguments, kernel_function  # noqa: E402

from unitai import MockToolkit, UnknownToolError, UnmockedToolError, scripted_model  # noqa: E402
from unitai.adapters.semantic_kernel import SemanticKernelAdapter  # noqa: E402
from unitai.script import call, say, when  # noqa: E402

pytestmark = [pytest.mark.contract, pytest.mark.filterwarnings("ignore")]

LOOKUP = call("Shop-lookup_order", order_id="123")
REFUND = call("Shop-refund", order_id="123", amount=10.0)


def agent(*plugins, **options):
    return ChatCompletionAgent(name="support", service=service(), plugins=list(plugins), **options)


def kernel(*plugins):
    made = Kernel(services=[service()])
    for each in plugins:
        made.add_plugin(each)
    return made


def tools(result):
    return [(step.tool_name, step.agent_id) for step in result.trajectory.steps if step.step_type == "tool_call"]


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("lookup_order", return_value={"status": "delivered"})
    return toolkit


class TestNames:
    """A function is known by its own name, and with the name of its plugin."""

    @pytest.mark.parametrize("name", ["refund", "Shop-refund", "Shop.refund"])
    def test_any_of_its_names_mocks_it_and_is_what_is_recorded(self, name):
        toolkit = MockToolkit()
        toolkit.mock(name, return_value="refunded")
        with scripted_model([REFUND, say("Done.")]):
            result = toolkit.run(agent(plugin(*shop.TOOLS)), "refund")
        assert result.error is None
        assert result.call_order() == [name]

    def test_where_two_plugins_have_it_only_the_full_name_is_right(self):
        both = agent(plugin(shop.refund), plugin(shop.refund, name="Bank"))
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        with scripted_model([]), pytest.raises(UnknownToolError, match="Shop-refund"):
            toolkit.run(both, "refund")
        toolkit = MockToolkit()
        toolkit.mock("Shop-refund", return_value="by the shop")
        toolkit.mock("Bank.refund", return_value="by the bank")
        with scripted_model([REFUND, call("Bank-refund", order_id="123", amount=1.0), say("Done.")]):
            result = toolkit.run(both, "refund")
        assert result.get_call("Shop-refund").result == "by the shop"
        assert result.get_call("Bank.refund").result == "by the bank"

    def test_a_plugin_that_is_an_object_of_the_user(self, toolkit):
        class Orders:
            @kernel_function(description="Look an order up.")
            def lookup_order(self, order_id: Annotated[str, "The order's id."], verbose: bool = False) -> dict:
                shop.ran("lookup_order", order_id=order_id)
                return {}

        with scripted_model([call("Orders-lookup_order", order_id="123"), say("Done.")]):
            result = toolkit.run(agent(Orders()), "where is it?")
        assert result.tool_called_with("lookup_order", order_id="123")


class TestArguments:
    """What a function takes."""

    def test_what_the_kernel_gives_to_it_is_no_argument_of_the_model(self, toolkit):
        class Orders:
            @kernel_function
            def lookup_order(
                self,
                order_id: str,
                kernel: Annotated[Kernel, {"include_in_function_choices": False}],
                user: Annotated[str, {"include_in_function_choices": False}] = "",
            ) -> dict:
                shop.ran("lookup_order", order_id=order_id)
                return {}

        made = agent(Orders(), arguments=KernelArguments(user="me", tone="kind"))
        with scripted_model([call("Orders-lookup_order", order_id="123"), say("Done.")]):
            result = toolkit.run(made, "where is it?")
        assert result.get_call("lookup_order").args == {"order_id": "123"}

    def test_arguments_that_are_missing_or_unknown_are_recorded_with_what_the_model_is_told(self, toolkit):
        script = [
            call("Shop-lookup_order").unchecked(),
            call("Shop-lookup_order", order_id="123", colour="red").unchecked(),
            when(tool_result="unexpected argument").then(say("I am sorry.")),
        ]
        with scripted_model(script):
            result = toolkit.run(agent(plugin(*shop.TOOLS)), "where is it?")
        missing, unknown = [step.tool_error for step in result.trajectory.steps if step.tool_name == "lookup_order"]
        assert "order_id" in str(missing)
        assert "colour" in str(unknown)
        assert len(toolkit.get_tool("lookup_order").calls) == 2


class TestFilters:
    """The filters of the user run around the mock."""

    def test_they_see_the_call_and_the_answer_and_may_change_it(self, toolkit):
        seen = []
        made = agent(plugin(*shop.TOOLS))

        @made.kernel.filter("function_invocation")
        async def around(context, next):
            seen.append(dict(context.arguments))
            await next(context)
            seen.append(context.result.value)

        @made.kernel.filter("auto_function_invocation")
        async def changing(context, next):
            await next(context)
            context.function_result.value = "changed"

        with scripted_model([LOOKUP, when(tool_result="changed").then(say("Done."))]):
            result = toolkit.run(made, "where is it?")
        assert result.error is None
        assert seen == [{"order_id": "123"}, {"status": "delivered"}]
        assert result.get_call("lookup_order").result == {"status": "delivered"}

    def test_what_a_filter_stops_is_not_called(self, toolkit):
        made = agent(plugin(*shop.TOOLS))

        @made.kernel.filter("auto_function_invocation")
        async def guard(context, next):
            if context.function.name != "refund":
                await next(context)
            else:
                context.function_result = FunctionResult(function=context.function.metadata, value="Too much.")

        with scripted_model([LOOKUP, REFUND, say("I may not.")]):
            result = toolkit.run(made, "refund")
        assert result.tool_call_attempted("refund")
        assert not result.tool_was_called("refund")
        assert str(result.get_call("refund").error) == "Too much."
        assert result.call_order() == ["lookup_order"]

    def test_a_filter_that_ends_the_run_does(self, toolkit):
        made = agent(plugin(*shop.TOOLS))

        @made.kernel.filter("auto_function_invocation")
        async def ending(context, next):
            await next(context)
            context.terminate = True

        with scripted_model([LOOKUP]):
            result = toolkit.run(made, "where is it?")
        assert result.error is None
        assert result.llm_calls == 1


class TestKernels:
    """A kernel is run with a prompt; prompts are calls of a model."""

    def test_its_model_may_call_its_functions(self, toolkit):
        with scripted_model([LOOKUP, say("It was delivered.")]):
            result = toolkit.run(kernel(plugin(*shop.TOOLS)), "Where is order 123?")
        assert result.output == "It was delivered."
        assert result.call_order() == ["lookup_order"]

    def test_a_function_in_a_template_is_mocked(self, toolkit):
        prompt = "Say it kindly: {{Shop.lookup_order order_id='123'}}"
        with scripted_model([when("delivered").then(say("It was delivered."))]):
            result = toolkit.run(kernel(plugin(*shop.TOOLS)), prompt)
        assert result.output == "It was delivered."
        assert result.tool_called_with("lookup_order", order_id="123")

    def test_a_function_that_code_calls_is_mocked(self, toolkit):
        made = kernel(plugin(*shop.TOOLS))
        result = toolkit.run_generic(
            lambda: made.invoke(plugin_name="Shop", function_name="lookup_order", order_id="123")
        )
        assert result.output.value == {"status": "delivered"}
        with pytest.raises(UnmockedToolError, match="refund"):
            toolkit.run_generic(
                lambda: made.invoke(plugin_name="Shop", function_name="refund", order_id="1", amount=1.0)
            )

    def test_a_prompt_that_is_streamed(self, toolkit):
        made = kernel(plugin(*shop.TOOLS))

        async def run():
            settings = PromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto())
            pieces = made.invoke_prompt_stream("Where is order 123?", arguments=KernelArguments(settings=settings))
            return "".join([str(piece[0]) async for piece in pieces])

        with scripted_model([LOOKUP, say("It was delivered.")]):
            result = toolkit.run_generic(run)
        assert result.output == "It was delivered."
        assert result.call_order() == ["lookup_order"]

    def test_a_prompt_as_a_tool_stays_real_unless_it_is_mocked(self, toolkit):
        made = kernel(plugin(*shop.TOOLS))
        made.add_function(plugin_name="Words", function_name="shorten", prompt="Shorten: {{$text}}")
        # The kernel tells the model that any input of a prompt is an object.
        asked = call("Words-shorten", text="a long story").unchecked()
        with scripted_model([asked, say("short"), say("Done.")]):
            result = toolkit.run(made, "shorten it")
        assert [step.tool_name or "llm" for step in result.trajectory.steps] == ["llm", "shorten", "llm", "llm"]
        toolkit.mock("shorten", return_value="brief")
        with scripted_model([asked, when(tool_result="brief").then(say("Done."))]):
            assert toolkit.run(made, "shorten it").output == "Done."


class TestAgents:
    """Agents in plugins, in threads, and at the provider."""

    def test_an_agent_that_is_a_plugin_runs_with_its_own_tools_mocked_or_is_mocked_itself(self, toolkit):
        billing = ChatCompletionAgent(name="billing", service=service(), plugins=[plugin(shop.refund)])
        triage = ChatCompletionAgent(name="triage", service=service(), plugins=[plugin(shop.lookup_order), billing])
        adapter = SemanticKernelAdapter()
        known = {str(tool): (tool.kind, tool.agent_id) for tool in adapter.extract_tools(triage)}
        assert known == {
            "lookup_order": ("tool", "triage"),
            "billing": ("agent", "triage"),
            "refund": ("tool", "billing"),
        }
        toolkit.mock("refund", return_value="refunded")
        asked = call("billing-billing", messages="Refund order 123.")
        with scripted_model([asked, REFUND, say("It is done."), say("Refunded.")]):
            result = toolkit.run(triage, "refund")
        assert tools(result) == [("billing", "triage"), ("refund", "billing")]
        toolkit.mock("billing", return_value="It is done.")
        with scripted_model([asked, say("Refunded.")]):
            result = toolkit.run(triage, "refund")
        assert tools(result) == [("billing", "triage")]

    def test_a_conversation_goes_on_in_its_thread(self, toolkit):
        thread = ChatHistoryAgentThread()
        adapter = SemanticKernelAdapter(thread=thread)
        made = agent(plugin(*shop.TOOLS))
        with scripted_model([LOOKUP, say("It was delivered.")]):
            toolkit.run(made, "Where is order 123?", adapter=adapter)
        with scripted_model([say("You asked for it.")]):
            result = toolkit.run(made, "Why?", adapter=adapter)
        assert result.output == "You asked for it."
        # Question, call, result, answer; question, answer.
        assert len(thread) == 6

    def test_a_tool_that_runs_at_the_provider_is_refused_before_the_model_is_asked(self, toolkit):
        search = OpenAIResponsesAgent.configure_web_search_tool()
        made = OpenAIResponsesAgent(
            name="support",
            ai_model_id="gpt-4o-mini",
            client=OpenAIResponsesAgent.create_client(ai_model_id="gpt-4o-mini"),
            plugins=[plugin(*shop.TOOLS)],
            tools=[search],
        )
        with scripted_model([]), pytest.raises(UnmockedToolError, match="web_search"):
            toolkit.run(made, "look it up")
        bare = OpenAIResponsesAgent(name="support", ai_model_id="gpt-4o-mini", client=made.client)
        with scripted_model([]), pytest.raises(UnmockedToolError, match="web_search"):
            toolkit.run_generic(lambda: bare.get_response("look it up", tools=[search]))
        toolkit.allow(search["type"])
        with scripted_model([LOOKUP, say("It was delivered.")]):
            result = toolkit.run(made, "look it up")
        assert result.output == "It was delivered."
        assert tools(result) == [("lookup_order", "support")]

    def test_a_server_of_tools_is_not_asked(self, toolkit, tmp_path):
        from semantic_kernel.connectors.mcp import MCPStdioPlugin

        server = Path(__file__).with_name("mcp_shop.py")
        mark = tmp_path / "leaks.txt"
        seen = []

        async def run():
            arguments = [str(server), str(mark)]
            async with MCPStdioPlugin(name="Parcels", command=sys.executable, args=arguments) as parcels:
                made = agent(parcels)
                seen.extend(SemanticKernelAdapter().extract_tools(made))
                return str(await made.get_response(messages="where is it?"))

        toolkit.mock("track_parcel", return_value="in a van")
        wrong = call("Parcels-track_parcel", parcel_id="7", days="many").unchecked()
        with scripted_model([wrong, call("Parcels-track_parcel", parcel_id="7"), say("In a van.")]):
            result = toolkit.run_generic(run)
        assert result.output == "In a van."
        first, second = toolkit.get_tool("track_parcel").calls
        assert "days" in str(first.error)
        assert second.args == {"parcel_id": "7"}
        assert [(str(tool), tool.kind) for tool in seen] == [("track_parcel", "mcp")]
        assert not mark.exists()
        toolkit = MockToolkit()
        toolkit.allow("Parcels.track_parcel")
        asked = call("Parcels-track_parcel", parcel_id="8")
        with scripted_model([asked, when(tool_result="really").then(say("In a van."))]):
            result = toolkit.run_generic(run)
        assert result.output == "In a van."
        assert len(tools(result)) == 1
        assert mark.read_text(encoding="utf-8") == "track_parcel 8 1\n"


class TestOrchestrations:
    """The customer service of the framework's own examples, in small: triage hands over to one agent for each concern."""

    @pytest.fixture
    def service_desk(self):
        from semantic_kernel.agents import HandoffOrchestration, OrchestrationHandoffs

        triage = ChatCompletionAgent(name="triage", description="Welcomes.", service=service())
        status = ChatCompletionAgent(
            name="status", description="Knows orders.", service=service(), plugins=[plugin(shop.lookup_order)]
        )
        refunds = ChatCompletionAgent(
            name="refunds", description="Pays back.", service=service(), plugins=[plugin(shop.refund)]
        )
        handoffs = OrchestrationHandoffs().add_many(triage, {"status": "Orders.", "refunds": "Refunds."})
        handoffs.add(status, refunds, "A refund is wanted.")
        return HandoffOrchestration(members=[triage, status, refunds], handoffs=handoffs)

    SCRIPT = (
        call("Handoff-transfer_to_status"),
        LOOKUP,
        call("Handoff-transfer_to_refunds"),
        REFUND,
        call("Handoff-complete_task", task_summary="Refunded order 123."),
    )

    def test_the_talk_is_handed_over_for_real_and_the_tools_of_all_are_mocked(self, service_desk, toolkit):
        toolkit.mock("refund", return_value="refunded")
        with scripted_model(self.SCRIPT):
            result = toolkit.run(service_desk, "My order 123 is broken, I want my money back.")
        assert result.error is None
        assert result.output_contains("Refunded order 123.")
        assert tools(result) == [("lookup_order", "status"), ("refund", "refunds")]
        moves = [(step.old_value, step.new_value) for step in result.trajectory.steps if step.key == "agent"]
        assert moves == [("triage", "status"), ("status", "refunds")]
        speakers = [step.agent_id for step in result.trajectory.steps if step.step_type == "llm_call"]
        assert speakers == ["triage", "status", "status", "refunds", "refunds"]

    def test_an_unmocked_tool_of_any_of_them_never_runs(self, service_desk, toolkit):
        with pytest.raises(UnmockedToolError, match="refund"), scripted_model(self.SCRIPT):
            toolkit.run(service_desk, "My order 123 is broken, I want my money back.")
