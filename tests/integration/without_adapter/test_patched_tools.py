"""`toolkit.patch` of tools that a framework made, held by an agent that was there before the run."""

from __future__ import annotations

import threading

import pytest
from framework_chosen import CHOSEN

from unitai import MockToolkit, UnmockedToolError, scripted_model
from unitai.script import call

pytestmark = pytest.mark.integration

REFUND = call("refund", order_id="7", amount=2.5)
LOOKUP = call("lookup", order_id="7")


def only(name):
    return pytest.mark.skipif(name != CHOSEN, reason=f"needs {name}: make test-adapters ONLY={name}")


def run(shop, toolkit, *calls):
    with scripted_model(shop.steps(*calls)):
        return toolkit.run_generic(lambda: shop.ask("Refund order 7."))


def patched(shop, **answers):
    toolkit = MockToolkit()
    for name, answer in answers.items():
        toolkit.patch(f"{shop.__name__}.{name}", return_value=answer)
    return toolkit


def test_the_agent_calls_the_mock_under_the_name_that_the_model_knows(shop):
    toolkit = patched(shop, refund="refunded", lookup="found")
    result = run(shop, toolkit, LOOKUP, REFUND)
    assert result.error is None, result.error
    assert result.output == "Done."
    assert result.call_order() == ["lookup", "refund"]
    assert result.get_call("lookup").args == {"order_id": "7"}
    assert result.get_call("refund").args == {"order_id": "7", "amount": 2.5}
    assert result.get_call("refund").result == "refunded"
    assert shop.RAN == []


def test_the_model_is_told_what_the_mock_says(shop):
    toolkit = patched(shop, refund="refunded by the mock")
    with scripted_model(shop.steps(REFUND)) as model:
        toolkit.run_generic(lambda: shop.ask("Refund order 7."))
    assert "refunded by the mock" in str(model.requests[-1].messages)


def test_what_a_mock_raises_is_what_the_tool_raises(shop):
    toolkit = MockToolkit()
    toolkit.patch(f"{shop.__name__}.refund", side_effect=RuntimeError("no money left"))
    with scripted_model(shop.steps(REFUND)) as model:
        result = toolkit.run_generic(lambda: shop.ask("Refund order 7."))
    assert isinstance(result.get_call("refund").error, RuntimeError)
    assert "no money left" in str(model.requests[-1].messages)
    assert shop.RAN == []


def test_without_a_way_to_answer_the_tool_never_runs(shop):
    toolkit = MockToolkit()
    toolkit.patch(f"{shop.__name__}.refund")
    with pytest.raises(UnmockedToolError, match="refund"):
        run(shop, toolkit, REFUND)
    assert shop.RAN == []


def test_an_allowed_one_runs_and_is_recorded_once(shop):
    toolkit = MockToolkit()
    toolkit.patch(f"{shop.__name__}.refund")
    toolkit.allow("refund")
    result = run(shop, toolkit, REFUND)
    assert shop.RAN == ["refund"]
    assert result.call_order() == ["refund"]
    assert result.get_call("refund").result == "really refunded 7"


def test_other_runs_and_no_run_have_the_real_tool(shop):
    toolkit, other = patched(shop, refund="refunded"), MockToolkit()
    other.allow("refund")
    assert run(shop, toolkit, REFUND).succeeded
    assert shop.RAN == []
    assert run(shop, other, REFUND).succeeded
    assert shop.RAN == ["refund"]


