"""`toolkit.patch`: real functions are replaced during a run, wherever they are used, and nowhere else."""

from __future__ import annotations

import asyncio
import copy
import inspect
import math
import sys
import threading
import types

import pytest

from unitai import AdapterNotFoundError, InvalidArgumentError, MockToolkit, RunOverError, UnmockedToolError
from unitai.runner.job import RunCancelled
from unitai.traffic import door

pytestmark = pytest.mark.unit

SOURCE = """
import functools

ran = []

def refund(order_id, amount=10.0, *notes, **more):
    ran.append(order_id)
    return "really refunded"

async def send(to):
    ran.append(to)
    return "really sent"

class Bank:
    LIMIT = 5

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

class Branch(Bank):
    pass

def _counting():
    count = 0
    def counted(by):
        nonlocal count
        count += by
        ran.append(count)
        return count
    return counted

counted = _counting()
TOOLS = {"refund": refund, "all": [refund], "partial": functools.partial(refund, "p")}

def with_default(order_id, tool=refund):
    return tool(order_id)

def pieces(n):
    ran.append(n)
    yield from range(n)

async def async_pieces(n):
    ran.append(n)
    for piece in range(n):
        yield piece

def returning(n):
    yield from range(n)
    return "returned"

CLIENT = Bank()
pay_client = CLIENT.pay
LIMIT = 5

class Lookup:
    def __init__(self, place):
        self.place = place

    def __call__(self, order_id):
        ran.append(order_id)
        return f"really found in {self.place}"

class AsyncLookup:
    async def __call__(self, order_id):
        ran.append(order_id)
        return "really found"

class DeepLookup(Lookup):
    def __call__(self, order_id, depth=1):
        return super().__call__(order_id)

here, there, soon, deep = Lookup("here"), Lookup("there"), AsyncLookup(), DeepLookup("deep")
HELD = [here, there]

@functools.lru_cache
def cached(order_id):
    ran.append(order_id)
    return "really found"

with_amount = functools.partial(refund, amount=1.0)

class Holder:
    KINDS = {"cached": cached}

    def __init__(self, tool):
        self.tool = tool

    @functools.lru_cache
    def rate(self, currency):
        ran.append(currency)
        return 1.0

    square_root = functools.lru_cache(lambda n: n)

HOLDER = Holder(cached)
CACHED = [cached]

def _calling(tool):
    def call(order_id):
        return tool(order_id)
    return call

call_cached = _calling(cached)
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


def test_whoever_holds_the_function_calls_the_mock(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.refund", return_value="refunded")
    held = shop.refund

    def agent(input):
        tools = shop.TOOLS
        return [tools["refund"]("1"), tools["all"][0]("2"), tools["partial"](), shop.with_default("3"), held("4")]

    result = toolkit.run(agent, "go")
    assert result.output == ["refunded"] * 5
    assert [call.args["order_id"] for call in toolkit.get_tool("refund").calls] == ["1", "2", "p", "3", "4"]
    assert shop.ran == []
    assert agent("go") == ["really refunded"] * 5


def test_closures_and_functions_that_give_pieces(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.counted", return_value=7)
    toolkit.patch("patched_shop.pieces", return_value=["a", "b"])
    toolkit.patch("patched_shop.async_pieces", return_value=["c", "d"])

    async def agent(input):
        return [shop.counted(1), *shop.pieces(3), *[piece async for piece in shop.async_pieces(3)]]

    assert toolkit.run(agent, "go").output == [7, "a", "b", "c", "d"]
    assert shop.ran == []
    assert asyncio.run(agent("go")) == [1, 0, 1, 2, 0, 1, 2]


def test_what_a_function_takes_is_known_while_it_is_replaced(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.refund", return_value="refunded")
    before = str(inspect.signature(shop.refund))
    assert toolkit.run(lambda input: str(inspect.signature(shop.refund)), "go").output == before
    assert str(inspect.signature(shop.refund)) == before
    assert shop.refund.__dict__ == {}


def test_an_inherited_method_is_the_one_that_is_inherited(shop):
    toolkit = MockToolkit()
    for name in ("pay", "rate", "open"):
        toolkit.patch(f"patched_shop.Branch.{name}", return_value=name)
    agent = lambda input: [shop.Branch().pay(1), shop.Branch().rate("EUR"), shop.Branch.open("x"), shop.Bank().pay(2)]  # noqa: E731
    result = toolkit.run(agent, "go")
    assert result.output == ["pay", "rate", "open", "pay"]
    assert [step.tool_args for step in result.trajectory.steps] == [
        {"amount": 1},
        {"currency": "EUR"},
        {"name": "x"},
        {"amount": 2},
    ]
    assert shop.ran == []


def test_functions_of_c_are_replaced_in_every_module(shop):
    toolkit = MockToolkit()
    toolkit.patch("math.sqrt", return_value=3)
    shop.root = math.sqrt
    assert toolkit.run(lambda input: (math.sqrt(4), shop.root(4)), "go").output == (3, 3)
    assert (math.sqrt(4), shop.root(4)) == (2, 2)


def test_an_object_that_is_called_is_replaced_where_it_is_held_and_no_other_of_its_class(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.here", return_value="mocked")
    held, *_ = shop.HELD
    agent = lambda input: [shop.here("1"), held("2"), shop.HELD[0](order_id="3"), shop.there("4")]  # noqa: E731
    result = toolkit.run(agent, "go")
    assert result.output == ["mocked"] * 3 + ["really found in there"]
    assert [call.args for call in toolkit.get_tool("here").calls] == [{"order_id": each} for each in "123"]
    assert shop.ran == ["4"]
    assert shop.here("5") == "really found in here"


def test_two_objects_of_one_class_are_two_tools(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.here", return_value="here")
    toolkit.patch("patched_shop.there", return_value="there")
    toolkit.patch("patched_shop.deep", return_value="deep")
    result = toolkit.run(lambda input: [shop.here("1"), shop.there("2"), shop.deep("3", depth=2)], "go")
    assert result.output == ["here", "there", "deep"]
    assert result.call_order() == ["here", "there", "deep"]
    assert result.tool_called_with("deep", order_id="3", depth=2)
    assert shop.ran == []


def test_a_copy_of_an_object_is_another_object_and_its_class_is_the_way_to_both(shop):
    held = copy.copy(shop.here)
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.here", return_value="mocked")
    assert toolkit.run(lambda input: [shop.here("1"), held("2")], "go").output == ["mocked", "really found in here"]
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.Lookup.__call__", return_value="mocked", name="lookup")
    assert toolkit.run(lambda input: [shop.here("3"), held("4")], "go").output == ["mocked", "mocked"]
    assert shop.ran == ["2"]


def test_an_object_whose_call_is_async_stays_so(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.soon", return_value="mocked")
    held = shop.soon

    async def agent(input):
        return await held("1")

    assert toolkit.run(agent, "go").output == "mocked"
    assert shop.ran == []


def test_objects_in_runs_of_other_toolkits_are_the_real_ones(shop):
    one, other = MockToolkit(), MockToolkit()
    one.patch("patched_shop.here", return_value="one")
    other.patch("patched_shop.there", return_value="other")

    def nested(input):
        return [shop.here("1"), other.run(lambda input: [shop.here("2"), shop.there("3")], "go").output]

    assert one.run(nested, "go").output == ["one", ["really found in here", "other"]]
    assert shop.ran == ["2"]


def test_a_method_of_one_object_is_replaced_for_this_one_alone(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.CLIENT.pay", return_value="paid")
    result = toolkit.run(lambda input: [shop.CLIENT.pay(1), shop.pay_client(2), shop.Bank().pay(3)], "go")
    assert result.output == ["paid", "paid", "really paid"]
    assert [call.args for call in toolkit.get_tool("pay").calls] == [{"amount": 1}, {"amount": 2}]
    assert shop.ran == [3]


def test_a_bound_method_is_the_method_of_its_object(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.pay_client", return_value="paid", name="pay")
    toolkit.patch("patched_shop.Bank.pay", return_value="paid by another", name="pay_by_another")
    result = toolkit.run(lambda input: [shop.CLIENT.pay(1), shop.Bank().pay(2)], "go")
    assert result.output == ["paid", "paid by another"]
    assert shop.ran == []


def test_what_has_no_code_of_python_is_replaced_wherever_it_is_held(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.cached", return_value="mocked")
    held = shop.cached

    def agent(input):
        tools = [shop.cached, held, shop.CACHED[0], shop.HOLDER.tool, shop.Holder.KINDS["cached"], shop.call_cached]
        return [tool("1") for tool in tools]

    assert toolkit.run(agent, "go").output == ["mocked"] * 6
    assert len(toolkit.get_tool("cached").calls) == 6
    assert shop.ran == []
    real = shop.cached
    assert held is real is shop.CACHED[0] is shop.HOLDER.tool is shop.Holder.KINDS["cached"]
    assert agent("go") == ["really found"] * 6
    assert shop.ran == ["1"]


def test_a_cached_method_is_replaced_in_its_class(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.Holder.rate", return_value=2.0)
    real = vars(shop.Holder)["rate"]
    result = toolkit.run(lambda input: [shop.HOLDER.rate("EUR"), shop.HOLDER.rate(currency="EUR")], "go")
    assert result.output == [2.0, 2.0]
    assert [call.args for call in toolkit.get_tool("rate").calls] == [{"currency": "EUR"}] * 2
    assert vars(shop.Holder)["rate"] is real
    assert shop.HOLDER.rate("EUR") == 1.0


def test_what_is_held_where_nothing_can_be_replaced_is_refused_before_the_run(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.cached", return_value="mocked")
    shop.TOOLS = (shop.cached,)
    with pytest.raises(InvalidArgumentError, match="is held by a tuple, where no mock can take its place") as caught:
        toolkit.run(lambda input: shop.TOOLS[0]("1"), "go")
    assert "def call(*args, **options): return cached(*args, **options)" in str(caught.value)
    assert shop.ran == []
    assert door._opened == 0


def test_a_partial_is_replaced_and_its_function_is_not(shop):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.with_amount", return_value="mocked")
    assert toolkit.run(lambda input: [shop.with_amount("1"), shop.refund("2")], "go").output == [
        "mocked",
        "really refunded",
    ]
    assert shop.ran == ["2"]


def test_nothing_is_left_of_a_replacement_that_could_not_be_made(shop, monkeypatch):
    toolkit = MockToolkit()
    toolkit.patch("patched_shop.refund", return_value="refunded")
    toolkit.patch("patched_shop.send", return_value="sent")
    monkeypatch.delattr(shop, "send")
    for _ in range(2):
        with pytest.raises(InvalidArgumentError, match="has no send"):
            toolkit.run(lambda input: shop.refund("1"), "go")
    assert shop.refund("1") == "really refunded"
    assert door._opened == 0


def test_several_paths_to_one_function_are_one_function(shop):
    one, other = MockToolkit(), MockToolkit()
    one.patch("patched_shop.refund", return_value="one")
    one.patch("patched_user.pay_back", return_value="same", name="pay_back")
    other.patch("patched_user.pay_back", return_value="other")
    before = shop.refund.__code__

    def nested(input):
        return [shop.refund("1"), other.run(lambda input: shop.refund("2"), "go").output]

    assert one.run(nested, "go").output == ["same", "other"]
    assert shop.refund.__code__ is before
    assert shop.ran == []


def test_what_a_function_that_gives_pieces_returns_is_not_lost(shop):
    def reading(n):
        value = yield from shop.returning(n)
        return value

    def drain(pieces):
        try:
            while True:
                next(pieces)
        except StopIteration as end:
            return end.value

    toolkit = MockToolkit()
    toolkit.patch("patched_shop.returning")
    toolkit.allow("returning")
    assert toolkit.run(lambda input: drain(reading(2)), "go").output == "returned"


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
    (refused,) = toolkit.get_tool("send").calls
    assert (refused.args, type(refused.error)) == ({"arg0": "a", "arg1": "b"}, TypeError)


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
    assert isinstance(caught[0], (RunOverError, RunCancelled))
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
        ("patched_shop.Bank.LIMIT", "no function"),
        ("patched_shop.CLIENT.LIMIT", "no function"),
        ("builtins.max", "does not say what it takes"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_what_cannot_be_replaced_is_told(target, said):
    with pytest.raises(InvalidArgumentError, match=said):
        MockToolkit().patch(target, return_value=1)
