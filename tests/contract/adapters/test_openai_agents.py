"""What is special about the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import dataclass

import pytest
import shop
from stopwatch import Stopwatch

pytest.importorskip("agents.function_schema")

from agents import (
    Agent,
    ApplyPatchTool,
    AsyncComputer,
    CodeInterpreterTool,
    ComputerTool,
    FileSearchTool,
    FunctionTool,
    GuardrailFunctionOutput,
    HostedMCPTool,
    ImageGenerationTool,
    InputGuardrailTripwireTriggered,
    LocalShellTool,
    MaxTurnsExceeded,
    Model,
    ModelResponse,
    OpenAIChatCompletionsModel,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    RunContextWrapper,
    Runner,
    ShellTool,
    SQLiteSession,
    ToolGuardrailFunctionOutput,
    Usage,
    WebSearchTool,
    function_tool,
    handoff,
    input_guardrail,
    output_guardrail,
    tool_input_guardrail,
    tool_output_guardrail,
)
from agents.extensions import handoff_filters
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic import BaseModel

from unitai import (
    AdapterNotFoundError,
    AgentTimeoutError,
    InvalidArgumentError,
    MockToolkit,
    ScriptedCallError,
    UnknownToolError,
    UnmockedToolError,
    scripted_model,
)
from unitai.adapters.openai_agents import OpenAIAgentsAdapter
from unitai.adapters.registry import choose
from unitai.script import call, say, when

pytestmark = [pytest.mark.contract, pytest.mark.filterwarnings("ignore")]

MODEL = "gpt-4o-mini"
REFUND = call("refund", order_id="123", amount=10.0)


def agent(name="support", *tools, **options):
    return Agent(name=name, model=MODEL, tools=[function_tool(each) for each in tools], **options)


def told(result):
    """Who did what, in order."""
    steps = result.trajectory.steps
    return [(step.agent_id, step.tool_name or ("llm" if step.step_type == "llm_call" else step.key)) for step in steps]


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("refund", return_value="refunded", optional=True)
    return toolkit


class Canned(Model):
    """A model of one's own, that no script speaks for: what it says is taken as it is, also calls that are broken."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.heard = []

    async def get_response(self, system_instructions, input, *args, **options):
        self.heard.append(input)
        return ModelResponse(output=[self._answers.pop(0)], usage=Usage(), response_id=None)

    async def stream_response(self, *args, **options):
        raise NotImplementedError
        yield


def message(text):
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[content], role="assistant", status="completed", type="message")


class TestTeams:
    """Handoffs, and agents as tools."""

    def test_a_handoff_is_real_and_noted_and_its_hook_and_filter_run(self, toolkit):
        handed = []
        billing = agent("billing", shop.refund)
        to_billing = handoff(
            billing, on_handoff=lambda context: handed.append("billing"), input_filter=handoff_filters.remove_all_tools
        )
        triage = agent("triage", shop.lookup_order, handoffs=[to_billing])
        toolkit.mock("lookup_order", return_value={"status": "delivered"})
        script = [
            call("lookup_order", order_id="123"),
            call("transfer_to_billing"),
            REFUND,
            say("Refunded."),
        ]
        with scripted_model(script) as model:
            result = toolkit.run(triage, "refund order 123")
        assert "delivered" in str(model.requests[1].messages)
        assert "delivered" not in str(model.requests[2].messages)
        assert result.output == "Refunded."
        assert handed == ["billing"]
        assert told(result) == [
            ("triage", "llm"),
            ("triage", "lookup_order"),
            ("triage", "llm"),
            ("triage", "agent"),
            ("billing", "llm"),
            ("billing", "refund"),
            ("billing", "llm"),
        ]
        change = next(step for step in result.trajectory.steps if step.step_type == "state_change")
        assert (change.old_value, change.new_value) == ("triage", "billing")

    def test_an_agent_as_a_tool_runs_with_its_own_tools_mocked(self, toolkit):
        billing = agent("billing", shop.refund)
        manager = Agent(name="manager", model=MODEL, tools=[billing.as_tool("ask_billing", "Pays money back.")])
        script = [call("ask_billing", input="order 123"), REFUND, say("Paid."), say("It is paid.")]
        with scripted_model(script):
            result = toolkit.run(manager, "refund order 123")
        assert result.output == "It is paid."
        assert told(result) == [
            ("manager", "llm"),
            ("manager", "ask_billing"),
            ("billing", "llm"),
            ("billing", "refund"),
            ("billing", "llm"),
            ("manager", "llm"),
        ]
        assert result.get_call("ask_billing").result == "Paid."

    def test_or_is_mocked_like_any_other(self, toolkit):
        manager = Agent(name="manager", model=MODEL, tools=[agent("billing", shop.refund).as_tool("ask_billing", "-")])
        toolkit.mock("ask_billing", return_value="Paid.")
        with scripted_model([call("ask_billing", input="order 123"), say("It is paid.")]):
            result = toolkit.run(manager, "refund order 123")
        assert told(result) == [("manager", "llm"), ("manager", "ask_billing"), ("manager", "llm")]

    def test_all_tools_of_all_of_them_are_known(self):
        billing, shipping = agent("billing", shop.refund), agent("shipping", shop.send_email)
        triage = agent("triage", shop.lookup_order, handoffs=[billing, handoff(shipping)])
        shipping.handoffs.append(triage)
        triage.tools.append(agent("expert").as_tool("ask_expert", "Knows all."))
        adapter = choose(triage, None)
        tools = adapter.extract_tools(triage)
        assert [(str(tool), tool.agent_id, tool.kind) for tool in tools] == [
            ("lookup_order", "triage", "tool"),
            ("ask_expert", "triage", "agent"),
            ("refund", "billing", "tool"),
            ("send_email", "shipping", "tool"),
        ]
        if hasattr(billing.tools[0], "__wrapped__"):
            # Older versions forget the function.
            assert tools[2].returns == {"type": "string"}
        assert adapter.knows_all_tools(triage)

    def test_a_handoff_that_makes_its_agent_when_called_leads_to_mocked_tools(self, toolkit):
        to_billing = handoff(agent("billing"), tool_name_override="escalate")

        async def make(context, arguments):
            return agent("late", shop.refund)

        to_billing.on_invoke_handoff = make
        to_billing._agent_ref = None
        triage = agent("triage", handoffs=[to_billing])
        assert not choose(triage, None).knows_all_tools(triage)
        toolkit.mock("refund", return_value="refunded", replace=True)
        with scripted_model([call("escalate"), REFUND, say("Refunded.")]):
            result = toolkit.run(triage, "refund order 123")
        assert ("late", "refund") in told(result)

    def test_a_streamed_handoff_is_told_alike(self, toolkit):
        triage = agent("triage", handoffs=[agent("billing", shop.refund)])

        async def stream():
            run = Runner.run_streamed(triage, "refund order 123")
            changes = [event.new_agent.name async for event in run.stream_events() if event.type.startswith("agent")]
            return changes, run.final_output

        with scripted_model([call("transfer_to_billing"), REFUND, say("Refunded.")]):
            result = toolkit.run_generic(stream)
        assert result.output == (["triage", "billing"], "Refunded.")
        assert told(result) == [
            ("triage", "llm"),
            ("triage", "agent"),
            ("billing", "llm"),
            ("billing", "refund"),
            ("billing", "llm"),
        ]


