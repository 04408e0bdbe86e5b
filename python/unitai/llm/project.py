"""Where a project is, and where its files are, for people."""

from __future__ import annotations

import os
from pathlib import Path

#: What the root of a project has.
_SIGNS = ("pyproject.toml", "setup.py", ".git")


def root_of(path: Path) -> Path:
    """The root of the project that a file belongs to: the nearest folder above it that looks like one, else its own."""
    folder = path.absolute().parent
    for above in (folder, *folder.parents):
        if any((above / sign).exists() for sign in _SIGNS):
            return above
    return folder


def place(file: str, line: int = 0, column: int = 0) -> str:
    """A place in a file, from where one stands: `tests/llm/api.yaml:14`."""
    near = os.path.relpath(file) if os.path.isabs(file) else file
    shown = file if near.startswith(os.pardir) else near
    return ":".join([shown, *(str(number) for number in (line, column) if number)])
