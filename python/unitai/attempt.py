"""What happens inside one attempt of a repeated test, for whoever repeats it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from unitai._engine import AgentRunResult

if TYPE_CHECKING:
    from unitai.runner.inline import Watcher

__all__ = ["Attempt", "current"]


class Attempt:
    """One attempt: the results of its runs, and what speaks for the model until it ends."""

    __slots__ = ("index", "results", "voices", "watcher")

    def __init__(self, index: int, watcher: Watcher | None = None) -> None:
        #: Of the run among the others, from 0.
        self.index = index
        self.results: list[AgentRunResult] = []
        #: Context managers that were entered for this attempt, to be left with it.
        self.voices: list[Any] | None = None
        #: Who runs agents on this very thread, where it may be left behind.
        self.watcher = watcher

    def enter(self, voice: Any) -> None:
        """Enters a context manager, to be left when the attempt ends."""
        entered = voice.__enter__()
        self.voices = [*(self.voices or ()), entered]


#: The attempt under way; `None` where no test is repeated.
current: ContextVar[Attempt | None] = ContextVar("unitai_attempt", default=None)