def test_parallel_runs_have_their_own_mocks(shop):
    agents = {"one": shop.make(), "two": shop.make()}
    answers = {}

    def one_run(name):
        toolkit = patched(shop, lookup=name)
        with scripted_model(shop.steps(LOOKUP)):
            result = toolkit.run_generic(lambda: shop.ask("Find order 7.", agents[name]))
        answers[name] = result.get_call("lookup").result

    threads = [threading.Thread(target=one_run, args=(name,)) for name in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {"one": "one", "two": "two"}
    assert shop.RAN == []


@pytest.mark.skipif(CHOSEN not in ("llama_index", "autogen"), reason="needs llama_index or autogen")
def test_the_function_inside_a_tool_is_patched_under_the_name_that_the_model_knows(shop):
    toolkit = MockToolkit()
    toolkit.patch(f"{shop.__name__}.pay_back", return_value="refunded", name="refund")
    result = run(shop, toolkit, REFUND)
    assert result.succeeded
    assert result.call_order() == ["refund"]
    assert result.get_call("refund").result == "refunded"
    assert shop.RAN == []


@only("smolagents")
class TestSmolagents:
    def test_generated_code_calls_the_mock(self, shop):
        toolkit = patched(shop, refund="refunded", lookup="found")
        with scripted_model(shop.code_steps("print(refund('7', amount=2.5), lookup(order_id='7'))")):
            result = toolkit.run_generic(lambda: shop.ask_coder("Refund order 7."))
        assert result.output == "Done."
        assert result.call_order() == ["refund", "lookup"]
        assert result.get_call("refund").args == {"order_id": "7", "amount": 2.5}
        assert shop.RAN == []

    @pytest.mark.parametrize("path", ["lookup", "lookup.forward", "Lookup.forward"])
    def test_a_tool_that_is_a_class_is_mocked_by_every_path_to_it(self, shop, path):
        toolkit = patched(shop, **{path: "found"})
        result = run(shop, toolkit, LOOKUP)
        assert result.call_order() == ["lookup"]
        assert shop.RAN == []

    def test_forward_of_a_decorated_tool_is_that_tool(self, shop):
        toolkit = patched(shop, **{"refund.forward": "refunded"})
        with scripted_model(shop.steps(REFUND)) as model:
            result = toolkit.run_generic(lambda: shop.ask("Refund order 7."))
        assert result.get_call("refund").args == {"order_id": "7", "amount": 2.5}
        assert "refunded" in str(model.requests[-1].messages)
        assert shop.RAN == []

    def test_forward_of_a_decorated_tool_leaves_the_others_alone(self, shop):
        toolkit = patched(shop, **{"Kit.send.forward": "sent"})
        toolkit.allow("refund")
        result = run(shop, toolkit, call("send", to="Ann"), REFUND)
        assert result.succeeded
        assert result.get_call("send").result == "sent"
        assert shop.RAN == ["refund"]

    def test_a_tool_that_a_class_holds_is_mocked(self, shop):
        toolkit = patched(shop, **{"Kit.send": "sent"})
        result = run(shop, toolkit, call("send", to="Ann"))
        assert result.get_call("send").args == {"to": "Ann"}
        assert shop.RAN == []

    def test_another_object_of_the_class_is_another_tool(self, shop):
        toolkit = patched(shop, lookup="found")
        result = toolkit.run_generic(lambda: [shop.lookup(order_id="7"), shop.other_lookup(order_id="8")])
        assert result.output == ["found", "really found 8"]


@only("strands")
class TestStrands:
    @pytest.mark.parametrize("path", ["Kit.send", "KIT.send"])
    def test_a_tool_that_is_a_method_is_mocked(self, shop, path):
        toolkit = patched(shop, **{path: "sent"})
        result = run(shop, toolkit, call("send", to="Ann"))
        assert result.call_order() == ["send"]
        assert result.get_call("send").args == {"to": "Ann"}
        assert result.output == "Done."
        assert shop.RAN == []

    def test_what_the_framework_hands_to_a_tool_is_no_argument_of_it(self, shop):
        toolkit = patched(shop, note="noted")
        result = run(shop, toolkit, call("note", text="hello"))
        assert result.get_call("note").args == {"text": "hello"}
        assert shop.RAN == []

    def test_a_tool_that_is_called_as_a_function_is_mocked(self, shop):
        assert patched(shop, refund="refunded").run_generic(lambda: shop.refund("7")).output == "refunded"
        assert shop.RAN == []


@only("agno")
class TestAgno:
    @pytest.mark.parametrize("path", ["Kit.send", "KIT.send"])
    def test_a_method_of_a_toolkit_is_mocked(self, shop, path):
        toolkit = patched(shop, **{path: "sent"})
        result = run(shop, toolkit, call("send", to="Ann"))
        assert result.call_order() == ["send"]
        assert result.get_call("send").args == {"to": "Ann"}
        assert shop.RAN == []

    def test_a_tool_that_is_a_method_is_mocked(self, shop):
        toolkit = patched(shop, **{"Kit.note": "noted"})
        result = run(shop, toolkit, call("note", text="hello"))
        assert result.get_call("note").args == {"text": "hello"}
        assert shop.RAN == []


@only("llama_index")
def test_a_tool_with_two_functions_is_one_tool(shop):
    toolkit = patched(shop, both="mocked")
    result = run(shop, toolkit, call("both", text="hello"))
    assert result.get_call("both").args == {"text": "hello"}
    assert toolkit.run_generic(lambda: shop.both(text="hello").raw_output).output == "mocked"
    assert shop.RAN == []
