"""`unitai doctor`: what it tells, what it never tells, and its exit code."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from projects import clean_environment

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parent.parent.parent
COMMAND = Path(sys.executable).parent / "unitai"
SECRET = "sk-proj-Zk3vQ8xWn2LmR7tYpB4cXq9"


def surroundings(**more: str) -> dict[str, str]:
    known = clean_environment(keys=False)
    known.pop("NO_COLOR", None)
    # The doctor looks at how pytest is set up.
    known.pop("PYTEST_ADDOPTS")
    return known | more


def doctor(folder: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "doctor", *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=surroundings(**environment),
        timeout=120,
    )


def found(folder: Path, **environment: str) -> dict[str, object]:
    done = doctor(folder, "--json", **environment)
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert done.returncode == (0 if told["ok"] else 1)
    assert told["ok"] == all(problem["weight"] != "error" for problem in told["problems"])
    assert all(problem["remedy"] for problem in told["problems"])
    return told


def test_a_sound_environment_is_told_and_exits_with_0(tmp_path):
    done = doctor(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"unitai    {version('unitai')}\n" in done.stdout
    assert f"pytest    {version('pytest')}, with UnitAI's plugin {version('unitai')}\n" in done.stdout
    assert f"python    CPython {sys.version.split()[0]} ({Path(sys.executable).name})\n" in done.stdout
    assert "settings  defaults; `unitai init` writes a file" in done.stdout
    assert "Everything that is needed is here." in done.stdout
    assert "\x1b" not in done.stdout
    assert str(Path(sys.executable).parent) not in done.stdout


def test_the_guide_shows_what_is_told(tmp_path):
    """The page's own world: its packages, its key and its mistake. Versions, dates and what else is installed here differ."""
    [shown] = re.findall(r"^```text\n(unitai .*?)^```", (ROOT / "docs/guides/beginning.md").read_text(), re.M | re.S)
    packages = dict(re.findall(r"^  (\S+) (\d\S+) {2,}", shown, re.M))
    for name, number in packages.items():
        folder = tmp_path / "site" / f"{name.replace('-', '_')}-{number}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n", encoding="utf-8")
    project = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    (project / ".gitignore").write_text(".unitai/\n", encoding="utf-8")
    (project / "unitai.toml").touch()
    # No program of a judge is on the path; git is wanted.
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").symlink_to(shutil.which("git"))
    said = doctor(
        project, PATH=str(tools), PYTHONPATH=str(tmp_path / "site"), OPENAI_API_KEY=SECRET, UNITAI_MODEL_OVERIDE="x"
    ).stdout

    def plain(text: str) -> list[str]:
        """Lines without what differs, and without packages that the page does not name."""
        lines = [
            line for line in text.splitlines() if not line.startswith("  ") or line.split()[0] in (*packages, "to")
        ]
        return [re.sub(r"\d+ days? old|\d[\d.-]*\d", "N", line) for line in lines]

    assert plain(said) == plain(shown)


def test_json_says_the_same(tmp_path):
    told = found(tmp_path)
    assert (told["format"], told["version"], told["ok"]) == ("unitai.doctor", 1, True)
    assert told["unitai"] == version("unitai")
    assert told["pytest"] == {"version": version("pytest"), "plugin": version("unitai"), "disabled_by": None}
    assert {"name": "urllib3", "version": version("urllib3"), "reach": "requests"} in told["packages"]
    assert told["prices"]["as_of"].count("-") == 2
    assert told["configuration"] == {"file": None, "valid": True}
    assert told["folder"] == {"exists": False, "writable": True, "ignored_by_git": None}


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_keys_are_told_by_name_and_by_nothing_else(tmp_path, more):
    done = doctor(tmp_path, *more, OPENAI_API_KEY=SECRET, GROQ_API_KEY="", XAI_API_KEY="short")
    assert "OPENAI_API_KEY" in done.stdout
    assert "XAI_API_KEY" in done.stdout
    assert "GROQ" not in done.stdout
    text = done.stdout + done.stderr
    assert all(part not in text for part in (SECRET, SECRET[:8], SECRET[-6:], "short", str(len(SECRET))))