class TestTools:
    """Function tools of every make."""

    def test_a_tool_is_handed_the_context_where_it_is_allowed(self, toolkit):
        @function_tool
        def whoami(context: RunContextWrapper[dict]) -> str:
            return context.context["name"]

        support = Agent(name="support", model=MODEL, tools=[whoami])
        toolkit.allow("whoami")
        with scripted_model([call("whoami"), say("Hello, Ann.")]):
            result = toolkit.run(support, "hello", adapter=OpenAIAgentsAdapter(context={"name": "Ann"}))
        assert result.get_call("whoami").result == "Ann"

    def test_a_tool_that_is_made_by_hand_is_mocked_and_its_errors_end_the_run_as_real_ones_do(self, toolkit):
        async def invoke(context, arguments):
            shop.ran("by_hand")

        schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
        tool = FunctionTool("by_hand", "Made by hand.", schema, invoke)
        support = Agent(name="support", model=MODEL, tools=[tool])
        toolkit.mock("by_hand", return_value={"done": True})
        with scripted_model([call("by_hand"), when(tool_result="done").then(say("Done."))]):
            assert toolkit.run(support, "go").output == "Done."
        toolkit.mock("by_hand", side_effect=RuntimeError("no luck"), replace=True)
        with scripted_model([call("by_hand")]):
            assert "no luck" in str(toolkit.run(support, "go").error)

    def test_its_own_words_for_errors_reach_the_model(self, toolkit):
        tool = function_tool(shop.refund, failure_error_function=lambda context, error: f"Sorry: {error}")
        support = Agent(name="support", model=MODEL, tools=[tool])
        toolkit.mock("refund", side_effect=RuntimeError("the bank is closed"), replace=True)
        with scripted_model([REFUND, when(tool_result="Sorry: the bank is closed").then(say("Closed."))]):
            assert toolkit.run(support, "refund order 123").output == "Closed."

    def test_a_tool_in_a_closure_and_an_agent_of_ones_own_class_are_reached(self, toolkit):
        class Dynamic(Agent):
            async def get_all_tools(self, run_context):
                return [function_tool(shop.refund)]

        dynamic = Dynamic(name="dynamic", model=MODEL)

        async def ask(message, tools):
            return (await Runner.run(dynamic, message)).final_output

        with scripted_model([REFUND, say("Refunded.")]):
            assert told(toolkit.run(ask, "refund order 123"))[1] == ("dynamic", "refund")
        assert not OpenAIAgentsAdapter().knows_all_tools(dynamic)
        with scripted_model([REFUND]), pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run(dynamic, "refund order 123")

    def test_a_tool_that_is_not_enabled_is_not_there(self, toolkit):
        def for_managers(context, agent):
            return context.context == "manager"

        support = Agent(name="support", model=MODEL, tools=[function_tool(shop.refund, is_enabled=for_managers)])
        with scripted_model([REFUND, say("Refunded.")]):
            manager = toolkit.run(support, "refund", adapter=OpenAIAgentsAdapter(context="manager"))
        assert manager.tool_was_called("refund")
        with scripted_model([REFUND.unchecked()]):
            clerk = toolkit.run(support, "refund", adapter=OpenAIAgentsAdapter(context="clerk"))
        assert "refund not found" in str(clerk.error)
        assert "refund not found" in str(clerk.trajectory.steps[-1].tool_error)

    def test_a_made_up_tool_that_the_model_is_told_of_is_recorded(self, toolkit):
        pytest.importorskip("agents.run_config")
        try:
            config = RunConfig(tool_not_found_behavior="return_error_to_model")
        except TypeError:
            pytest.skip("this version has no such setting")
        with scripted_model([call("delete_everything", now=True).unchecked(), say("I am sorry.")]):
            result = toolkit.run(agent("support", shop.refund), "go", adapter=OpenAIAgentsAdapter(run_config=config))
        assert result.output == "I am sorry."
        made_up = result.trajectory.steps[1]
        assert (made_up.tool_name, made_up.tool_args, made_up.agent_id) == (
            "delete_everything",
            {"now": True},
            "support",
        )
        assert "not found" in str(made_up.tool_error)

    def test_arguments_that_are_no_json_are_refused_and_the_model_is_told(self, toolkit):
        broken = ResponseFunctionToolCall(arguments="{oops", call_id="1", name="refund", type="function_call")
        support = agent("support", shop.refund)
        support.model = Canned(broken, message("I am sorry."))
        result = toolkit.run(support, "refund")
        assert result.output == "I am sorry."
        (refused,) = (step for step in result.trajectory.steps if step.tool_name == "refund")
        assert refused.tool_args == {"arguments": "{oops"}
        assert "JSON" in str(refused.tool_error)

    def test_a_tool_that_needs_consent_ends_the_run_which_goes_on_from_there(self, toolkit):
        support = Agent(name="support", model=MODEL, tools=[function_tool(shop.refund, needs_approval=True)])
        with scripted_model([REFUND]):
            waiting = toolkit.run(support, "refund order 123")
        assert waiting.tool_not_called("refund")
        state = waiting.output
        for question in state.get_interruptions():
            state.approve(question)
        with scripted_model([say("Refunded.")]):
            result = toolkit.run(support, state)
        assert result.output == "Refunded."
        assert told(result) == [("support", "refund"), ("support", "llm")]

    def test_a_call_that_a_person_denies_is_a_rejected_step(self, toolkit):
        support = Agent(name="support", model=MODEL, tools=[function_tool(shop.refund, needs_approval=True)])
        with scripted_model([REFUND]):
            state = toolkit.run(support, "refund order 123").output
        for question in state.get_interruptions():
            state.reject(question)
        with scripted_model([say("Sorry.")]):
            result = toolkit.run(support, state)
        assert result.output == "Sorry."
        assert result.tool_call_attempted("refund")
        assert not result.tool_was_called("refund")
        (denied,) = (step for step in result.trajectory.steps if step.tool_name == "refund")
        assert (denied.rejected, denied.agent_id, denied.tool_args["order_id"]) == (True, "support", "123")
        assert "not approved" in str(denied.tool_error)

    def test_its_time_limit_holds_for_mocks(self, toolkit):
        async def slow(args):
            await asyncio.sleep(5)

        tool = function_tool(shop.send_email, timeout=0.05)
        toolkit.mock("send_email", side_effect=slow)
        script = [call("send_email", to="a@b.c", text="-"), when(tool_result="timed out").then(say("Too slow."))]
        with scripted_model(script):
            result = toolkit.run(Agent(name="support", model=MODEL, tools=[tool]), "write")
        assert result.output == "Too slow."


