"""What is said beside a failure that newcomers meet first."""

from __future__ import annotations

import pytest
from projects import Project

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
