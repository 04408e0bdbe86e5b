"""What speaks for the model in one test. It is closed while the test still counts as running, so that a step
which was not played, or a request that was never recorded, fails the test itself and not its teardown.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from unitai.traffic.cassette import Recordings, cassette
from unitai.traffic.scripted import ScriptedModel
from unitai.traffic.voice import Voice


class Voices:
    """What the fixtures `scripted_model` and `cassette` open, as a plugin that lives as long as the test."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._open: list[Voice[Any]] = []

    def script(self, steps: Iterable[Any], *, across_runs: bool = False, block_network: bool = False) -> ScriptedModel:
        """Scripts the model from here to the end of the test."""
        model = ScriptedModel(steps, across_runs=across_runs, block_network=block_network)
        self._open.append(model.__enter__())
        return model

    def play(self, recordings: Recordings) -> Recordings:
        """Lets recordings speak from here to the end of the test."""
        self._open.append(recordings.__enter__())
        return recordings

    def close(self, error: BaseException | None) -> None:
        """Closes what is open, the last one first. Raises what is wrong with it."""
        while self._open:
            self._open.pop().__exit__(None if error is None else type(error), error, None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Closes what the test opened when its body has ended."""
        if item is not self._item:
            return (yield)
        try:
            outcome = yield
        except BaseException as error:
            self.close(error)
            raise
        self.close(None)
        return outcome


class EveryTest:
    """Recordings for every test, where the command line, the environment or the project's file asks for them."""

    def __init__(self, mode: str) -> None:
        self._mode = mode

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Lets recordings speak in the test, unless it opened some itself."""
        if "cassette" in getattr(item, "fixturenames", ()):
            return (yield)
        with cassette(self._mode, scope=item.nodeid):
            return (yield)


def of_test(item: pytest.Item) -> Recordings:
    """The recordings of a test, as its markers say."""
    options: dict[str, Any] = {"scope": item.nodeid}
    # The nearest marker has the last word.
    for marker in reversed(list(item.iter_markers("unitai_cassette"))):
        names = ("mode", "directory")
        options.update(zip(names, marker.args, strict=False))
        options.update(marker.kwargs)
    return cassette(**options)