class TestGuardrails:
    """They are real."""

    def test_a_tripwire_on_the_input_is_the_error_of_the_run(self, toolkit):
        @input_guardrail
        async def no_homework(context, agent, input):
            return GuardrailFunctionOutput(output_info=None, tripwire_triggered="homework" in input)

        support = agent("support", shop.refund, input_guardrails=[no_homework])
        with scripted_model([say("Hello.")]):
            assert toolkit.run(support, "hello").output == "Hello."
        with scripted_model([]):
            result = toolkit.run(support, "do my homework")
        assert isinstance(result.error, InputGuardrailTripwireTriggered)

    def test_one_that_asks_an_agent_is_told_with_the_agent(self, toolkit):
        judge = agent("judge")

        @input_guardrail(run_in_parallel=False)
        async def judged(context, agent, input):
            said = await Runner.run(judge, input, context=context.context)
            return GuardrailFunctionOutput(output_info=said, tripwire_triggered=said.final_output == "no")

        support = agent("support", shop.refund, input_guardrails=[judged])
        with scripted_model([say("no")]):
            result = toolkit.run(support, "do my homework")
        assert isinstance(result.error, InputGuardrailTripwireTriggered)
        assert told(result) == [("judge", "llm")]

    def test_a_tripwire_on_the_output(self, toolkit):
        @output_guardrail
        async def no_numbers(context, agent, output):
            return GuardrailFunctionOutput(output_info=None, tripwire_triggered="4111" in output)

        support = agent("support", shop.refund, output_guardrails=[no_numbers])
        with scripted_model([say("Your card is 4111.")]):
            result = toolkit.run(support, "which card?")
        assert isinstance(result.error, OutputGuardrailTripwireTriggered)

    def test_those_of_tools_stand_around_the_mock(self, toolkit):
        @tool_input_guardrail
        def small(data):
            if '"amount":1000' in data.context.tool_arguments.replace(" ", ""):
                return ToolGuardrailFunctionOutput.reject_content("Too much.")
            return ToolGuardrailFunctionOutput.allow()

        @tool_output_guardrail
        def silent(data):
            return ToolGuardrailFunctionOutput.reject_content(f"hidden: {data.output}")

        tool = function_tool(shop.refund)
        tool.tool_input_guardrails, tool.tool_output_guardrails = [small], [silent]
        support = Agent(name="support", model=MODEL, tools=[tool])
        script = [
            call("refund", order_id="123", amount=1000),
            when(tool_result="Too much.").then(REFUND),
            when(tool_result="hidden: refunded").then(say("Done.")),
        ]
        with scripted_model(script):
            result = toolkit.run(support, "refund order 123")
        assert result.output == "Done."
        assert result.tool_call_count("refund") == 1
        denied, made = (step for step in result.trajectory.steps if step.tool_name == "refund")
        assert (denied.rejected, denied.tool_args["amount"], str(denied.tool_error)) == (True, 1000, "Too much.")
        assert (made.rejected, made.tool_args["amount"]) == (False, 10.0)


