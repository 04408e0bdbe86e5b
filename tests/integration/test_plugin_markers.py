"""Markers and fixtures of the plugin, in real sessions of pytest."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest
from projects import Project

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


KEYS = """
import os, pytest

@pytest.mark.unitai_skip_if_no_api_key
def test_usual(): pass

@pytest.mark.unitai_skip_if_no_api_key("MISTRAL_API_KEY")
def test_named(): pass

@pytest.mark.unitai_skip_if_no_api_key(env_var=["A_KEY", "B_KEY"])
def test_both(): pass

@pytest.mark.unitai_skip_if_no_api_key(model="claude-sonnet-4-5")
def test_of_model(): pass

@pytest.mark.unitai_skip_if_no_api_key(model="gemini-2.5-pro")
def test_either(): pass
"""

ALL = {"test_usual", "test_named", "test_both", "test_of_model", "test_either"}
HAVE = {
    "OPENAI_API_KEY": {"test_usual"},
    "MISTRAL_API_KEY": {"test_named"},
    "A_KEY B_KEY": {"test_both"},
    "ANTHROPIC_API_KEY": {"test_of_model"},
    "GOOGLE_API_KEY": {"test_either"},
    "GEMINI_API_KEY": {"test_either"},
    "A_KEY": set(),
}
NONE = dict.fromkeys((name for names in HAVE for name in names.split()), "")


class TestKeys:
    @pytest.mark.parametrize("have", HAVE)
    def test_a_test_runs_if_its_key_is_set(self, project, have):
        project.write(test_it=KEYS)
        done = project.pytest("-v", **{**NONE, **dict.fromkeys(have.split(), "x")})
        ran = {name for name in ALL if f"::{name} PASSED" in done.stdout}
        skipped = {name for name in ALL if f"::{name} SKIPPED" in done.stdout}
        assert (ran, skipped, done.returncode) == (HAVE[have], ALL - HAVE[have], 0)

    def test_the_reason_names_the_variable(self, project):
        project.write(test_it=KEYS)
        told = project.pytest("-rs", **NONE).stdout
        for reason in ("OPENAI_API_KEY not set", "A_KEY and B_KEY not set", "GEMINI_API_KEY or GOOGLE_API_KEY not set"):
            assert reason in told

    def test_the_model_that_all_tests_use_decides_which_key(self, project):
        project.write(test_it=KEYS)
        told = project.pytest(
            "-rs", "-k", "usual", "--model=claude-haiku-4-5", **{**NONE, "OPENAI_API_KEY": "x"}
        ).stdout
        assert "ANTHROPIC_API_KEY not set" in told

    def test_the_setting_decides_like_the_option(self, project):
        project.write(test_it=KEYS)
        (project.folder / "unitai.toml").write_text('model_override = "claude-haiku-4-5"\n', encoding="utf-8")
        told = project.pytest("-rs", "-k", "usual", **{**NONE, "OPENAI_API_KEY": "x"}).stdout
        assert "ANTHROPIC_API_KEY not set" in told

    def test_recordings_need_no_key(self, project):
        project.write(test_it=KEYS)
        assert "5 passed" in project.pytest("--unitai-cache=replay", **NONE).stdout

    def test_a_fixture_of_the_session_may_bring_the_key(self, project):
        project.write(
            conftest="import os, pytest\n@pytest.fixture(scope='session', autouse=True)\ndef keys():\n"
            "    os.environ['OPENAI_API_KEY'] = 'x'\n",
            test_it="import pytest\ndef test_first(): pass\n@pytest.mark.unitai_skip_if_no_api_key\ndef test_it(): pass\n",
        )
        assert "2 passed" in project.pytest(OPENAI_API_KEY="").stdout

    @pytest.mark.parametrize("wrong", ["(env_var=3)", "('')", "(nonsense=1)", "([])", "(model=3)"])
    def test_what_names_no_key_fails_the_test(self, project, wrong):
        project.write(test_it=f"import pytest\n@pytest.mark.unitai_skip_if_no_api_key{wrong}\ndef test_it(): pass\n")
        done = project.pytest()
        assert done.returncode == 1
        assert "the marker unitai_skip_if_no_api_key of test_it.py::test_it names no key" in done.stdout
        assert 'unitai_skip_if_no_api_key(env_var="MISTRAL_API_KEY")' in done.stdout


def test_markers_of_classes_modules_and_conftests_count(project):
    project.write(
        conftest="import pytest\ndef pytest_collection_modifyitems(items):\n    for item in items:\n"
        "        if 'added' in item.name: item.add_marker(pytest.mark.unitai_skip_if_no_api_key)\n",
        test_module="import pytest\npytestmark = pytest.mark.unitai_skip_if_no_api_key\ndef test_a(): pass\n",
        test_class="import pytest\n@pytest.mark.unitai_skip_if_no_api_key\nclass TestIt:\n    def test_b(self): pass\n"
        "def test_free(): pass\n",
        test_added="def test_added(): pass\n",
    )
    done = project.pytest(OPENAI_API_KEY="")
    assert "1 passed, 3 skipped" in done.stdout, done.stdout


def test_every_marker_and_option_is_explained(project):
    markers = project.pytest("--markers").stdout
    for name in ("unitai_statistical", "unitai_budget", "unitai_skip_if_no_api_key", "unitai_cassette"):
        assert f"@pytest.mark.{name}(" in markers
    options = project.pytest("--help").stdout
    for name in ("--unitai", "--unitai-events", "--unitai-model", "--model", "--unitai-cache", "--unitai-budget"):
        # Since Python 3.13 an option with two names tells its argument once, behind the last one.
        assert re.search(rf"(^  |, ){name}[ =,]", options, re.MULTILINE), name
    fixtures = project.pytest("--fixtures").stdout
    for name in ("mock_toolkit", "scripted_model", "cassette", "block_network", "unitai_config"):
        assert f"\n{name} --" in fixtures


def test_tests_are_discovered_as_ever(project):
    project.write(
        test_refund="import unitai\ndef test_refund(mock_toolkit): pass\nclass TestMore:\n    def test_b(self): pass\n"
    )
    done = project.pytest("--co", "-q")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == ["test_refund.py::test_refund", "test_refund.py::TestMore::test_b"]


def test_a_toolkit_is_fresh_for_each_test_and_reset_after_it(project):
    project.write(
        test_it="""
