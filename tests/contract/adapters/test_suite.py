"""The contract of every adapter, with real code of its framework: the same cases, whatever the framework."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
import time
from importlib import import_module

import pytest
import shop
from framework import call, same
from provider import COOKIE
from stopwatch import Stopwatch
from upstream import Upstream

from unitai import (
    AgentLoopDetectedError,
    AgentTimeoutError,
    CostLimitExceeded,
    MockToolkit,
    StatisticalRunner,
    UnknownToolError,
    UnknownUsageError,
    UnmockedToolError,
    UnmockedToolWarning,
    UnpricedModelError,
    UnsupportedFrameworkError,
    cassette,
    scripted_model,
)
from unitai.adapters import frameworks
from unitai.adapters.registry import choose
from unitai.script import fail, say

pytestmark = [
    pytest.mark.contract,
    # What the frameworks warn of is theirs.
    pytest.mark.filterwarnings("ignore"),
]

LOOKUP = call("lookup_order", order_id="123")
REFUND = call("refund", order_id="123", amount=10.0)
EMAIL = call("send_email", to="a@b.c", text="Done.")


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("lookup_order", return_value={"status": "delivered"})
    toolkit.mock("refund", return_value="refunded")
    toolkit.mock("send_email", return_value="sent")
    return toolkit


def kinds(result):
    """What happened, in order: the names of tools, and `llm` for a model call."""
    steps = [step for step in result.trajectory.steps if step.step_type != "state_change"]
    return [step.tool_name or "llm" for step in steps]


class TestItsAgents:
    """Which agents are whose, and what they have."""

    def test_the_adapter_is_found_by_looking_at_the_agent(self, framework):
        assert choose(framework.agent(), None).name == framework.name
        assert not choose(framework.agent(), None).can_handle(object())

    def test_its_tools_are_known_by_name_and_schema(self, framework):
        tools = choose(framework.agent(), None).extract_tools(framework.agent())
        assert tuple(map(str, tools)) == framework.tool_names
        lookup, refund, _ = tools
        assert lookup.schema["properties"]["order_id"]["type"] == "string"
        assert refund.schema["properties"]["amount"]["type"] == "number"
        assert set(refund.schema["required"]) == {"order_id", "amount"}
        assert "Look an order up" in lookup.description

    def test_the_mock_of_a_tool_that_it_does_not_have_is_an_error_with_the_nearest_name(self, framework, toolkit):
        toolkit.mock("lookup_ordr", return_value={})
        with scripted_model([]), pytest.raises(UnknownToolError, match="lookup_order"):
            toolkit.run(framework.agent(), "go")

    def test_a_mock_that_not_every_agent_needs_may_be_there(self, framework, toolkit):
        toolkit.mock("cancel_order", return_value={}, optional=True)
        with scripted_model([say("Nothing to do.")]):
            assert same(toolkit.run(framework.agent(), "go").output) == "Nothing to do."

    def test_all_its_tools_can_be_mocked_at_once(self, framework):
        toolkit = MockToolkit()
        assert sorted(toolkit.auto_mock(framework.agent())) == sorted(framework.tool_names)
        with scripted_model([LOOKUP, REFUND, say("Done.")]):
            result = toolkit.run(framework.agent(), "refund order 123")
        assert kinds(result) == ["llm", "lookup_order", "llm", "refund", "llm"]


class TestARun:
    """What is recorded, in which order."""

    def test_the_happy_path(self, framework, toolkit):
        with scripted_model([LOOKUP, REFUND.using(100, 20), say("Refunded.").using(120, 5)]):
            result = toolkit.run(framework.agent(), "refund order 123")
        assert result.succeeded
        assert same(result.output) == "Refunded."
        assert kinds(result) == ["llm", "lookup_order", "llm", "refund", "llm"]
        assert result.tool_called_with("lookup_order", order_id="123")
        assert result.tool_called_with("refund", order_id="123", amount=10.0)
        assert result.get_call("lookup_order").result == {"status": "delivered"}
        models = [step for step in result.trajectory.steps if step.step_type == "llm_call"]
        assert {step.model for step in models} == {framework.model}
        assert [(step.prompt_tokens, step.completion_tokens) for step in models[1:]] == [(100, 20), (120, 5)]
        assert result.total_cost > 0

    def test_the_model_is_told_what_the_mock_returned(self, framework, toolkit):
        from unitai.script import when

        script = [LOOKUP, when(tool_result="delivered").then(say("It was delivered."))]
        with scripted_model(script):
            assert same(toolkit.run(framework.agent(), "where is it?").output) == "It was delivered."

    def test_a_wrong_order_is_found(self, framework, toolkit):
        with scripted_model([REFUND, LOOKUP, say("Done.")]):
            result = toolkit.run(framework.agent(), "refund order 123")
        assert not result.tool_called_before("lookup_order", "refund")
        assert result.call_order() == ["refund", "lookup_order"]

    def test_parallel_calls_are_recorded_in_the_order_of_the_model(self, framework, toolkit):
        with scripted_model([[LOOKUP, REFUND, EMAIL], say("Done.")]):
            result = toolkit.run(framework.agent(), "all at once")
        assert kinds(result) == ["llm", "lookup_order", "refund", "send_email", "llm"]

    def test_an_async_tool_is_mocked_by_a_function_of_either_kind(self, framework, toolkit):
        async def slow(args):
            await asyncio.sleep(0.01)
            return f"sent to {args['to']}"

        with scripted_model([EMAIL, say("Done.")]):
            assert toolkit.run(framework.agent(), "write").get_call("send_email").result == "sent"
        toolkit.mock("send_email", side_effect=slow, replace=True)
        toolkit.mock("lookup_order", side_effect=lambda args: {"id": args["order_id"]}, replace=True)
        with scripted_model([EMAIL, LOOKUP, say("Done.")]):
            result = toolkit.run(framework.agent(), "write")
        assert result.get_call("send_email").result == "sent to a@b.c"
        assert result.get_call("lookup_order").result == {"id": "123"}

    def test_the_model_can_be_another(self, framework, toolkit):
        with scripted_model([LOOKUP, say("Done.")]):
            result = toolkit.run(framework.agent(), "go", model_override=framework.other_model)
        assert {step.model for step in result.trajectory.steps if step.model} == {framework.other_model}

    def test_it_runs_inside_of_a_running_event_loop(self, framework, toolkit):
        async def test():
            with scripted_model([LOOKUP, say("One."), LOOKUP, say("Two.")], across_runs=True):
                return toolkit.run(framework.agent(), "go"), await toolkit.arun(framework.agent(), "go")

        one, two = asyncio.run(test())
        assert (same(one.output), same(two.output)) == ("One.", "Two.")
        assert kinds(one) == kinds(two) == ["llm", "lookup_order", "llm"]

    def test_an_agent_can_be_run_again(self, framework, toolkit):
        agent = framework.agent()
        for _ in range(3):
            with scripted_model([LOOKUP, say("Done.")]):
                assert kinds(toolkit.run(agent, "go")) == ["llm", "lookup_order", "llm"]


class TestTrouble:
    """What goes wrong is told, and no real tool runs."""

    def test_a_tool_that_is_not_mocked_never_runs_though_the_framework_swallows_the_error(self, framework):
        toolkit = MockToolkit()
        toolkit.mock("lookup_order", return_value={})
        with pytest.raises(UnmockedToolError, match="refund") as caught, scripted_model([LOOKUP, REFUND, say("Done.")]):
            toolkit.run(framework.agent(), "refund order 123")
        assert caught.value.result.call_order() == ["lookup_order", "refund"]

    def test_without_strictness_it_is_answered_with_none(self, framework):
        toolkit = MockToolkit(strict=False)
        with scripted_model([EMAIL, say("Done.")]), pytest.warns(UnmockedToolWarning, match="send_email"):
            result = toolkit.run(framework.agent(), "write")
        assert result.get_call("send_email").result is None
        assert same(result.output) == "Done."

    def test_a_tool_that_is_allowed_runs_and_is_recorded(self, framework, toolkit, monkeypatch):
        monkeypatch.setattr(shop, "ALLOWED", {"send_email": [], "refund": []})
        toolkit = MockToolkit()
        toolkit.allow("send_email")
        toolkit.allow("refund")
        with scripted_model([EMAIL, REFUND, say("Done.")]):
            result = toolkit.run(framework.agent(), "write")
        assert shop.ALLOWED == {
            "send_email": [{"to": "a@b.c", "text": "Done."}],
            "refund": [{"order_id": "123", "amount": 10.0}],
        }
        assert same(result.get_call("send_email").result) == "really sent"
        assert kinds(result) == ["llm", "send_email", "llm", "refund", "llm"]

    def test_an_error_of_a_tool_takes_the_way_of_the_framework(self, framework, toolkit):
        toolkit.mock("refund", side_effect=RuntimeError("the bank is closed"), replace=True)
        script = [REFUND] if framework.tool_errors_end_the_run else [REFUND, say("I am sorry.")]
        with scripted_model(script):
            result = toolkit.run(framework.agent(), "refund order 123")
        assert "the bank is closed" in str(result.get_call("refund").error)
        if framework.tool_errors_end_the_run:
            assert "the bank is closed" in str(result.error)
        else:
            assert same(result.output) == "I am sorry."

    def test_arguments_that_the_tool_does_not_take_are_recorded_and_the_mock_does_not_answer(self, framework, toolkit):
        wrong = call("refund", order_id="123", amount="a lot").unchecked()
        with scripted_model([wrong, say("I am sorry.")]):
            result = toolkit.run(framework.agent(), "refund order 123")
        refused = [step for step in result.trajectory.steps if step.tool_name == "refund"]
        assert len(refused) == 1
        assert refused[0].tool_args["amount"] == "a lot"
        assert refused[0].tool_error is not None
        assert "amount" in str(refused[0].tool_error)
        assert toolkit.get_tool("refund").calls[0].error is not None

    def test_a_tool_that_the_model_made_up_is_recorded_as_refused(self, framework, toolkit):
        made_up = call("delete_everything", now=True).unchecked()
        with scripted_model([made_up] if framework.made_up_tools_end_the_run else [made_up, say("I am sorry.")]):
            result = toolkit.run(framework.agent(), "refund order 123")
        made_up = [step for step in result.trajectory.steps if step.tool_name == "delete_everything"]
        assert len(made_up) == 1
        assert made_up[0].tool_error is not None

    def test_a_run_ends_at_its_deadline_and_asks_the_model_no_more(self, framework, toolkit):
        async def forever(args):
            await asyncio.sleep(30)

        toolkit.mock("send_email", side_effect=forever, replace=True)
        framework.agent()
        with scripted_model([EMAIL]), Stopwatch() as watch:
            result = toolkit.run(framework.agent(), "write", timeout=1)
        assert isinstance(result.error, AgentTimeoutError)
        assert watch.fair < 2
        assert kinds(result) == ["llm", "send_email"]

    def test_a_loop_is_ended(self, framework):
        toolkit = MockToolkit(max_tool_calls=3)
        toolkit.mock("lookup_order", return_value={"status": "pending"})
        with scripted_model([LOOKUP] * 4):
            result = toolkit.run(framework.agent(), "wait")
        assert isinstance(result.error, AgentLoopDetectedError)
        assert result.call_order() == ["lookup_order"] * 3

    def test_an_error_of_the_model_is_the_error_of_the_run(self, framework, toolkit):
        with scripted_model([LOOKUP, fail(400, "no such luck")]):
            result = toolkit.run(framework.agent(), "go")
        assert result.error is not None
        assert "no such luck" in str(result.error)
        failed = [step for step in result.trajectory.steps if step.step_type == "llm_call"][-1]
        assert failed.llm_status == 400


def until_nothing_is_left():
    """Waits for what runs have begun and not ended: as long as it lives, the framework stays redirected."""
    from unitai.traffic import door

    for _ in range(200):
        # Whether something is left is looked at when a run ends.
        MockToolkit().run(lambda input, tools: None, "go")
        if not door._pinned_by:
            return
        time.sleep(0.05)
    raise AssertionError(f"still there after ten seconds: {door._pinned_by}")


class TestLeavingNothing:
    """The agent, the framework and other runs are as they were."""

    def test_the_agent_is_as_it_was(self, framework, toolkit):
        agent = framework.agent()
        before = framework.state(agent)
        with scripted_model([[LOOKUP, REFUND], say("Done.")]):
            toolkit.run(agent, "refund order 123")
        assert framework.state(agent) == before

    def test_so_is_the_framework(self, framework, toolkit):
        assert framework.chokepoints
        framework.agent()
        until_nothing_is_left()
        found = [place(*each) for each in framework.chokepoints]
        before = [inspect.getattr_static(owner, name) for owner, name in found]
        during = []
        toolkit.mock(
            "lookup_order",
            side_effect=lambda args: during.extend(inspect.getattr_static(owner, name) for owner, name in found),
            replace=True,
        )
        with scripted_model([LOOKUP, say("Done.")]):
            toolkit.run(framework.agent(), "go")
        assert not any(one is other for one, other in zip(before, during, strict=True))
        until_nothing_is_left()
        assert [inspect.getattr_static(owner, name) for owner, name in found] == before

    def test_outside_of_runs_real_tools_run(self, framework, monkeypatch):
        monkeypatch.setattr(shop, "ALLOWED", {"lookup_order": []})
        with scripted_model([LOOKUP, say("Done.")]):
            text = framework.run_as_users_do(framework.agent(), "where is it?")
            text = asyncio.run(text) if inspect.isawaitable(text) else text
        assert same(text) == "Done."
        assert shop.ALLOWED == {"lookup_order": [{"order_id": "123"}]}

    def test_a_version_that_cannot_be_redirected_is_refused_by_its_number(self, framework, toolkit, monkeypatch):
        from importlib.metadata import version

        from unitai.traffic import door

        owner, name = place(*framework.chokepoints[0])
        agent = framework.agent()
        monkeypatch.setattr(door, "_known", {})
        monkeypatch.delattr(owner, name)
        with pytest.raises(UnsupportedFrameworkError) as caught, scripted_model([]):
            toolkit.run(agent, "go")
        assert name in str(caught.value)
        assert any(version(each) in str(caught.value) for each in [framework.distribution, *framework.others])

    def test_so_is_one_that_calls_its_tools_somewhere_else(self, framework, toolkit, monkeypatch):
        known = frameworks.FRAMEWORKS[framework.name]
        changed = known._replace(modules=(*known.modules, f"{known.package}.moved.elsewhere"))
        monkeypatch.setitem(frameworks.FRAMEWORKS, framework.name, changed)
        agent = framework.agent()
        frameworks.check.cache_clear()
        try:
            with pytest.raises(UnsupportedFrameworkError, match="moved.elsewhere"), scripted_model([]):
                toolkit.run(agent, "go")
        finally:
            frameworks.check.cache_clear()

    def test_sixteen_threads_on_one_agent(self, framework):
        agent = framework.agent()
        results, errors = {}, []

        def test(order):
            toolkit = MockToolkit()
            toolkit.mock("lookup_order", side_effect=lambda args: {"id": args["order_id"], "for": order})
            toolkit.mock("refund", return_value=f"refunded {order}")
            toolkit.mock("send_email", return_value="sent")
            script = [
                call("lookup_order", order_id=order),
                call("refund", order_id=order, amount=1.0),
                say(f"Done with {order}."),
            ]
            try:
                with scripted_model(script):
                    results[order] = toolkit.run(agent, f"refund {order}")
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=test, args=(f"order-{n}",)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert len(results) == 16
        for order, result in results.items():
            assert result.error is None
            assert same(result.output) == f"Done with {order}."
            assert kinds(result) == ["llm", "lookup_order", "llm", "refund", "llm"]
            assert result.get_call("lookup_order").result == {"id": order, "for": order}
            assert result.get_call("refund").args == {"order_id": order, "amount": 1.0}


class TestOtherWays:
    """The framework's own calls, inside of a run."""

    def test_the_frameworks_own_call_is_mocked_in_any_run(self, framework, toolkit):
        agent = framework.agent()
        with scripted_model([LOOKUP, REFUND, say("Done.")]):
            result = toolkit.run_generic(lambda: framework.run_as_users_do(agent, "refund order 123"))
        assert result.error is None
        assert same(result.output) == "Done."
        assert kinds(result) == ["llm", "lookup_order", "llm", "refund", "llm"]

    def test_a_streamed_run_is_recorded_alike(self, framework, toolkit):
        agent = framework.agent()
        with scripted_model([LOOKUP.using(50, 10), say("Done with it.").using(60, 4)]):
            result = toolkit.run_generic(lambda: framework.stream_as_users_do(agent, "where is it?"))
        assert result.error is None
        assert same(result.output) == "Done with it."
        assert kinds(result) == ["llm", "lookup_order", "llm"]
        models = [step for step in result.trajectory.steps if step.step_type == "llm_call"]
        assert [step.prompt_tokens for step in models] == [50, 60]
        assert models[-1].streamed