class TestOptions:
    """What the adapter is given."""

    def test_turns_can_be_limited(self, toolkit):
        with scripted_model([REFUND]):
            result = toolkit.run(agent("support", shop.refund), "go", adapter=OpenAIAgentsAdapter(max_turns=1))
        assert isinstance(result.error, MaxTurnsExceeded)

    def test_a_session_remembers_from_run_to_run(self, toolkit):
        adapter = OpenAIAgentsAdapter(session=SQLiteSession("test"))
        with scripted_model([say("Hello, Ann.")]):
            toolkit.run(agent(), "I am Ann", adapter=adapter)
        with scripted_model([say("Ann.")]) as model:
            toolkit.run(agent(), "who am I?", adapter=adapter)
        assert "I am Ann" in str(model.requests[0].messages)

    def test_a_configuration_is_used(self, toolkit):
        adapter = OpenAIAgentsAdapter(run_config=RunConfig(model="gpt-4o"))
        with scripted_model([say("Hello.")]):
            result = toolkit.run(agent(), "hello", adapter=adapter)
        assert result.trajectory.steps[0].model == "gpt-4o"

    @pytest.mark.parametrize("name", ["openai_agents", "openai-agents", "openai"])
    def test_it_has_several_names(self, toolkit, name):
        assert choose(agent(), name).name == "openai_agents"

    def test_what_is_no_such_agent_is_not_taken(self):
        pytest.importorskip("websockets")
        from agents.realtime import RealtimeAgent

        with pytest.raises(AdapterNotFoundError):
            choose(RealtimeAgent(name="voice"), None)


class Verdict(BaseModel):
    is_paid: bool
    why: str


class TestModels:
    """Both languages, and typed answers."""

    def test_typed_output_is_the_output(self, toolkit):
        support = agent("support", shop.refund, output_type=Verdict)
        with scripted_model([REFUND, say('{"is_paid": true, "why": "refunded"}')]):
            result = toolkit.run(support, "refund order 123")
        assert result.output == Verdict(is_paid=True, why="refunded")

    def test_typed_output_that_comes_as_a_tool_nobody_has_is_no_tool_call(self, toolkit):
        said = '{"is_paid": true, "why": "refunded"}'
        asked = ResponseFunctionToolCall(arguments=said, call_id="1", name="json_tool_call", type="function_call")
        support = agent("support", shop.refund, output_type=Verdict)
        support.model = Canned(asked, message(said))
        result = toolkit.run(support, "refund order 123")
        assert result.output == Verdict(is_paid=True, why="refunded")
        assert result.call_order() == []

    def test_chat_completions(self, toolkit):
        support = agent("support", shop.refund, handoffs=[agent("billing")])
        support.model = OpenAIChatCompletionsModel(MODEL, AsyncOpenAI())
        with scripted_model([REFUND.using(30, 5), say("Refunded.").using(40, 6)]):
            result = toolkit.run(support, "refund order 123")
        assert result.output == "Refunded."
        assert told(result) == [("support", "llm"), ("support", "refund"), ("support", "llm")]
        assert [step.prompt_tokens for step in result.trajectory.steps if step.model] == [30, 40]

    def test_chat_completions_streamed(self, toolkit):
        support = agent("support", shop.refund)
        support.model = OpenAIChatCompletionsModel(MODEL, AsyncOpenAI())

        async def stream():
            run = Runner.run_streamed(support, "refund order 123")
            async for _ in run.stream_events():
                pass
            return run.final_output

        with scripted_model([REFUND.using(30, 5), say("Refunded.").using(40, 6)]):
            result = toolkit.run_generic(stream)
        assert result.output == "Refunded."
        assert [step.prompt_tokens for step in result.trajectory.steps if step.model] == [30, 40]

    def test_run_sync(self, toolkit):
        support = agent("support", shop.refund)
        with scripted_model([REFUND, say("Refunded.")]):
            result = toolkit.run_generic(lambda: Runner.run_sync(support, "refund order 123").final_output)
        assert result.output == "Refunded."
        assert told(result) == [("support", "llm"), ("support", "refund"), ("support", "llm")]


