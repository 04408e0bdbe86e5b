"""What is special about LangGraph: graphs of every make, state, memory, interrupts, and tools that write the state."""

from __future__ import annotations

import asyncio
import operator
import sys
import warnings
from importlib import import_module
from typing import Annotated, Any, Literal

import pytest

pytest.importorskip("langgraph")
with warnings.catch_warnings():
    # Early releases warn of their own parts when they are imported.
    warnings.simplefilter("ignore")
    import_module("langgraph.prebuilt")

import shop
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    LLMToolEmulator,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
    after_model,
    wrap_tool_call,
)
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import ToolRuntime
from langchain_core.language_models import BaseChatModel, FakeListChatModel, FakeListLLM, GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, Tool, ToolException, tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode, create_react_agent, tools_condition
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from unitai import (
    MockToolkit,
    UnknownToolError,
    UnmockedToolError,
    UnreachableToolError,
    UnsupportedFrameworkError,
    scripted_model,
)
from unitai.adapters.langgraph import LangGraphAdapter
from unitai.script import call, say

pytestmark = [pytest.mark.contract, pytest.mark.filterwarnings("ignore")]

LOOKUP = call("lookup_order", order_id="123")
REFUND = call("refund", order_id="123", amount=10.0)
EMAIL = call("send_email", to="a@b.c", text="Done.")
ASKED = {"messages": [("user", "refund order 123")]}
TOOLS = [tool(each) for each in shop.TOOLS]
lookup_tool, refund_tool, email_tool = TOOLS


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("lookup_order", return_value={"status": "delivered"}, optional=True)
    toolkit.mock("refund", return_value="refunded", optional=True)
    toolkit.mock("send_email", return_value="sent", optional=True)
    return toolkit


def model() -> ChatOpenAI:
    return ChatOpenAI(model="gpt-4o-mini", max_retries=0)


def steps(result, kind):
    return [step for step in result.trajectory.steps if step.step_type == kind]


def changes(result):
    """Every change of the state: whose, of what, from what, to what."""
    return [(step.agent_id, step.key, step.old_value, step.new_value) for step in steps(result, "state_change")]


def whose(result):
    """Who did what: model calls and tools, in order."""
    return [
        (step.agent_id, step.tool_name or "llm") for step in result.trajectory.steps if step.step_type != "state_change"
    ]


def answered(result):
    assert result.error is None, result.error
    return result.output


#: Event loops lose the context of a task before Python 3.11, and with it what `interrupt` and `@task` ask for.
IS_LOST = sys.version_info < (3, 11)


def on_thread(name="1", sync=IS_LOST, **options):
    return LangGraphAdapter({"configurable": {"thread_id": name}}, sync=sync, **options)


class TestToolsWithWaysOfTheirOwn:
    """However a class of tools is written, and whoever holds one of its methods, the real tool does not run."""

    class OwnRun(BaseTool):
        name: str = "lookup_order"
        description: str = "Look an order up."

        def _run(self, order_id: str) -> str:
            shop.ran("lookup_order", order_id=order_id)
            return "really"

        def run(self, *args, **options):
            return self._run("own run")

    class OwnInvoke(OwnRun):
        def invoke(self, input, config=None, **options):
            return self._run("own invoke")

        async def ainvoke(self, input, config=None, **options):
            return self._run("own ainvoke")

    @pytest.mark.parametrize("kind", [OwnRun, OwnInvoke])
    def test_a_tool_that_is_called_in_its_own_way(self, kind):
        toolkit = MockToolkit()
        toolkit.mock("lookup_order", return_value="mocked")
        made = kind()
        result = toolkit.run_generic(lambda: [made.run({"order_id": "1"}), made.invoke({"order_id": "2"})])
        assert result.output == ["mocked", "mocked"]
        assert result.call_order() == ["lookup_order"] * 2

    @pytest.mark.parametrize("way", ["func", "_run", "coroutine", "_arun"])
    def test_what_is_inside_of_a_tool_is_the_tool(self, way):
        """Code that calls `tool.func(...)` or `tool._run(...)` itself is answered as one that calls the tool."""
        ran = []

        @tool
        def find(order_id: str, page: int = 1, config: RunnableConfig = None) -> str:
            """Find."""
            ran.append(order_id)
            return "really found"

        @tool
        async def find_soon(order_id: str, page: int = 1) -> str:
            """Find."""
            ran.append(order_id)
            return "really found"

        def agent():
            if way == "func":
                return find.func("1", page=2)
            if way == "_run":
                return find._run("1", page=2, config={})
            chosen = {"coroutine": lambda: find_soon.coroutine("1", page=2)}.get(way)
            return asyncio.run(chosen() if chosen else find_soon._arun("1", page=2, config={}))

        toolkit = MockToolkit()
        name = "find" if way in ("func", "_run") else "find_soon"
        toolkit.mock(name, return_value="mocked")
        result = toolkit.run_generic(agent)
        assert answered(result) == "mocked"
        assert [step.tool_args for step in steps(result, "tool_call")] == [{"order_id": "1", "page": 2}]
        with pytest.raises(UnmockedToolError, match=name):
            MockToolkit().run_generic(agent)
        assert ran == []
        allowing = MockToolkit()
        allowing.allow(name)
        result = allowing.run_generic(agent)
        assert (answered(result), ran, result.call_order()) == ("really found", ["1"], [name])

    def test_a_real_tool_that_may_run_uses_its_own_methods(self):
        class Search(BaseTool):
            name: str = "search"
            description: str = "Search."

            def _run(self, text: str) -> str:
                return f"hits for {text}"

            async def _arun(self, text: str) -> str:
                return self._run(text)

        toolkit = MockToolkit()
        toolkit.allow("search")
        result = toolkit.run_generic(lambda: asyncio.run(Search().ainvoke({"text": "x"})))
        assert answered(result) == "hits for x"
        assert result.call_order() == ["search"]

    @pytest.mark.parametrize("is_run_by_the_adapter", [True, False])
    def test_a_function_that_was_taken_before_the_run_is_replaced_by_patch(self, monkeypatch, is_run_by_the_adapter):
        ran = []

        @tool("find")
        def found(order_id: str) -> str:
            """Find."""
            ran.append(order_id)
            return "really found"

        monkeypatch.setattr(shop, "found", found, raising=False)
        held = found.func
        toolkit = MockToolkit()
        toolkit.patch("shop.found", return_value="mocked")
        if is_run_by_the_adapter:
            with scripted_model([call("find", order_id="1"), say("Done.")]):
                result = toolkit.run(create_agent(model(), [found]), "find it")
            assert answered(result) == "Done."
        else:
            assert answered(toolkit.run_generic(lambda: held("1"))) == "mocked"
            result = toolkit.last_result
        assert result.call_order() == ["find"]
        assert result.get_call("find").args == {"order_id": "1"}
        assert ran == []

    def test_a_method_that_was_taken_before_the_run_is_refused(self):
        held = tool(shop.lookup_order).run
        with pytest.raises(UnmockedToolError, match="taken from the tool before the run"):
            MockToolkit().run_generic(lambda: held({"order_id": "1"}))


class State(TypedDict, total=False):
    messages: Annotated[list, operator.add]
    order: dict
    total: int
    seen: Annotated[list, operator.add]


def graph_of(*nodes, state=State, **options):
    """A graph of functions, one after the other; each has its own name."""
    graph = StateGraph(state)
    for at, each in enumerate(nodes):
        graph.add_node(each.__name__, each)
        graph.add_edge(nodes[at - 1].__name__ if at else START, each.__name__)
    return graph.compile(**options)


