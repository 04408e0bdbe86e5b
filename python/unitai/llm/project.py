"""Where a project is, and where its files are, for people."""

from __future__ import annotations

import os
from pathlib import Path

from unitai._engine import project_root


def root_of(path: Path) -> Path:
    """The root of the project that a file belongs to: the nearest folder above it that looks like one; else the one
    that we stand in, if the file is below it, or the file's own.
    """
    return Path(project_root(path.absolute().parent, Path.cwd()))


def place(file: str, line: int = 0, column: int = 0) -> str:
    """A place in a file, from where one stands: `tests/llm/api.yaml:14`."""
    near = os.path.relpath(file) if os.path.isabs(file) else file
    shown = file if near.startswith(os.pardir) else near
    return ":".join([shown, *(str(number) for number in (line, column) if number)])
