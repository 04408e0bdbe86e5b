"""A server on this machine that answers as the providers of models do."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# The clients of the contract suite are asked here, too.
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "contract" / "clients")]


@pytest.fixture(scope="module", autouse=True)
def nothing_of_others():
    """What the SDKs of an earlier module have not closed is theirs, and goes before the tests of this one begin."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        gc.collect()
    finally:
        sys.unraisablehook = hook


@pytest.fixture
def server(monkeypatch):
    from loopback import Server

    with Server() as server:
        # Any app may have an `/api/chat`: this says that it is Ollama's.
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


@pytest.fixture
def other_server():
    """Another one: some SDKs keep connections to a server across event loops, where they are of no use."""
    from loopback import Server

    with Server() as server:
        yield server


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    from surroundings import SURROUNDINGS

    for name, value in SURROUNDINGS.items():
        monkeypatch.setenv(name, value)