class TestModelsWithoutTraffic:
    """Fakes, models in this process, and protocols that UnitAI cannot read: the framework's call is the witness."""

    @pytest.fixture(params=["whole", "streamed"])
    def ask(self, framework, toolkit, request):
        """Runs an agent in one of the framework's own ways."""
        ways = {"whole": framework.run_as_users_do, "streamed": framework.stream_as_users_do}
        return lambda agent: toolkit.run_generic(lambda: ways[request.param](agent, "where is it?"))

    def test_each_of_its_calls_is_a_step(self, framework, ask):
        result = ask(framework.in_house())
        assert result.error is None
        assert same(result.output) == "Delivered."
        assert kinds(result) == ["llm", "lookup_order", "llm"]
        models = [step for step in result.trajectory.steps if step.step_type == "llm_call"]
        assert {step.model for step in models} == {"in-house"}
        assert [(step.prompt_tokens, step.completion_tokens) for step in models] == [(20, 5), (30, 4)]
        assert result.llm_calls == 2
        assert result.total_tokens == 59

    def test_tokens_that_are_not_reported_are_not_0(self, framework, ask):
        result = ask(framework.in_house(reports=False))
        assert kinds(result) == ["llm", "lookup_order", "llm"]
        assert result.llm_calls == 2
        with pytest.raises(UnknownUsageError, match="in-house"):
            result.total_tokens  # noqa: B018
        with pytest.raises(UnknownUsageError, match="in-house"):
            result.total_cost  # noqa: B018

    def test_each_step_says_whose_it_is(self, framework, toolkit):
        result = toolkit.run(framework.in_house(), "where is it?")
        speakers = {step.agent_id for step in result.trajectory.steps if step.step_type == "llm_call"}
        assert speakers == {step.agent_id for step in result.trajectory.steps if step.tool_name}

    @pytest.mark.parametrize("limit", [0.14, 0.13])
    def test_at_a_price_they_spend_a_budget(self, framework, limit):
        toolkit = MockToolkit(budget=limit, prices={"in-house": {"input": 1000.0, "output": 10000.0}})
        toolkit.mock("lookup_order", return_value={})
        result = toolkit.run(framework.in_house(), "where is it?")
        assert result.error_is(CostLimitExceeded) == (limit < 0.14)
        assert result.total_cost == pytest.approx(0.14)

    def test_a_budget_does_not_hold_without_a_price(self, framework):
        toolkit = MockToolkit(budget=1.0)
        toolkit.mock("lookup_order", return_value={})
        result = toolkit.run(framework.in_house(), "where is it?")
        assert result.error_is(UnpricedModelError)
        assert result.llm_calls == 1

    def test_outside_of_runs_they_are_as_they_were(self, framework, monkeypatch):
        monkeypatch.setattr(shop, "ALLOWED", {"lookup_order": []})
        text = framework.run_as_users_do(framework.in_house(), "where is it?")
        text = asyncio.run(text) if inspect.isawaitable(text) else text
        assert same(text) == "Delivered."


