"""Which framework without an adapter is tested: the one that `TESTS_FRAMEWORK` names, or that is installed."""

from __future__ import annotations

import os
from importlib.util import find_spec

#: The module of each framework, by its name in scripts/adapters.py. Each has a module here, `shop_<name>.py`.
FRAMEWORKS = {
    "smolagents": "smolagents",
    "strands": "strands",
    "agno": "agno",
    "llama_index": "llama_index",
    "autogen": "autogen_agentchat",
}
NAMED = os.environ.get("TESTS_FRAMEWORK")
CHOSEN = NAMED if NAMED in FRAMEWORKS else next((name for name, top in FRAMEWORKS.items() if find_spec(top)), None)
