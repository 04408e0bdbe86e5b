"""The tools that an agent is handed: a dictionary that also knows what is not mocked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from unitai._engine import Run, Toolbox, ToolHandle
from unitai.mock.awaiting import awaitable

__all__ = ["Tools"]


class Tools(dict[str, Callable[..., Any]]):
    """Callables by name. A name that is not mocked gives a callable too, and calling that is what
    strict mode refuses; `in`, `len` and iteration speak of the mocked and allowed tools only.
    """

    def __init__(
        self, toolbox: Toolbox, awaited: Collection[str], awaitable_by_default: bool, run: Run | None = None
    ) -> None:
        super().__init__()
        self._toolbox = toolbox
        self._awaitable_by_default = awaitable_by_default
        self._run = run
        for name in toolbox.names():
            tool: Callable[..., Any] = ToolHandle(name, toolbox, run)
            if run is None:
                tool = toolbox.get(name) or tool
            self[name] = awaitable(tool, name) if name in awaited else tool
        for name, real in toolbox.allowed().items():
            if real is not None:
                self.setdefault(name, self._handle(name))

    def __missing__(self, name: str) -> Callable[..., Any]:
        if not isinstance(name, str):
            raise KeyError(name)
        # A name that no tool can bear is refused when it is called, like any other.
        known = name.encode("utf-8", "backslashreplace").decode()
        handle = self._handle(known)
        return awaitable(handle, known) if self._awaitable_by_default else handle

    def __deepcopy__(self, memo: object) -> Tools:
        # An agent that copies its tools still calls the same ones.
        return self

    def _handle(self, name: str) -> ToolHandle:
        return ToolHandle(name, self._toolbox, self._run)
