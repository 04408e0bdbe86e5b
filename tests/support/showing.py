"""Commands as documents show them: a block that is marked `console` has commands after a `$`, each with what it gives.
In that, `...` stands for any lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Shown(NamedTuple):
    """A command and what it gives."""

    command: str
    output: list[str]


def commands_of(block: str) -> list[Shown]:
    """The commands of a block."""
    shown: list[Shown] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            shown.append(Shown(line[2:], []))
        elif shown:
            shown[-1].output.append(line)
    return shown


def masked(line: str) -> str:
    """A line without what differs from run to run."""
    # pytest tells a run of more than a minute twice.
    line = re.sub(r"\d+(\.\d+)? ?(?:s|ms)\b( \(\d+:\d\d:\d\d\))?", "<time>", line.rstrip())
    return re.sub(r" {2,}\[", " [", line) if "[" in line and line.endswith("%]") else line


def holds(shown: list[str], said: list[str], mask: Callable[[str], str] = masked) -> bool:
    """Whether what was said is what is shown."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(mask(line)) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{mask(line)}\n" for line in said)) is not None