class Screen(AsyncComputer):
    """A real computer."""

    environment, dimensions = "browser", (800, 600)

    async def use(self, *args):
        shop.ran("computer")

    screenshot = click = double_click = scroll = type = wait = move = keypress = drag = use


HOSTED = [
    WebSearchTool(),
    FileSearchTool(vector_store_ids=["vs_1"]),
    CodeInterpreterTool(tool_config={"type": "code_interpreter", "container": {"type": "auto"}}),
    ImageGenerationTool(tool_config={"type": "image_generation"}),
    HostedMCPTool(tool_config={"type": "mcp", "server_label": "wiki", "server_url": "https://mcp.invalid"}),
    ShellTool(environment={"type": "container_auto"}),
    ComputerTool(computer=Screen()),
]


class TestHostedTools:
    """Tools that run at the provider, where no mock reaches."""

    @pytest.mark.parametrize("tool", HOSTED, ids=lambda tool: tool.name)
    def test_are_refused_before_the_model_is_asked(self, toolkit, tool):
        support = Agent(name="support", model=MODEL, tools=[tool])
        with pytest.raises(UnmockedToolError, match=tool.name) as caught, scripted_model([]):
            toolkit.run(support, "go")
        assert f'toolkit.allow("{tool.name}")' in str(caught.value)
        assert [tool.kind for tool in choose(support, None).extract_tools(support)] == ["hosted"]

    def test_also_those_of_an_agent_that_is_reached_later_and_in_a_stream(self, toolkit):
        triage = agent("triage", handoffs=[Agent(name="search", model=MODEL, tools=[WebSearchTool()])])
        with pytest.raises(UnmockedToolError, match="web_search"), scripted_model([call("transfer_to_search")]):
            toolkit.run(triage, "go")

        async def stream():
            async for _ in Runner.run_streamed(triage, "go").stream_events():
                pass

        with pytest.raises(UnmockedToolError, match="web_search"), scripted_model([call("transfer_to_search")]):
            toolkit.run_generic(stream)

    @pytest.mark.parametrize("tool", HOSTED, ids=lambda tool: tool.name)
    def test_unless_they_are_allowed(self, toolkit, tool):
        toolkit.allow(tool.name)
        with scripted_model([say("Found.")]):
            assert toolkit.run(Agent(name="support", model=MODEL, tools=[tool]), "go").output == "Found."

    def test_or_nothing_is_strict(self):
        toolkit = MockToolkit(strict=False)
        with scripted_model([say("Found.")]):
            assert toolkit.run(Agent(name="support", model=MODEL, tools=[WebSearchTool()]), "go").output == "Found."


class Editor:
    """A real editor."""

    def create_file(self, operation):
        shop.ran("apply_patch", path=operation.path)

    update_file = delete_file = create_file


class TestToolsThatAreNoFunctions:
    """They run here, so they are mocked."""

    def test_a_shell(self, toolkit):
        from openai.types.responses import ResponseFunctionShellToolCall

        def execute(request):
            shop.ran("shell")

        said = {"id": "s", "call_id": "1", "status": "completed", "type": "shell_call"}
        asked = ResponseFunctionShellToolCall(action={"commands": ["ls"]}, **said)
        support = Agent(name="support", model=Canned(asked, message("Empty.")), tools=[ShellTool(executor=execute)])
        toolkit.mock("shell", return_value="nothing here")
        result = toolkit.run(support, "what is there?")
        assert result.output == "Empty."
        assert result.tool_called_with("shell", commands=["ls"])
        assert "nothing here" in str(support.model.heard[-1])
        support.model = Canned(asked, message("Empty."))
        with pytest.raises(UnmockedToolError, match="shell"):
            MockToolkit().run(support, "what is there?")

    def test_a_computer_is_not_used_by_a_run_that_goes_on(self):
        from agents.run_internal.tool_actions import ComputerAction

        class Step:
            computer_tool = ComputerTool(computer=Screen())

        async def go_on():
            await ComputerAction.execute(agent=agent(), action=Step, hooks=None, context_wrapper=None, config=None)

        with pytest.raises(UnmockedToolError, match="computer"):
            MockToolkit().run_generic(go_on)

    def test_patches(self, toolkit):
        from openai.types.responses import ResponseApplyPatchToolCall

        operation = {"type": "create_file", "path": "a.txt", "diff": "+a"}
        said = {"id": "p", "call_id": "1", "status": "completed", "type": "apply_patch_call"}
        asked = ResponseApplyPatchToolCall(operation=operation, **said)
        support = Agent(name="support", model=Canned(asked, message("Done.")), tools=[ApplyPatchTool(editor=Editor())])
        toolkit.mock("apply_patch", return_value="written")
        result = toolkit.run(support, "write")
        assert result.tool_called_with("apply_patch", **operation)
        assert "written" in str(support.model.heard[-1])
        support.model = Canned(asked, message("Done."))
        with pytest.raises(UnmockedToolError, match="apply_patch"):
            MockToolkit().run(support, "write")

    def test_custom_ones(self, toolkit):
        agents = pytest.importorskip("agents")
        if not hasattr(agents, "CustomTool"):
            pytest.skip("this version has no custom tools")
        from openai.types.responses import ResponseCustomToolCall

        def sql(context, text):
            shop.ran("sql")

        asked = ResponseCustomToolCall(call_id="1", input="select 1", name="sql", type="custom_tool_call")
        tool = agents.CustomTool(name="sql", description="Asks the database.", on_invoke_tool=sql)
        support = Agent(name="support", model=Canned(asked, message("One.")), tools=[tool])
        toolkit.mock("sql", return_value="1")
        result = toolkit.run(support, "count")
        assert result.tool_called_with("sql", input="select 1")
        support.model = Canned(asked, message("One."))
        with pytest.raises(UnmockedToolError, match="sql"):
            MockToolkit().run(support, "count")