class TestGraphs:
    """Every way in which users make one."""

    def test_create_react_agent(self, toolkit):
        agent = create_react_agent(model(), TOOLS, name="support")
        with scripted_model([[LOOKUP, REFUND], EMAIL, say("Done.")]):
            result = toolkit.run(agent, "refund order 123")
        assert answered(result) == "Done."
        assert whose(result) == [
            ("support", "llm"),
            ("support", "lookup_order"),
            ("support", "refund"),
            ("support", "llm"),
            ("support", "send_email"),
            ("support", "llm"),
        ]

    @pytest.mark.parametrize("is_compiled", [True, False])
    def test_a_graph_made_by_hand_compiled_or_not(self, toolkit, is_compiled):
        bound = model().bind_tools(TOOLS)

        def chatbot(state: MessagesState) -> dict:
            return {"messages": [bound.invoke(state["messages"])]}

        graph = StateGraph(MessagesState)
        graph.add_node("chatbot", chatbot)
        graph.add_node("tools", ToolNode(TOOLS))
        graph.add_edge(START, "chatbot")
        graph.add_conditional_edges("chatbot", tools_condition)
        graph.add_edge("tools", "chatbot")
        agent = graph.compile() if is_compiled else graph
        with scripted_model([[LOOKUP, REFUND, EMAIL], say("Done.")]):
            result = toolkit.run(agent, "refund order 123")
        assert answered(result) == "Done."
        # A node that calls tools is nobody.
        assert whose(result) == [
            ("chatbot", "llm"),
            (None, "lookup_order"),
            (None, "refund"),
            (None, "send_email"),
            ("chatbot", "llm"),
        ]
        assert LangGraphAdapter().extract_tools(agent) == ["lookup_order", "refund", "send_email"]

    def test_a_node_that_calls_tools_itself(self, toolkit):
        by_name = {each.name: each for each in TOOLS}
        bound = model().bind_tools(TOOLS)

        async def agent(state: MessagesState) -> dict:
            said = await bound.ainvoke(state["messages"])
            results = [
                ToolMessage(str(await by_name[each["name"]].ainvoke(each["args"])), tool_call_id=each["id"])
                for each in said.tool_calls
            ]
            return {"messages": [said, *results]}

        graph = graph_of(agent, state=MessagesState)
        assert LangGraphAdapter().extract_tools(graph) == ["lookup_order", "refund", "send_email"]
        assert not LangGraphAdapter().knows_all_tools(graph)
        with scripted_model([[LOOKUP, EMAIL]]):
            result = toolkit.run(graph, "refund order 123")
        assert answered(result) == "sent"
        assert whose(result) == [("agent", "llm"), ("agent", "lookup_order"), ("agent", "send_email")]
        with scripted_model([LOOKUP]), pytest.raises(UnmockedToolError, match="lookup_order"):
            MockToolkit().run(graph, "refund order 123")

    def test_functions(self, toolkit):
        @task
        def look_up(order_id: str) -> dict:
            return lookup_tool.invoke({"order_id": order_id})

        @entrypoint()
        def workflow(order_id: str) -> str:
            order = look_up(order_id).result()
            said = model().invoke(f"refund {order}")
            return f"{order['status']}: {said.text}"

        with scripted_model([say("Refunded.")]):
            result = toolkit.run(workflow, "123", adapter=LangGraphAdapter(sync=IS_LOST))
        assert answered(result) == "delivered: Refunded."
        assert whose(result) == [("look_up", "lookup_order"), ("workflow", "llm")]
        with scripted_model([say("Refunded.")]):
            result = toolkit.run_generic(lambda: workflow.invoke("123"))
        assert answered(result) == "delivered: Refunded."

    def test_a_state_that_is_no_talk_is_the_output(self, toolkit):
        def look_up(state: State) -> dict:
            return {"order": lookup_tool.invoke({"order_id": "123"})}

        result = toolkit.run(graph_of(look_up), {"total": 1})
        assert answered(result) == {"messages": [], "seen": [], "total": 1, "order": {"status": "delivered"}}

    def test_structured_output_is_the_output(self, toolkit):
        class Answer(BaseModel):
            text: str

        agent = create_agent(model(), TOOLS, response_format=ToolStrategy(Answer))
        with scripted_model([LOOKUP, call("Answer", text="delivered")]):
            result = toolkit.run(agent, "where is it?")
        assert answered(result) == Answer(text="delivered")
        assert result.call_order() == ["lookup_order"]
        assert changes(result) == [(None, "structured_response", None, Answer(text="delivered"))]
        # Nodes that the framework made are nobody.
        assert {step.agent_id for step in result.trajectory.steps} == {None}


def test_a_guard_in_the_graph_may_refuse_a_call_if_the_test_says_so(toolkit):
    bound = model().bind_tools(TOOLS)

    def chatbot(state: MessagesState) -> dict:
        return {"messages": [bound.invoke(state["messages"])]}

    def guard(state: MessagesState) -> Command:
        (asked,) = state["messages"][-1].tool_calls
        if asked["name"] != "refund":
            return Command(goto="tools")
        return Command(goto="chatbot", update={"messages": [ToolMessage("Not today.", tool_call_id=asked["id"])]})

    graph = StateGraph(MessagesState)
    graph.add_node("chatbot", chatbot)
    graph.add_node("guard", guard, destinations=("chatbot", "tools"))
    graph.add_node("tools", ToolNode(TOOLS))
    graph.add_edge(START, "chatbot")
    graph.add_edge("tools", "chatbot")
    graph.add_conditional_edges(
        "chatbot", lambda state: "guard" if state["messages"][-1].tool_calls else END, ["guard", END]
    )
    with (
        pytest.raises(UnreachableToolError, match=r'allow_refusal\("refund"\)'),
        scripted_model([REFUND, LOOKUP, say("Sorry.")]),
    ):
        toolkit.run(graph.compile(), "refund order 123")
    toolkit.allow_refusal("refund")
    with scripted_model([REFUND, LOOKUP, say("Sorry.")]):
        result = toolkit.run(graph.compile(), "refund order 123")
    assert answered(result) == "Sorry."
    refused, looked_up = steps(result, "tool_call")
    assert (refused.tool_name, refused.rejected, refused.tool_error.message) == ("refund", True, "Not today.")
    assert (looked_up.tool_name, looked_up.rejected) == ("lookup_order", False)


def test_a_node_that_calls_a_real_function_beside_the_tool_ends_the_run(toolkit):
    bound = model().bind_tools(TOOLS)

    def chatbot(state: MessagesState) -> dict:
        return {"messages": [bound.invoke(state["messages"])]}

    def large(state: MessagesState) -> dict:
        (asked,) = state["messages"][-1].tool_calls
        return {"messages": [ToolMessage("really refunded", tool_call_id=asked["id"])]}

    def way(state: MessagesState) -> str:
        calls = state["messages"][-1].tool_calls
        return END if not calls else "large" if calls[0]["args"]["amount"] > 100 else "tools"

    graph = StateGraph(MessagesState)
    graph.add_node("chatbot", chatbot)
    graph.add_node("large", large)
    graph.add_node("tools", ToolNode(TOOLS))
    graph.add_edge(START, "chatbot")
    graph.add_edge("tools", "chatbot")
    graph.add_edge("large", "chatbot")
    graph.add_conditional_edges("chatbot", way, ["large", "tools", END])
    small, large_one = (call("refund", order_id="123", amount=amount) for amount in (50.0, 500.0))
    with (
        pytest.raises(UnreachableToolError, match="refund is mocked, but its calls do not reach the mock"),
        scripted_model([small, large_one, say("Done.")]),
    ):
        toolkit.run(graph.compile(), "refund order 123")


