"""The guides of YAML tests hold what they say: their files make a project, in which every command that they show is run and gives
what they show. Tests that are no files of it are checked, and every option that they name exists.

A block is a file of the project if its first line is a comment with its path.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pages import Block, blocks_of, shown_in
from projects import COMMAND, Project
from showing import Shown, holds

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
GUIDES = [
    ROOT / "docs" / "guides" / f"{name}.md"
    for name in ("yaml-tests", "yaml-plugins", "mcp-server", "from-llm-pytest", "judge")
]
PAGES = [*GUIDES, ROOT / "README.md"]


def is_test(text: str) -> bool:
    return all(re.search(rf"^{key}:", text, re.M) for key in ("test", "steps", "verdict"))


def commands_of(page: Path) -> list[Shown]:
    """The commands of a page that are run here."""
    return [it for it in shown_in(page) if re.match(r"unitai (?:yaml|judge) |pytest --llm", it.command)]


class Yaml(Project):
    """The project of a page."""

    def __init__(self, folder: Path, page: Path) -> None:
        super().__init__(folder)
        (folder / "pyproject.toml").write_text("", encoding="utf-8")
        for block in blocks_of(page):
            if block.path:
                file = folder / block.path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text, encoding="utf-8")

    def run(self, command: str, **variables: str) -> str:
        """What a command of a page says."""
        words = shlex.split(command.partition(" > ")[0], comments=True)
        program = {"unitai": [str(COMMAND)], "pytest": [sys.executable, "-m", "pytest"]}
        said = {"PYTHONIOENCODING": "utf-8", "COLUMNS": "200", "NO_COLOR": "1"}
        if "provider = " not in (self.folder / "pyproject.toml").read_text(encoding="utf-8"):
            # No model of this machine is asked: only a page that has a judge of its own has one.
            said["UNITAI_JUDGE_PROVIDER"] = "none"
        environment = self.environment(**{**said, **variables})
        # Servers of tests are started by the name of this very command.
        environment["PATH"] = os.pathsep.join([str(COMMAND.parent), environment["PATH"]])
        done = subprocess.run(
            [*program[words[0]], *words[1:]],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            check=False,
            timeout=120,
            env=environment,
        )
        return done.stdout


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    return {page: Yaml(tmp_path_factory.mktemp(page.stem), page) for page in PAGES}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that is there, for tests that connect to one."""
    project = Project(tmp_path_factory.mktemp("server"))
    process = project.start("mcp", "--http", "--root", ".")
    url, token = process.stdout.readline().strip(), process.stdout.readline().strip()
    yield {"SHOP_MCP": url, "SHOP_TOKEN": token.rpartition(" ")[2]}
    process.terminate()
    process.communicate()


#: What clients are told, to start a server by.
CONFIGURED = [
    (page, server)
    for page in PAGES
    for block in blocks_of(page)
    if block.language == "json"
    for server in json.loads(block.text)["mcpServers"].values()
]
COMMANDS = [(page, shown) for page in PAGES for shown in commands_of(page)]
TESTS = [
    (page, block)
    for page in PAGES
    for block in blocks_of(page)
    # Cases of a judge are no tests; a command of their page reads them.
    if block.language == "yaml" and "judge-cases" not in (block.path or "")
]
#: Files that are there to be wrong, to fail, or to stay undecided; what they give stands beside them.
NOT_GREEN = {
    word
    for _, (command, output) in COMMANDS
    if re.search(r"^(FAIL|UNCLEAR|ERROR) |, 1 error,", "\n".join(output), re.M)
    for word in command.split()
    if word.endswith(".yaml")
}


@pytest.mark.parametrize(("page", "shown"), COMMANDS, ids=lambda it: it.command if isinstance(it, Shown) else it.stem)
def test_commands_give_what_is_shown(page, shown, projects):
    said = projects[page].run(shown.command).splitlines()
    assert not shown.output or holds(shown.output, said), "\n".join(said)


@pytest.mark.parametrize("page", PAGES, ids=lambda it: it.stem)
def test_every_test_of_a_page_passes(page, projects, server):
    files = [block.path for block in blocks_of(page) if block.path and is_test(block.text)]
    files = [file for file in files if file not in NOT_GREEN]
    if files:
        said = projects[page].run(shlex.join(["unitai", "yaml", "run", *files]), **server)
        assert re.search(r"^\d+ passed$", said, re.M), said


@pytest.mark.parametrize(("page", "block"), TESTS, ids=lambda it: it.path if isinstance(it, Block) else it.stem)
def test_every_block_can_be_read(page, block, projects):
    if block.path in NOT_GREEN:
        return
    project, text = projects[page], block.text
    file = project.folder / (block.path or "tests/llm/block.yaml")
    if not is_test(text):
        # What stands in a test: a part of one, or some of its steps.
        text = text if re.search(r"^\w+:", text, re.M) else f"steps:\n{textwrap.indent(text, '  ')}"
        rest = {
            "test": "test: {name: a part}",
            "steps": "steps: [{tool: sleep, args: {seconds: 0}}]",
            "verdict": "verdict: checks",
        }
        text += "\n" + "\n".join(line for key, line in rest.items() if not re.search(rf"^{key}:", text, re.M))
        file = file.with_name("part.yaml")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n", encoding="utf-8")
    said = project.run(shlex.join(["unitai", "yaml", "check", str(file.relative_to(project.folder))]))
    assert said.splitlines()[-1].endswith(", 0 errors, 0 warnings"), said


@pytest.mark.parametrize(
    ("page", "server"), CONFIGURED, ids=lambda it: shlex.join(it["args"]) if isinstance(it, dict) else it.stem
)
def test_clients_are_told_a_server_that_answers(page, server, projects):
    servers = {"it": {"command": [server["command"], *server["args"]]}}
    steps = [{"tool": "it.list_tests", "check": "troubles | length == 0"}]
    test = {"test": {"name": "configured"}, "servers": servers, "steps": steps, "verdict": "checks"}
    (projects[page].folder / "configured.yaml").write_text(json.dumps(test), encoding="utf-8")
    said = projects[page].run("unitai yaml run configured.yaml")
    assert said.startswith("PASS"), said


@pytest.mark.parametrize("page", GUIDES, ids=lambda it: it.stem)
def test_every_option_that_is_named_is_there(page, projects):
    judge = (f"judge {it}" for it in ("calibrate", "label", "show"))
    helped = ("mcp", "yaml run", "yaml check", "yaml harden", *judge)
    commands = ["pytest --help", *(f"unitai {it} --help" for it in helped)]
    known = "\n".join(projects[page].run(command) for command in commands)
    named = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", page.read_text(encoding="utf-8")))
    assert [option for option in sorted(named) if not re.search(rf"{option}\b(?!-)", known)] == []
