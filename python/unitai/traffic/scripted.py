"""The scripted model: answers every SDK's requests from a script, in this process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unitai._engine import ModelRequest, Script
from unitai.attempt import current
from unitai.script import lines
from unitai.traffic.voice import Voice

__all__ = ["ScriptedModel", "scripted_model"]


class ScriptedModel(Voice[Script]):
    """A model that says what a script says. Made by `scripted_model`; works as a context manager and as a
    decorator.
    """

    _name = "a scripted model"

    def __init__(self, steps: Iterable[Any], *, across_runs: bool = False, block_network: bool = False) -> None:
        super().__init__()
        self._lines = lines(steps)
        self._options = {"across_runs": across_runs, "block_network": block_network}

    @property
    def requests(self) -> list[ModelRequest]:
        """The requests that came, in order."""
        return [] if self._engine is None else self._engine.requests

    def _begin(self) -> Script:
        attempt = current.get()
        # The runs of a repeated test would otherwise all choose alike.
        return Script(self._lines, **self._options, attempt=0 if attempt is None else attempt.index)

    def _guarded(self, engine: Script) -> bool:
        return True


def scripted_model(steps: Iterable[Any], *, across_runs: bool = False, block_network: bool = False) -> ScriptedModel:
    """A model that answers from a script: for any SDK, in any dialect, with no key and no network.

    A request that the script has no answer to, and a step that was not played, are errors. With a script on,
    no request to a model leaves the process.

    Args:
        steps: What the model says: see `unitai.script`.
        across_runs: One script for all runs together. Otherwise each run plays it from its beginning.
        block_network: Refuse every other connection to the outside, too.

    >>> from unitai import MockToolkit, scripted_model
    >>> from unitai.script import say
    >>> with scripted_model([say("Hello!")]) as model:
    ...     result = MockToolkit().run_generic(my_agent)  # doctest: +SKIP
    ...     model.requests[0].last_message  # doctest: +SKIP
    """
    return ScriptedModel(steps, across_runs=across_runs, block_network=block_network)