class TestNodesThatCallPlainFunctions:
    """A node of the user's own that dispatches to functions: no redirect sees them, and the model's traffic does."""

    ran: list[str] = []

    @pytest.fixture
    def graph(self):
        return self.graph_of(model())

    def graph_of(self, chat):
        self.ran.clear()

        def refund(order_id: str, amount: float) -> str:
            self.ran.append(order_id)
            return "really refunded"

        functions = {"refund": refund}
        bound = chat.bind_tools([refund_tool])

        def chatbot(state: MessagesState) -> dict:
            return {"messages": [bound.invoke(state["messages"])]}

        def dispatch(state: MessagesState) -> dict:
            calls = state["messages"][-1].tool_calls
            return {
                "messages": [
                    ToolMessage(functions[each["name"]](**each["args"]), tool_call_id=each["id"]) for each in calls
                ]
            }

        graph = StateGraph(MessagesState)
        graph.add_node("chatbot", chatbot)
        graph.add_node("dispatch", dispatch)
        graph.add_edge(START, "chatbot")
        graph.add_conditional_edges(
            "chatbot", lambda state: "dispatch" if state["messages"][-1].tool_calls else END, ["dispatch", END]
        )
        graph.add_edge("dispatch", "chatbot")
        return graph.compile()

    def test_a_mock_that_the_node_passes_by_ends_the_run(self, graph, toolkit):
        with (
            pytest.raises(UnreachableToolError, match="refund is mocked") as caught,
            scripted_model([REFUND, say("Done.")]),
        ):
            toolkit.run(graph, "refund order 123")
        assert "really refunded" in str(caught.value)
        assert [step.unseen for step in steps(caught.value.result, "tool_call")] == [True]

    def test_so_does_a_function_that_is_neither_mocked_nor_allowed(self, graph):
        with pytest.raises(UnreachableToolError, match="neither mocked nor"), scripted_model([REFUND, say("Done.")]):
            MockToolkit().run(graph, "refund order 123")

    def test_one_that_is_allowed_runs(self, graph):
        toolkit = MockToolkit()
        toolkit.allow("refund")
        with scripted_model([REFUND, say("Done.")]):
            result = toolkit.run(graph, "refund order 123")
        assert answered(result) == "Done."
        assert self.ran == ["123"]
        assert [step.unseen for step in steps(result, "tool_call")] == [True]

    def test_one_whose_result_goes_nowhere_is_noticed_when_the_graph_ends(self, toolkit):
        bound = model().bind_tools([refund_tool])

        def dispatch(state: MessagesState) -> dict:
            (asked,) = bound.invoke(state["messages"]).tool_calls
            self.ran.append(asked["args"]["order_id"])
            return {"messages": [AIMessage("Done.")]}

        graph = graph_of(dispatch, state=MessagesState)
        with pytest.raises(UnreachableToolError, match="the model requested refund"), scripted_model([REFUND]):
            toolkit.run(graph, "refund order 123")

    def test_what_a_node_calls_for_a_model_without_traffic_is_not_noticed(self, toolkit):
        class Refunding(GenericFakeChatModel):
            def bind_tools(self, tools, **options):
                return self

        asked = {"name": "refund", "args": {"order_id": "123", "amount": 10.0}, "id": "call_1"}
        graph = self.graph_of(Refunding(messages=iter([AIMessage("", tool_calls=[asked]), AIMessage("Done.")])))
        result = toolkit.run(graph, "refund order 123")
        assert self.ran == ["123"]
        assert result.tool_not_called("refund")
        assert result.llm_calls == 2

    def test_a_graph_whose_model_calls_nothing_is_left_alone(self, graph, toolkit):
        with scripted_model([say("Nothing to do.")]):
            assert answered(toolkit.run(graph, "hello")) == "Nothing to do."


class Forwarding(BaseChatModel):
    """A model that asks another, as routers and caches do."""

    inner: BaseChatModel

    @property
    def _llm_type(self) -> str:
        return "forwarding"

    def _generate(self, messages, stop=None, run_manager=None, **options):
        return self.inner._generate(messages, stop=stop, **options)


class TestModelsWithoutTraffic:
    """Models that answer in this process, called with a graph or without."""

    def test_fakes_are_free(self, toolkit):
        result = toolkit.run_generic(lambda: FakeListChatModel(responses=["Hello."]).invoke("hi").content)
        assert result.output == "Hello."
        assert (result.llm_calls, result.total_cost) == (1, 0)

    def test_so_are_those_that_answer_with_plain_text(self, toolkit):
        result = toolkit.run_generic(lambda: FakeListLLM(responses=["Hello."]).invoke("hi"))
        assert (result.output, result.llm_calls, result.total_cost) == ("Hello.", 1, 0)

    def test_each_of_several_prompts_of_a_batch_is_a_call(self, toolkit):
        chat = FakeListChatModel(responses=["One.", "Two."])
        result = toolkit.run_generic(lambda: [each.content for each in chat.batch(["1", "2"])])
        assert sorted(result.output) == ["One.", "Two."]
        assert result.llm_calls == 2

    def test_a_stream_that_is_left_early_is_a_call(self, toolkit):
        result = toolkit.run_generic(lambda: next(FakeListChatModel(responses=["Hello."]).stream("hi")).content)
        assert result.output == "H"
        assert result.llm_calls == 1

    def test_one_that_fails_is_a_call(self, toolkit):
        broken = FakeListChatModel(responses=["Hello."], error_on_chunk_number=1)
        result = toolkit.run_generic(lambda: list(broken.stream("hi")))
        assert result.error is not None
        assert result.llm_calls == 1

    def test_one_that_asks_another_is_no_second_call(self, toolkit):
        chat = Forwarding(inner=Forwarding(inner=FakeListChatModel(responses=["Hello."])))
        result = toolkit.run_generic(lambda: chat.invoke("hi").content)
        assert (result.output, result.llm_calls, result.total_cost) == ("Hello.", 1, 0)

    def test_nor_is_one_whose_traffic_is_seen(self, toolkit):
        with scripted_model([say("Hello.").using(10, 3)]):
            result = toolkit.run_generic(lambda: Forwarding(inner=model()).invoke("hi").content)
        assert (result.output, result.llm_calls, result.total_tokens) == ("Hello.", 1, 13)

    def test_side_by_side_each_is_one_and_none_hides_another(self, toolkit):
        async def ask():
            chats = [Forwarding(inner=model()), FakeListChatModel(responses=["Hello."], sleep=0.05)] * 4
            return [each.content for each in await asyncio.gather(*(chat.ainvoke("hi") for chat in chats))]

        with scripted_model([say("Hello.").after(0.02)] * 4):
            result = toolkit.run_generic(ask)
        assert result.output == ["Hello."] * 8
        assert result.llm_calls == 8