class TestRepetition:
    """A repeated test runs the agent side by side."""

    def test_every_run_is_one_of_its_own(self, framework):
        agent = framework.agent()

        def refunds(mock_toolkit):
            mock_toolkit.mock("lookup_order", return_value={"status": "delivered"})
            with scripted_model([LOOKUP, say("Done.")]):
                result = mock_toolkit.run(agent, "go")
            assert kinds(result) == ["llm", "lookup_order", "llm"]

        stats = StatisticalRunner(n=10, threshold=1.0, max_workers=5, mode="all").run(refunds)
        assert stats.pass_rate == 1.0, stats.summary()


class TestTeams:
    """Several agents in one run."""

    def test_the_tools_of_every_agent_are_mocked_and_each_step_says_whose_it_is(self, framework):
        toolkit = MockToolkit()
        toolkit.mock("refund", return_value="refunded")
        with scripted_model(framework.team_script()):
            result = toolkit.run(framework.team(), "refund order 123")
        assert result.error is None
        assert same(result.output) == "Refunded."
        assert result.tool_called_with("refund", order_id="123", amount=10.0)
        refund = next(step for step in result.trajectory.steps if step.tool_name == "refund")
        assert refund.agent_id == "billing"
        models = [step.agent_id for step in result.trajectory.steps if step.step_type == "llm_call"]
        assert models[0] == "triage"
        assert "billing" in models

    def test_an_unmocked_tool_of_another_agent_never_runs(self, framework):
        with pytest.raises(UnmockedToolError, match="refund"), scripted_model(framework.team_script()):
            MockToolkit().run(framework.team(), "refund order 123")