class TestAScriptCallsThem:
    """A script calls every kind of tool, each in the way of its own that the API has for it."""

    def run(self, toolkit, tool, *steps):
        with scripted_model(steps) as model:
            result = toolkit.run(Agent(name="support", model=MODEL, tools=[tool]), "go")
        assert (result.error, result.output) == (None, "Done.")
        return result, model

    @staticmethod
    def never(*_):
        shop.ran("a real tool")

    def test_a_shell(self, toolkit):
        toolkit.mock("shell", return_value="orders.csv")
        steps = [call("shell", commands=["ls"], timeout_ms=1000), when(tool_result="orders.csv").then(say("Done."))]
        result, model = self.run(toolkit, ShellTool(executor=self.never), *steps)
        assert result.tool_called_with("shell", commands=["ls"], timeout_ms=1000)
        assert model.requests[1].tool_results == [("shell", "orders.csv")]

    def test_a_local_shell(self, toolkit):
        toolkit.mock("local_shell", return_value="orders.csv")
        steps = [call("local_shell", command=["ls", "-l"]), when(tool_result="orders.csv").then(say("Done."))]
        result, _ = self.run(toolkit, LocalShellTool(executor=self.never), *steps)
        assert result.tool_called_with("local_shell", type="exec", command=["ls", "-l"], env={})

    def test_patches(self, toolkit):
        operation = {"type": "create_file", "path": "a.txt", "diff": "+a"}
        toolkit.mock("apply_patch", return_value="written")
        steps = [call("apply_patch", operation), when(tool="apply_patch", tool_result="written").then(say("Done."))]
        result, _ = self.run(toolkit, ApplyPatchTool(editor=Editor()), *steps)
        assert result.tool_called_with("apply_patch", **operation)

    def test_custom_ones(self, toolkit):
        agents = pytest.importorskip("agents")
        if not hasattr(agents, "CustomTool"):
            pytest.skip("this version has no custom tools")
        tool = agents.CustomTool(name="sql", description="Asks the database.", on_invoke_tool=self.never)
        toolkit.mock("sql", return_value="1")
        steps = [call("sql", input="select 1"), when(tool_result="1").then(say("Done."))]
        result, _ = self.run(toolkit, tool, *steps)
        assert result.tool_called_with("sql", input="select 1")

    def test_a_search_of_the_web_with_its_sources(self, toolkit):
        toolkit.allow("web_search")
        found = call("web_search", query="bees", sources=["https://bees.example"])
        support = Agent(name="support", model=MODEL, tools=[WebSearchTool()])
        with scripted_model([[found, say("Bees sleep.")]]):
            result = toolkit.run_generic(lambda: Runner.run_sync(support, "go"))
        searched = result.output.raw_responses[0].output[0]
        assert (searched.type, searched.action.query) == ("web_search_call", "bees")
        assert [source.url for source in searched.action.sources] == ["https://bees.example"]
        assert result.output.final_output == "Bees sleep."

    def test_streamed(self, toolkit):
        async def agent():
            support = Agent(name="support", model=MODEL, tools=[ShellTool(executor=self.never)])
            streamed = Runner.run_streamed(support, "go")
            async for _ in streamed.stream_events():
                pass
            return streamed.final_output

        toolkit.mock("shell", return_value="orders.csv")
        with scripted_model([call("shell", commands=["ls"]), say("Done.")]):
            result = toolkit.run_generic(agent)
        assert (result.error, result.output) == (None, "Done.")
        assert result.tool_called_with("shell", commands=["ls"])

    def test_one_that_no_model_could_call_is_an_error_of_the_script(self, toolkit):
        toolkit.mock("shell", return_value="orders.csv")
        with pytest.raises(ScriptedCallError, match="commands"), scripted_model([call("shell", command="ls")]):
            toolkit.run(Agent(name="support", model=MODEL, tools=[ShellTool(executor=self.never)]), "go")


SERVER = """
import sys
from pathlib import Path
try:
    from mcp.server.fastmcp import FastMCP
except ImportError:
    from mcp.server import MCPServer as FastMCP

server = FastMCP("files")

@server.tool()
def delete_file(path: str) -> str:
    "Deletes a file."
    Path(sys.argv[1]).write_text("really deleted " + path)
    return "really deleted"

server.run()
"""


