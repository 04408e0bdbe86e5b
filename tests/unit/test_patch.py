"""`toolkit.patch`: real functions are replaced during a run, wherever they are used, and nowhere else."""

from __future__ import annotations

import asyncio
import sys
import threading
import types

import pytest

from unitai import AdapterNotFoundError, InvalidArgumentError, MockToolkit, RunOverError, UnmockedToolError

pytestmark = pytest.mark.unit

SOURCE = """
ran = []

def refund(order_id, amount=10.0, *notes, **more):
    ran.append(order_id)
    return "really refunded"

async def send(to):
    ran.append(to)
    return "really sent"

class Bank:
    def pay(self, amount):
        ran.append(amount)
        return "really paid"

    @staticmethod
    def rate(currency):
        ran.append(currency)
        return 1.0

    @classmethod
    def open(cls, name):
        ran.append(name)
        return cls()

LIMIT = 5
"""


@pytest.fixture
def shop(monkeypatch):
    module = types.ModuleType("patched_shop")
    exec(SOURCE, module.__dict__)
    monkeypatch.setitem(sys.modules, "patched_shop", module)
    user = types.ModuleType("patched_user")
    user.pay_back = module.refund
    monkeypatch.setitem(sys.modules, "patched_user", user)
    return module


def test_a_function_is_replaced_in_every_module_that_holds_it(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.refund", return_value="refunded")
    user = sys.modules["patched_user"]

    result = toolkit.run(lambda input: (shop.refund("1"), user.pay_back("2", 5.0, "soon", fast=True)), "go")

    assert result.output == ("refunded", "refunded")
    assert [call.args for call in toolkit.get_tool("refund").calls] == [
        {"order_id": "1"},
        {"order_id": "2", "amount": 5.0, "notes": ("soon",), "fast": True},
    ]
    assert shop.ran == []
    assert (shop.refund("3"), user.pay_back("4")) == ("really refunded", "really refunded")
    assert user.pay_back is shop.refund


def test_methods_of_every_kind(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.Bank.pay", return_value="paid")
    toolkit.patch("patched_shop.Bank.rate", return_value=2.0, name="exchange_rate")
    toolkit.patch("patched_shop.Bank.open", return_value="bank")
    result = toolkit.run(lambda input: (shop.Bank().pay(5), shop.Bank.rate("EUR"), shop.Bank.open("x")), "go")
    assert result.output == ("paid", 2.0, "bank")
    assert result.call_order() == ["pay", "exchange_rate", "open"]
    assert result.tool_called_with("pay", amount=5)
    assert result.tool_called_with("open", name="x")
    assert shop.ran == []
    assert shop.Bank.rate("EUR") == 1.0
    assert isinstance(shop.Bank.open("x"), shop.Bank)


def test_an_async_function_stays_one(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.send", return_value="sent")

    async def agent(input):
        return await asyncio.gather(shop.send("a"), shop.send("b"))

    assert toolkit.run(agent, "go").output == ["sent", "sent"]
    assert shop.ran == []


def test_without_a_way_to_answer_it_never_runs(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.refund")
    with pytest.raises(UnmockedToolError, match="refund"):
        toolkit.run(lambda input: shop.refund("1"), "go")
    assert shop.ran == []
    toolkit.allow("refund")
    assert toolkit.run(lambda input: shop.refund("1"), "go").output == "really refunded"


def test_a_call_that_does_not_fit_is_refused_as_python_refuses_it(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.send", return_value="sent")
    result = toolkit.run_generic(lambda: asyncio.run(shop.send("a", "b")))
    assert isinstance(result.error, TypeError)


def test_runs_of_other_toolkits_see_the_real_function(shop):
    toolkit, other = MockToolkit(), MockToolkit()
    toolkit.patch("patched_shop.refund", return_value="refunded")
    inside, outside = threading.Event(), threading.Event()
    said = {}

    def first(input):
        inside.set()
        outside.wait(5)
        return shop.refund("1")

    thread = threading.Thread(target=lambda: said.update(first=toolkit.run(first, "go").output))
    thread.start()
    inside.wait(5)
    said["other"] = other.run_generic(lambda: shop.refund("2")).output
    outside.set()
    thread.join()
    assert said == {"first": "refunded", "other": "really refunded"}
    assert shop.ran == ["2"]


def test_a_thread_that_outlives_its_run_never_comes_to_the_real_function(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.refund", return_value="refunded")
    go, caught = threading.Event(), []

    def late():
        go.wait(5)
        try:
            shop.refund("1")
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=late)
    toolkit.run(lambda input: thread.start(), "go")
    go.set()
    thread.join()
    assert len(caught) == 1
    assert isinstance(caught[0], RunOverError) or type(caught[0]).__name__ == "RunCancelled"
    assert shop.ran == []


def test_a_copy_of_the_toolkit_replaces_it_too(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.refund", return_value="refunded")
    assert toolkit.copy().run(lambda input: shop.refund("1"), "go").output == "refunded"


def test_an_agent_without_tools_is_refused_unless_something_is_replaced():
    with pytest.raises(AdapterNotFoundError, match="none of them would be mocked"):
        MockToolkit().run(lambda input: input, "go")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("refund", "package.module.function"),
        (5, "package.module.function"),
        ("no_such_package.refund", "no module no_such_package"),
        ("patched_shop.refnd", "has no refnd"),
        ("patched_shop.LIMIT", "no function"),
        ("patched_shop.Bank", "no function"),
        ("patched_shop.Bank.no", "has no no"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_what_cannot_be_replaced_is_told(target, said):
    with pytest.raises(InvalidArgumentError, match=said):
        MockToolkit().patch(target, return_value=1)
