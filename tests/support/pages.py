"""Pages of the documents as projects: a block is a file of the project if its first line is a comment with its path."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import NamedTuple

from showing import Shown, commands_of


class Block(NamedTuple):
    """A block of a page."""

    language: str
    text: str

    @property
    def path(self) -> str | None:
        """The file that it is, if it is one."""
        found = re.match(r"# ([\w./-]+\.(?:yaml|py|toml))\n", self.text)
        return found[1] if found else None


def blocks_of(page: Path) -> list[Block]:
    found = re.findall(r"^( *)```(\w+)[^\n]*\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.M | re.S)
    return [Block(language, textwrap.dedent(text)) for _, language, text in found]


def shown_in(page: Path) -> list[Shown]:
    """Every command of a page, with what it gives."""
    return [shown for block in blocks_of(page) if block.language == "console" for shown in commands_of(block.text)]
