"""What speaks for the model in one test. It is judged while the test still counts as running, so that a step
which was not played, or a request that was never recorded, fails the test itself and not its teardown.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from unitai._engine import forget_tests
from unitai.attempt import current
from unitai.errors import InvalidArgumentError
from unitai.traffic.cassette import Recordings, cassette, totals, written
from unitai.traffic.scripted import ScriptedModel
from unitai.traffic.voice import Voice


class Voices:
    """What the fixtures `scripted_model` and `cassette` open, as a plugin that lives as long as the test."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._open: list[Voice[Any]] = []

    def script(self, steps: Iterable[Any], *, across_runs: bool = False, block_network: bool = False) -> ScriptedModel:
        """Scripts the model from here to the end of the test, or of this run of it where it is repeated."""
        model = ScriptedModel(steps, across_runs=across_runs, block_network=block_network)
        attempt = current.get()
        if attempt is None:
            self._open.append(model.__enter__())
        else:
            attempt.enter(model)
        return model

    def play(self, recordings: Recordings) -> Recordings:
        """Lets recordings speak from here to the end of the test."""
        self._open.append(recordings.__enter__())
        return recordings

    def judge(self, error: BaseException | None) -> None:
        """The test's body has ended: raises what is wrong. Scripts end with it; recordings speak on for the
        fixtures that are still to be torn down.
        """
        for voice in reversed(list(self._open)):
            if isinstance(voice, ScriptedModel):
                self._open.remove(voice)
                voice.__exit__(None if error is None else type(error), error, None)
            else:
                voice.judge(error)
                if error is None:
                    voice.complete(self._item.nodeid)

    def close(self) -> None:
        """Closes what is open, the last one first. Raises what is wrong with it."""
        while self._open:
            self._open.pop().__exit__(None, None, None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Looks at what the test opened when its body has ended."""
        __tracebackhide__ = True
        if item is not self._item:
            return (yield)
        try:
            outcome = yield
        except BaseException as error:
            self.judge(error)
            raise
        self.judge(None)
        return outcome


@contextmanager
def opened(request: pytest.FixtureRequest) -> Iterator[Voices]:
    """What speaks for the model in the test that asks for a fixture."""
    voices = Voices(request.node)
    request.config.pluginmanager.register(voices)
    try:
        yield voices
    finally:
        request.config.pluginmanager.unregister(voices)
        voices.close()


class EveryTest:
    """Recordings for every test, where the command line, the environment or the project's file asks for them: from
    its first fixture to its last.
    """

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._open: Recordings | None = None
        self._began = time.time()
        #: The folder of the recordings, once a test has used it.
        self._directory: str | None = None
        #: Tests that came to their end and asked nothing, and all that were collected, also those that were not chosen.
        self._silent: list[str] = []
        self._collected: list[str] = []

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Before anything is left out."""
        self._collected.append(item.nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """Lets recordings speak from here on, unless the test says that nobody shall."""
        __tracebackhide__ = True
        if _marked(item).get("mode") != "off":
            self._open = cassette(self._mode, scope=item.nodeid).__enter__()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fails the test itself if something is wrong by its end."""
        __tracebackhide__ = True
        try:
            outcome = yield
        except BaseException as error:
            if self._open is not None:
                self._open.judge(error)
            raise
        if self._open is not None:
            self._open.judge(None)
            self._directory = self._open.directory
            if self._open.complete(item.nodeid):
                self._silent.append(item.nodeid)
        return outcome

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Closes the recordings when the last fixture is done."""
        __tracebackhide__ = True
        try:
            return (yield)
        finally:
            recordings, self._open = self._open, None
            if recordings is not None:
                recordings.__exit__(None, None, None)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tests that recorded once, and now ask nothing or are no more, use none of their recordings."""
        if self._mode != "record" or self._directory is None:
            return
        root = session.config.rootpath
        # Of these only some tests were collected.
        parts = {_file_of(arg, session.config) for arg in session.config.args if "::" in arg}
        chosen = bool(session.config.getoption("lf", False))
        files = {nodeid.partition("::")[0] for nodeid in self._collected}
        whole = [] if chosen else [file for file in files if (root / file).resolve() not in parts]
        forget_tests(
            self._directory,
            self._began,
            [written(test) for test in self._silent],
            [written(test) for test in self._collected],
            [written(file) for file in whole],
            root,
        )

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        """Says what came of it; not where other processes ran the tests, whose counts are theirs."""
        if not config.getoption("numprocesses", None):
            replayed, recorded, _ = totals
            terminalreporter.write_line(f"UnitAI {self._mode}: model traffic {replayed} replayed, {recorded} recorded")


def _file_of(arg: str, config: pytest.Config) -> Path:
    """The file of which an argument names a test."""
    return (config.invocation_params.dir / arg.partition("::")[0]).resolve()


_OPTIONS = {"mode", "directory", "ttl_hours", "volatile", "apis", "paced", "scope", "block_network"}


def _marked(item: pytest.Item) -> dict[str, Any]:
    """What the markers of a test say about its recordings. The nearest has the last word."""
    said: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers("unitai_cassette"))):
        unknown = [str(value) for value in marker.args[2:]] + sorted(set(marker.kwargs) - _OPTIONS)
        if unknown:
            raise InvalidArgumentError(
                f"the marker unitai_cassette of {item.nodeid} does not know {', '.join(unknown)}",
                expected=f"mode and directory, or by name: {', '.join(sorted(_OPTIONS))}",
            )
        said.update(zip(("mode", "directory"), marker.args, strict=False))
        said.update(marker.kwargs)
    return said


def of_test(item: pytest.Item) -> Recordings:
    """The recordings of a test, as its markers say."""
    return cassette(**{"scope": item.nodeid, **_marked(item)})
