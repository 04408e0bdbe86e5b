"""`unitai init`: what it makes, what it leaves alone, and that the first test passes at once."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from projects import clean_environment

from unitai import AgentRunResult

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"
EXAMPLE = Path("tests/test_agent_example.py")
NO_LIST = "not made, for there is no git repository: once there is one, add .unitai/, test-results/, or run this again"
UNKNOWN = " (no framework was found: --framework names one)"


def unitai(folder: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=clean_environment(keys=False, **environment),
        timeout=120,
    )


def told(done: subprocess.CompletedProcess[str]) -> dict[str, tuple[str, str]]:
    """What became of each file: the verb and the rest of the line."""
    lines = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    parts = [(line[2:15].strip(), *line[15:].split(None, 1)) for line in lines]
    return {file: (verb, rest) for verb, file, rest in parts}


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".git", "__pycache__"} & set(path.parts)
    }


def test_an_empty_folder_gets_settings_and_a_test_that_passes(tmp_path):
    done = unitai(tmp_path, "init")
    assert (done.returncode, done.stderr) == (0, "")
    assert told(done) == {
        "unitai.toml": ("made", "every setting, with its default or an example"),
        "tests/test_agent_example.py": ("made", f"a first test, for plain Python{UNKNOWN}"),
        ".gitignore": ("left", NO_LIST),
    }
    assert done.stdout.endswith("\nNext:  unitai test\n")
    assert set(files_of(tmp_path)) == {"unitai.toml", "tests/test_agent_example.py"}

    tested = unitai(tmp_path, "test", "-p", "no:cacheprovider")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "2 passed" in tested.stdout
    assert tested.stderr == ""


def test_the_files_are_the_projects_as_any_new_file_is(tmp_path):
    mask = os.umask(0o027)
    try:
        assert unitai(tmp_path, "init").returncode == 0
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "unitai.toml").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / EXAMPLE).stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "tests").stat().st_mode) == 0o750


def test_a_second_time_changes_nothing(tmp_path):
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    assert unitai(tmp_path, "init").returncode == 0
    before = files_of(tmp_path)
    again = unitai(tmp_path, "init")
    assert (again.returncode, again.stderr) == (0, "")
    assert {verb for verb, _ in told(again).values()} == {"left"}
    assert files_of(tmp_path) == before
    assert before[".gitignore"] == b".unitai/\ntest-results/\n"


def test_without_a_repository_it_says_that_it_wrote_no_gitignore(tmp_path):
    done = unitai(tmp_path, "init")
    assert done.returncode == 0
    assert told(done)[".gitignore"] == ("left", NO_LIST)
    assert not (tmp_path / ".gitignore").exists()


def test_every_setting_is_in_the_file(tmp_path):
    unitai(tmp_path, "init")
    text = (tmp_path / "unitai.toml").read_text(encoding="utf-8")
    shown = set(re.findall(r"^#?([a-z_]+) = ", text, re.M))
    assert shown == json.loads(unitai(tmp_path, "config", "--json").stdout)["settings"].keys()


def test_what_somebody_wrote_stays(tmp_path):
    (tmp_path / "unitai.toml").write_text("# mine\n", encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / EXAMPLE).write_text("# mine too\n", encoding="utf-8")
    done = unitai(tmp_path, "init")
    assert done.returncode == 0
    assert told(done)["unitai.toml"] == ("left", "it is there already")
    assert files_of(tmp_path) == {"unitai.toml": b"# mine\n", EXAMPLE.as_posix(): b"# mine too\n"}


def test_a_dry_run_makes_nothing(tmp_path):
    (tmp_path / ".gitignore").write_text("x\n", encoding="utf-8")
    done = unitai(tmp_path, "init", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert [verb for verb, _ in told(done).values()] == ["would make", "would make", "would change"]
    assert files_of(tmp_path) == {".gitignore": b"x\n"}


def test_settings_in_pyproject_are_enough(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.unitai]\ndefault_n = 5\n", encoding="utf-8")
    done = unitai(tmp_path, "init")
    assert done.returncode == 0
    assert told(done)["unitai.toml"] == ("left", "not needed: pyproject.toml has [tool.unitai]")
    assert not (tmp_path / "unitai.toml").exists()
    assert (tmp_path / EXAMPLE).exists()


def test_a_subfolder_of_a_project_says_whose_settings_hold(tmp_path):
    (tmp_path / "unitai.toml").write_text("", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("x\n", encoding="utf-8")
    inner = tmp_path / "services" / "refunds"
    inner.mkdir(parents=True)
    done = unitai(inner, "init")
    assert done.returncode == 0
    verb, why = told(done)["unitai.toml"]
    assert verb == "left"
    assert f"part of a project, with settings in {tmp_path / 'unitai.toml'}" in why
    # The folder .unitai will be where the settings are, and so is the line.
    assert told(done)[str(tmp_path / ".gitignore")][0] == "changed"
    assert (tmp_path / ".gitignore").read_text(encoding="utf-8") == "x\n.unitai/\ntest-results/\n"
    assert set(files_of(inner)) == {EXAMPLE.as_posix()}


def test_a_broken_project_file_is_named_and_nothing_is_made(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.unitai\n", encoding="utf-8")
    done = unitai(tmp_path, "init")
    assert (done.returncode, done.stdout) == (2, "")
    assert "pyproject.toml:1" in done.stderr
    assert "Mend it, then run this again" in done.stderr
    assert set(files_of(tmp_path)) == {"pyproject.toml"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b".unitai/\ntest-results/\n"),
        (b"build/\n", b"build/\n.unitai/\ntest-results/\n"),
        (b"build/", b"build/\n.unitai/\ntest-results/\n"),
        (b"a\r\nb", b"a\r\nb\r\n.unitai/\r\ntest-results/\r\n"),
        (b"\xff\xfe\n", b"\xff\xfe\n.unitai/\ntest-results/\n"),
        (b".unitai/\n", b".unitai/\ntest-results/\n"),
        (b"/.unitai\r\n/test-results\r\n", b"/.unitai\r\n/test-results\r\n"),
        (b"# .unitai/\n", b"# .unitai/\n.unitai/\ntest-results/\n"),
    ],
)
def test_the_list_of_git_gets_its_lines_in_its_own_manner(tmp_path, before, after):
    path = tmp_path / ".gitignore"
    path.write_bytes(before)
    path.chmod(0o640)
    for _ in range(2):
        assert unitai(tmp_path, "init").returncode == 0
        assert path.read_bytes() == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_what_another_list_ignores_needs_no_line(tmp_path):
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(".*/\ntest-*/\n", encoding="utf-8")
    inner = tmp_path / "package"
    inner.mkdir()
    done = unitai(inner, "init")
    assert told(done)[".gitignore"] == ("left", ".unitai/, test-results/ are ignored by another list")
    assert not (inner / ".gitignore").exists()


def test_a_list_that_is_a_link_is_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("theirs\n", encoding="utf-8")
    project = tmp_path / "project"
    project.mkdir()
    (project / ".gitignore").symlink_to(outside)
    done = unitai(project, "init")
    assert done.returncode == 0
    assert "it is a link, which git does not read" in told(done)[".gitignore"][1]
    assert outside.read_text(encoding="utf-8") == "theirs\n"


def test_a_link_that_leads_nowhere_is_not_written_through(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "unitai.toml").symlink_to(tmp_path / "elsewhere.toml")
    done = unitai(project, "init")
    assert told(done)["unitai.toml"] == ("left", "it is there already")
    assert not (tmp_path / "elsewhere.toml").exists()


def test_a_file_where_the_folder_should_be_is_said_with_a_remedy(tmp_path):
    (tmp_path / "tests").write_text("", encoding="utf-8")
    done = unitai(tmp_path, "init")
    assert done.returncode == 1
    assert "tests is a file, where a folder should be" in done.stderr
    assert "`testpaths`" in done.stderr
    assert told(done)["unitai.toml"] == ("made", "every setting, with its default or an example")
    assert EXAMPLE.as_posix() not in told(done)
    assert "Next:" not in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cannot_be_written_is_said_with_a_remedy(tmp_path):
    tmp_path.chmod(0o500)
    try:
        done = unitai(tmp_path, "init")
    finally:
        tmp_path.chmod(0o700)
    assert done.returncode == 1
    assert done.stderr.count("permission denied") == 2
    assert "let yourself write to this folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_disk_that_is_read_only_is_said_with_a_remedy(tmp_path):
    done = unitai(Path("/proc/self"), "init")
    assert done.returncode == 1
    assert "unitai.toml was not made" in done.stderr
    assert "panicked" not in done.stderr


def test_the_example_goes_where_the_projects_tests_are(tmp_path):
    text = '[tool.pytest.ini_options]\ntestpaths = ["checks/unit", "other"]\n'
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert unitai(tmp_path, "init").returncode == 0
    assert (tmp_path / "checks" / "unit" / "test_agent_example.py").exists()
    assert not (tmp_path / "tests").exists()
    assert unitai(tmp_path, "test", "-p", "no:cacheprovider").returncode == 0


@pytest.mark.parametrize(
    ("files", "title", "module"),
    [
        ({"pyproject.toml": '[project]\ndependencies = ["langgraph>=1"]\n'}, "LangGraph and LangChain", "langgraph"),
        ({"requirements.txt": "langchain\nlangchain-openai\n"}, "LangGraph and LangChain", "langgraph"),
        ({"agent.py": "from langchain.agents import create_agent\n"}, "LangGraph and LangChain", "langgraph"),
        ({"requirements.txt": "openai-agents==0.24\n"}, "the OpenAI Agents SDK", "agents"),
        ({"src/app.py": "from crewai import Agent\n"}, "CrewAI", "crewai"),
        ({"uv.lock": '[[package]]\nname = "semantic-kernel"\n'}, "Semantic Kernel", "semantic_kernel"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\npydantic-ai = "*"\n'}, "Pydantic AI", "pydantic_ai"),
        ({"src/app.py": "from google.adk.agents import LlmAgent\n"}, "Google's ADK", "google.adk"),
        ({"requirements.txt": "agent-framework-core\n"}, "Microsoft Agent Framework", "agent_framework"),
        ({"requirements-dev.txt": "openai\n"}, "OpenAI's client", "openai"),
    ],
)
def test_the_example_is_written_with_what_the_project_uses(tmp_path, files, title, module):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = unitai(tmp_path, "init")
    assert told(done)[EXAMPLE.as_posix()] == ("made", f"a first test, for {title} (found in {next(iter(files))})")
    source = (tmp_path / EXAMPLE).read_text(encoding="utf-8")
    assert f"from {module}" in source or f"import {module}" in source
    compile(source, EXAMPLE, "exec")


def test_several_frameworks_are_all_named(tmp_path):
    (tmp_path / "requirements.txt").write_text("crewai\nopenai\nlanggraph\n", encoding="utf-8")
    done = unitai(tmp_path, "init", "--dry-run")
    assert "for LangGraph and LangChain (found in requirements.txt; for the others: --framework crewai)" in done.stdout


def test_the_framework_can_be_said(tmp_path):
    (tmp_path / "requirements.txt").write_text("langgraph\n", encoding="utf-8")
    done = unitai(tmp_path, "init", "--framework", "generic")
    assert told(done)[EXAMPLE.as_posix()] == ("made", "a first test, for plain Python")
    wrong = unitai(tmp_path, "init", "--framework", "langraf")
    assert wrong.returncode == 2
    assert "langgraph" in wrong.stderr
    assert wrong.stdout == ""


def test_a_name_cannot_speak_to_the_terminal(tmp_path):
    text = '[tool.pytest.ini_options]\ntestpaths = ["a\\u001b[31m"]\n'
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    (tmp_path / "b\x1b[2J.py").write_text("import openai\n", encoding="utf-8")
    done = unitai(tmp_path, "init", "--dry-run")
    assert done.returncode == 0
    assert "OpenAI's client" in done.stdout
    assert "\x1b" not in done.stdout


LAID = {
    "unitai.toml",
    "tests/unit/test_unit_example.py",
    "tests/contract/test_contract_example.py",
    "tests/integration/conftest.py",
    "tests/integration/test_integration_example.py",
    "tests/behavioral/test_behavioral_example.py",
    "tests/regression/test_regression_example.py",
    "tests/regression/snapshots/test_regression_example/test_the_prompt/system_prompt.txt",
}
SKILL = ".claude/skills/unitai-testing/SKILL.md"


class TestLayers:
    def test_each_layer_has_an_example_that_passes_at_once(self, tmp_path):
        done = unitai(tmp_path, "init", "--layers")
        assert (done.returncode, done.stderr, set(files_of(tmp_path))) == (0, "", LAID)
        assert "  unitai test --layer unit,contract   " in done.stdout
        tested = unitai(tmp_path, "test", "-p", "no:cacheprovider", "-W", "error", "--strict-markers")
        assert (tested.returncode, tested.stderr) == (0, ""), tested.stdout
        layers = ("unit", "contract", "integration", "behavioral", "regression")
        assert [name for name in layers if re.search(rf"^{name} +\d+ passed +[\d.]+m?s$", tested.stdout, re.M)] == [
            *layers
        ]

    def test_what_is_there_is_left(self, tmp_path):
        kept = tmp_path / "tests/integration/conftest.py"
        kept.parent.mkdir(parents=True)
        kept.write_text("mine = True\n", encoding="utf-8")
        done = unitai(tmp_path, "init", "--layers")
        assert told(done)["tests/integration/conftest.py"] == ("left", "it is there already")
        assert kept.read_text(encoding="utf-8") == "mine = True\n"
        assert set(files_of(tmp_path)) == LAID

    def test_they_pass_beside_what_init_and_somebody_else_have_made(self, tmp_path):
        assert unitai(tmp_path, "init").returncode == 0
        (tmp_path / "tests/conftest.py").write_text("mine = True\n", encoding="utf-8")
        assert unitai(tmp_path, "init", "--layers").returncode == 0
        tested = unitai(tmp_path, "test", "-p", "no:cacheprovider")
        assert tested.returncode == 0, tested.stdout

    def test_where_tests_are_elsewhere_the_layers_are_known_too(self, tmp_path):
        (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["spec"]\n', encoding="utf-8")
        assert unitai(tmp_path, "init", "--layers").returncode == 0
        assert (tmp_path / "spec/tests/unit/test_unit_example.py").exists()
        tested = unitai(tmp_path, "test", "--layer", "unit,contract", "-p", "no:cacheprovider")
        assert tested.returncode == 0, tested.stdout
        assert re.search(r"^contract +\d+ passed", tested.stdout, re.M)

    def test_a_framework_is_not_left_aside_in_silence(self, tmp_path):
        done = unitai(tmp_path, "init", "--skill", "--framework", "crewai")
        assert (done.returncode, files_of(tmp_path)) == (2, {})
        assert "--framework is for an example" in done.stderr

    def test_keys_are_kept_out_of_git(self, tmp_path):
        subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
        done = unitai(tmp_path, "init", "--layers")
        assert told(done)[".gitignore"][0] == "made"
        assert (tmp_path / ".gitignore").read_text(encoding="utf-8") == ".unitai/\ntest-results/\n.env.test\n"
        again = unitai(tmp_path, "init", "--layers")
        assert told(again)[".gitignore"] == ("left", "it names .unitai/, test-results/, .env.test already")

    def test_what_plain_init_began_is_extended(self, tmp_path):
        (tmp_path / ".gitignore").write_text(".unitai/\ntest-results/\n", encoding="utf-8")
        done = unitai(tmp_path, "init", "--layers")
        assert told(done)[".gitignore"] == ("changed", "added .env.test, where keys for tests go")
        assert (tmp_path / ".gitignore").read_text(encoding="utf-8") == ".unitai/\ntest-results/\n.env.test\n"

    def test_the_behavioral_example_is_written_with_the_framework(self, tmp_path):
        assert unitai(tmp_path, "init", "--layers", "--framework", "openai").returncode == 0
        assert "import openai" in (tmp_path / "tests/behavioral/test_behavioral_example.py").read_text(encoding="utf-8")

    def test_a_look_makes_nothing(self, tmp_path):
        done = unitai(tmp_path, "init", "--layers", "--skill", "--dry-run")
        fates = told(done)
        assert fates.pop(".gitignore")[0] == "left"
        assert {verb for verb, _ in fates.values()} == {"would make"}
        assert (set(fates), files_of(tmp_path)) == (LAID | {SKILL}, {})
        assert done.stdout.endswith("\nNext:  unitai init --layers --skill\n")
        all_of_it = ("--framework", "langgraph", "--layers", "--skill=docs/x.md")
        done = unitai(tmp_path, "init", "--dry-run", *all_of_it)
        assert done.stdout.endswith("\nNext:  unitai init --framework langgraph --layers --skill=docs/x.md\n")


#: What the skill takes for granted.
AROUND_THE_SKILL = """
import pytest
from unitai.contract import Contract

