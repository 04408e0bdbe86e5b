"""Which tests may call models live: by the setting, the option and the mark. The model is a server on this machine, which
knows who reached it.
"""

from __future__ import annotations

import json

import pytest
from projects import Project as Folder

pytestmark = pytest.mark.integration

SUITE = """
import os, socket, pytest
from model import ask
from unitai import MockToolkit, StatisticalRunner, cassette, scripted_model, statistical
from unitai.script import say

URL = os.environ["SERVER"] + "/v1/chat/completions"

def agent():
    return ask("Hi", url=URL)

def run(call=agent):
    return MockToolkit(prices={"gpt-4o": {"input": 2.5, "output": 10.0}}).run_generic(call)

def swallowing():
    try:
        return agent()
    except BaseException:
        return "no answer"

def test_forgotten():
    assert run().output == "Hello world"

def test_swallowed():
    run(swallowing)

def test_bare():
    assert agent() == "Hello world"

def test_bare_swallowed():
    swallowing()

@pytest.fixture
def prepared():
    return swallowing()

def test_in_a_fixture(prepared):
    pass

@pytest.mark.unitai_live
def test_marked():
    assert run().output == "Hello world" and agent() == "Hello world"

@statistical(n=2, threshold=0.5, mode="all", max_workers=2)
def test_repeated():
    assert run().output == "Hello world"

def test_repeats_something():
    def twice():
        assert agent() == "Hello world"
    StatisticalRunner(n=2, threshold=0.5, mode="all").run(twice).check()

def test_scripted():
    with scripted_model([say("Scripted.")]):
        assert run().output == "Scripted."

def test_recorded():
    with cassette("auto", directory="recordings"):
        assert run().output == "Hello world"

@pytest.mark.skipif("SOCKET" not in os.environ, reason="opens a connection")
def test_socket():
    try:
        socket.create_connection(("api.openai.com", 443), timeout=1).close()
    except OSError as error:
        print(error)
"""

LIVE = ["forgotten", "swallowed", "bare", "bare_swallowed", "in_a_fixture"]
MARKED = ["marked", "repeated", "repeats_something"]


class Project(Folder):
    def __init__(self, folder, server):
        super().__init__(folder)
        self.server = server
        self.write(test_it=SUITE)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

    def test(self, *args, **variables):
        """Runs `unitai test`; gives what it printed, what came of each test, and how many requests got through."""
        before = len(self.server.requests)
        variables = {"SERVER": self.server.url, "OPENAI_API_KEY": "sk-of-nobody", **variables}
        done = self.unitai("test", "--keep-going", "-W", "ignore::unitai.StatisticsWarning", *args, **variables)
        found = json.loads(self.unitai("results", "--json").stdout)
        outcomes = {test["test"].partition("::test_")[2]: test["outcome"] for test in found["tests"]}
        return done, outcomes, len(self.server.requests) - before


@pytest.fixture
def project(tmp_path, server):
    return Project(tmp_path, server)


def test_without_the_setting_all_may_and_the_results_tell_who_was_asked(project):
    summary = project.folder / "summary.md"
    (project.folder / "unitai.toml").write_text('[prices."gpt-4o"]\ninput = 2.5\noutput = 10.0\n', encoding="utf-8")
    done, outcomes, asked = project.test("-k", "forgotten or bare or fixture", GITHUB_STEP_SUMMARY=str(summary))
    assert (done.returncode, asked) == (0, 4), done.stdout
    # Those that belong to no run are paid for, too: what a test calls by itself, and a fixture.
    assert "\nModel calls: 4 live, $0.0018 paid\n" in done.stdout
    assert "Model calls: 4 live, $0.0018 paid" in summary.read_text(encoding="utf-8")
    project.unitai("report", "-o", "report.html")
    assert "4 live, $0.0018 paid" in (project.folder / "report.html").read_text(encoding="utf-8")
    found = json.loads(project.unitai("results", "--json").stdout)
    assert (found["model_calls"], found["live_calls"]) == (4, 4)
    assert {test["test"].partition("::")[2]: test["live_calls"] for test in found["tests"]} == {
        "test_forgotten": 1,
        "test_bare": 1,
        "test_bare_swallowed": 1,
        "test_in_a_fixture": 1,
    }


def test_calls_outside_of_runs_are_counted_wherever_tests_run(project):
    done, outcomes, asked = project.test("-k", "bare or scripted", "-n2")
    assert (done.returncode, asked) == (0, 2), done.stdout
    assert "\nModel calls: 2 live, $0.00 paid; 1 scripted" in done.stdout


def test_plain_pytest_looks_at_no_call_outside_of_runs(project):
    project.write(
        test_it="""
from unitai._engine import Tally, claims

def test_bare():
    tally = Tally()
    assert not claims("POST", "https://api.openai.com/v1/chat/completions")
    assert tally.take() is None
"""
    )
    assert project.pytest().returncode == 0
    assert project.pytest("--unitai").returncode == 1


def test_only_tests_that_are_marked_or_repeated_may(project):
    (project.folder / "unitai.toml").write_text('live_models = "marked"\n', encoding="utf-8")
    done, outcomes, asked = project.test()
    assert done.returncode == 1
    assert {name for name, outcome in outcomes.items() if outcome == "passed"} == {*MARKED, "scripted"}, done.stdout
    assert {name for name, outcome in outcomes.items() if outcome == "skipped"} == {"socket"}
    assert asked == 2 + 2 + 2
    for said in (
        "UA104",
        "the model gpt-4o would have been called live, and this test is not marked for that",
        'live_models is "marked" (',
        "unitai.toml:1:1)",
        "mark the test with @pytest.mark.unitai_live",
        "`--live-models=allow` lets every test",
    ):
        assert said in " ".join(done.stdout.split()), said
    assert not list((project.folder / "recordings").glob("*.json")), "nothing was recorded"


@pytest.mark.parametrize("how", ["option", "variable", "xdist"])
def test_no_test_may(project, how):
    args = {"option": ["--live-models=never"], "variable": [], "xdist": ["--live-models", "never", "-n2"]}[how]
    variables = {"UNITAI_LIVE_MODELS": "never"} if how == "variable" else {}
    done, outcomes, asked = project.test(*args, **variables)
    assert asked == 0
    assert {name for name, outcome in outcomes.items() if outcome == "passed"} == {"scripted"}, done.stdout
    assert "and no test may do that" in done.stdout


def test_what_is_recorded_is_replayed_and_to_record_is_to_call_live(project):
    done, outcomes, asked = project.test("-k", "forgotten", "--record", "--live-models=marked")
    assert (done.returncode, asked) == (1, 0), done.stdout
    done, outcomes, asked = project.test("-k", "forgotten", "--record")
    assert (done.returncode, asked) == (0, 1), done.stdout
    for mode in ("--replay", "--auto"):
        done, outcomes, asked = project.test("-k", "forgotten", mode, "--live-models=never")
        assert (done.returncode, asked) == (0, 0), done.stdout


def test_a_client_that_nobody_sees_is_refused_its_connection(project):
    done, outcomes, _ = project.test("-k", "socket", "--live-models=marked", SOCKET="1")
    assert outcomes["socket"] == "failed", done.stdout
    assert "a connection to api.openai.com" in done.stdout


def test_a_word_that_means_nothing_is_told_before_anything_runs(project):
    done = project.unitai("test", "--live-models=mark", SERVER=project.server.url)
    assert done.returncode == 2
    assert "one of: allow, marked, never" in done.stdout + done.stderr
