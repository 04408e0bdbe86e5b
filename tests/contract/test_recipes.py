"""Every line of the recipes works: Python is run about a run of an agent, and there is no row without a line and a link.

Commands are read by clap, in crates/unitai_dev/tests/documents.rs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import unitai
from unitai import JudgeUndecidedError, MockToolkit
from unitai import faults as faults_module
from unitai import match as match_module
from unitai import script as script_module
from unitai.snapshot import Snapshot

pytestmark = pytest.mark.contract

PAGE = (Path(__file__).parent.parent.parent / "docs" / "recipes.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!I want)(?!---)(.+?) \| `(.+)` \| (\[.+\]\(.+\)) \|$", PAGE, re.M)
CODE = [code for _, code, _ in ROWS if not code.startswith("unitai ")]


def agent(message, tools):
    order = tools["lookup_order"](order_id="123")
    tools["process_refund"](order_id="123", amount=order["amount"])
    return "Your refund of $49.99 is on its way."


@pytest.fixture
def names(monkeypatch, tmp_path):
    """What the page says that there is."""
    monkeypatch.setenv("UNITAI_JUDGE_PROVIDER", "none")
    toolkit = MockToolkit()
    toolkit.mock("lookup_order", return_value={"status": "delivered", "amount": 49.99})
    toolkit.mock("process_refund", return_value={"success": True})
    words = {
        name: getattr(module, name)
        for module in (script_module, match_module, faults_module)
        for name in module.__all__
    }
    public = {name: getattr(unitai, name) for name in unitai.__all__}
    return {
        **words,
        **public,
        "pytest": pytest,
        "mock_toolkit": MockToolkit(),
        "snapshot": Snapshot(tmp_path / "test_it.py", ["test_it"], update=True),
        "result": toolkit.run(agent, "Refund 123"),
    }


def test_every_row_has_a_line_and_a_link():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| I want")]
    assert len(ROWS) == len(rows) > 50


@pytest.mark.parametrize("code", CODE)
def test_the_line_works(code, names):
    if code.startswith("@"):
        code += "\ndef test_it(mock_toolkit):\n    pass\n"
    if "result.judge(" in code:
        with pytest.raises(JudgeUndecidedError):
            exec(code, names)
    else:
        exec(code, names)
