"""The scripts of one test. They are closed while the test still counts as running, so that a step which
was not played fails the test itself and not its teardown.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from unitai.traffic.scripted import ScriptedModel


class Scripts:
    """What the `scripted_model` fixture hands out, as a plugin that lives as long as the test."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._open: list[ScriptedModel] = []

    def begin(self, steps: Iterable[Any], *, across_runs: bool = False, block_network: bool = False) -> ScriptedModel:
        """Scripts the model from here to the end of the test."""
        model = ScriptedModel(steps, across_runs=across_runs, block_network=block_network)
        self._open.append(model.__enter__())
        return model

    def close(self, error: BaseException | None) -> None:
        """Closes what is open, the last one first. Raises what is wrong with it."""
        while self._open:
            self._open.pop().__exit__(None if error is None else type(error), error, None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Closes the scripts of the test when its body has ended."""
        if item is not self._item:
            return (yield)
        try:
            outcome = yield
        except BaseException as error:
            self.close(error)
            raise
        self.close(None)
        return outcome
