"""Tools that are called at the client of an MCP server: mocked, refused and let through like any other."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path

import pytest
from mcp_connections import IS_SECOND, by_session, plain, texts

from unitai import MockToolkit, UnmockedToolError, UnmockedToolWarning

pytestmark = pytest.mark.integration


def calling(connect, *calls, is_listed=False):
    """An agent that makes these calls one after the other."""

    async def agent():
        async with connect() as client:
            if is_listed:
                await client.list_tools()
            return [await client.call_tool(name, args) for name, args in calls]

    return agent


def answer(toolkit, connect, name="refund", args=None, **options):
    """The result of one call in a run."""
    given = {"order_id": "7"} if args is None else args
    return toolkit.run_generic(calling(connect, (name, given), **options)).output[0]


def calls_of(result):
    return [step.tool_name for step in result.trajectory.steps if step.step_type == "tool_call"]


class TestAMock:
    def test_it_answers_with_the_clients_own_result(self, connect, ran):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        result = toolkit.run_generic(calling(connect, ("refund", {"order_id": "7"})))
        (answered,) = result.output
        assert type(answered) is import_module("mcp.types").CallToolResult
        assert texts(answered) == ["refunded"]
        assert not plain(answered).get("isError")
        assert result.tool_called_with("refund", order_id="7")
        assert calls_of(result) == ["refund"]
        assert result.get_call("refund").result == "refunded"
        assert ran == []

    @pytest.mark.parametrize(
        ("value", "expected", "structured"),
        [
            (None, [], None),
            (7, ["7"], None),
            ({"status": "lost"}, ['{\n  "status": "lost"\n}'], {"status": "lost"}),
            (["a", "b"], ["a", "b"], None),
            ([{"a": 1}], ['{\n  "a": 1\n}'], None),
        ],
    )
    def test_a_value_becomes_what_a_server_makes_of_it(self, connect, value, expected, structured):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value=value)
        answered = answer(toolkit, connect)
        assert texts(answered) == expected
        assert plain(answered).get("structuredContent") == structured

    def test_structured_content_is_as_the_server_declares_it(self, connect):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        toolkit.mock("lookup", return_value={"order_id": "7", "status": "lost"})
        assert plain(answer(toolkit, connect, is_listed=True))["structuredContent"] == {"result": "refunded"}
        looked_up = plain(answer(toolkit, connect, "lookup", is_listed=True))
        assert looked_up["structuredContent"] == {"order_id": "7", "status": "lost"}

    def test_a_result_or_its_content_is_taken_as_it_is(self, connect):
        types = import_module("mcp.types")
        block = types.TextContent(type="text", text="refunded")
        whole = types.CallToolResult(content=[block, block])
        toolkit = MockToolkit()
        toolkit.mock("refund", sequence=[block, [block, "and more"], whole])
        assert texts(answer(toolkit, connect)) == ["refunded"]
        assert texts(answer(toolkit, connect)) == ["refunded", "and more"]
        assert texts(answer(toolkit, connect)) == ["refunded", "refunded"]

    def test_it_may_be_async(self, connect):
        async def respond(args):
            await asyncio.sleep(0)
            return f"refunded {args['order_id']}"

        toolkit = MockToolkit()
        toolkit.mock("refund", side_effect=respond)
        assert texts(answer(toolkit, connect)) == ["refunded 7"]

    def test_an_error_is_a_result_that_says_so(self, connect):
        toolkit = MockToolkit()
        toolkit.mock("refund", side_effect=TimeoutError("the bank is slow"))
        result = toolkit.run_generic(calling(connect, ("refund", {"order_id": "7"})))
        (answered,) = result.output
        assert plain(answered)["isError"]
        assert texts(answered) == ["Error executing tool refund: the bank is slow"]
        assert isinstance(result.get_call("refund").error, TimeoutError)

    def test_an_error_of_the_protocol_is_raised(self, connect):
        errors = import_module("mcp.shared.exceptions")
        if IS_SECOND:
            error = errors.MCPError(-32000, "Connection closed")
        else:
            error = errors.McpError(import_module("mcp.types").ErrorData(code=-32000, message="Connection closed"))

        async def agent():
            async with connect() as client:
                with pytest.raises(type(error), match="Connection closed"):
                    await client.call_tool("refund", {"order_id": "7"})
                return "noticed"

        toolkit = MockToolkit()
        toolkit.mock("refund", side_effect=error)
        assert toolkit.run_generic(agent).output == "noticed"

    def test_arguments_that_the_tool_does_not_take_do_not_reach_it(self, connect):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        wrong = {"order_id": "7", "amount": "much"}
        result = toolkit.run_generic(calling(connect, ("refund", wrong), is_listed=True))
        assert plain(result.output[0])["isError"]
        assert "amount" in texts(result.output[0])[0]
        assert not result.tool_was_called("refund")
        assert result.tool_call_attempted("refund")

    def test_calls_at_once_are_calls_of_their_own(self, connect):
        async def agent():
            async with connect() as client:
                return await asyncio.gather(*(client.call_tool("refund", {"order_id": str(n)}) for n in range(3)))

        toolkit = MockToolkit()
        toolkit.mock("refund", side_effect=lambda args: args["order_id"])
        result = toolkit.run_generic(agent)
        assert [texts(each) for each in result.output] == [["0"], ["1"], ["2"]]
        assert calls_of(result) == ["refund"] * 3


class TestWhatIsNotMocked:
    def test_it_does_not_run(self, connect, ran):
        with pytest.raises(UnmockedToolError, match="the agent called refund, which is not mocked"):
            answer(MockToolkit(), connect)
        assert ran == []

    def test_nor_if_the_agent_swallows_the_error(self, connect, ran):
        async def agent():
            async with connect() as client:
                try:
                    await client.call_tool("refund", {"order_id": "7"})
                except Exception:
                    return "all is well"

        with pytest.raises(UnmockedToolError):
            MockToolkit().run_generic(agent)
        assert ran == []

    def test_without_strictness_it_is_a_warning(self, connect, ran):
        with pytest.warns(UnmockedToolWarning, match="refund"):
            assert texts(answer(MockToolkit(strict=False), connect)) == []
        assert ran == []

    def test_outside_of_a_run_nothing_has_changed(self, connect, ran):
        (answered,) = asyncio.run(calling(connect, ("refund", {"order_id": "7"}))())
        assert texts(answered) == ["really refunded 7"]
        assert ran == ["refund"]


class TestWhatIsAllowed:
    def test_it_runs_and_is_recorded_once(self, connect, ran):
        toolkit = MockToolkit()
        toolkit.allow("refund")
        result = toolkit.run_generic(calling(connect, ("refund", {"order_id": "7"}), ("refund", {"order_id": "8"})))
        assert [texts(each) for each in result.output] == [["really refunded 7"], ["really refunded 8"]]
        assert calls_of(result) == ran == ["refund", "refund"]

    def test_so_are_calls_at_once(self, connect, ran):
        async def agent():
            async with connect() as client:
                await asyncio.gather(*(client.call_tool("refund", {"order_id": "7"}) for _ in range(3)))

        toolkit = MockToolkit()
        toolkit.allow("refund")
        assert calls_of(toolkit.run_generic(agent)) == ran == ["refund"] * 3

    def test_a_real_tool_that_comes_here_under_its_own_name_is_one_call(self, connect, ran):
        async def refund(order_id):
            async with connect() as client:
                return texts(await client.call_tool("refund", {"order_id": order_id}))[0]

        async def agent(input, tools):
            return await tools["refund"](order_id=input)

        toolkit = MockToolkit()
        toolkit.allow("refund", refund)
        result = toolkit.run(agent, "7")
        assert result.output == "really refunded 7"
        assert calls_of(result) == ran == ["refund"]

    def test_what_it_calls_under_another_name_is_another_call(self, connect, ran):
        async def close_order(order_id):
            async with connect() as client:
                return texts(await client.call_tool("refund", {"order_id": order_id}))[0]

        async def agent(input, tools):
            return await tools["close_order"](order_id=input)

        toolkit = MockToolkit()
        toolkit.allow("close_order", close_order)
        with pytest.raises(UnmockedToolError, match="refund"):
            toolkit.run(agent, "7")
        toolkit.mock("refund", return_value="refunded")
        result = toolkit.run(agent, "7")
        assert result.output == "refunded"
        assert calls_of(result) == ["close_order", "refund"]
        assert ran == []


class TestOtherWaysToTheServer:
    def request(self):
        types = import_module("mcp.types")
        params = types.CallToolRequestParams(name="refund", arguments={"order_id": "7"})
        asked = types.CallToolRequest(method="tools/call", params=params)
        return (asked if IS_SECOND else types.ClientRequest(asked)), types.CallToolResult

    def test_a_request_that_was_made_by_hand(self, ran):
        async def agent():
            async with by_session() as session:
                return await session.send_request(*self.request())

        with pytest.raises(UnmockedToolError, match="refund"):
            MockToolkit().run_generic(agent)
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        assert texts(toolkit.run_generic(agent).output) == ["refunded"]
        assert ran == []
        toolkit = MockToolkit()
        toolkit.allow("refund")
        assert calls_of(toolkit.run_generic(agent)) == ran == ["refund"]

    @pytest.mark.skipif(IS_SECOND, reason="the second generation has no tasks of its own")
    @pytest.mark.filterwarnings("ignore:The experimental tasks API")
    def test_a_task_cannot_be_mocked(self, ran):
        pytest.importorskip("mcp.client.experimental")

        async def agent():
            async with by_session() as session:
                return await session.experimental.call_tool_as_task("refund", {"order_id": "7"})

        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        with pytest.raises(UnmockedToolError, match="refund was called as a task of its MCP server"):
            toolkit.run_generic(agent)
        assert ran == []

    def test_a_server_of_its_own_process_and_a_package_that_is_imported_within_the_run(self, tmp_path):
        server = Path(__file__).parents[2] / "contract" / "adapters" / "mcp_shop.py"
        program = f"""
            import sys
            from unitai import MockToolkit

            async def agent():
                from mcp import ClientSession, StdioServerParameters
                from mcp.client.stdio import stdio_client
                server = StdioServerParameters(command=sys.executable, args=[{str(server)!r}, "ran.txt"])
                async with stdio_client(server) as streams, ClientSession(*streams) as session:
                    await session.initialize()
                    listed = await session.list_tools()
                    answered = await session.call_tool("track_parcel", {{"parcel_id": "7"}})
                    return [tool.name for tool in listed.tools], answered.content[0].text

            toolkit = MockToolkit()
            toolkit.mock("track_parcel", return_value="in a van")
            print(toolkit.run_generic(agent).output)
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stdout == "(['track_parcel'], 'in a van')\n", done.stderr
        assert not (tmp_path / "ran.txt").exists()
