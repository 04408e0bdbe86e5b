"""The framework without an adapter that is tested here: the one that `TESTS_FRAMEWORK` names, or that is installed.

`make test-adapters ONLY=smolagents` makes an environment that has it. Each framework is a module `shop_<name>.py` with a
shop of the same tools: `refund`, made by the framework's own decorator or class, `lookup`, a plain function, and `ask`,
which runs an agent that was built when the module was imported, and so holds both from before any run.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from unitai import UnmockedToolWarning

sys.path.insert(0, str(Path(__file__).parent))

#: The module of each framework, by its name in scripts/adapters.py.
FRAMEWORKS = {
    "smolagents": "smolagents",
    "strands": "strands",
    "agno": "agno",
    "llama_index": "llama_index",
    "autogen": "autogen_agentchat",
}
NAMED = os.environ.get("TESTS_FRAMEWORK")
CHOSEN = NAMED if NAMED in FRAMEWORKS else next((name for name, top in FRAMEWORKS.items() if find_spec(top)), None)


@pytest.fixture
def shop(monkeypatch):
    """The framework's shop, in which no real tool has run yet."""
    if CHOSEN is None:
        pytest.skip("no framework without an adapter is here: make test-adapters ONLY=smolagents")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    with warnings.catch_warnings():
        # What the frameworks warn of is theirs.
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UnmockedToolWarning)
        module = import_module(f"shop_{CHOSEN}")
        module.RAN.clear()
        yield module
