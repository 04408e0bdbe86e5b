"""Agents that call tools at the client of an MCP server: loops around an SDK, the official quickstart, and frameworks."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from pathlib import Path

import pytest
from mcp_connections import by_session, requires, texts

from tests.support.model import chat
from unitai import MockToolkit, UnmockedToolError, UnreachableToolError, scripted_model
from unitai.script import call, say, when

pytestmark = pytest.mark.integration

SERVER = Path(__file__).parents[2] / "contract" / "adapters" / "mcp_shop.py"


def calls_of(result):
    return [step.tool_name for step in result.trajectory.steps if step.step_type == "tool_call"]


def cancel(order_id):
    """A tool of the agent's own, beside those of the server."""
    return f"really cancelled {order_id}"


async def loop(prefix="", **more):
    """The loop that everybody writes: the model's tool calls go to the server, their results to the model."""
    async with by_session() as session:
        listed = await session.list_tools()
        offered = [f"{prefix}{tool.name}" for tool in listed.tools]
        messages = [{"role": "user", "content": "Refund order 7."}]
        while True:
            answer = await asyncio.to_thread(chat, messages, tools=[*offered, "cancel"])
            messages.append(answer)
            if not answer.get("tool_calls"):
                return answer["content"]
            for wanted in answer["tool_calls"]:
                name, args = wanted["function"]["name"], json.loads(wanted["function"]["arguments"])
                if name == "cancel":
                    text = cancel(**args)
                else:
                    text = "\n".join(texts(await session.call_tool(name.removeprefix(prefix), {**args, **more})))
                messages.append({"role": "tool", "tool_call_id": wanted["id"], "content": text})


class TestALoopAroundAnSDK:
    def run(self, toolkit, *steps, **options):
        with scripted_model([*steps]):
            return toolkit.run_generic(lambda: loop(**options))

    def test_the_mock_answers(self, ran):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        result = self.run(toolkit, call("refund", order_id="7"), call("refund", order_id="8"), say("Refunded."))
        assert result.output == "Refunded."
        assert calls_of(result) == ["refund", "refund"]
        assert ran == []

    def test_an_allowed_tool_runs(self, ran):
        toolkit = MockToolkit()
        toolkit.allow("refund")
        result = self.run(toolkit, call("refund", order_id="7"), say("Refunded."))
        assert calls_of(result) == ran == ["refund"]

    def test_a_tool_that_is_not_mocked_is_refused(self, ran):
        with pytest.raises(UnmockedToolError, match="refund"):
            self.run(MockToolkit(), call("refund", order_id="7"), say("Refunded."))
        assert ran == []

    @pytest.mark.parametrize("more", [{}, {"amount": 2}])
    def test_the_model_may_know_the_tool_by_the_servers_name_and_its_own(self, ran, more):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        steps = call("shop__refund", order_id="7"), say("Refunded.")
        assert calls_of(self.run(toolkit, *steps, prefix="shop__", **more)) == ["refund"]
        assert ran == []

    def test_a_mock_that_is_no_tool_of_the_server_is_still_missed(self):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        toolkit.mock("cancel", return_value="cancelled")
        with pytest.raises(UnreachableToolError, match="cancel is mocked, but its calls do not reach the mock"):
            self.run(toolkit, call("refund", order_id="7"), call("cancel", order_id="7"), say("Cancelled."))

    def test_so_is_one_that_the_model_calls_in_its_text(self):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        toolkit.mock("ship", return_value="shipped")
        with pytest.raises(UnreachableToolError, match="an answer of the model calls ship in its text"):
            self.run(toolkit, call("refund", order_id="7"), say("Action: ship('7')"))


@requires("anthropic")
class TestTheOfficialQuickstart:
    """The client of modelcontextprotocol.io, with its ways to talk to Claude and to the server."""

    async def process(self, session, query):
        anthropic = import_module("anthropic").Anthropic(api_key="sk-of-nobody")
        messages = [{"role": "user", "content": query}]
        tools = [
            {"name": tool.name, "description": tool.description, "input_schema": self.schema(tool)}
            for tool in (await session.list_tools()).tools
        ]
        asked = {"model": "claude-haiku-4-5", "max_tokens": 1000, "tools": tools}
        response = anthropic.messages.create(messages=messages, **asked)
        final = []
        for content in response.content:
            if content.type == "text":
                final.append(content.text)
            elif content.type == "tool_use":
                result = await session.call_tool(content.name, content.input)
                messages.append({"role": "assistant", "content": [content]})
                answered = {"type": "tool_result", "tool_use_id": content.id, "content": texts(result)[0]}
                messages.append({"role": "user", "content": [answered]})
                response = anthropic.messages.create(messages=messages, **asked)
                final.append(response.content[0].text)
        return "\n".join(final)

    def schema(self, tool):
        return tool.model_dump(by_alias=True)["inputSchema"]

    def run(self, toolkit, mark):
        async def agent():
            mcp = import_module("mcp")
            stdio_client = import_module("mcp.client.stdio").stdio_client
            server = mcp.StdioServerParameters(command=sys.executable, args=[str(SERVER), str(mark)])
            async with stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
                await session.initialize()
                return await self.process(session, "Where is parcel 7?")

        with scripted_model([call("track_parcel", parcel_id="7"), when(tool_result="van").then(say("In a van."))]):
            return toolkit.run_generic(agent)

    def test_its_tools_are_mocked(self, tmp_path):
        toolkit = MockToolkit()
        toolkit.mock("track_parcel", return_value="in a van")
        result = self.run(toolkit, tmp_path / "ran.txt")
        assert result.output == "In a van."
        assert result.tool_called_with("track_parcel", parcel_id="7")
        assert not (tmp_path / "ran.txt").exists()

    def test_or_they_do_not_run(self, tmp_path):
        with pytest.raises(UnmockedToolError, match="track_parcel"):
            self.run(MockToolkit(), tmp_path / "ran.txt")
        assert not (tmp_path / "ran.txt").exists()


