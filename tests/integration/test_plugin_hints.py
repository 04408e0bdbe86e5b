"""What is said beside a failure that newcomers meet first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from projects import COMMAND, Project, clean_environment

pytestmark = pytest.mark.integration

AGENT = """
import urllib3
from unitai.script import call, say, when

def agent(url="https://api.openai.com/v1/chat/completions"):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}
    pool = urllib3.PoolManager(retries=False)
    return pool.request("POST", url, json=body).json()["choices"][0]["message"]["content"]

def without_key():
    raise ValueError("Missing credentials. Please pass an `api_key`, or set the `OPENAI_API_KEY` environment variable.")
"""
KEYLESS = 'set OPENAI_API_KEY=none in the environment, in .env.test and in CI, or give the client api_key="none".'


@pytest.fixture
def failed(tmp_path):
    def failed(test: str, **variables: str) -> str:
        (tmp_path / "test_it.py").write_text(AGENT + test, encoding="utf-8")
        done = Project(tmp_path).pytest(**{"OPENAI_API_KEY": "", **variables})
        assert done.returncode in (1, 2), done.stdout
        return done.stdout

    return failed


def test_a_script_that_does_not_fit_is_told_whole(failed):
    told = failed("""
def test_one(mock_toolkit, scripted_model):
    scripted_model([when(last_message="bye").then(say("x"))])
    result = mock_toolkit.run_generic(agent)
    assert result.output == "x"
""")
    section = told.partition(" UnitAI --")[2]
    assert "Agent raised: UnexpectedModelCallError" in section
    assert 'expected: one of these to hold: when(last_message="bye")' in section
    assert "found:" in section and "to do:" in section


def test_the_same_for_a_check_that_does_not_hold(failed):
    told = failed("""
def test_one(mock_toolkit, scripted_model):
    scripted_model([when(last_message="bye").then(say("x"))])
    assert mock_toolkit.run_generic(agent).tool_was_called("search")
""")
    assert 'expected: one of these to hold: when(last_message="bye")' in told.partition(" UnitAI --")[2]


CHECKS = """
from unitai import assert_trajectory

def run(toolkit):
    return toolkit.run(lambda input, tools: "done", "x")

def test_plain(mock_toolkit):
    assert run(mock_toolkit).tool_was_called("search")

def test_after_another(mock_toolkit):
    result = run(mock_toolkit)
    assert result.succeeded and result.tool_was_called("search")

def test_chain(mock_toolkit):
    assert_trajectory(run(mock_toolkit)).called("search")

def test_own_words(mock_toolkit):
    assert run(mock_toolkit).tool_was_called("search"), "the shop must be asked"
"""


def test_the_summary_begins_with_the_reason(tmp_path):
    project = Project(tmp_path)
    project.write(test_it=CHECKS)
    for done in (project.pytest(COLUMNS="200"), project.unitai("test", "--keep-going", COLUMNS="200")):
        told = [line.partition(" - ")[2] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
        reason = "expected search to be called, but no tool was called"
        assert told == [reason, reason, reason, "AssertionError: the shop must be asked"], done.stdout
    junit = (tmp_path / "test-results" / "unitai.xml").read_text(encoding="utf-8")
    assert junit.count(f'message="{reason}"') == 4


IN_A_FOLDER = """
from shop.agent import agent

def test_it(mock_toolkit):
    assert mock_toolkit.run(agent, "x").succeeded
"""


@pytest.mark.parametrize("where", ["test_it", "conftest"])
def test_a_module_of_the_project_that_plain_pytest_does_not_find(tmp_path, where):
    project = Project(tmp_path)
    project.lay(shop__agent="def agent(input, tools):\n    return 'done'\n")
    project.lay(**{"tests__test_it": "def test_it(): pass\n", f"tests__{where}": IN_A_FOLDER})
    environment = clean_environment()
    environment.pop("PYTHONPATH", None)
    plain = [Path(sys.executable).parent / "pytest", "-p", "no:cacheprovider"]

    def run(words):
        return subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert run([COMMAND, "test"]).returncode == 0
    done = run(plain)
    told = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Hint: `shop` is in this folder, from which plain `pytest` imports nothing." in told
    lines = [line.removeprefix("E").strip() for line in told.splitlines()]
    at = lines.index("[tool.pytest.ini_options]")
    assert lines[at + 1] == 'pythonpath = ["."]'
    # The advice helps.
    (tmp_path / "pyproject.toml").write_text("\n".join(lines[at : at + 2]), encoding="utf-8")
    assert run(plain).returncode == 0


def test_a_module_that_is_nowhere_has_no_such_hint(tmp_path):
    project = Project(tmp_path)
    project.lay(tests__test_it=IN_A_FOLDER)
    assert "Hint: `shop`" not in project.pytest().stdout


def test_a_model_that_nobody_speaks_for(failed):
    told = failed("""
