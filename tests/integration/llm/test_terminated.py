"""SIGTERM, with which CI cancels a job, ends a YAML test as Ctrl-C does."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from processes import soon

pytestmark = pytest.mark.integration

PLUGIN = """
from pathlib import Path
from unitai.llm import LLMPlugin

class Diary(LLMPlugin):
    name = "diary"

    async def write(self, word: str) -> str:
        with Path("diary").open("a") as file:
            file.write(word + "\\n")
        return word
"""

TEST = """
test: {name: long}
steps:
  - {tool: diary_write, args: {word: begun}}
  - {tool: sleep, args: {seconds: 60}}
teardown: [{tool: diary_write, args: {word: torn down}}]
verdict: checks
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM to catch")
def test_teardown_runs_before_the_process_ends(tmp_path):
    folder = tmp_path / "tests" / "llm"
    (folder / "plugins").mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    (folder / "plugins" / "diary.py").write_text(PLUGIN)
    (folder / "long.yaml").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "--llm", "-p", "no:cacheprovider"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    diary = tmp_path / "diary"
    assert soon(diary.exists, 30)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 2, out
    assert diary.read_text().splitlines() == ["begun", "torn down"]