def agent(message, tools):
    order = tools["lookup_order"](order_id="123")
    tools["process_refund"](order_id="123", amount=order["amount"])
    return f"You get {order['amount']} back."

class BaseStore(dict):
    put = dict.__setitem__

class SqliteStore(BaseStore):
    def __init__(self, path):
        super().__init__()

def build_system_prompt():
    return "You are Ada."
"""


class TestSkill:
    def test_it_is_made_alone_and_never_written_over(self, tmp_path):
        done = unitai(tmp_path, "init", "--skill")
        assert (done.returncode, set(files_of(tmp_path))) == (0, {SKILL})
        (tmp_path / SKILL).write_text("mine", encoding="utf-8")
        again = unitai(tmp_path, "init", "--skill")
        assert (again.returncode, told(again)[SKILL]) == (0, ("left", "it is there already"))
        assert (tmp_path / SKILL).read_text(encoding="utf-8") == "mine"

    def test_it_goes_where_it_is_wanted_and_with_the_layers(self, tmp_path):
        assert unitai(tmp_path, "init", "--layers", "--skill=docs/testing.md").returncode == 0
        assert set(files_of(tmp_path)) == LAID | {"docs/testing.md"}

    def test_every_check_that_it_names_is_there(self, tmp_path):
        unitai(tmp_path, "init", "--skill")
        text = (tmp_path / SKILL).read_text(encoding="utf-8")
        (checks,) = re.findall(r"^- Checks: (.*?)\.$", text, re.M | re.S)
        named = re.findall(r"`(\w+)`", checks)
        assert len(named) > 10
        assert [name for name in named if not hasattr(AgentRunResult, name)] == []

    def test_the_code_in_it_works(self, tmp_path):
        unitai(tmp_path, "init", "--skill")
        blocks = re.findall(r"^```python\n(.*?)^```", (tmp_path / SKILL).read_text(encoding="utf-8"), re.M | re.S)
        (tmp_path / "test_it.py").write_text("\n\n".join([AROUND_THE_SKILL, *blocks]), encoding="utf-8")
        done = unitai(tmp_path, "test", "-p", "no:cacheprovider", "-W", "error", "--snapshot-update")
        assert (done.returncode, len(blocks), "3 passed" in done.stdout) == (0, 3, True), done.stdout