@requires("langchain_mcp_adapters")
class TestLangChain:
    """Sessions and tools of langchain-mcp-adapters."""

    def client(self, mark):
        shop = {"command": sys.executable, "args": [str(SERVER), str(mark)], "transport": "stdio"}
        return import_module("langchain_mcp_adapters.client").MultiServerMCPClient({"shop": shop})

    def test_a_session_is_mocked(self, tmp_path):
        async def agent():
            async with self.client(tmp_path / "ran.txt").session("shop") as session:
                return texts(await session.call_tool("track_parcel", {"parcel_id": "7"}))

        toolkit = MockToolkit()
        toolkit.mock("track_parcel", return_value="in a van")
        result = toolkit.run_generic(agent)
        assert result.output == ["in a van"]
        assert calls_of(result) == ["track_parcel"]
        with pytest.raises(UnmockedToolError, match="track_parcel"):
            MockToolkit().run_generic(agent)
        assert not (tmp_path / "ran.txt").exists()

    @pytest.mark.parametrize("is_prefixed", [False, True])
    def test_a_tool_is_one_call_also_where_it_goes_on_to_the_server(self, tmp_path, is_prefixed):
        load = import_module("langchain_mcp_adapters.tools").load_mcp_tools

        async def agent():
            async with self.client(tmp_path / "ran.txt").session("shop") as session:
                options = {"server_name": "shop", "tool_name_prefix": True} if is_prefixed else {}
                (tool,) = await load(session, **options)
                return await tool.ainvoke({"parcel_id": "7"})

        toolkit = MockToolkit()
        toolkit.mock("track_parcel", return_value="in a van")
        result = toolkit.run_generic(agent)
        assert result.output == "in a van"
        assert calls_of(result) == ["track_parcel"]
        assert not (tmp_path / "ran.txt").exists()
        toolkit = MockToolkit()
        toolkit.allow("shop_track_parcel" if is_prefixed else "track_parcel")
        result = toolkit.run_generic(agent)
        assert len(calls_of(result)) == 1
        assert (tmp_path / "ran.txt").read_text(encoding="utf-8") == "track_parcel 7 1\n"


@requires("agents")
class TestTheOpenAIAgentsSDK:
    def server(self, mark):
        agents = import_module("agents.mcp")
        return agents.MCPServerStdio(params={"command": sys.executable, "args": [str(SERVER), str(mark)]})

    def test_a_server_that_code_calls_is_mocked(self, tmp_path):
        async def agent():
            async with self.server(tmp_path / "ran.txt") as server:
                return texts(await server.call_tool("track_parcel", {"parcel_id": "7"}))

        toolkit = MockToolkit()
        toolkit.mock("track_parcel", return_value="in a van")
        result = toolkit.run_generic(agent)
        assert result.output == ["in a van"]
        assert calls_of(result) == ["track_parcel"]
        with pytest.raises(UnmockedToolError, match="track_parcel"):
            MockToolkit().run_generic(agent)
        assert not (tmp_path / "ran.txt").exists()

    @pytest.mark.parametrize("is_allowed", [False, True])
    def test_the_tool_of_an_agent_is_one_call(self, tmp_path, is_allowed, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
        mark = tmp_path / "ran.txt"
        agent = import_module("agents").Agent("Shop", mcp_servers=[self.server(mark)])
        toolkit = MockToolkit()
        if is_allowed:
            toolkit.allow("track_parcel")
        else:
            toolkit.mock("track_parcel", return_value="in a van")
        with scripted_model([call("track_parcel", parcel_id="7"), when(tool_result="in a van").then(say("Found."))]):
            result = toolkit.run(agent, "Where is parcel 7?")
        assert result.output == "Found."
        assert calls_of(result) == ["track_parcel"]
        assert mark.exists() == is_allowed
