"""The framework whose adapter is tested here: the one that is installed, or that `TESTS_FRAMEWORK` names."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "integration" / "traffic")]

from certificates import ONE_CERTIFICATE  # noqa: E402
from framework import CHOSEN, fixture  # noqa: E402

if CHOSEN is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def framework():
    """What the suite needs to know of the framework."""
    with warnings.catch_warnings():
        # What the frameworks warn of is theirs.
        warnings.simplefilter("ignore")
        return fixture()


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """Keys that open nothing, no proxy, and no word to anybody."""
    for name in list(os.environ):
        if name.startswith("UNITAI_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    values = {"OPENAI_API_KEY": "sk-of-nobody", "GOOGLE_API_KEY": "of-nobody", "NO_PROXY": "*", **ONE_CERTIFICATE}
    for name, value in values.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session", autouse=True)
def no_tool_leaks(tmp_path_factory):
    """Real tools write into this file. After the whole suite there is none."""
    import shop

    shop.LEAKS = tmp_path_factory.mktemp("leaks") / "leaks.txt"
    yield
    assert not shop.LEAKS.exists(), f"real tools ran: {shop.LEAKS.read_text(encoding='utf-8')}"


_WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.sendto")


@pytest.fixture(scope="session")
def connections():
    """The connections of this process that leave it, as the interpreter itself reports them."""
    seen: list[str] = []

    def note(event: str, args: tuple[object, ...]) -> None:
        if event in _WATCHED and "127.0.0.1" not in str(args):
            seen.append(f"{event} {args[1:] if event != 'socket.getaddrinfo' else args[:2]}")

    sys.addaudithook(note)
    return seen


@pytest.fixture(autouse=True)
def no_connection(connections):
    """Nothing leaves this machine."""
    connections.clear()
    yield
    assert connections == []
