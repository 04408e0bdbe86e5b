"""The contract of an adapter. A new adapter adds one class here and passes the same suite."""

from __future__ import annotations

import pytest

from unitai import MockToolkit, UnmockedToolError
from unitai.adapters.generic import GenericAdapter

pytestmark = pytest.mark.contract


class AdapterContract:
    """What every adapter must do. `make_agent` gives an agent of the framework that calls `lookup` with
    `order_id="123"`, then, if asked, `refund`, and ends with the text `done`."""

    adapter: object
    knows_tools_before_running = True

    def make_agent(self, *, refund=False, error=None):
        raise NotImplementedError

    @pytest.fixture
    def toolkit(self):
        toolkit = MockToolkit()
        toolkit.mock("lookup", return_value={"status": "delivered"})
        return toolkit

    def test_it_handles_its_own_agents_and_nothing_else(self):
        assert self.adapter.can_handle(self.make_agent())
        assert not self.adapter.can_handle(object())
        assert not self.adapter.can_handle("agent")

    def test_it_is_found_by_looking_at_the_agent(self, toolkit):
        assert toolkit.run(self.make_agent(), "go").output == "done"

    def test_tool_calls_are_answered_by_mocks_and_recorded(self, toolkit):
        result = toolkit.run(self.make_agent(), "go", adapter=self.adapter)
        assert result.tool_called_with("lookup", order_id="123")
        assert result.get_call("lookup").result == {"status": "delivered"}

    def test_a_tool_that_is_not_mocked_never_runs(self, toolkit):
        with pytest.raises(UnmockedToolError) as caught:
            toolkit.run(self.make_agent(refund=True), "go", adapter=self.adapter)
        assert caught.value.result.call_order() == ["lookup", "refund"]

    def test_what_the_agent_raises_is_the_results_error(self, toolkit):
        error = RuntimeError("out of patience")
        result = toolkit.run(self.make_agent(error=error), "go", adapter=self.adapter)
        assert result.error is error
        assert result.call_order() == ["lookup"]

    def test_the_agent_can_be_run_again(self, toolkit):
        agent = self.make_agent()
        first = toolkit.run(agent, "go", adapter=self.adapter)
        second = toolkit.run(agent, "go", adapter=self.adapter)
        assert first.call_order() == second.call_order() == ["lookup"]
        assert first.trajectory.run_id != second.trajectory.run_id

    def test_its_tools_are_a_list_of_names(self):
        tools = self.adapter.extract_tools(self.make_agent())
        assert isinstance(tools, list)
        assert not self.knows_tools_before_running or tools == ["lookup"]


class TestGenericAdapter(AdapterContract):
    adapter = GenericAdapter()
    knows_tools_before_running = False

    def make_agent(self, *, refund=False, error=None):
        def agent(input, tools):
            tools["lookup"](order_id="123")
            if refund:
                tools["refund"](order_id="123")
            if error is not None:
                raise error
            return "done"

        return agent


class TestGenericAdapterWithAsyncAgents(AdapterContract):
    adapter = GenericAdapter()
    knows_tools_before_running = False

    def make_agent(self, *, refund=False, error=None):
        async def agent(input, tools):
            tools["lookup"](order_id="123")
            if refund:
                tools["refund"](order_id="123")
            if error is not None:
                raise error
            return "done"

        return agent
