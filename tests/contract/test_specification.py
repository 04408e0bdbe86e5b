"""The examples of the specification, as they stand there, run with nothing but what they presume."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from projects import WITHOUT_OTHERS

from unitai import MockExhaustedError, MockToolkit

pytestmark = pytest.mark.contract

PAGE = Path(__file__).with_name("specification.md")


def examples() -> dict[str, str]:
    """The examples by the number of their section, and by their name where it has several."""
    found = {}
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        number = section.partition(" ")[0]
        for name, text in re.findall(r"(?:^\*\*(.*?)\*\*\n\n)?^```python\n(.*?)^```", section, re.M | re.S):
            found[f"{number} {name}".strip()] = text
    return found


EXAMPLES = examples()

#: What the tests of the examples presume: an agent, which asks a model whose answers are scripted.
AGENT = """
import pytest
import urllib3

URL = "https://api.openai.com/v1/chat/completions"


def my_refund_agent(message, tools):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": message}]}
    urllib3.PoolManager().request("POST", URL, json=body)
    order_id = message.rpartition("#")[2]
    order = tools["lookup_order"](order_id=order_id)
    tools["process_refund"](order_id=order_id, amount=order["amount"])


agent = my_refund_agent


@pytest.fixture(autouse=True)
def model(scripted_model):
    return scripted_model(["I look the order up."])


@pytest.fixture
def mock_toolkit(mock_toolkit):
    mock_toolkit.mock("lookup_order", return_value={"amount": 49.99})
    mock_toolkit.mock("process_refund", return_value=True)
    return mock_toolkit


"""
#: The agent without the first of its tools.
FORGETFUL = AGENT.replace('order = tools["lookup_order"](order_id=order_id)', 'order = {"amount": 49.99}')


def test_nobody_has_edited_them():
    told = sha256("".join(EXAMPLES.values()).encode()).hexdigest()
    assert told == "cfc85d8cb2064bd6b33cf39eb9581d11781a2794efdbc1e84e049806e9d84179"


def test_every_example_of_these_sections_is_run():
    assert list(EXAMPLES) == [
        "1.3",
        "4.3 Static",
        "4.3 Sequence",
        "4.3 Conditional",
        "4.3 Error",
        "4.3 Custom callable",
        "5.5",
        "6.6",
        "7.2 Decorator",
        "7.2 Explicit",
        "11.3",
    ]


@pytest.fixture
def in_pytest(pytester):
    """What comes of a test file."""

    def run(text: str, *args: str) -> Any:
        pytester.makepyfile(test_refund=text)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *WITHOUT_OTHERS, *args)

    return run


@pytest.mark.parametrize("section", ["1.3", "7.2 Decorator"])
def test_a_test_passes_for_the_agent_that_it_means_and_fails_for_another(in_pytest, section):
    in_pytest(AGENT + EXAMPLES[section]).assert_outcomes(passed=1)
    failed = in_pytest(FORGETFUL + EXAMPLES[section])
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["*lookup_order was never called (called: process_refund)*"])


@pytest.fixture
def toolkit():
    return MockToolkit()


def registered(name: str, toolkit: MockToolkit) -> dict[str, Any]:
    """What `as_dict()` gives after an example of section 4.3."""
    exec(EXAMPLES[f"4.3 {name}"], {"toolkit": toolkit})
    return toolkit.as_dict()


def test_static(toolkit):
    lookup = registered("Static", toolkit)["lookup_order"]
    assert [lookup(order_id="123"), lookup()] == [{"order_id": "123", "status": "delivered"}] * 2


def test_sequence(toolkit):
    get_next_page = registered("Sequence", toolkit)["get_next_page"]
    assert get_next_page() == {"items": ["a", "b"], "has_more": True}
    assert get_next_page() == {"items": ["c"], "has_more": False}
    with pytest.raises(MockExhaustedError):
        get_next_page()


def test_conditional(toolkit):
    lookup = registered("Conditional", toolkit)["lookup_order"]
    assert [lookup(order_id="123"), lookup(order_id="456"), lookup(order_id="789")] == [
        {"status": "delivered"},
        {"status": "cancelled"},
        {"error": "not found"},
    ]


def test_error(toolkit):
    with pytest.raises(TimeoutError, match="payment service unavailable"):
        registered("Error", toolkit)["payment_api"]()


def test_custom_callable(toolkit):
    lookup = registered("Custom callable", toolkit)["lookup_order"]
    assert lookup(order_id="R-1") == {"type": "return", "status": "pending"}
    assert lookup(order_id="123") == {"type": "order", "status": "shipped"}


def test_queries_of_a_trajectory(toolkit, capsys):
    toolkit.mock("lookup_order", return_value={"status": "delivered"})
    room: dict[str, Any] = {"result": toolkit.run(lambda input, tools: tools["lookup_order"](order_id="123"), "refund")}
    exec(EXAMPLES["5.5"], room)
    assert [call.args for call in room["calls"]] == [{"order_id": "123"}]
    assert capsys.readouterr().out == "lookup_order({'order_id': '123'}) -> {'status': 'delivered'}\n"


def test_the_generic_adapter():
    class MyAgent:
        def __init__(self, tools):
            self.tools = tools

        def execute(self, message):
            return self.tools["search"](query=message)

    room: dict[str, Any] = {"MockToolkit": MockToolkit, "MyAgent": MyAgent}
    exec(EXAMPLES["6.6"], room)
    assert room["result"].tool_called_with("search", query="find restaurants")
    assert room["result"].output == [...]


@pytest.mark.filterwarnings("ignore::unitai.StatisticsWarning")
def test_the_explicit_runner(capsys):
    turns = iter(range(20))

    def agent(message, tools):
        turn = next(turns)
        if turn == 7:
            tools["process_refund"](order_id="123")
        tools["lookup_order"](order_id="123")
        if turn != 13:
            tools["process_refund"](order_id="123")

    def test_fn(mock_toolkit, agent, message):
        result = mock_toolkit.run(agent, message)
        assert result.tool_was_called("process_refund")
        assert result.tool_called_before("lookup_order", "process_refund")

    mock_toolkit = MockToolkit()
    mock_toolkit.mock("lookup_order", return_value={"status": "delivered"})
    mock_toolkit.mock("process_refund", return_value=True)
    exec(EXAMPLES["7.2 Explicit"], {"test_fn": test_fn, "mock_toolkit": mock_toolkit, "agent": agent})
    # The two ways of failing come in the order in which runs end, which go side by side.
    first, second, *modes = capsys.readouterr().out.splitlines()[:4]
    assert [first, second] == ["18/20 passed (90.0%)", "Failure modes:"]
    assert sorted(modes) == [
        "  - 1x: expected lookup_order before process_refund, but process_refund was called at step 1,"
        " lookup_order at step 2",
        "  - 1x: expected process_refund to be called, but process_refund was never called (called: lookup_order)",
    ]


def test_markers(in_pytest, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    in_pytest("import pytest\n" + EXAMPLES["11.3"], "--strict-markers").assert_outcomes(passed=2, skipped=1)
    monkeypatch.setenv("OPENAI_API_KEY", "nobody-is-asked-with-it")
    done = in_pytest("import pytest\n" + EXAMPLES["11.3"], "--strict-markers")
    done.assert_outcomes(passed=3)
    done.stdout.fnmatch_lines(["test_refund.py::test_something: 10/10 passed (100.0%)*"])
