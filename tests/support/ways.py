"""Ways of going wrong, and what holds of every one: it is not 0, no traceback of ours is shown, the remedy is named."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from projects import Project

PASSING = "def test_it():\n    pass\n"

#: The last place that a traceback names is where it was raised.
_TRACEBACK = re.compile(r"Traceback \(most recent call last\)(?:\n(?:INTERNALERROR>)?(?: .*|\s*))+")
_OURS = re.compile(r"[/\\]unitai[/\\]\w")


@dataclass(frozen=True)
class Way:
    """One way: what stands in the folder, what is run there, and what must come of it."""

    name: str
    #: The words after `unitai`.
    words: tuple[str, ...]
    code: int
    said: tuple[str, ...]
    files: dict[str, str | bytes] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    #: Whether it is the command, or pytest with the plugin.
    is_pytest: bool = False

    def __str__(self) -> str:
        return self.name

    def check(self, folder: Path) -> subprocess.CompletedProcess[str]:
        """Goes wrong in this folder, and looks at how."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        for name in self.folders:
            (folder / name).mkdir(parents=True)
        project = Project(folder)
        done = (project.pytest if self.is_pytest else project.unitai)(*self.words, **self.variables)
        assert_trouble(done, self.code, *self.said)
        return done


def assert_trouble(done: subprocess.CompletedProcess[str], code: int, *said: str) -> None:
    """Asserts what holds of everything that goes wrong."""
    told = done.stdout + done.stderr
    assert done.returncode == code, f"{done.returncode}\n{told}"
    assert code != 0
    assert tracebacks_of_ours(told) == []
    assert [words for words in said if words not in told] == [], told


def tracebacks_of_ours(told: str) -> list[str]:
    """What the engine or the plugin raised, and did not tell."""
    found = [told] if "panicked at" in told else []
    for traceback in _TRACEBACK.findall(told):
        places = re.findall(r'File "([^"]*)"', traceback)
        if places and _OURS.search(places[-1]):
            found.append(traceback)
    return found
