"""Every flag of `unitai test` does what it says. The effect is looked at: what ran how often, and what reached the
provider, which is a server on this machine.
"""

from __future__ import annotations

import json

import pytest
from projects import Project as Folder

pytestmark = pytest.mark.integration

SUITE = """
import os, pytest, threading
from model import ask
from unitai import MockToolkit, statistical

URL = os.environ["SERVER"] + "/v1/chat/completions"

def ran(name):
    with open("ran", "a") as file:
        file.write(name + "\\n")

def test_agent():
    ran("agent")
    # A server on this machine has no price by itself.
    toolkit = MockToolkit(prices={"gpt-4o": {"input": 2.5, "output": 10.0}})
    result = toolkit.run_generic(lambda: ask(os.environ.get("QUESTION", "Hi"), url=URL, max_tokens=1000))
    assert result.output == "Hello world"

runs = iter(range(1, 1000))
turn = threading.Lock()

@statistical
def test_repeated():
    with turn:
        ran("repeated")
        run = next(runs)
    assert run % 5

@statistical(n=3, threshold=0.1)
def test_says_it_itself():
    ran("itself")

@pytest.mark.slow
def test_slow():
    ran("slow")
"""


class Project(Folder):
    """A suite whose agents ask the server."""

    def __init__(self, folder, server):
        super().__init__(folder)
        self.server = server
        self.write(test_it=SUITE)
        (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow: takes long\n", encoding="utf-8")

    def test(self, *args, **variables):
        """Runs `unitai test`; gives what came of it, and which tests ran in it."""
        note = self.folder / "ran"
        note.unlink(missing_ok=True)
        done = self.unitai("test", *args, SERVER=self.server.url, OPENAI_API_KEY="sk-of-nobody", **variables)
        return done, note.read_text(encoding="utf-8").split() if note.exists() else []

    @property
    def recordings(self):
        """What was recorded."""
        return sorted((self.folder / ".unitai" / "cache").glob("*.json"))


@pytest.fixture
def project(tmp_path, server):
    return Project(tmp_path, server)


def test_paths_and_ids(project):
    (project.folder / "test_other.py").write_text("def test_other():\n    open('ran', 'a').write('other')\n")
    done, ran = project.test("test_other.py")
    assert (done.returncode, ran) == (0, ["other"])
    done, ran = project.test("test_it.py::test_slow")
    assert (done.returncode, ran) == (0, ["slow"])
    done, ran = project.test("test_it.py::test_slow", "test_other.py::test_other", "--keep-going")
    assert (done.returncode, ran) == (0, ["slow", "other"])


class TestRepetitions:
    """`--n` and `--threshold`, for tests that do not say it themselves."""

    def test_n_is_how_often(self, project):
        _, ran = project.test("--n=20", "-k", "repeated or itself", "--keep-going")
        assert (ran.count("repeated"), ran.count("itself")) == (20, 3)

    def test_threshold_is_how_many_must_pass(self, project):
        """One run in five fails."""
        strict, ran = project.test("--n=20", "--threshold=0.90", "-k", "repeated")
        assert (strict.returncode, ran.count("repeated")) == (1, 20)
        assert "16/20 passed (80.0%), 90.0% required" in strict.stdout
        lenient, ran = project.test("--n", "20", "--threshold", "0.5", "-k", "repeated")
        assert (lenient.returncode, ran.count("repeated")) == (0, 20)
        assert "16/20 passed (80.0%), 50.0% required" in lenient.stdout

    def test_they_come_before_the_settings(self, project):
        (project.folder / "unitai.toml").write_text("default_n = 7\ndefault_threshold = 1.0\n", encoding="utf-8")
        _, ran = project.test("-k", "repeated")
        assert ran.count("repeated") == 7
        done, ran = project.test("--n=10", "--threshold=0.4", "-k", "repeated", UNITAI_DEFAULT_N="8")
        assert (done.returncode, ran.count("repeated")) == (0, 10)


@pytest.mark.parametrize("words", [("--model=gpt-4o-mini",), ("-k", "agent", "--model", "gpt-4o-mini")], ids=" ".join)
def test_model_is_the_one_that_the_provider_is_asked_for(project, words):
    done, _ = project.test(*words, "-k", "agent")
    assert done.returncode == 0, done.stdout
    assert [asked.json["model"] for asked in project.server.requests] == ["gpt-4o-mini"]


def test_without_a_model_the_agent_has_its_own(project):
    project.test("-k", "agent")
    assert [asked.json["model"] for asked in project.server.requests] == ["gpt-4o"]


class TestBudget:
    """`--budget`: a call that could cost more is not made."""

    COST = "Total cost: $0.00045 | Total tokens: 120 | LLM calls: 1"

    def test_what_could_cost_more_does_not_leave(self, project):
        done, ran = project.test("--budget=0.005", "-k", "agent")
        assert (done.returncode, ran, project.server.requests) == (1, ["agent"], [])
        assert "CostLimitExceeded" in done.stdout
        assert "Budget remaining: $0.005 / $0.005" in done.stdout

    def test_what_costs_less_does_and_is_counted(self, project):
        done, _ = project.test("--budget=2.00", "-k", "agent")
        assert (done.returncode, len(project.server.requests)) == (0, 1)
        assert "/ $2.00" in done.stdout, done.stdout
        assert self.COST in done.stdout


class TestRecordings:
    """`--record`, `--replay`, `--no-cache` and `--auto`, and `unitai cache` for what they leave."""

    def test_from_the_first_to_the_last(self, project):
        asked = project.server.requests
        only = ("-k", "agent")
        done, _ = project.test("--record", *only)
        assert (done.returncode, len(asked), len(project.recordings)) == (0, 1, 1)
        before = project.recordings[0].read_bytes()

        done, _ = project.test("--replay", *only)
        assert (done.returncode, len(asked)) == (0, 1)
        assert "Model calls: 1 replayed, $0.00 paid" in done.stdout

        done, _ = project.test("--replay", *only, QUESTION="Something else")
        assert (done.returncode, len(asked)) == (1, 1)
        assert "CacheMissError" in done.stdout

        done, _ = project.test("--no-cache", *only)
        assert (done.returncode, len(asked)) == (0, 2)
        done, _ = project.test(*only)
        assert (done.returncode, len(asked)) == (0, 3)
        assert [path.read_bytes() for path in project.recordings] == [before]

        done, _ = project.test("--record", *only)
        assert (done.returncode, len(asked), len(project.recordings)) == (0, 4, 1)
        done, _ = project.test("--auto", *only)
        assert (done.returncode, len(asked)) == (0, 4)
        done, _ = project.test("--auto", *only, QUESTION="Something else")
        assert (done.returncode, len(asked), len(project.recordings)) == (0, 5, 2)

        stats = project.unitai("cache", "stats")
        assert (stats.returncode, stats.stderr) == (0, "")
        assert "recordings  2 (" in stats.stdout and "saved" in stats.stdout
        cleared = project.unitai("cache", "clear")
        assert (cleared.returncode, cleared.stderr) == (0, "")
        assert cleared.stdout.startswith("2 recordings deleted from") and project.recordings == []
        done, _ = project.test("--replay", *only)
        assert (done.returncode, len(asked)) == (1, 5)

    def test_no_cache_comes_before_the_settings(self, project):
        (project.folder / "unitai.toml").write_text("cache_mode = 'record'\n", encoding="utf-8")
        done, _ = project.test("--no-cache", "-k", "agent")
        assert (done.returncode, len(project.server.requests), project.recordings) == (0, 1, [])
        project.test("-k", "agent")
        assert len(project.recordings) == 1


def test_keep_going(project):
    (project.folder / "test_a.py").write_text("def test_first():\n    assert 0\n", encoding="utf-8")
    stopped, ran = project.test("-k", "first or slow")
    assert (stopped.returncode, ran) == (1, [])
    assert "The run was stopped after a failure (`unitai test --keep-going` runs the rest)" in stopped.stdout
    went_on, ran = project.test("-k", "first or slow", "--keep-going")
    assert (went_on.returncode, ran) == (1, ["slow"])
    assert "1 passed, 1 failed" in went_on.stdout


def test_baseline(project):
    suite = "from unitai import statistical\n@statistical(n=40, threshold=0.1)\ndef test_shop():\n    assert {}\n"
    project.write(test_it=suite.format("True"))
    saved, _ = project.test("--save-baseline", "main")
    assert saved.returncode == 0, saved.stdout
    same, _ = project.test("--baseline", "main")
    assert same.returncode == 0, same.stdout
    project.write(test_it="import itertools\nturns = itertools.count()\n" + suite.format("next(turns) % 2"))
    worse, _ = project.test("--baseline", "main")
    assert worse.returncode == 1
    assert "regressed" in worse.stdout and "1 passed in" in worse.stdout


@pytest.mark.parametrize(
    ("words", "ran"),
    [
        (("-k", "slow"), {"slow"}),
        (("-m", "slow"), {"slow"}),
        (("-m", "slow", "-n", "2"), {"slow"}),
        (("--deselect", "test_it.py::test_agent", "-m", "not slow", "-k", "not repeated"), {"itself"}),
        (("--", "-k", "slow"), {"slow"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_rest_is_for_pytest(project, words, ran):
    done, found = project.test(*words)
    assert (done.returncode, set(found)) == (0, ran), done.stdout + done.stderr


def test_results_tell_of_the_last_run(project):
    project.test("-k", "slow")
    project.test("--model=gpt-4o-mini", "-k", "agent")
    told = project.unitai("results")
    assert (told.returncode, told.stderr) == (0, "")
    assert "test_it.py::test_agent" in told.stdout and "test_slow" not in told.stdout
    numbers = json.loads(project.unitai("results", "--json").stdout)
    assert (numbers["passed"], numbers["model_calls"]) == (1, 1)