class TestTools:
    """Tools of every kind."""

    def test_state_runtime_and_id_are_no_arguments(self, toolkit):
        @tool
        def set_plan(
            plan: str,
            state: Annotated[dict, InjectedState],
            tool_call_id: Annotated[str, InjectedToolCallId],
        ) -> Command:
            """Set the plan."""
            shop.ran("set_plan", plan=plan)
            return Command(update={"messages": [ToolMessage("set", tool_call_id=tool_call_id)]})

        @tool
        def greet(name: str, runtime: ToolRuntime) -> str:
            """Greet."""
            shop.ran("greet", name=name)
            return str(runtime.state)

        agent = create_agent(model(), [set_plan, greet])
        listed = LangGraphAdapter().extract_tools(agent)
        assert [set(each.schema["properties"]) for each in listed] == [{"plan"}, {"name"}]
        toolkit.mock("set_plan", return_value="set")
        toolkit.mock("greet", side_effect=lambda args: f"hello {args['name']}")
        with scripted_model([[call("set_plan", plan="pro"), call("greet", name="Ann")], say("Done.")]):
            result = toolkit.run(agent, "upgrade me")
        assert answered(result) == "Done."
        assert result.get_call("set_plan").args == {"plan": "pro"}
        assert result.get_call("greet").args == {"name": "Ann"}
        assert result.get_call("greet").result == "hello Ann"

    def test_a_mock_may_return_a_command_and_need_not_answer_the_model(self, toolkit):
        class Shop(MessagesState):
            plan: str

        @tool
        def set_plan(plan: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
            """Set the plan."""
            shop.ran("set_plan", plan=plan)
            return Command()

        def agent(state: Shop) -> dict:
            return {"messages": [model().bind_tools([set_plan]).invoke(state["messages"])]}

        graph = StateGraph(Shop)
        graph.add_node(agent)
        graph.add_node("tools", ToolNode([set_plan]))
        graph.add_edge(START, "agent")
        graph.add_conditional_edges("agent", tools_condition)
        graph.add_edge("tools", "agent")
        toolkit.mock("set_plan", side_effect=lambda args: Command(update={"plan": args["plan"]}))
        with scripted_model([call("set_plan", plan="pro"), say("Done.")]):
            result = toolkit.run(graph, "upgrade me")
        assert answered(result) == "Done."
        assert changes(result) == [(None, "plan", None, "pro")]

    def test_an_artifact_may_be_left_out(self, toolkit):
        @tool(response_format="content_and_artifact")
        def search(text: str) -> tuple[str, list]:
            """Search."""
            shop.ran("search", text=text)
            return "", []

        agent = create_agent(model(), [search])
        for value, artifact in (("two hits", None), (("two hits", [1, 2]), [1, 2])):
            toolkit.mock("search", return_value=value, replace=True)
            with scripted_model([call("search", text="x"), say("Done.")]):
                result = toolkit.run_generic(lambda: agent.invoke(ASKED))
            message = answered(result)["messages"][-2]
            assert (message.content, message.artifact) == ("two hits", artifact)

    def test_classes_and_tools_of_one_text(self, toolkit):
        class Cancel(BaseTool):
            name: str = "cancel"
            description: str = "Cancel an order."

            def _run(self, order_id: str, reason: str = "none") -> str:
                shop.ran("cancel", order_id=order_id)
                return "really"

        def really(text):
            shop.ran("search", text=text)

        agent = create_agent(model(), [Cancel(), Tool(name="search", description="Search.", func=really)])
        toolkit.mock("cancel", return_value="cancelled")
        toolkit.mock("search", return_value="found")
        with scripted_model([call("cancel", order_id="1"), call("search", __arg1="x"), say("Done.")]):
            result = toolkit.run(agent, "cancel it")
        assert answered(result) == "Done."
        assert result.get_call("cancel").args == {"order_id": "1"}
        assert result.get_call("search").result == "found"
        with scripted_model([call("cancel", reason="none").unchecked()]):
            refused = toolkit.run(agent, "cancel it")
        assert "order_id" in str(refused.get_call("cancel").error)

    def test_arguments_of_a_tool_described_by_json_are_checked(self, toolkit):
        schema = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}

        def really(**args):
            shop.ran("lookup", **args)

        agent = create_agent(model(), [StructuredTool(name="lookup", description="", args_schema=schema, func=really)])
        toolkit.mock("lookup", return_value="found")
        with scripted_model([call("lookup", id="x").unchecked()]):
            result = toolkit.run(agent, "find it")
        assert "id" in str(result.get_call("lookup").error)
        with scripted_model([call("lookup", id=3), say("Done.")]):
            assert answered(toolkit.run(agent, "find it")) == "Done."

    def test_an_error_that_the_tool_handles_is_told_to_the_model(self, toolkit):
        careful = StructuredTool.from_function(shop.refund, handle_tool_error=True)
        toolkit.mock("refund", side_effect=ToolException("the bank is closed"), replace=True)
        with scripted_model([REFUND, say("I am sorry.")]):
            result = toolkit.run(create_agent(model(), [careful]), "refund")
        assert answered(result) == "I am sorry."
        assert "the bank is closed" in str(result.get_call("refund").error)

    def test_a_wrapper_around_tool_calls_is_kept(self, toolkit):
        seen = []

        @wrap_tool_call
        def watch(request, handler):
            seen.append(request.tool_call["name"])
            return handler(request)

        agent = create_agent(model(), TOOLS, middleware=[watch])
        with scripted_model([REFUND, say("Done.")]):
            result = toolkit.run(agent, "refund", adapter=LangGraphAdapter(sync=True))
        assert answered(result) == "Done."
        assert seen == result.call_order() == ["refund"]

    def test_a_wrapper_that_is_not_async_inside_of_an_agent_that_is(self, toolkit):
        async def slow(args):
            await asyncio.sleep(0.01)
            return "sent slowly"

        node = ToolNode(TOOLS, wrap_tool_call=lambda request, handler: handler(request))

        def agent(state: MessagesState) -> dict:
            return {"messages": [model().bind_tools(TOOLS).invoke(state["messages"])]}

        graph = StateGraph(MessagesState)
        graph.add_node(agent)
        graph.add_node("tools", node)
        graph.add_edge(START, "agent")
        graph.add_edge("agent", "tools")
        toolkit.mock("send_email", side_effect=slow, replace=True)
        with scripted_model([EMAIL]):
            assert answered(toolkit.run(graph, "write")) == "sent slowly"

    def test_a_tool_that_the_provider_runs_is_refused_before_the_model_is_asked(self, toolkit):
        search = {"type": "web_search"}
        agent = create_agent(model(), [*TOOLS, search])
        bound = model().bind_tools([search])

        def ask(state: MessagesState) -> dict:
            return {"messages": [bound.invoke(state["messages"])]}

        assert [each.kind for each in LangGraphAdapter().extract_tools(graph_of(ask, state=MessagesState))] == [
            "hosted"
        ]
        for run in (lambda: next(bound.stream("search")), lambda: bound.invoke("search")):
            with scripted_model([]), pytest.raises(UnmockedToolError, match="web_search"):
                toolkit.run_generic(run)
        listed = {str(each): each.kind for each in LangGraphAdapter().extract_tools(agent)}
        assert listed == {"lookup_order": "tool", "refund": "tool", "send_email": "tool", "web_search": "hosted"}
        with scripted_model([]), pytest.raises(UnmockedToolError, match="web_search") as caught:
            toolkit.run(agent, "search")
        assert caught.value.result.trajectory.steps == []
        toolkit.allow("web_search")
        with scripted_model([say("Found.")]):
            assert answered(toolkit.run(agent, "search")) == "Found."

    def test_a_graph_on_a_server_is_a_tool_that_never_runs(self, toolkit):
        from langgraph.pregel.remote import RemoteGraph

        far = RemoteGraph("billing", url="https://nowhere.test", api_key="none")
        graph = StateGraph(MessagesState)
        graph.add_node("billing", far)
        graph.add_edge(START, "billing")
        assert [(each, each.kind) for each in LangGraphAdapter().extract_tools(graph)] == [("billing", "agent")]
        with pytest.raises(UnmockedToolError, match="billing"):
            toolkit.run(graph, "refund")
        toolkit.mock("billing", return_value={"messages": [{"role": "ai", "content": "Refunded."}]})
        assert answered(toolkit.run(graph, "refund")) == "Refunded."
        result = toolkit.run_generic(lambda: graph.compile().invoke(ASKED)["messages"][-1].text)
        assert answered(result) == "Refunded."

    def test_what_results_look_like_is_known(self):
        toolkit = MockToolkit()
        toolkit.auto_mock(create_agent(model(), TOOLS))
        with scripted_model([LOOKUP, say("Done.")]):
            result = toolkit.run(create_agent(model(), TOOLS), "go")
        assert result.get_call("lookup_order").result == {}

    def test_a_name_is_only_wrong_where_every_tool_is_known(self):
        def helper(state: MessagesState) -> dict:
            return {}

        inner = create_agent(model(), TOOLS, name="inner")
        known = StateGraph(MessagesState)
        known.add_node("inner", inner)
        known.add_edge(START, "inner")
        toolkit = MockToolkit()
        toolkit.mock("refnd", return_value="")
        with scripted_model([]), pytest.raises(UnknownToolError, match="refund"):
            toolkit.run(known, "go")
        known.add_node(helper)
        known.add_edge("inner", "helper")
        with scripted_model([say("Done.")]):
            assert answered(toolkit.run(known, "go")) == "Done."


