"""The quickstart and the README, followed to the letter: every file is written and every command is run in the order of the page, in an
empty folder, without a key, and says what the page says.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from pages import blocks_of
from projects import COMMAND, Project
from showing import commands_of, holds

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = {"unitai": [str(COMMAND)], "pytest": [sys.executable, "-m", "pytest"]}


def follow(page: Path, folder: Path) -> list[str]:
    """Does what a page says, and gives the commands that were run: those whose output is shown."""
    project, done = Project(folder), []
    kept = {name: value for name, value in project.environment().items() if not re.search(r"_API_KEY$|^CI$", name)}
    environment = {**kept, "NO_COLOR": "1", "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1"}
    for block in blocks_of(page):
        if block.path:
            (folder / block.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.path).write_text(block.text, encoding="utf-8")
        for shown in commands_of(block.text) if block.language == "console" else ():
            words = shlex.split(shown.command, comments=True)
            if words[0] not in PROGRAMS or not shown.output:
                continue
            said = subprocess.run(
                [*PROGRAMS[words[0]], *words[1:]],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                encoding="utf-8",
                check=False,
                timeout=120,
            ).stdout
            assert holds(shown.output, said.splitlines()), f"{shown.command}\n{said}"
            done.append(shown.command)
    return done


def test_the_quickstart_does_what_it_says(tmp_path):
    assert follow(ROOT / "docs" / "quickstart.md", tmp_path) == ["unitai test", "unitai test --keep-going"]
    assert (tmp_path / "test-results" / "unitai.xml").exists()


def test_the_readme_does_what_it_says(tmp_path):
    first, *others = follow(ROOT / "README.md", tmp_path)
    assert first == "unitai test"
    assert others


def test_plain_pytest_needs_the_setting_that_the_guide_shows(tmp_path):
    project = Project(tmp_path)
    project.lay(agent="def agent(message, tools):\n    return 'done'\n")
    project.lay(tests__test_agent="from agent import agent\n\ndef test_it():\n    assert agent('', {}) == 'done'\n")
    assert project.unitai("test").returncode == 0

    def plain():
        command = [COMMAND.with_name("pytest"), "-q", "-p", "no:cacheprovider", "tests"]
        return subprocess.run(
            command, cwd=tmp_path, env=project.environment(), capture_output=True, text=True, check=False
        )

    assert "ModuleNotFoundError: No module named 'agent'" in plain().stdout
    [setting] = [block for block in blocks_of(ROOT / "docs" / "guides" / "pytest.md") if block.path == "pyproject.toml"]
    (tmp_path / "pyproject.toml").write_text(setting.text, encoding="utf-8")
    assert plain().returncode == 0


def test_the_picture_of_the_readme_is_what_a_failed_test_shows():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "picture.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
