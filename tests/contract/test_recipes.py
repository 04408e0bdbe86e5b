"""Every line of the recipes works: Python is run about a run of an agent, and there is no row without a line and a link.

Commands are read by clap, in crates/unitai_dev/tests/documents.rs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import unitai
from unitai import JudgeUndecidedError, MockToolkit
from unitai.snapshot import Snapshot

pytestmark = pytest.mark.contract

PAGE = (Path(__file__).parent.parent.parent / "docs" / "recipes.md").read_text(encoding="utf-8")
#: What a reader puts at the top of a file before any of the lines.
[IMPORTS] = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
ROW = r"^\| (?!I want)(?!---)(.+?) \| `(.+)` \| (\[.+\]\(.+\)) \|$"
ROWS = re.findall(ROW, PAGE, re.M)
CODE = [code for _, code, _ in ROWS if not code.startswith("unitai ")]
TROUBLE = {code for _, code, _ in re.findall(ROW, PAGE.partition("## About trouble\n")[2].partition("\n## ")[0], re.M)}


def agent(message, tools):
    try:
        order = tools["lookup_order"](order_id="123")
    except RuntimeError:
        order = tools["lookup_order"](order_id="123")
    tools["process_refund"](order_id="123", amount=order["amount"])
    return "Your refund of $49.99 is on its way."


def run(toolkit):
    """What the page calls `result`."""
    toolkit.mock("lookup_order", return_value={"status": "delivered", "amount": 49.99})
    toolkit.mock("process_refund", return_value={"success": True})
    return toolkit.run(agent, "Refund 123")


@pytest.fixture
def names(monkeypatch, tmp_path):
    """What the page imports, and what it says that there is besides."""
    monkeypatch.setenv("UNITAI_JUDGE_PROVIDER", "none")
    api = ModuleType("shop.api")
    api.refund = lambda order_id: pytest.fail("the real shop was asked")
    monkeypatch.setitem(sys.modules, "shop", ModuleType("shop"))
    monkeypatch.setitem(sys.modules, "shop.api", api)
    sys.modules["shop"].api = api
    found = {}
    exec(IMPORTS, found)
    return {
        **found,
        "mock_toolkit": MockToolkit(),
        # The fixture's own form: that one fails a test for steps that nobody has played.
        "scripted_model": unitai.scripted_model,
        "snapshot": Snapshot(tmp_path / "test_it.py", ["test_it"], update=True),
        "result": run(MockToolkit()),
    }


def test_every_row_has_a_line_and_a_link():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| I want")]
    assert len(ROWS) == len(rows) > 50


def test_nothing_is_imported_that_no_line_needs():
    names = {}
    exec(IMPORTS, names)
    assert [name for name in names if name != "__builtins__" and not re.search(rf"\b{name}\b", "\n".join(CODE))] == []


def test_what_is_to_be_known_is_asserted():
    assert [code for code in CODE if "result." in code and not code.startswith("assert ")] == []


@pytest.mark.parametrize("code", CODE)
def test_the_line_works(code, names):
    if code in TROUBLE:
        [plan] = [line for line in TROUBLE if "on_tool(" in line]
        exec(plan, names)
        names["result"] = run(names["toolkit"])
    if code.startswith("@"):
        code += "\ndef test_it(mock_toolkit):\n    pass\n"
    if "result.judge(" in code:
        with pytest.raises(JudgeUndecidedError):
            exec(code, names)
    else:
        exec(code, names)
