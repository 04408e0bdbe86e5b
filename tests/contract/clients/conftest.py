"""The modules of this folder find each other, and its tests can be sure that nothing opens a connection."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    from surroundings import SURROUNDINGS

    for name, value in SURROUNDINGS.items():
        monkeypatch.setenv(name, value)


_WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.sendto")


@pytest.fixture(scope="session")
def connections():
    """The connections of this process. The interpreter itself reports them, so that no patch of ours or of an
    SDK can hide one.
    """
    seen: list[str] = []

    def note(event: str, args: tuple[object, ...]) -> None:
        if event in _WATCHED:
            seen.append(f"{event} {args[:2] if event == 'socket.getaddrinfo' else args[-1]}")

    sys.addaudithook(note)
    return seen


@pytest.fixture
def no_connection(connections):
    """Fails the test that opened a connection, or only looked up a name."""
    connections.clear()
    yield
    assert connections == []
