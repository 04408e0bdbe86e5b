"""A framework without an adapter, in an environment that `make test-adapters ONLY=smolagents` makes.

Each framework is a module `shop_<name>.py` with a shop of the same tools: `refund`, made by the framework's own decorator
or class, `lookup`, made in another way, and `ask`, which runs an agent that holds both from before any run.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

from unitai import UnmockedToolWarning

sys.path.insert(0, str(Path(__file__).parent))

from framework_chosen import CHOSEN  # noqa: E402

if CHOSEN is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def shop(monkeypatch):
    """The framework's shop, in which no real tool has run yet."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    with warnings.catch_warnings():
        # What the frameworks warn of is theirs.
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UnmockedToolWarning)
        module = import_module(f"shop_{CHOSEN}")
        module.RAN.clear()
        # A run that was ended leaves an agent as it was then. This one is made before the test's run, too.
        monkeypatch.setattr(module, "AGENT", module.make())
        yield module