def test_settings_that_cannot_be_used_are_an_error_with_its_place(tmp_path):
    (tmp_path / "unitai.toml").write_text("default_n = 0\ncost_budget_per_test = 'much'\n", encoding="utf-8")
    done = doctor(tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "unitai.toml: not valid" in done.stdout
    assert "unitai.toml:1" in done.stdout
    assert "unitai.toml:2" in done.stdout
    assert done.stdout.count("to do: ") == done.stdout.count("error: ") == 2
    assert "2 things that are needed are missing or broken." in done.stdout


def test_a_file_that_is_no_toml_is_told_once(tmp_path):
    (tmp_path / "unitai.toml").write_text("default_n = \n", encoding="utf-8")
    told = found(tmp_path)
    assert told["configuration"]["valid"] is False
    assert len(told["problems"]) == 1


def test_a_variable_that_cannot_be_used_is_an_error(tmp_path):
    told = found(tmp_path, UNITAI_DEFAULT_N="many")
    assert [problem["weight"] for problem in told["problems"]] == ["error"]
    assert "UNITAI_DEFAULT_N" in told["problems"][0]["what"]


def test_a_variable_that_nobody_reads_is_a_warning_with_a_guess(tmp_path):
    told = found(tmp_path, UNITAI_MODEL_OVERIDE="x", UNITAI_NONSENSE="y", UNITAI_CACHE="replay")
    assert told["ok"] is True
    assert [(problem["what"], problem["remedy"]) for problem in told["problems"]][0] == (
        "the variable UNITAI_MODEL_OVERIDE is read by nobody",
        "perhaps UNITAI_MODEL_OVERRIDE is meant",
    )
    assert len(told["problems"]) == 2


@pytest.mark.parametrize(
    ("environment", "file", "by"),
    [
        ({"PYTEST_ADDOPTS": "-x -p no:unitai"}, None, "the variable PYTEST_ADDOPTS"),
        ({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, None, "the variable PYTEST_DISABLE_PLUGIN_AUTOLOAD"),
        ({}, ("pytest.ini", "[pytest]\naddopts = -p no:unitai\n"), "an option in pytest.ini"),
        (
            {},
            ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["-p", "no:unitai"]\n'),
            "an option in pyproject.toml",
        ),
    ],
)
def test_a_plugin_that_is_switched_off_is_an_error(tmp_path, environment, file, by):
    if file:
        (tmp_path / file[0]).write_text(file[1], encoding="utf-8")
    told = found(tmp_path, **environment)
    assert told["pytest"]["disabled_by"] == by
    assert told["ok"] is False


def test_a_python_without_the_plugin_and_without_pytest_is_told(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "empty")], check=True)
    python = tmp_path / "empty" / "bin" / "python"
    code = f"import sys; from unitai._engine import run_command; sys.exit(run_command(['doctor'], {str(python)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=surroundings(), check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "error: pytest is not installed\n  to do: pip install pytest\n" in done.stdout
    assert "UnitAI's plugin is not installed beside this Python's pytest" in done.stdout


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/bin/sh\necho hello\n", "could not say what is installed (exit code 0)"),
        ("#!/bin/sh\nexit 3\n", "could not say what is installed (exit code 3)"),
        (None, "could not be started"),
    ],
)
def test_a_python_that_does_not_answer_is_told(tmp_path, script, said):
    program = tmp_path / "odd"
    if script:
        program.write_text(script, encoding="utf-8")
        program.chmod(0o755)
    code = f"import sys; from unitai._engine import run_command; sys.exit(run_command(['doctor'], {str(program)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=surroundings(), check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert f"error: odd {said}" in done.stdout
    assert "odd, which did not answer" in done.stdout