class TestMCPServers:
    """A real server, whose tools are listed and never called."""

    @pytest.fixture
    def server(self, tmp_path):
        (tmp_path / "server.py").write_text(SERVER)
        self.leak = tmp_path / "leak.txt"
        command = {"command": sys.executable, "args": [str(tmp_path / "server.py"), str(self.leak)]}
        yield MCPServerStdio(params=command, client_session_timeout_seconds=30, cache_tools_list=True)
        assert not self.leak.exists()

    def test_its_tools_are_mocked_and_it_is_connected_for_the_run(self, toolkit, server):
        files = Agent(name="files", model=MODEL, mcp_servers=[server])
        toolkit.mock("delete_file", return_value="deleted")
        for _ in range(2):
            with scripted_model([call("delete_file", path="a.txt"), when(tool_result="deleted").then(say("Gone."))]):
                result = toolkit.run(files, "delete a.txt")
            assert result.output == "Gone."
            assert told(result)[1] == ("files", "delete_file")
            assert result.tool_called_with("delete_file", path="a.txt")

    def test_one_that_is_not_mocked_never_runs(self, server):
        files = Agent(name="files", model=MODEL, mcp_servers=[server])
        with pytest.raises(UnmockedToolError, match="delete_file"), scripted_model([call("delete_file", path="a.txt")]):
            MockToolkit().run(files, "delete a.txt")
        with scripted_model([say("Hello.")]):
            assert MockToolkit().run(files, "hello").output == "Hello."

    def test_one_that_does_not_start_is_the_error_of_the_run(self, toolkit):
        server = MCPServerStdio(params={"command": "no-such-command"})
        with scripted_model([]):
            assert toolkit.run(Agent(name="files", model=MODEL, mcp_servers=[server]), "hello").error is not None

    def test_one_that_never_answers_holds_a_run_to_its_deadline_and_no_longer(self, toolkit):
        server = MCPServerStdio(
            params={"command": sys.executable, "args": ["-c", "import time; time.sleep(60)"]},
            client_session_timeout_seconds=60,
        )
        with scripted_model([]), Stopwatch() as watch:
            result = toolkit.run(Agent(name="files", model=MODEL, mcp_servers=[server]), "hello", timeout=1)
        assert isinstance(result.error, AgentTimeoutError)
        assert watch.fair < 2

    def test_one_that_was_connected_by_its_user(self, toolkit, server):
        toolkit.mock("delete_file", return_value="deleted")

        async def ask():
            async with server:
                files = Agent(name="files", model=MODEL, mcp_servers=[server])
                return (await Runner.run(files, "delete a.txt")).final_output

        with scripted_model([call("delete_file", path="a.txt"), say("Gone.")]):
            result = toolkit.run_generic(ask)
        assert result.output == "Gone."

    def test_one_that_is_connected_in_another_loop_would_never_answer(self, toolkit, server):
        files = Agent(name="files", model=MODEL, mcp_servers=[server])

        async def test():
            async with server:
                with pytest.raises(InvalidArgumentError, match="another event loop"):
                    toolkit.run(files, "delete a.txt")

        with scripted_model([]):
            asyncio.run(test())

    def test_its_tools_are_known_once_they_were_listed(self, toolkit, server):
        files = Agent(name="files", model=MODEL, mcp_servers=[server])
        adapter = choose(files, None)
        assert adapter.extract_tools(files) == []
        assert not adapter.knows_all_tools(files)
        with scripted_model([say("Hello.")]):
            toolkit.run(files, "hello")
        (listed,) = adapter.extract_tools(files)
        assert (listed, listed.kind, listed.agent_id) == ("delete_file", "mcp", "files")
        assert listed.schema["properties"]["path"]["type"] == "string"
        assert not adapter.knows_all_tools(files)


LATE = """
import os
os.environ["OPENAI_API_KEY"] = "none"
from unitai import MockToolkit, scripted_model
from unitai.script import call, say

async def late():
    from agents import Agent, Runner, function_tool

    @function_tool
    def refund(order_id: str) -> str:
        raise SystemExit("a real tool ran")

    return (await Runner.run(Agent(name="late", model="gpt-4o", tools=[refund]), "refund order 123")).final_output

toolkit = MockToolkit()
toolkit.mock("refund", return_value="refunded")
for _ in range(2):
    with scripted_model([call("refund", order_id="123"), say("Refunded.")]):
        result = toolkit.run_generic(late)
    assert result.output == "Refunded.", result.error
    assert [step.agent_id for step in result.trajectory.steps] == ["late"] * 3
    assert result.tool_call_count("refund") == 1
"""

OWN = """
import agents.run
from unitai import MockToolkit

toolkit = MockToolkit()
toolkit.mock("refund", return_value="refunded")
assert toolkit.run(agents.run.agent, "refund order 123").output == "refunded"
"""


class TestImports:
    """When, and what, is imported as `agents`."""

    def run(self, code, folder):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def test_it_may_be_imported_inside_of_a_run(self, tmp_path):
        self.run(LATE, tmp_path)

    def test_somebodys_own_package_of_that_name_is_left_alone(self, tmp_path):
        (tmp_path / "agents").mkdir()
        (tmp_path / "agents" / "__init__.py").touch()
        (tmp_path / "agents" / "run.py").write_text("def agent(input, tools): return tools['refund'](order_id='123')")
        self.run(OWN, tmp_path)


