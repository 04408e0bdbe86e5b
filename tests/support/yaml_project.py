"""A project with YAML tests and plugins, run by pytest, by the command and from a program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path
from typing import Any

from hearing import hearing_ctrl_c
from processes import MARK, marked, soon
from projects import COMMAND, Project
from scripted_judge import Judge, conftest
from stopwatch import Stopwatch

#: How the product is asked to run tests, by a word for it.
WAYS = {
    "pytest": ("-m", "pytest", "-p", "no:cacheprovider", "--llm"),
    "pytest, verbose": ("-m", "pytest", "-p", "no:cacheprovider", "--llm", "--llm-verbose"),
    "command": ("yaml", "run"),
    "command, verbose": ("yaml", "run", "--verbose"),
}

#: Writes down what happens: each tool leaves a word in the file `diary`.
DIARY = '''
import asyncio, os, subprocess, sys, time
from unitai.llm import LLMPlugin

def note(text):
    with open("diary", "a") as file:
        file.write(str(text) + "\\n")

class Diary(LLMPlugin):
    name = "diary"

    async def write(self, word: str) -> dict:
        note(word)
        return {"word": word}

    async def fail(self): raise OSError("no ink")

    async def hang(self):
        """Waits, as a program does that waits for the network."""
        note("hanging")
        await asyncio.sleep(120)

    async def block(self):
        """Holds its thread."""
        note("hanging")
        time.sleep(120)

    async def leave(self):
        """Starts processes that would outlive the test, in a session of their own and without any variable."""
        code = "import time; time.sleep(120)"
        own = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        bare = subprocess.Popen([sys.executable, "-c", code], env={})
        note(f"left {os.getpid()} {own.pid} {bare.pid}")

    async def cleanup(self): note("cleaned")
'''


class YamlProject(Project):
    """A folder with `tests/llm`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        #: What everything inherits that is started here.
        self.mark = uuid.uuid4().hex
        (folder / "pyproject.toml").write_text("")
        (folder / "tests" / "llm" / "plugins").mkdir(parents=True)

    def plugin(self, name: str, text: str) -> None:
        """Writes a plugin."""
        (self.folder / "tests" / "llm" / "plugins" / f"{name}.py").write_text(text, encoding="utf-8")

    def yaml(self, text: str, name: str = "a.yaml") -> Path:
        """Writes a test."""
        path = self.folder / "tests" / "llm" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def judged_by(self, judge: Judge) -> None:
        """Lets pytest have a judge."""
        (self.folder / "conftest.py").write_text(conftest(judge), encoding="utf-8")

    def environment(self, **variables: str) -> dict[str, str]:
        # No model of this machine is asked unless a test names it, and tests of CI say that it is one.
        return super().environment(**{MARK: self.mark, "UNITAI_JUDGE_PROVIDER": "none", **variables})

    def begin(self, way: str, *args: object) -> subprocess.Popen[str]:
        """Starts the tests, at the head of a group as a shell would."""
        program = COMMAND if way.startswith("command") else sys.executable
        with hearing_ctrl_c():
            return subprocess.Popen(
                [str(word) for word in (program, *WAYS[way], *args)],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=self.environment(),
                start_new_session=True,
            )

    def run(self, way: str, *args: object, seconds: float = 60) -> tuple[int, str]:
        """Runs the tests to their end: the exit code, and what was said."""
        process = self.begin(way, *args)
        try:
            out, _ = process.communicate(timeout=seconds)
        finally:
            end(process)
        return process.returncode, out

    @property
    def diary(self) -> list[str]:
        """What the plugin wrote."""
        file = self.folder / "diary"
        return file.read_text().splitlines() if file.exists() else []

    def wait_for(self, word: str, seconds: float = 60) -> None:
        """Waits until the plugin has written this."""
        assert soon(lambda: word in self.diary, seconds), f"{word} is not in {self.diary}"

    def left(self) -> list[int]:
        """The processes that are still there of what was started here."""
        soon(lambda: not marked(self.mark))
        return marked(self.mark)


def end(process: subprocess.Popen[Any]) -> None:
    """Ends a process that still runs, with its group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)


def interrupted(process: subprocess.Popen[str], *, whole_group: bool) -> tuple[int, str, float]:
    """Presses Ctrl-C: the exit code, what was said, and how long it took to end, without the lag of the machine."""
    if whole_group:
        os.killpg(process.pid, signal.SIGINT)
    else:
        os.kill(process.pid, signal.SIGINT)
    with Stopwatch() as watch:
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            end(process)
    return process.returncode, out, watch.fair