def test_one(mock_toolkit):
    result = mock_toolkit.run_generic(lambda: agent("http://127.0.0.1:9/v1/chat/completions"))
    assert result.output == "x"
""")
    assert "Hint: no script and no recording had an answer, so the model was asked itself." in told


@pytest.mark.parametrize(
    "test",
    [
        "def test_one(mock_toolkit):\n    result = mock_toolkit.run_generic(without_key)\n    assert result.output == 'x'\n",
        "def test_one(mock_toolkit):\n    without_key()\n",
        "without_key()\n\ndef test_one(mock_toolkit): pass\n",
    ],
    ids=["in a run", "in a test", "in its file"],
)
def test_a_client_that_wants_a_key(failed, test):
    assert KEYLESS in failed(test)
    assert KEYLESS not in failed(test, OPENAI_API_KEY="none")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("Unable to locate credentials", "set AWS_ACCESS_KEY_ID=none and AWS_SECRET_ACCESS_KEY=none"),
        ("Could not resolve AWS credentials from session", "set AWS_ACCESS_KEY_ID=none"),
        ("Your default credentials were not found.", 'google.oauth2.credentials.Credentials("none")'),
    ],
)
def test_a_client_that_wants_the_credentials_of_a_cloud(failed, text, remedy):
    told = failed(f"raise RuntimeError({text!r})\n\ndef test_one(mock_toolkit): pass\n")
    assert "Hint: clients want credentials" in told
    assert remedy in told


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("You must specify a region.", "a region", "set AWS_DEFAULT_REGION=us-east-1"),
        (
            "Could not resolve project using application default credentials.",
            "a project",
            "set GOOGLE_CLOUD_PROJECT=none",
        ),
        ("Unable to find your project. Please provide a project ID", "a project", "set GOOGLE_CLOUD_PROJECT=none"),
        ("No API key was provided. Please pass a valid API key.", "a key", "set GOOGLE_API_KEY=none"),
    ],
)
def test_a_client_that_wants_a_region_a_project_or_a_key(failed, text, what, remedy):
    told = failed(f"raise RuntimeError({text!r})\n\ndef test_one(mock_toolkit): pass\n")
    assert f"Hint: clients want {what} before they ask anybody." in told
    assert remedy in told


def test_a_word_of_a_region_or_a_project_alone_is_no_hint(failed):
    told = failed("raise RuntimeError('no such project, in no region')\n\ndef test_one(mock_toolkit): pass\n")
    assert "Hint:" not in told


def test_a_file_that_has_nothing_to_do_with_us_hears_nothing(tmp_path):
    text = "raise ValueError('set OPENAI_API_KEY')\ndef test_one(): pass\n"
    (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
    done = Project(tmp_path).pytest(OPENAI_API_KEY="")
    assert "set OPENAI_API_KEY" in done.stdout and "UnitAI" not in done.stdout


def test_a_word_that_stands_for_no_key_is_none(tmp_path):
    text = "import pytest\n@pytest.mark.unitai_skip_if_no_api_key('A_KEY')\ndef test_live(): assert 0\n"
    (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
    assert "1 skipped" in Project(tmp_path).pytest(A_KEY="none").stdout


def test_a_folder_that_cannot_be_collected_is_told_as_it_is(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "import pytest\n\nclass Broken(pytest.Directory):\n    def collect(self): raise ValueError('set OPENAI_API_KEY')\n\n"
        "def pytest_collect_directory(path, parent):\n"
        "    return Broken.from_parent(parent, path=path) if path.name == 'inner' else None\n",
        encoding="utf-8",
    )
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "test_it.py").write_text("def test_one(): pass\n", encoding="utf-8")
    done = Project(tmp_path).pytest(OPENAI_API_KEY="")
    assert (done.returncode, "INTERNALERROR" in done.stdout + done.stderr) == (2, False)
    assert "set OPENAI_API_KEY" in done.stdout