def test_files_of_the_project_are_not_run(tmp_path):
    for name in ("json.py", "platform.py", "openai.py", "pytest.py"):
        (tmp_path / name).write_text("raise SystemExit('run')\n", encoding="utf-8")
    assert found(tmp_path)["ok"] is True


def test_a_repository_that_would_commit_recordings_is_a_warning(tmp_path):
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    told = found(tmp_path)
    assert told["folder"]["ignored_by_git"] is False
    assert [problem["weight"] for problem in told["problems"]] == ["warning"]
    subprocess.run([COMMAND, "init"], cwd=tmp_path, check=True, capture_output=True)
    assert found(tmp_path)["folder"]["ignored_by_git"] is True


def test_a_file_in_the_place_of_the_folder_is_a_warning(tmp_path):
    (tmp_path / ".unitai").write_text("", encoding="utf-8")
    told = found(tmp_path)
    assert told["folder"] == {"exists": False, "writable": False, "ignored_by_git": None}
    assert "cannot be written" in told["problems"][0]["what"]


def test_a_terminal_gets_colour_unless_it_wants_none(tmp_path):
    def shown(**environment: str) -> bytes:
        reader, writer = pty.openpty()
        child = subprocess.Popen(
            [COMMAND, "doctor"], stdout=writer, cwd=tmp_path, env=surroundings(TERM="xterm", **environment)
        )
        os.close(writer)
        text = b""
        while True:
            try:
                piece = os.read(reader, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        child.wait()
        os.close(reader)
        return text

    assert b"\x1b[32mEverything" in shown()
    assert b"\x1b" not in shown(NO_COLOR="1")


def judges(folder: Path, path: str, **environment: str) -> tuple[dict[str, dict[str, object]], dict[str, object]]:
    told = found(folder, PATH=path, **environment)
    return {judge["name"]: judge for judge in told["judges"]}, told


def program(folder: Path, name: str) -> str:
    """A program that must not be started: it would leave a trace."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\ntouch {folder}/started\n", encoding="utf-8")
    file.chmod(0o755)
    return str(folder)


def test_judges_are_told_and_none_is_started(tmp_path):
    path = program(tmp_path / "bin", "codex")
    by_name, told = judges(tmp_path, path, OPENAI_API_KEY=SECRET)
    assert list(by_name) == ["claude-code", "codex", "gemini-cli", "anthropic", "openai", "command"]
    assert [name for name, judge in by_name.items() if judge["usable"]] == ["codex", "openai"]
    assert [name for name, judge in by_name.items() if judge["chosen"]] == ["codex"]
    assert by_name["anthropic"]["why"] == "ANTHROPIC_API_KEY is not set"
    assert SECRET not in json.dumps(told)
    assert told["problems"] == []
    text = doctor(tmp_path, PATH=path, OPENAI_API_KEY=SECRET).stdout
    assert "judge     codex (the program codex); usable, too: openai\n" in text
    assert not (tmp_path / "bin" / "started").exists()


def test_no_judge_is_no_problem_and_says_how_to_get_one(tmp_path):
    by_name, told = judges(tmp_path, "/nowhere")
    assert not any(judge["usable"] or judge["chosen"] for judge in by_name.values())
    assert (told["ok"], told["problems"]) == (True, [])
    assert "judge     none; to get one: install Claude Code" in doctor(tmp_path, PATH="/nowhere").stdout


def test_a_judge_that_is_named_and_not_usable_is_a_warning(tmp_path):
    (tmp_path / "unitai.toml").write_text("[judge]\nprovider = 'anthropic'\n", encoding="utf-8")
    by_name, told = judges(tmp_path, "/nowhere", OPENAI_API_KEY=SECRET)
    assert by_name["anthropic"]["chosen"] is True
    assert told["ok"] is True
    assert [(problem["weight"], problem["what"]) for problem in told["problems"]] == [
        ("warning", "the judge anthropic is not usable: ANTHROPIC_API_KEY is not set")
    ]
    assert 'judge.provider = "openai"' in told["problems"][0]["remedy"]
