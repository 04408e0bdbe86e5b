"""The examples are what they say: each is listed and whole, and its README is true. Every command that it shows gives what
it shows, without a key and without a network: those after the bug of the README in a copy that has the bug.

Examples whose framework is not here are skipped, unless `TESTS_REQUIRE_EXAMPLES` names them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from projects import COMMAND
from showing import Shown, commands_of, holds, masked

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))
#: What is imported by each that needs more than UnitAI.
MODULES = {
    "crewai_team": "crewai",
    "generic_chatbot": "anthropic",
    "langgraph_refund": "langchain_openai",
    "multi_tool_research": "openai",
    "openai_handoffs": "agents",
    "openai_refund": "openai",
}
REQUIRED = os.environ.get("TESTS_REQUIRE_EXAMPLES", "").split(",")
PROGRAMS = {
    "pytest": [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
    "python": [sys.executable],
    "unitai": [str(COMMAND)],
}


def blocks_of(name: str) -> list[tuple[str, str]]:
    """The blocks of an example's README, with their languages."""
    text = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.M | re.S)


def sound(line: str) -> str:
    """A line without what differs from run to run, or from one release of a framework to the next."""
    line = re.sub(r"\$\d+\.\d{3,}|\$0\.00\b", "<cost>", masked(line))
    return re.sub(r"\d+ tokens\b|Tokens: \d+", "<tokens>", line)


def files_of(name: str) -> list[Path]:
    """The files of an example that are in the repository, or will be: not what running it has left there."""
    # A checkout may belong to another user, as in a container.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "."]
    listed = subprocess.run(command, cwd=EXAMPLES / name, capture_output=True, text=True, check=True).stdout
    return [Path(path) for path in listed.split("\0") if path and (EXAMPLES / name / path).is_file()]


def put_in(folder: Path, diff: str) -> None:
    """Makes the change of a README in the file that has what it takes out."""
    before = "".join(f"{line[1:]}\n" for line in diff.splitlines() if not line.startswith("+"))
    after = "".join(f"{line[1:]}\n" for line in diff.splitlines() if not line.startswith("-"))
    files = {path: path.read_text(encoding="utf-8") for path in folder.glob("*.[pm]*") if path.name != "README.md"}
    (place,) = (path for path, text in files.items() if text.count(before) == 1)
    place.write_text(files[place].replace(before, after), encoding="utf-8")


@pytest.fixture(scope="module")
def away() -> list[str]:
    """What a command begins with that has no network but this machine's; nothing where the system does not let us."""
    words = [sys.executable, str(ROOT / "scripts" / "offline.py")]
    before = ["unshare", "-rn", *words]
    can = shutil.which("unshare") and not subprocess.run([*before, "true"], capture_output=True, check=False).returncode
    return before if can else []


class Copy:
    """A copy of an example, in which commands are run without a key and without what this run was told."""

    def __init__(self, name: str, folder: Path, away: list[str]) -> None:
        self.folder = folder / name
        self.away = away
        for path in files_of(name):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(EXAMPLES / name / path, self.folder / path)

    def run(self, command: str) -> list[str]:
        """The lines that a command prints."""
        words = shlex.split(command)
        said = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
        program, *arguments = words[len(said) :]
        hidden = r"UNITAI_|PYTEST_|PYTHONDONTWRITE|GITHUB_|TESTS_|CI$|.*_API_KEY$|.*_BASE_URL$"
        kept = {name: value for name, value in os.environ.items() if not re.match(hidden, name)}
        fixed = {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80", "NO_COLOR": "1"}
        done = subprocess.run(
            [*self.away, *PROGRAMS[program], *arguments],
            cwd=self.folder,
            env={**kept, **fixed, "UNITAI_JUDGE_PROVIDER": "none", **said},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
            # A framework takes seconds to import, and minutes on a machine that does much else.
            timeout=900,
        )
        return done.stdout.splitlines()


@pytest.fixture
def copy(name, tmp_path, away):
    needed = MODULES.get(name)
    is_here = shutil.which("node") if name.startswith("node_") else needed is None or find_spec(needed)
    if not is_here and name not in REQUIRED:
        pytest.skip(f"{needed or 'node'} is not installed")
    return Copy(name, tmp_path, away)


def test_no_folder_is_forgotten():
    folders = [path.name for path in EXAMPLES.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))]
    assert sorted(folders) == NAMES
    assert set(MODULES) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_listed_and_whole(name):
    assert f"[{name}]({name}/README.md)" in (EXAMPLES / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in files_of(name)}
    assert files & {"agent.py", "agent.mjs", "api.py"}, "what is tested"
    assert any(re.fullmatch(r"test_\w+\.py|\w+\.yaml", file) for file in files), "its tests"
    languages = [language for language, _ in blocks_of(name) if language != "sh"]
    assert languages[:3] == ["console", "diff", "console"], "how it is run, a bug, and how that is caught"


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_of_an_example_is_true(name, copy):
    for language, text in blocks_of(name):
        if language == "diff":
            put_in(copy.folder, text)
        for shown in commands_of(text) if language == "console" else ():
            said = copy.run(shown.command)
            assert holds(*settled(shown, said), mask=sound), "\n".join([f"$ {shown.command}", *said])


def settled(shown: Shown, said: list[str]) -> tuple[list[str], list[str]]:
    """What is shown and what was said, without empty lines at their ends."""
    return ["\n".join(lines).rstrip().splitlines() for lines in (shown.output, said)]


@pytest.fixture
def needs_openai():
    pytest.importorskip("openai", reason="the example uses OpenAI's client")


def test_openai_refund_proves_the_recorded_test_of_the_readme(needs_openai, tmp_path):
    """The README shows it short; here it runs with the recordings of the example, and nothing may connect."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python recorded\n(.*?)^```", readme, re.M | re.S)
    project = Copy("openai_refund", tmp_path, [])
    example = (project.folder / "test_recorded.py").read_text(encoding="utf-8")
    blocked = """
import socket

def refuse(*_, **__):
    raise AssertionError("a connection was opened")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = refuse
"""
    test = example[: example.index("def test_")] + blocked + block
    (project.folder / "test_readme.py").write_text(test, encoding="utf-8")
    said = project.run("pytest -q --unitai-cache=replay test_readme.py")
    assert said[-1].startswith("1 passed"), "\n".join(said)