class TestRecordings:
    """Recorded once, replayed with the model gone."""

    def test_a_replay_is_the_same_run(self, framework, toolkit, tmp_path):
        script = [LOOKUP.using(100, 20), REFUND.using(130, 25), say("Refunded.").using(150, 6)]
        with Upstream(script) as server, cassette("record", tmp_path):
            recorded = toolkit.run(framework.agent(server.url), "refund order 123")
        assert recorded.error is None
        assert same(recorded.output) == "Refunded."
        stored = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("*.json"))
        assert COOKIE not in stored
        assert "[redacted]" not in stored
        with cassette("replay", tmp_path):
            replayed = toolkit.run(framework.agent(server.url), "refund order 123")
        assert shape(replayed) == shape(recorded)
        assert same(replayed.output) == same(recorded.output)


def shape(result):
    """The trajectory without what is different each time: times, and who answered."""
    steps = result.trajectory.to_dict()["steps"]
    for step in steps:
        step.pop("timestamp")
        for name in ("latency", "time_to_first_token", "recorded_latency", "source"):
            step.get("exchange", {}).pop(name, None)
    return steps


def place(module, owner, name):
    """What is redirected."""
    found = sys.modules.get(module) or import_module(module)
    return (found if owner is None else getattr(found, owner)), name