class TestTheirOwnCalls:
    """The framework's calls inside of `run_generic`."""

    def test_sync_calls_in_the_order_of_the_model_and_with_async_mocks(self, toolkit):
        async def slow(args):
            await asyncio.sleep(0.01)
            return "sent slowly"

        toolkit.mock("send_email", side_effect=slow, replace=True)
        many = [call("lookup_order", order_id=str(n)) for n in range(8)]
        for make in (create_agent, create_react_agent):
            agent = make(model(), TOOLS, name="support")
            with scripted_model([[*many, EMAIL], say("Done.")]):
                result = toolkit.run_generic(lambda agent=agent: agent.invoke(ASKED)["messages"][-1].text)
            assert answered(result) == "Done."
            asked = [step.tool_args.get("order_id") for step in steps(result, "tool_call")]
            assert asked == [*map(str, range(8)), None]
            assert result.get_call("send_email").result == "sent slowly"
            assert {step.agent_id for step in result.trajectory.steps} == {"support"}

    def test_one_thread_is_enough(self, toolkit):
        agent = create_agent(model(), TOOLS)
        with scripted_model([[LOOKUP, REFUND, EMAIL], say("Done.")]):
            result = toolkit.run(agent, "go", adapter=LangGraphAdapter({"max_concurrency": 1}, sync=True), timeout=10)
        assert answered(result) == "Done."
        assert result.call_order() == ["lookup_order", "refund", "send_email"]

    def test_one_node_with_all_calls_keeps_their_order_too(self, toolkit):
        many = [call("lookup_order", order_id=str(n)) for n in range(8)]

        def agent(state: MessagesState) -> dict:
            return {"messages": [model().bind_tools(TOOLS).invoke(state["messages"])]}

        graph = StateGraph(MessagesState)
        graph.add_node(agent)
        graph.add_node("tools", ToolNode(TOOLS))
        graph.add_edge(START, "agent")
        graph.add_edge("agent", "tools")
        with scripted_model([many]):
            result = toolkit.run_generic(lambda: graph.compile().invoke(ASKED))
        answered(result)
        assert [step.tool_args["order_id"] for step in steps(result, "tool_call")] == [*map(str, range(8))]

    MODES = ("values", "updates", "messages", "custom", "checkpoints", "tasks", "debug")

    @pytest.mark.parametrize("mode", [*MODES, [*MODES]], ids=lambda mode: mode if isinstance(mode, str) else "all")
    @pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
    @pytest.mark.parametrize("subgraphs", [False, True], ids=["flat", "subgraphs"])
    def test_every_mode_of_streaming_is_recorded_alike(self, toolkit, mode, is_async, subgraphs):
        agent = create_agent(model(), TOOLS, name="support", checkpointer=InMemorySaver())
        outer = StateGraph(MessagesState)
        outer.add_node("support", agent)
        outer.add_edge(START, "support")
        graph = outer.compile(checkpointer=InMemorySaver())
        options = {"stream_mode": mode, "subgraphs": subgraphs, "config": {"configurable": {"thread_id": "1"}}}

        async def drain():
            return [piece async for piece in graph.astream(ASKED, **options)]

        with scripted_model([[LOOKUP, REFUND], say("Done.")]):
            result = toolkit.run_generic(drain if is_async else lambda: list(graph.stream(ASKED, **options)))
        answered(result)
        assert whose(result) == [
            ("support", "llm"),
            ("support", "lookup_order"),
            ("support", "refund"),
            ("support", "llm"),
        ]

    @pytest.mark.skipif(IS_LOST, reason="events need the context")
    def test_events(self, toolkit):
        agent = create_agent(model(), TOOLS, name="support")

        async def drain():
            return [event["event"] async for event in agent.astream_events(ASKED, version="v2")]

        with scripted_model([LOOKUP, say("Done.")]):
            result = toolkit.run_generic(drain)
        assert {"on_tool_start", "on_tool_end", "on_chat_model_end"} <= set(answered(result))
        assert whose(result) == [("support", "llm"), ("support", "lookup_order"), ("support", "llm")]

    def test_a_stream_that_is_left_early_is_closed(self, toolkit):
        agent = create_agent(model(), TOOLS, name="support")

        async def first():
            async for piece in agent.astream(ASKED, stream_mode="updates"):
                return piece
            return None

        with scripted_model([LOOKUP]):
            assert "model" in answered(
                toolkit.run_generic(lambda: next(iter(agent.stream(ASKED, stream_mode="updates"))))
            )
        with scripted_model([LOOKUP]):
            assert "model" in answered(toolkit.run_generic(first))

    def test_what_the_reader_of_a_stream_does_is_not_the_agents(self, toolkit):
        agent = create_agent(model(), TOOLS, name="support")

        def read():
            for _ in agent.stream(ASKED, stream_mode="updates"):
                refund_tool.invoke({"order_id": "9", "amount": 1})

        with scripted_model([say("Done.")]):
            result = toolkit.run_generic(read)
        answered(result)
        assert whose(result) == [("support", "llm"), (None, "refund")]


class TestState:
    """What changes, by whom."""

    def test_each_change_is_told_after_its_node(self, toolkit):
        def look_up(state: State) -> dict:
            return {"order": lookup_tool.invoke({"order_id": "123"}), "total": 0}

        async def count(state: State) -> dict:
            state["order"]["checked"] = True
            return {"order": state["order"], "total": 10, "seen": ["123"]}

        def same(state: State) -> dict:
            return {"total": 10, "seen": []}

        result = toolkit.run(graph_of(look_up, count, same), {"seen": ["0"]})
        answered(result)
        found = {"status": "delivered"}
        assert changes(result) == [
            ("look_up", "order", None, found),
            ("look_up", "total", None, 0),
            ("count", "order", found, {**found, "checked": True}),
            ("count", "total", 0, 10),
            ("count", "seen", ["0"], ["0", "123"]),
        ]
        assert result.trajectory.steps[0].tool_name == "lookup_order"
        sync = toolkit.run_generic(lambda: graph_of(look_up, same).invoke({"seen": []}))
        assert changes(sync) == [
            ("look_up", "order", None, found),
            ("look_up", "total", None, 0),
            ("same", "total", 0, 10),
        ]

    def test_parallel_nodes_make_one_change_together(self, toolkit):
        graph = StateGraph(State)
        graph.add_node("one", lambda state: {"seen": [1], "total": 1})
        graph.add_node("two", lambda state: {"seen": [2]})
        graph.add_edge(START, "one")
        graph.add_edge(START, "two")
        result = toolkit.run(graph, {})
        assert changes(result) == [("one", "total", None, 1), (None, "seen", [], [1, 2])]

    def test_a_subgraph_tells_its_changes_once(self, toolkit):
        def pay(state: State) -> dict:
            return {"total": 10}

        def tip(state: State) -> dict:
            return {"total": state["total"] + 1}

        billing = graph_of(pay, tip)

        def calling(state: State) -> dict:
            return {**billing.invoke({"total": 0}), "order": {"paid": True}}

        for node in (billing, calling):
            graph = StateGraph(State)
            graph.add_node("billing", node)
            graph.add_edge(START, "billing")
            for agent, by in ((graph.compile(), "billing"), (graph.compile(name="shop"), "shop")):
                told = changes(toolkit.run(agent, {"total": 0}))
                assert told[:2] == [("billing", "total", 0, 10), ("billing", "total", 10, 11)]
                assert told[2:] == ([] if node is billing else [(by, "order", None, {"paid": True})])

    def test_a_value_that_cannot_be_copied_or_compared_does_no_harm(self, toolkit):
        import threading

        class Odd:
            def __init__(self):
                self.lock = threading.Lock()

            def __eq__(self, other):
                raise RuntimeError("no")

            __hash__ = None

        class Holder(TypedDict, total=False):
            odd: Any

        result = toolkit.run(graph_of(lambda_named("one", lambda state: {"odd": Odd()}), state=Holder), {})
        answered(result)
        assert [step.key for step in steps(result, "state_change")] == ["odd"]
        assert result.trajectory.to_dict()["steps"][0]["key"] == "odd"