kept = []

def test_a(mock_toolkit):
    mock_toolkit.mock("x", return_value=1)
    tool = mock_toolkit.get_tool("x")
    mock_toolkit.run(lambda input, tools: tools["x"](), "go")
    assert len(tool.calls) == 1
    kept.append((mock_toolkit, tool))

def test_b(mock_toolkit):
    toolkit, tool = kept[0]
    assert mock_toolkit is not toolkit and tool.calls == []
    mock_toolkit.mock("x", return_value=2)
"""
    )
    assert "2 passed" in project.pytest().stdout


def test_settings_that_are_loaded_hear_the_command_line(project):
    project.write(
        test_it="from unitai import UnitAIConfig\ndef test_it(unitai_config):\n"
        "    for config in (unitai_config, UnitAIConfig.load()):\n"
        "        assert config.model_override == 'gpt-5'\n"
        "        assert str(config.source('model_override')) == '--unitai-model'\n"
    )
    assert "1 passed" in project.pytest("--model=gpt-5", UNITAI_MODEL_OVERRIDE="gpt-4o").stdout


SLOW = """
import pytest, time

@pytest.mark.unitai_statistical(n=6, threshold=0.5, max_workers=1, mode="all")
def test_slow():
    time.sleep(0.2)
"""


class TestProgress:
    def test_plain_lines_now_and_then_where_nothing_can_be_taken_back(self, project):
        project.write(test_it=SLOW, conftest="import unitai.pytest_plugin.lines as lines\nlines.EVERY = 0.5\n")
        told = project.pytest("-q").stdout
        lines = [line for line in told.splitlines() if "runs, " in line]
        assert 1 <= len(lines) <= 3, told
        assert all(line.startswith("test_slow: ") and "/6 runs, " in line and "left at most" in line for line in lines)
        assert "\x1b" not in told and "\r" not in told

    def test_nothing_is_said_of_what_is_quick(self, project):
        project.write(test_it=SLOW)
        assert "left at most" not in project.pytest("-q").stdout

    def test_one_line_on_a_terminal(self, project):
        project.write(test_it=SLOW)
        master, slave = pty.openpty()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        environment = {**project.environment(), "TERM": "xterm", "COLUMNS": "120"}
        with subprocess.Popen(
            command, cwd=project.folder, stdout=slave, stderr=slave, stdin=slave, env=environment
        ) as run:
            os.close(slave)
            told = b""
            while chunk := _read(master):
                told += chunk
            assert run.wait(timeout=60) == 0
        os.close(master)
        assert b"/6 runs, " in told and b"\x1b7" in told


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