class TestTraces:
    """They go to OpenAI, unless they are those of a run."""

    def test_nothing_is_kept_to_be_sent(self, toolkit, monkeypatch):
        from agents.tracing import processors, set_trace_processors
        from agents.tracing.processor_interface import TracingProcessor

        class Mine(TracingProcessor):
            def __init__(self):
                self.spans = []

            def on_span_end(self, span):
                self.spans.append(span.span_data.type)

            on_trace_start = on_trace_end = on_span_start = lambda self, item: None
            shutdown = force_flush = lambda self, *args: None

        sent = []
        exporter = processors.ConsoleSpanExporter()
        monkeypatch.setattr(exporter, "export", sent.extend)
        mine, theirs = Mine(), processors.BatchTraceProcessor(exporter)
        set_trace_processors([mine, theirs])
        try:
            with scripted_model([REFUND, say("Refunded.")]):
                toolkit.run(agent("support", shop.refund), "refund order 123")
            theirs.force_flush()
        finally:
            theirs.shutdown()
            set_trace_processors([])
        assert sent == []
        assert "function" in mine.spans


@dataclass
class Booking:
    """What the agents of the airline know of their customer."""

    confirmation: str | None = None
    seat: str | None = None
    flight: str | None = None


def airline():
    """A customer service as in the examples of the framework: triage hands over to one who answers questions or one who
    books seats, and they hand back.
    """

    @function_tool(name_override="faq_lookup_tool", description_override="Lookup frequently asked questions.")
    async def faq_lookup(question: str) -> str:
        shop.ran("faq_lookup_tool", question=question)
        return "really looked up"

    @function_tool
    async def update_seat(context: RunContextWrapper[Booking], confirmation_number: str, new_seat: str) -> str:
        """Update the seat for a given confirmation number."""
        shop.ran("update_seat", new_seat=new_seat)
        context.context.confirmation, context.context.seat = confirmation_number, new_seat
        return f"Updated seat to {new_seat}"

    async def on_seat_booking(context: RunContextWrapper[Booking]) -> None:
        context.context.flight = "FLT-417"

    faq = Agent[Booking](name="FAQ Agent", handoff_description="Answers questions.", model=MODEL, tools=[faq_lookup])
    seats = Agent[Booking](
        name="Seat Booking Agent", handoff_description="Books seats.", model=MODEL, tools=[update_seat]
    )
    triage = Agent[Booking](
        name="Triage Agent", model=MODEL, handoffs=[faq, handoff(agent=seats, on_handoff=on_seat_booking)]
    )
    faq.handoffs.append(triage)
    seats.handoffs.append(triage)
    return triage


class TestCustomerService:
    """An example of the framework's own, reduced, as it stands."""

    def test_a_seat_is_booked(self):
        toolkit = MockToolkit()
        toolkit.mock("faq_lookup_tool", return_value="Bags may weigh 50 pounds.")
        toolkit.mock("update_seat", return_value="Updated seat to 12A")
        booking = Booking()
        script = [
            call("transfer_to_faq_agent"),
            call("faq_lookup_tool", question="How heavy may a bag be?"),
            call("transfer_to_triage_agent"),
            call("transfer_to_seat_booking_agent"),
            call("update_seat", confirmation_number="ABC123", new_seat="12A"),
            when(tool_result="Updated seat to 12A").then(say("Bags: 50 pounds. You sit in 12A.")),
        ]
        with scripted_model(script):
            result = toolkit.run(
                airline(), "How heavy may a bag be? And seat me in 12A.", adapter=OpenAIAgentsAdapter(context=booking)
            )
        assert result.error is None
        assert result.output == "Bags: 50 pounds. You sit in 12A."
        assert result.tool_called_before("faq_lookup_tool", "update_seat")
        assert result.tool_called_with("update_seat", confirmation_number="ABC123", new_seat="12A")
        changes = [step for step in result.trajectory.steps if step.step_type == "state_change"]
        assert [step.new_value for step in changes] == ["FAQ Agent", "Triage Agent", "Seat Booking Agent"]
        # The hook of the handoff is real, the tool is not.
        assert booking == Booking(flight="FLT-417")

    def test_it_cannot_do_anything_that_the_test_does_not_know_of(self):
        toolkit = MockToolkit()
        toolkit.mock("faq_lookup_tool", return_value="Bags may weigh 50 pounds.")
        script = [
            call("transfer_to_seat_booking_agent"),
            call("update_seat", confirmation_number="ABC123", new_seat="12A"),
        ]
        with pytest.raises(UnmockedToolError, match="update_seat"), scripted_model(script):
            toolkit.run(airline(), "Seat me in 12A.", adapter=OpenAIAgentsAdapter(context=Booking()))

    def test_the_mock_of_a_tool_that_nobody_has_is_an_error(self):
        toolkit = MockToolkit()
        toolkit.mock("update_seats", return_value="-")
        with pytest.raises(UnknownToolError, match="update_seat"), scripted_model([]):
            toolkit.run(airline(), "Seat me in 12A.")


def test_a_tool_that_code_has_in_hand_is_mocked_too():
    """A hook or another tool may call it as the runner does."""
    inner = function_tool(shop.refund)

    @function_tool
    async def outer(context: RunContextWrapper[object], order_id: str) -> str:
        """Refund an order."""
        return await inner.on_invoke_tool(context, f'{{"order_id": "{order_id}", "amount": 1.0}}')

    toolkit = MockToolkit()
    toolkit.allow("outer")
    toolkit.mock("refund", return_value="refunded", optional=True)
    agent = Agent(name="support", model="gpt-4o-mini", tools=[outer])
    with scripted_model([call("outer", order_id="1"), say("Done.")]):
        result = toolkit.run(agent, "go")
    assert result.error is None
    assert result.call_order() == ["outer", "refund"]
    assert result.get_call("outer").result == "refunded"
