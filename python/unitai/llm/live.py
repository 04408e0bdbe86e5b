"""Steps on the terminal while a test runs: `--llm-verbose`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from unitai.llm.engine import OnEvent
from unitai.llm.telling import can_show_marks, event_text


def shows_marks(config: pytest.Config) -> bool:
    """Whether what pytest writes can hold the marks of steps."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None:
        # A process of pytest-xdist: another one writes, and it has the same surroundings.
        import locale

        return can_show_marks(locale.getpreferredencoding(False))
    return can_show_marks(getattr(config.get_terminal_writer()._file, "encoding", None))


def teller(config: pytest.Config) -> OnEvent | None:
    """Writes lines past the capturing of output. Nothing, where another process has the terminal."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None:
        return None
    writer = config.get_terminal_writer()
    capturing: Any = config.pluginmanager.getplugin("capturemanager")
    marks = shows_marks(config)

    def tell(kind: str, line: str) -> None:
        text = event_text(kind, line, marks=marks)
        if text is None:
            return
        with nullcontext() if capturing is None else capturing.global_and_fixture_disabled():
            if writer.width_of_current_line:
                writer.line()
            for each in text.splitlines():
                writer.line(each)
            writer.flush()

    return tell