def lambda_named(name, function):
    function.__name__ = name
    return function


class Elsewhere(BaseCheckpointSaver):
    """A database: whoever asks it has leaked."""

    def _leak(self, *args, **options):
        shop.ran("database")
        raise AssertionError("the database was asked")

    get_tuple = list = put = put_writes = aget_tuple = alist = aput = aput_writes = _leak


class StoredElsewhere(BaseStore):
    """The same, for what is kept longer."""

    def batch(self, ops):
        shop.ran("store")
        raise AssertionError("the database was asked")

    abatch = batch


class TestMemory:
    """What is kept between runs."""

    def test_a_database_is_never_asked_and_what_it_would_keep_lives_on(self, toolkit):
        agent = create_agent(model(), TOOLS, checkpointer=Elsewhere())
        before = agent.checkpointer
        for at, answer in enumerate(("Hello.", "You said hello.")):
            with scripted_model([say(answer)]):
                result = toolkit.run(agent, f"hello {at}", adapter=on_thread())
            assert answered(result) == answer
        with scripted_model([say("Who are you?")]):
            assert answered(toolkit.run(agent, "hello", adapter=on_thread("2"))) == "Who are you?"
        assert agent.checkpointer is before

        def told():
            return [each.text for each in agent.get_state({"configurable": {"thread_id": "1"}}).values["messages"]]

        assert answered(toolkit.run_generic(told)) == ["hello 0", "Hello.", "hello 1", "You said hello."]

    def test_a_run_without_a_thread_has_one_of_its_own(self, toolkit):
        agent = create_agent(model(), TOOLS, checkpointer=InMemorySaver())
        for _ in range(2):
            with scripted_model([say("Hello.")]):
                result = toolkit.run(agent, "hello")
            assert answered(result) == "Hello."
        assert len({each.config["configurable"]["thread_id"] for each in agent.checkpointer.list(None)}) == 2

    def test_what_is_in_memory_already_is_the_users_own(self, toolkit):
        saver, store = InMemorySaver(), InMemoryStore()
        store.put(("users",), "1", {"name": "Ann"})

        def remember(state: State, *, store: BaseStore) -> dict:
            store.put(("users",), "2", {"name": "Bob"})
            return {"order": store.get(("users",), "1").value}

        graph = graph_of(remember, checkpointer=saver, store=store)
        assert answered(toolkit.run(graph, {"total": 1}, adapter=on_thread()))["order"] == {"name": "Ann"}
        assert store.get(("users",), "2").value == {"name": "Bob"}
        assert graph.get_state({"configurable": {"thread_id": "1"}}).values["order"] == {"name": "Ann"}

    def test_a_store_elsewhere_is_replaced(self, toolkit):
        def remember(state: State, *, store: BaseStore) -> dict:
            store.put(("users",), "1", {"name": "Ann"})
            return {"order": store.get(("users",), "1").value}

        graph = graph_of(remember, store=StoredElsewhere())
        assert answered(toolkit.run(graph, {"total": 1}))["order"] == {"name": "Ann"}


def answer_of(request, text):
    return ToolMessage(text, tool_call_id=request.tool_call["id"])


class TestMiddleware:
    """Middleware of the framework may answer calls in the place of tools; that of a user is looked at."""

    @pytest.fixture
    def real(self):
        """A function that is a tool, too, and what it was called with."""
        ran = []

        def charge(order_id: str) -> str:
            """Charge for an order."""
            ran.append(order_id)
            return "really charged"

        charge.ran = ran
        return charge

    CHARGE = call("charge", order_id="7")

    def of_a_user(self, real, kind):
        @wrap_tool_call
        def wrapping(request, handler):
            return answer_of(request, real(**request.tool_call["args"]))

        class Subclass(ToolRetryMiddleware):
            def wrap_tool_call(self, request, handler):
                return answer_of(request, real(**request.tool_call["args"]))

        @after_model(can_jump_to=["model"])
        def jumping(state, runtime):
            calls = state["messages"][-1].tool_calls
            answers = [ToolMessage(real(**each["args"]), tool_call_id=each["id"]) for each in calls]
            return {"messages": answers, "jump_to": "model"} if calls else None

        class Jumping(AgentMiddleware):
            after_model = jumping.after_model.__func__

        return {"wrap": [wrapping], "mixed": [ToolRetryMiddleware(), wrapping], "subclass": [Subclass()]}.get(
            kind, [jumping] if kind == "jump" else [Jumping()]
        )

    @pytest.mark.parametrize("kind", ["wrap", "mixed", "subclass", "jump", "class"])
    def test_real_code_that_a_users_middleware_runs_is_no_call_of_the_mock(self, toolkit, real, kind):
        agent = create_agent(model(), [tool(real)], middleware=self.of_a_user(real, kind))
        with pytest.raises(UnreachableToolError, match="charge"), scripted_model([self.CHARGE, say("Done.")]):
            toolkit.run(agent, "charge", adapter=LangGraphAdapter(sync=True))
        assert real.ran == ["7"]

    def test_a_node_that_looks_like_one_of_tools_is_a_users(self, toolkit, real):
        class Lookalike(Runnable):
            tools_by_name = {"charge": tool(real)}

            def invoke(self, state, config=None, **options):
                calls = state["messages"][-1].tool_calls
                return {"messages": [ToolMessage(real(**each["args"]), tool_call_id=each["id"]) for each in calls]}

        def ask(state: MessagesState) -> dict:
            return {"messages": [model().bind_tools([real]).invoke(state["messages"])]}

        graph = StateGraph(MessagesState)
        graph.add_node("ask", ask)
        graph.add_node("tools", Lookalike())
        graph.add_edge(START, "ask")
        graph.add_conditional_edges("ask", tools_condition)
        graph.add_edge("tools", "ask")
        with pytest.raises(UnreachableToolError, match="charge"), scripted_model([self.CHARGE, say("Done.")]):
            toolkit.run(graph, "charge", adapter=LangGraphAdapter(sync=True))

    def test_middleware_of_a_user_that_lets_the_call_through_is_left_alone(self, toolkit):
        @wrap_tool_call
        def louder(request, handler):
            return answer_of(request, handler(request).content.upper())

        agent = create_agent(model(), TOOLS, middleware=[louder, ToolRetryMiddleware()])
        with scripted_model([[REFUND, LOOKUP], say("Done.")]):
            result = toolkit.run(agent, "refund", adapter=LangGraphAdapter(sync=True))
        assert answered(result) == "Done."
        assert result.call_order() == ["refund", "lookup_order"]

    @pytest.mark.parametrize("sync", [True, False])
    def test_a_call_beyond_a_limit_is_a_rejected_step_with_the_reason(self, toolkit, sync):
        agent = create_agent(model(), TOOLS, middleware=[ToolCallLimitMiddleware(run_limit=1)])
        with scripted_model([REFUND, EMAIL, say("Done.")]):
            result = toolkit.run(agent, "refund", adapter=LangGraphAdapter(sync=sync))
        assert answered(result) == "Done."
        assert result.tool_was_called("refund")
        assert not result.tool_was_called("send_email")
        assert result.tool_call_attempted("send_email")
        *_, denied = steps(result, "tool_call")
        assert (denied.rejected, denied.tool_args) == (True, {"to": "a@b.c", "text": "Done."})
        assert "limit" in str(denied.tool_error)

    def test_an_emulated_tool_was_attempted_and_not_called(self, toolkit):
        agent = create_agent(model(), [tool(shop.refund)], middleware=[LLMToolEmulator(model=model())])
        with scripted_model([REFUND, say("emulated"), say("Done.")]):
            result = toolkit.run(agent, "refund", adapter=LangGraphAdapter(sync=True))
        assert answered(result) == "Done."
        assert result.tool_call_attempted("refund")
        assert not result.tool_was_called("refund")

    def test_a_call_that_a_person_rejects_is_a_rejected_step(self, toolkit):
        approval = HumanInTheLoopMiddleware(interrupt_on={"refund": True})
        agent = create_agent(model(), TOOLS, middleware=[approval], checkpointer=InMemorySaver())
        with scripted_model([REFUND]):
            toolkit.run(agent, "refund order 123", adapter=on_thread("rejected"))
        decision = Command(resume={"decisions": [{"type": "reject", "message": "Too much."}]})
        with scripted_model([say("Sorry.")]):
            result = toolkit.run(agent, decision, adapter=on_thread("rejected"))
        assert answered(result) == "Sorry."
        assert result.tool_call_attempted("refund")
        assert not result.tool_was_called("refund")
        assert "Too much." in str(steps(result, "tool_call")[0].tool_error)


class TestInterrupts:
    """A run that waits for somebody, and another that goes on."""

    @pytest.mark.parametrize("saver", [InMemorySaver, Elsewhere])
    def test_a_run_is_resumed_by_another(self, toolkit, saver):
        def ask(state: State) -> dict:
            return {"total": interrupt("How much?")}

        def pay(state: State) -> dict:
            refund_tool.invoke({"order_id": "123", "amount": state["total"]})
            return {}

        graph = graph_of(ask, pay, checkpointer=saver())
        waiting = toolkit.run(graph, {"seen": ["123"]}, adapter=on_thread())
        assert [each.value for each in answered(waiting)] == ["How much?"]
        assert waiting.call_order() == []
        resumed = toolkit.run(graph, Command(resume=10), adapter=on_thread())
        assert answered(resumed)["total"] == 10
        assert resumed.get_call("refund").args == {"order_id": "123", "amount": 10}
        assert changes(resumed) == [("ask", "total", None, 10)]

    def test_a_person_approves_a_tool(self, toolkit):
        approval = HumanInTheLoopMiddleware(interrupt_on={"refund": True})
        agent = create_agent(model(), TOOLS, name="support", middleware=[approval], checkpointer=Elsewhere())
        with scripted_model([[LOOKUP, REFUND]]):
            waiting = toolkit.run(agent, "refund order 123", adapter=on_thread())
        (question,) = answered(waiting)
        assert question.value["action_requests"][0]["name"] == "refund"
        assert waiting.call_order() == []
        with scripted_model([say("Refunded.")]):
            resumed = toolkit.run(agent, Command(resume={"decisions": [{"type": "approve"}]}), adapter=on_thread())
        assert answered(resumed) == "Refunded."
        assert sorted(resumed.call_order()) == ["lookup_order", "refund"]

    def test_a_tool_that_asks_is_asked_again_when_somebody_answered(self, toolkit):
        toolkit.mock("refund", side_effect=lambda args: f"refunded by {interrupt('Who?')}", replace=True)
        agent = create_agent(model(), TOOLS, checkpointer=InMemorySaver())

        def run(given):
            return agent.invoke(given, {"configurable": {"thread_id": "1"}})

        with scripted_model([REFUND]):
            waiting = toolkit.run_generic(lambda: run(ASKED))
        assert answered(waiting)["__interrupt__"][0].value == "Who?"
        with scripted_model([say("Done.")]):
            resumed = toolkit.run_generic(lambda: run(Command(resume="Ann")))
        assert answered(resumed)["messages"][-1].text == "Done."
        assert resumed.get_call("refund").result == "refunded by Ann"

    @pytest.mark.parametrize(
        "sync", [True, pytest.param(False, marks=pytest.mark.skipif(IS_LOST, reason="no context"))]
    )
    def test_parallel_tools_may_all_ask(self, toolkit, sync):
        toolkit.mock("lookup_order", side_effect=lambda args: interrupt(args["order_id"]), replace=True)
        agent = create_agent(model(), TOOLS, checkpointer=Elsewhere())
        with scripted_model([[call("lookup_order", order_id=each) for each in "123"]]):
            waiting = answered(toolkit.run(agent, "go", adapter=on_thread(sync=sync)))
        assert sorted(each.value for each in waiting) == ["1", "2", "3"]
        resume = Command(resume={each.id: "found" for each in waiting})
        with scripted_model([say("Done.")]):
            resumed = toolkit.run(agent, resume, adapter=on_thread(sync=sync))
        assert answered(resumed) == "Done."
        assert [step.tool_result for step in steps(resumed, "tool_call")] == ["found"] * 3

    def test_breakpoints_are_an_option_of_the_adapter(self, toolkit):
        agent = create_agent(model(), TOOLS, checkpointer=InMemorySaver())
        with scripted_model([REFUND]):
            toolkit.run(agent, "refund", adapter=on_thread(interrupt_before=["tools"]))
        with scripted_model([say("Done.")]):
            resumed = toolkit.run(agent, None, adapter=on_thread())
        assert answered(resumed) == "Done."
        assert resumed.call_order() == ["refund"]


class TestTeams:
    """The shapes of the framework's own examples, smaller."""

    def test_a_supervisor_with_its_agents_in_closures(self):
        create_supervisor = pytest.importorskip("langgraph_supervisor").create_supervisor
        research = create_react_agent(model(), [lookup_tool], name="research_expert")
        billing = create_react_agent(model(), [refund_tool], name="billing_expert")
        team = create_supervisor([research, billing], model=model())
        toolkit = MockToolkit()
        listed = {str(each): (each.kind, each.agent_id) for each in LangGraphAdapter().extract_tools(team)}
        assert listed == {
            "transfer_to_research_expert": ("agent", "supervisor"),
            "transfer_to_billing_expert": ("agent", "supervisor"),
            "lookup_order": ("tool", "research_expert"),
            "refund": ("tool", "billing_expert"),
        }
        assert toolkit.auto_mock(team) == ["lookup_order", "refund"]
        script = [
            call("transfer_to_research_expert"),
            LOOKUP,
            say("It was delivered."),
            call("transfer_to_billing_expert"),
            REFUND,
            say("Refunded."),
            say("All done."),
        ]
        with scripted_model(script):
            result = toolkit.run(team, "refund order 123 if it was delivered")
        assert answered(result) == "All done."
        assert whose(result) == [
            ("supervisor", "llm"),
            ("supervisor", "transfer_to_research_expert"),
            ("research_expert", "llm"),
            ("research_expert", "lookup_order"),
            ("research_expert", "llm"),
            ("supervisor", "llm"),
            ("supervisor", "transfer_to_billing_expert"),
            ("billing_expert", "llm"),
            ("billing_expert", "refund"),
            ("billing_expert", "llm"),
            ("supervisor", "llm"),
        ]
        assert [(old, new) for _, key, old, new in changes(result) if key == "agent"] == [
            ("supervisor", "research_expert"),
            ("supervisor", "billing_expert"),
        ]
        with scripted_model(script[:2]), pytest.raises(UnmockedToolError, match="lookup_order"):
            MockToolkit().run(team, "refund order 123")

    def test_a_supervisor_made_by_hand_with_agents_that_have_no_names(self, toolkit):
        class Router(BaseModel):
            next: Literal["researcher", "biller", "FINISH"]

        research = create_agent(model(), [lookup_tool])
        billing = create_agent(model(), [refund_tool])

        class TeamState(MessagesState):
            next: str

        def supervisor(state: TeamState) -> Command[Literal["researcher", "biller", "__end__"]]:
            goal = model().with_structured_output(Router, method="function_calling").invoke(state["messages"]).next
            return Command(goto=END if goal == "FINISH" else goal, update={"next": goal})

        def researcher(state: TeamState) -> Command[Literal["supervisor"]]:
            said = research.invoke(state)["messages"][-1].text
            return Command(update={"messages": [HumanMessage(said, name="researcher")]}, goto="supervisor")

        async def biller(state: TeamState) -> Command[Literal["supervisor"]]:
            said = (await billing.ainvoke(state))["messages"][-1].text
            return Command(update={"messages": [HumanMessage(said, name="biller")]}, goto="supervisor")

        graph = StateGraph(TeamState)
        graph.add_node(supervisor)
        graph.add_node(researcher)
        graph.add_node(biller)
        graph.add_edge(START, "supervisor")
        script = [
            call("Router", next="researcher"),
            LOOKUP,
            say("It was delivered."),
            call("Router", next="biller"),
            REFUND,
            say("Refunded."),
            call("Router", next="FINISH"),
        ]
        with scripted_model(script):
            result = toolkit.run(graph, "refund order 123")
        assert answered(result) == "Refunded."
        assert whose(result) == [
            ("supervisor", "llm"),
            ("researcher", "llm"),
            ("researcher", "lookup_order"),
            ("researcher", "llm"),
            ("supervisor", "llm"),
            ("biller", "llm"),
            ("biller", "refund"),
            ("biller", "llm"),
            ("supervisor", "llm"),
        ]
        assert changes(result) == [
            ("supervisor", "next", None, "researcher"),
            ("supervisor", "next", "researcher", "biller"),
            ("supervisor", "next", "biller", "FINISH"),
        ]

    def test_customer_support_that_hands_over(self, toolkit):
        class Desk(MessagesState):
            customer: str

        def handoff(to: str) -> BaseTool:
            @tool(f"transfer_to_{to}")
            def transfer(
                state: Annotated[dict, InjectedState], tool_call_id: Annotated[str, InjectedToolCallId]
            ) -> Command:
                """Hand over."""
                told = ToolMessage("transferred", name=f"transfer_to_{to}", tool_call_id=tool_call_id)
                update = {"messages": [*state["messages"], told], "customer": "Ann"}
                return Command(goto=to, graph=Command.PARENT, update=update)

            return transfer

        graph = StateGraph(Desk)
        graph.add_node("triage", create_agent(model(), [lookup_tool, handoff("billing")], name="triage"))
        graph.add_node("billing", create_agent(model(), [refund_tool, handoff("triage")], name="billing"))
        graph.add_edge(START, "triage")
        team = graph.compile(checkpointer=InMemorySaver())
        script = [LOOKUP, call("transfer_to_billing"), REFUND, say("Refunded.")]
        with scripted_model(script[:2]), pytest.raises(UnmockedToolError, match=r'allow\("transfer_to_billing"\)'):
            toolkit.run(team, "refund order 123")
        toolkit.allow("transfer_to_billing")
        with scripted_model(script):
            result = toolkit.run(team, "refund order 123")
        assert answered(result) == "Refunded."
        assert whose(result) == [
            ("triage", "llm"),
            ("triage", "lookup_order"),
            ("triage", "llm"),
            ("triage", "transfer_to_billing"),
            ("billing", "llm"),
            ("billing", "refund"),
            ("billing", "llm"),
        ]
        assert changes(result) == [("triage", "agent", "triage", "billing"), ("triage", "customer", None, "Ann")]
        with scripted_model(script):
            again = toolkit.run_generic(lambda: team.invoke(ASKED, {"configurable": {"thread_id": "2"}}))
        assert answered(again)["messages"][-1].text == "Refunded."
        assert whose(again) == whose(result)

    def test_a_handoff_can_be_mocked_by_a_command(self, toolkit):
        def ask(name):
            @tool(f"transfer_to_{name}")
            def transfer() -> Command:
                """Hand over."""
                shop.ran("transfer")
                return Command()

            return transfer

        graph = StateGraph(MessagesState)
        graph.add_node("triage", create_agent(model(), [ask("billing")], name="triage"))
        graph.add_node("billing", create_agent(model(), [refund_tool], name="billing"))
        graph.add_edge(START, "triage")
        toolkit.mock("transfer_to_billing", return_value=Command(goto="billing", graph=Command.PARENT))
        with scripted_model([call("transfer_to_billing"), REFUND, say("Refunded.")]):
            result = toolkit.run(graph, "refund order 123")
        assert answered(result) == "Refunded."
        assert ("billing", "refund") in whose(result)

    def test_agents_that_are_tools(self, toolkit):
        billing = create_agent(model(), [refund_tool])

        @tool
        def ask_billing(question: str) -> str:
            """Ask billing."""
            return billing.invoke({"messages": [("user", question)]})["messages"][-1].text

        made = create_agent(model(), [lookup_tool], name="research").as_tool(
            name="ask_research", description="Ask research.", arg_types={"messages": list}
        )
        agent = create_agent(model(), [ask_billing, made], name="support")
        assert [each.kind for each in LangGraphAdapter().extract_tools(agent)[:2]] == ["tool", "agent"]
        toolkit.allow("ask_billing")
        script = [
            call("ask_research", messages=[{"role": "user", "content": "order 123?"}]),
            LOOKUP,
            say("It was delivered."),
            call("ask_billing", question="refund it"),
            REFUND,
            say("Refunded."),
            say("All done."),
        ]
        with scripted_model(script):
            result = toolkit.run(agent, "refund order 123")
        assert answered(result) == "All done."
        assert whose(result) == [
            ("support", "llm"),
            ("support", "ask_research"),
            ("research", "llm"),
            ("research", "lookup_order"),
            ("research", "llm"),
            ("support", "llm"),
            ("support", "ask_billing"),
            ("ask_billing", "llm"),
            ("ask_billing", "refund"),
            ("ask_billing", "llm"),
            ("support", "llm"),
        ]

    def test_a_map_over_agents(self, toolkit):
        class Batch(TypedDict, total=False):
            ids: list
            done: Annotated[list, operator.add]

        async def look_up(given: dict) -> dict:
            await lookup_tool.ainvoke(given)
            return {"done": [given["order_id"]]}

        graph = StateGraph(Batch)
        graph.add_node(look_up)
        graph.add_conditional_edges(
            START, lambda state: [Send("look_up", {"order_id": each}) for each in state["ids"]], ["look_up"]
        )
        result = toolkit.run(graph, {"ids": ["1", "2", "3"]})
        assert answered(result)["done"] == ["1", "2", "3"]
        assert whose(result) == [("look_up", "lookup_order")] * 3


class TestQuiet:
    """Nothing is told to anybody, and a framework of another shape is refused."""

    def test_no_trace_leaves_a_run(self, toolkit, monkeypatch):
        import langsmith.utils

        monkeypatch.setenv("LANGSMITH_TRACING", "true")
        monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_of_nobody")
        langsmith.utils.get_env_var.cache_clear()
        try:
            assert langsmith.utils.tracing_is_enabled()
            agent = create_agent(model(), TOOLS)
            with scripted_model([LOOKUP, say("Done.")]):
                result = toolkit.run_generic(
                    lambda: (langsmith.utils.tracing_is_enabled(), agent.invoke(ASKED)["messages"][-1].text)
                )
            assert answered(result) == (False, "Done.")
        finally:
            monkeypatch.undo()
            langsmith.utils.get_env_var.cache_clear()

    def test_whatever_is_redirected_must_be_there(self, framework, toolkit, monkeypatch):
        from unitai.traffic import door

        used = [
            ("langchain_core.tools.base", "BaseTool", "_filter_injected_args"),
            ("langchain_core.language_models.chat_models", "BaseChatModel", "_generate"),
            ("langgraph.prebuilt.tool_node", "ToolNode", "tools_by_name"),
        ]
        for module, owner, name in (*framework.chokepoints, *used):
            place = import_module(module)
            place = place if owner is None else getattr(place, owner)
            if name == "__getattribute__":
                continue  # Every class has it from `object`.
            with monkeypatch.context() as patched:
                patched.setattr(door, "_known", {})
                patched.delattr(place, name)
                if hasattr(place, name):
                    continue  # A class above has it: it is still redirected here.
                with pytest.raises(UnsupportedFrameworkError, match=name):
                    toolkit.run_generic(lambda: None)
