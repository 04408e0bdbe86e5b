"""What a run leaves: events, JUnit, a summary for GitHub, and the block at the end. By the installed command."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest
from processes import soon
from projects import Project

pytestmark = pytest.mark.integration

SCHEMAS = Path(__file__).parent.parent.parent / "schemas"

AGENT = """
import os, pytest, time
from model import ask
from unitai.script import say

def agent(input, tools):
    tools["lookup_order"](order_id=input)
    return ask(input)

def refund(toolkit, scripted_model):
    scripted_model([say("Done.").using(1000, 20)])
    toolkit.mock("lookup_order", return_value={"status": "delivered"})
    return toolkit.run(agent, "123")
"""

ALL_KINDS = (
    AGENT
    + """
def test_passes(mock_toolkit, scripted_model):
    assert refund(mock_toolkit, scripted_model).tool_was_called("lookup_order")

def test_fails(mock_toolkit, scripted_model):
    result = refund(mock_toolkit, scripted_model)
    assert result.tool_was_called("process_refund")

def test_raises():
    raise ValueError("no such order")

@pytest.fixture
def broken():
    raise OSError("no database")

def test_error(broken):
    pass

@pytest.fixture
def untidy():
    yield
    raise OSError("not closed")

def test_teardown_error(untidy):
    pass

@pytest.mark.skip(reason="later")
def test_skipped():
    pass

@pytest.mark.xfail(reason="known")
def test_xfailed():
    assert False

@pytest.mark.xfail
def test_xpassed():
    pass

@pytest.mark.unitai_statistical(n=10, threshold=0.5, max_workers=1, mode="early")
def test_repeated(mock_toolkit, scripted_model):
    assert refund(mock_toolkit, scripted_model).output == "Done."

@pytest.mark.unitai_statistical(n=4, threshold=0.5, retries=0)
def test_undecided():
    raise ConnectionError("the network is down")

@pytest.mark.unitai_statistical(n=4, threshold=0.5, retries=0)
def test_every_run_raises():
    {}["refund"]

def test_provider_is_down():
    raise ConnectionError("the network is down")

def test_prints():
    print("hello \\x1b[31mred\\x1b[0m")
"""
)

OUTCOMES = {
    "test_passes": "passed",
    "test_fails": "failed",
    "test_raises": "failed",
    "test_error": "error",
    "test_teardown_error": "error",
    "test_skipped": "skipped",
    "test_xfailed": "xfailed",
    "test_xpassed": "xpassed",
    "test_repeated": "passed",
    "test_undecided": "inconclusive",
    "test_every_run_raises": "error",
    "test_provider_is_down": "inconclusive",
    "test_prints": "passed",
}


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture(scope="module", params=["one process", "two workers"])
def whole(request, tmp_path_factory):
    """A project with a test of every kind, after it has run."""
    project = Project(tmp_path_factory.mktemp("whole"))
    project.write(test_it=ALL_KINDS)
    summary = project.folder / "summary.md"
    summary.write_text("An earlier line.\n", encoding="utf-8")
    spread = [] if request.param == "one process" else ["-n", "2"]
    done = project.unitai("test", "--keep-going", "--budget", "1", *spread, GITHUB_STEP_SUMMARY=str(summary))
    return project, done


class TestEveryKind:
    def test_the_exit_code_says_that_something_failed(self, whole):
        _, done = whole
        assert (done.returncode, done.stderr) == (1, ""), done.stdout

    def test_each_test_is_written_down_as_what_it_came_to(self, whole):
        project, _ = whole
        ended = [event for event in project.events if event["event"] == "test_finished"]
        assert {event["test"].rpartition("::")[2]: event["outcome"] for event in ended} == OUTCOMES
        assert len(ended) == len(OUTCOMES)

    def test_the_events_are_as_their_schema_says(self, whole):
        project, _ = whole
        schema = json.loads((SCHEMAS / "events.schema.json").read_text(encoding="utf-8"))
        validator = jsonschema.Draft202012Validator(schema)
        kinds = [event["event"] for event in project.events]
        assert [error.message for event in project.events for error in validator.iter_errors(event)] == []
        assert (kinds[0], kinds[-1], project.events[-1]["ending"]) == ("run_started", "run_finished", "completed")
        found = next(event for event in project.events if event["event"] == "tests_found")
        assert found["count"] == len(OUTCOMES)

    def test_what_a_test_spent_is_with_it_and_in_all(self, whole):
        project, done = whole
        spending = project.finished("test_passes")["spending"]
        assert spending["scripted"] == {"calls": 1, "tokens": 1020, "cost": pytest.approx(0.0027), "unpriced": 0}
        assert (spending["live"]["calls"], spending["replayed"]["calls"]) == (0, 0)
        assert project.finished("test_repeated")["spending"]["scripted"]["calls"] == 5
        assert "spending" not in project.finished("test_raises")
        assert "Total cost: $0.019 | Total tokens: 7,140 | LLM calls: 7\n" in done.stdout
        assert "\nModel calls: 7 scripted, $0.00 paid\n" in done.stdout
        assert "Budget remaining: $0.98 / $1.00" in done.stdout

    def test_the_block_is_the_last_word(self, whole):
        _, done = whole
        block = done.stdout[done.stdout.index("=== UnitAI Results ===") :].splitlines()
        counts = "3 passed, 4 failed (2 inconclusive), 3 errors, 1 skipped, 1 xfailed, 1 xpassed in "
        assert block[1].startswith(counts), block
        assert set(block[-1]) == {"="} and len(block[-1]) == 64

    def test_its_sums_are_those_of_pytests_own_line(self, whole):
        _, done = whole

        def sums(line: str) -> dict[str, int]:
            return {word.rstrip("s"): int(count) for count, word in re.findall(r"(\d+) ([a-z]+)\b", line)}

        (own,) = [
            line for line in done.stdout.splitlines() if re.search(r"\d+ failed.* in [\d.]+s", line) and "(" not in line
        ]
        (ours,) = [line for line in done.stdout.splitlines() if "inconclusive)" in line]
        counted, of_pytest = sums(re.sub(r" \(.*?\)", "", ours.partition(" in ")[0])), sums(own.partition(" in ")[0])
        # To pytest, a test that passed and could not be taken down is two things.
        for word in ("failed", "error", "skipped", "xfailed", "xpassed"):
            assert counted[word] == of_pytest[word], done.stdout

    def test_what_the_agent_did_is_there_with_the_steps_that_broke_the_expectation(self, whole):
        project, _ = whole
        (failure,) = project.finished("test_fails")["failures"]
        assert failure["message"].startswith("expected process_refund to be called, but")
        (broken,) = failure["broken"]
        ran = [event["trajectory"] for event in project.events if event["event"] == "agent_ran"]
        (run,) = [run for run in ran if run["run_id"] == broken["run_id"]]
        assert [step["step_type"] for step in run["steps"]] == ["tool_call", "llm_call"]
        assert "Actual trajectory:" in failure["report"]

    def test_a_repeated_test_tells_its_rate_and_shows_one_run(self, whole):
        project, done = whole
        told = project.finished("test_repeated")["statistics"]
        assert (told["verdict"], told["passed"], told["planned"], told["mode"]) == ("passed", 5, 10, "early")
        assert told["interval_basis"] == "stopping_rule"
        assert told["stopped"].startswith("Settled after 5 of 10 runs: 5 runs saved, about $0.0")
        examples = [event for event in project.events if event.get("example_of") == "passing"]
        assert [event["test"] for event in examples] == ["test_it.py::test_repeated"]
        assert (
            "test_it.py::test_repeated: 5/5 passed (100.0%), 50.0% required; 95% interval 47.8% to 100.0% (valid under"
            " early stopping): not enough to claim 50%. Settled after 5 of 10 runs" in done.stdout
        )

    def test_runs_that_only_raised_are_told_without_a_rate(self, whole):
        project, done = whole
        assert "test_it.py::test_every_run_raises: 4 of 4 runs raised, and no assertion failed: " in done.stdout
        summary = (project.folder / "summary.md").read_text(encoding="utf-8")
        for told in (done.stdout, summary, project.unitai("results").stdout):
            lines = [line for line in told.splitlines() if "test_every_run_raises" in line]
            assert lines and not any("0/4" in line or "0.0%" in line for line in lines), told

    def test_junit_says_the_same(self, whole):
        project, _ = whole
        cases = {case.get("name"): case for case in ElementTree.parse(project.junit).iter("testcase")}
        assert cases.keys() == OUTCOMES.keys()
        told = {name: {p.get("name"): p.get("value") for p in case.iter("property")} for name, case in cases.items()}
        assert {name: properties["unitai.outcome"] for name, properties in told.items()} == OUTCOMES
        assert (float(told["test_passes"]["unitai.cost"]), told["test_passes"]["unitai.paid"]) == (0.0027, "0")
        assert (told["test_passes"]["unitai.tokens"], told["test_passes"]["unitai.model_calls"]) == ("1020", "1")
        assert told["test_repeated"]["unitai.pass_rate"] == "1"
        assert {name: properties["unitai.duration"] for name, properties in told.items()} == {
            name: case.get("time") for name, case in cases.items()
        }
        assert cases["test_undecided"].find("error") is not None
        assert cases["test_every_run_raises"].find("error") is not None
        assert told["test_every_run_raises"]["unitai.verdict"] == "error"
        assert "unitai.pass_rate" not in told["test_every_run_raises"]

    def test_the_summary_for_github_is_added_to_what_is_there(self, whole):
        project, _ = whole
        text = (project.folder / "summary.md").read_text(encoding="utf-8")
        assert text.startswith("An earlier line.\n")
        assert "test_fails" in text and "$0.019" in text

    def test_results_and_report_read_it(self, whole):
        project, _ = whole
        done = project.unitai("results", "--json")
        told = json.loads(done.stdout)
        assert (done.returncode, done.stderr) == (1, "")
        assert (told["passed"], told["failed"], told["errors"], told["inconclusive"]) == (3, 2, 3, 2)
        assert (told["cost"], told["paid"]) == (pytest.approx(0.0189), 0)
        assert project.unitai("report").returncode == 0
        assert "test_fails" in (project.folder / "test-results" / "unitai.html").read_text(encoding="utf-8")


PASSING = "def test_it():\n    pass\n"


class TestExitCodes:
    def test_all_passed(self, project):
        project.write(test_it=PASSING)
        done = project.unitai("test")
        assert (done.returncode, done.stderr) == (0, "")
        assert "1 passed in" in done.stdout and project.junit.exists()

    def test_nothing_ran(self, project):
        done = project.unitai("test")
        assert done.returncode == 5
        assert "no tests ran" in done.stdout

    def test_a_file_that_cannot_be_read(self, project):
        project.write(test_it="import nothing_of_that_name\n")
        done = project.unitai("test")
        assert done.returncode == 2
        assert project.finished("test_it.py")["outcome"] == "error"
        assert project.events[-1]["ending"] == "broken"

    def test_an_option_that_nobody_knows(self, project):
        project.write(test_it=PASSING)
        done = project.unitai("test", "--nonsense")
        assert done.returncode == 2
        assert "unrecognized arguments: --nonsense" in done.stderr
        assert project.unitai("results").returncode == 1

    @pytest.mark.parametrize("broken", ["syntax error here", "raise OSError('no')", "import os; os._exit(0)"])
    def test_a_run_that_could_not_begin_takes_the_place_of_the_last(self, project, broken):
        project.write(test_it=PASSING)
        assert project.unitai("test").returncode == 0
        assert project.unitai("results").returncode == 0
        # unitai: ignore[sleep-in-test] two runs must not be of the same second
        time.sleep(1.1)
        project.write(conftest=broken)
        done = project.unitai("test")
        assert done.returncode == 2
        assert "The run broke off" in done.stdout
        told = project.unitai("results")
        assert (told.returncode, "The run broke off" in told.stdout) == (1, True)
        assert ElementTree.parse(project.junit).find(".//error") is not None

    def test_the_first_failure_is_the_last_test_unless_asked(self, project):
        project.write(test_it="def test_a():\n    assert 0\n\ndef test_b():\n    pass\n")
        done = project.unitai("test")
        assert (done.returncode, project.events[-1]["ending"]) == (1, "stopped")
        assert "1 failed in" in done.stdout
        assert "1 passed, 1 failed in" in project.unitai("test", "--keep-going").stdout

    @pytest.mark.parametrize(
        "look",
        [
            *("--co", "--collect-only", "--version", "-V", "--help", "-h", "--markers", "--cache-show", "--setup-plan"),
            *("--fixtures", "--funcargs", "--fixtures-per-test"),
        ],
    )
    def test_a_look_is_no_run(self, project, look):
        project.write(test_it=PASSING)
        assert project.unitai("test", look).returncode == 0
        assert not (project.folder / ".unitai").exists() and not project.junit.exists()

    def test_events_are_kept_by_the_command_itself(self, project):
        project.write(test_it=PASSING)
        done = project.unitai("test", "--unitai-events=mine.jsonl")
        assert done.returncode == 2
        assert "leave `--unitai-events` out" in done.stderr


class TestEndsThatAreNone:
    @pytest.mark.parametrize("code", [0, 3])
    def test_a_test_that_ends_the_process(self, project, code):
        project.write(test_it=f"import os\ndef test_a():\n    pass\ndef test_b():\n    os._exit({code})\n")
        done = project.unitai("test")
        assert done.returncode == 1
        assert f"error: the process of pytest ended with exit code {code} in the middle of the tests" in done.stderr
        assert "1 passed, 1 error in" in done.stdout
        cases = {
            case.get("name"): case.find("error") is not None
            for case in ElementTree.parse(project.junit).iter("testcase")
        }
        assert cases["test_a"] is False and cases["test_b"] is True
        assert project.unitai("results").returncode == 1

    def test_a_conftest_that_ends_the_process_before_anything_ran(self, project):
        project.write(conftest="import os\nos._exit(0)\n", test_it=PASSING)
        done = project.unitai("test")
        assert done.returncode == 2
        assert "nothing was tested" in done.stderr and "no tests ran in" in done.stdout

    def test_a_process_that_is_killed(self, project):
        project.write(test_it="import os, signal\ndef test_a():\n    os.kill(os.getpid(), signal.SIGKILL)\n")
        done = project.unitai("test")
        assert done.returncode == 2
        assert "ended by signal 9" in done.stderr and "1 error in" in done.stdout

    def test_a_worker_that_is_killed(self, project):
        dying = "import os, signal\ndef test_a():\n    os.kill(os.getpid(), signal.SIGKILL)\ndef test_b():\n    pass\n"
        project.write(test_it=dying)
        done = project.unitai("test", "--keep-going", "-n", "1")
        assert done.returncode == 1
        assert project.finished("test_a")["outcome"] == "error"
        assert project.finished("test_b")["outcome"] == "passed"

    @pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
    def test_an_interrupt_leaves_whole_reports(self, project, name):
        project.write(
            test_it="import time, pathlib\ndef test_a():\n    pass\n"
            "def test_b():\n    pathlib.Path('begun').touch()\n    time.sleep(60)\n"
        )
        run = project.start("test")
        assert soon((project.folder / "begun").exists, 60)
        run.send_signal(getattr(signal, name))
        stdout, stderr = run.communicate(timeout=30)
        assert (run.returncode, stderr) == (2, ""), stdout
        assert "KeyboardInterrupt" in stdout and "=== UnitAI Results ===" in stdout
        assert (project.events[-1]["event"], project.events[-1]["ending"]) == ("run_finished", "interrupted")
        names = {case.get("name") for case in ElementTree.parse(project.junit).iter("testcase")}
        assert {"test_a", "test_b"} <= names
        assert project.unitai("results").returncode == 1


class TestPlainPytest:
    def test_nothing_is_written_unless_asked(self, project):
        project.write(test_it=PASSING)
        done = project.pytest()
        assert done.returncode == 0 and "UnitAI" not in done.stdout
        assert {path.name for path in project.folder.iterdir()} <= {"test_it.py", "__pycache__"}

    def test_its_own_junit_file_tells_costs_of_tests_that_pass(self, project):
        project.write(test_it=ALL_KINDS)
        project.pytest("--junitxml=own.xml", "-k", "test_passes or test_repeated")
        cases = {case.get("name"): case for case in ElementTree.parse(project.folder / "own.xml").iter("testcase")}
        told = {name: {p.get("name"): p.get("value") for p in case.iter("property")} for name, case in cases.items()}
        assert 0 < float(told["test_passes"].pop("unitai.duration")) < 60
        assert told["test_passes"] == {
            "unitai.cost": "0.0027",
            "unitai.paid": "0",
            "unitai.tokens": "1020",
            "unitai.model_calls": "1",
            "unitai.scripted_calls": "1",
        }
        assert (told["test_repeated"]["unitai.model_calls"], told["test_repeated"]["unitai.pass_rate"]) == ("5", "1")

    def test_repeated_tests_tell_their_rate(self, project):
        project.write(test_it=ALL_KINDS)
        done = project.pytest("-k", "test_repeated")
        assert "test_repeated: 5/5 passed (100.0%), 50.0% required" in done.stdout

    def test_the_option_does_what_the_command_does(self, project):
        project.write(test_it=PASSING)
        done = project.pytest("--unitai")
        assert done.returncode == 0 and "=== UnitAI Results ===" in done.stdout
        assert project.junit.exists() and project.events[-1]["ending"] == "completed"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
class TestFilesThatCannotBeWritten:
    def test_events_that_cannot_be_begun_are_told_before_anything_runs(self, project):
        project.write(test_it="import pathlib\ndef test_it():\n    pathlib.Path('ran').touch()\n")
        (project.folder / ".unitai").write_text("no folder", encoding="utf-8")
        done = project.unitai("test")
        assert done.returncode == 2
        assert "the events of the run cannot be written" in done.stderr
        assert not (project.folder / "ran").exists()

    def test_a_junit_file_that_cannot_be_written_is_no_good_end(self, project):
        project.write(test_it=PASSING)
        (project.folder / "test-results").write_text("no folder", encoding="utf-8")
        done = project.unitai("test")
        assert done.returncode == 2
        assert "the JUnit file could not be written" in done.stdout and "1 passed" in done.stdout

    def test_a_full_disk(self, project):
        project.write(test_it=PASSING)
        if not os.path.exists("/dev/full"):
            pytest.skip("there is no /dev/full")
        done = project.pytest("--unitai", "--unitai-events=/dev/full")
        assert done.returncode == 2
        assert "the run events are not complete: [Errno 28] No space left on device" in done.stdout
        assert "1 passed" in done.stdout and "Traceback" not in done.stdout + done.stderr


class TestNamesThatMeet:
    def test_a_test_that_runs_twice_is_two_tests(self, project):
        project.write(
            test_it="import pathlib\ndef test_it():\n    seen = pathlib.Path('seen')\n    was = seen.exists()\n"
            "    seen.touch()\n    assert was\n"
        )
        done = project.unitai("test", "--keep-going", "--keep-duplicates", "test_it.py", "test_it.py")
        assert done.returncode == 1
        assert "1 passed, 1 failed in" in done.stdout
        assert project.unitai("results").returncode == 1
        names = [case.get("name") for case in ElementTree.parse(project.junit).iter("testcase")]
        assert names == ["test_it", "test_it #2"]

    def test_two_that_differ_in_a_secret_are_two(self, project):
        one, other = "sk-proj-Zk3vQ8xWn2LmR7tYpB5cD9fHq1W2", "sk-proj-Uj7bN4zXc9QsE1rTfV6gH3kLw8M5"
        project.write(
            test_it=f"import pytest\n@pytest.mark.parametrize('key', [{one!r}, {other!r}])\n"
            "def test_it(key):\n    assert key.endswith('5')\n"
        )
        done = project.unitai("test", "--keep-going")
        assert "1 passed, 1 failed in" in done.stdout
        outcomes = [event["outcome"] for event in project.events if event["event"] == "test_finished"]
        assert outcomes == ["failed", "passed"]
        assert one not in project.junit.read_text(encoding="utf-8")


def test_a_file_of_events_is_begun_anew(project):
    project.write(test_it="def test_a():\n    assert 0\n")
    project.pytest("--unitai", "--unitai-events=mine.jsonl")
    project.write(test_it="def test_b():\n    pass\n")
    done = project.pytest("--unitai", "--unitai-events=mine.jsonl")
    assert (done.returncode, "1 passed in" in done.stdout) == (0, True)
    assert "test_a" not in (project.folder / "mine.jsonl").read_text(encoding="utf-8")


def test_what_an_interrupted_test_spent_is_in_the_total(project):
    project.write(
        test_it=AGENT
        + "def test_a(mock_toolkit, scripted_model):\n    refund(mock_toolkit, scripted_model)\n"
        + "    raise KeyboardInterrupt\n"
    )
    done = project.unitai("test")
    assert done.returncode == 2
    assert "Total cost: $0.0027 | Total tokens: 1,020 | LLM calls: 1" in done.stdout


def test_a_run_of_skipped_tests_says_that_nothing_was_tested(project):
    project.write(test_it="import pytest\n@pytest.mark.skip\ndef test_a(): pass\n")
    done = project.unitai("test")
    assert (done.returncode, project.unitai("results").returncode) == (0, 0)
    assert "Nothing was tested: every test was skipped." in done.stdout


def test_fixtures_of_a_repeated_test_are_in_its_cost(project):
    project.write(
        test_it=AGENT
        + """
@pytest.fixture
def prepared():
    from unitai import scripted_model
    with scripted_model([say("Ready.").using(1000, 20)]):
        ask("Are you ready?")

@pytest.mark.unitai_statistical(n=2, threshold=1.0, max_workers=1)
def test_it(prepared, mock_toolkit, scripted_model):
    assert refund(mock_toolkit, scripted_model).output == "Done."
"""
    )
    done = project.unitai("test", "--junitxml=own.xml", "-W", "ignore::unitai.StatisticsWarning")
    assert "LLM calls: 3" in done.stdout, done.stdout
    for path in (project.junit, project.folder / "own.xml"):
        told = {p.get("name"): p.get("value") for p in ElementTree.parse(path).find(".//testcase").iter("property")}
        assert (float(told["unitai.cost"]), told["unitai.model_calls"]) == (pytest.approx(0.0081), "3")


class TestWhatIsRedIsRedEverywhere:
    def agree(self, project, done, code):
        """Whoever asks about the run is told the same."""
        assert done.returncode == code, done.stdout + done.stderr
        told = project.unitai("results", "--json")
        assert (told.returncode, json.loads(told.stdout)["is_green"]) == (1, False)

    def test_a_baseline_that_got_worse(self, project):
        tests = (
            "import os, itertools, pytest\nturns = itertools.count()\n"
            "@pytest.mark.unitai_statistical(n=40, threshold=0.1, max_workers=1)\n"
            "def test_it():\n    assert next(turns) % int(os.environ.get('EVERY', '1')) == 0\n"
        )
        project.write(test_it=tests)
        assert project.unitai("test", "--save-baseline", "main").returncode == 0
        # unitai: ignore[sleep-in-test] two runs must not be of the same second
        time.sleep(1.1)
        done = project.unitai("test", "--baseline", "main", EVERY="3")
        self.agree(project, done, 1)
        assert "No test failed, and pytest ended with exit code 1" in done.stdout

    @pytest.mark.parametrize("when", ["tryfirst", "trylast"])
    def test_a_conftest_that_calls_a_failure_good(self, project, when):
        project.write(
            conftest=f"import pytest\n@pytest.hookimpl({when}=True)\ndef pytest_sessionfinish(session):\n"
            "    session.exitstatus = 0\n",
            test_it="def test_a():\n    assert 0\n",
        )
        self.agree(project, project.unitai("test", "--keep-going"), 1)

    def test_tests_that_somebody_swallowed(self, project):
        project.write(conftest="def pytest_runtest_protocol(item):\n    return True\n", test_it=PASSING)
        self.agree(project, project.unitai("test"), 2)

    @pytest.mark.parametrize("spread", [[], ["-n", "2"]])
    def test_the_first_failure_in_one_process_and_in_several(self, project, spread):
        project.write(test_it="".join(f"def test_{n}():\n    assert {n} != 1\n" for n in range(8)))
        self.agree(project, project.unitai("test", *spread), 1)
        assert project.events[-1]["ending"] == "stopped"

    @pytest.mark.parametrize(
        "body",
        [
            "@pytest.mark.unitai_statistical(n=3, threshold=0.5, retries=0)\ndef test_it():\n    raise ConnectionError\n",
            "@pytest.mark.unitai_budget(max_cost=0.000001)\ndef test_it(mock_toolkit, scripted_model):\n"
            "    assert refund(mock_toolkit, scripted_model).output == 'Done.'\n",
        ],
    )
    def test_who_expects_a_failure_must_see_one(self, project, body):
        project.write(test_it=AGENT + "@pytest.mark.xfail\n" + body)
        self.agree(project, project.unitai("test"), 1)

    def test_an_old_junit_file_is_not_left_for_this_run(self, project):
        project.write(test_it=PASSING)
        assert project.pytest("--unitai").returncode == 0
        assert ElementTree.parse(project.junit).find(".//error") is None
        project.write(test_it="import os\ndef test_it():\n    os._exit(0)\n")
        project.pytest("--unitai")
        assert ElementTree.parse(project.junit).find(".//error") is not None

    def test_a_variable_that_a_test_leaves_behind_moves_no_report(self, project):
        (project.folder / "unitai.toml").write_text('junit_xml = "ci/out.xml"\n', encoding="utf-8")
        project.write(
            test_it="import os\ndef test_it():\n    os.environ.update(UNITAI_TIMEOUT='abc', UNITAI_JUNIT_XML='x.xml')\n"
            "    os.environ['GITHUB_STEP_SUMMARY'] = 'nowhere/x.md'\n"
        )
        assert project.unitai("test").returncode == 0
        assert (project.folder / "ci" / "out.xml").exists()
        assert not (project.folder / "x.xml").exists() and not project.junit.exists()


MASKED = """
import itertools, pytest
from unitai import MockToolkit
turns = itertools.count()

def try_it(works):
    def agent(input, tools):
        if not works:
            raise ConnectionError("down")
        return "fine"
    return MockToolkit().run(agent, "x")

@pytest.mark.unitai_statistical(n=20, threshold=0.95, max_workers=1, mode="all", retries=0)
def test_it():
    n = next(turns)
    if n % 7 == 0:
        try_it(works=False)  # the test does not mind
    assert try_it(works=True).output == "fine"
    assert n % 7 != 0
"""


def test_a_run_that_nobody_looked_at_is_no_excuse(project):
    project.write(test_it=MASKED)
    done = project.unitai("test")
    assert done.returncode == 1
    assert project.finished("test_it")["statistics"]["failed"] == 3
    assert project.finished("test_it")["statistics"]["inconclusive"] == 0


def test_what_is_wrong_with_a_marker_is_told_without_our_own_code(project):
    project.write(
        test_it="import pytest\n@pytest.mark.unitai_statistical(n=0)\ndef test_a(): pass\n"
        "@pytest.mark.unitai_budget(max_cost=-1)\ndef test_b(): pass\n"
    )
    done = project.unitai("test", "--keep-going")
    assert "n must be a whole number" in done.stdout and "is no budget" in done.stdout
    assert "unitai/pytest_plugin" not in done.stdout and "plan.py" not in done.stdout


def test_options_of_conftests_in_testpaths_are_known(project):
    (project.folder / "pytest.ini").write_text("[pytest]\ntestpaths = checks\n", encoding="utf-8")
    (project.folder / "checks").mkdir()
    (project.folder / "checks" / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--shop')\n", encoding="utf-8"
    )
    (project.folder / "checks" / "test_it.py").write_text(
        "def test_it(request):\n    assert request.config.getoption('--shop') == 'eu'\n", encoding="utf-8"
    )
    done = project.unitai("test", "--shop=eu")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_run_that_is_not_over_is_not_called_killed(project):
    project.write(
        test_it="import pathlib, time\ndef test_it():\n    pathlib.Path('begun').touch()\n"
        "    while not pathlib.Path('enough').exists(): time.sleep(0.05)\n"
    )
    run = project.start("test")
    assert soon((project.folder / "begun").exists, 60)
    told = project.unitai("results")
    (project.folder / "enough").touch()
    run.communicate(timeout=60)
    assert told.returncode == 2 and "is not over yet" in told.stderr
    assert (run.returncode, project.unitai("results").returncode) == (0, 0)


def test_half_a_character_is_one_mark_everywhere(project):
    project.write(
        test_it="""
import pytest

@pytest.mark.parametrize("text", ["a"], ids=["half"])
def test_it(text, mock_toolkit):
    mock_toolkit.mock("echo", return_value="\\ud800")
    mock_toolkit.run(lambda input, tools: tools["echo"](text="\\ud83d\\ude00"), "x")
    raise ValueError("<\\ud800>")
"""
    )
    done = project.unitai("test")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert project.finished("test_it[half]")["failures"][0]["message"] == "ValueError: <\ufffd>"
    assert any(event["event"] == "agent_ran" for event in project.events)


def test_only_the_last_runs_are_kept(project):
    project.write(test_it=PASSING)
    runs = project.folder / ".unitai" / "runs"
    runs.mkdir(parents=True)
    for number in range(30):
        (runs / f"20200101T0000{number:02}Z-00000000.jsonl").touch()
    assert project.unitai("test").returncode == 0
    assert len(list(runs.iterdir())) == 20


def test_no_secret_is_in_any_of_it(project):
    secret = "sk-proj-Zk3vQ8xWn2LmR7tYpB5cD9fH"
    project.write(
        test_it=AGENT
        + "def test_it(mock_toolkit):\n"
        + "    mock_toolkit.mock('lookup_order', return_value=os.environ['OPENAI_API_KEY'])\n"
        + "    result = mock_toolkit.run(lambda i, tools: tools['lookup_order'](key=os.environ['OPENAI_API_KEY']), 'x')\n"
        + "    print(os.environ['OPENAI_API_KEY'])\n"
        + "    assert result.output_contains('nothing'), os.environ['OPENAI_API_KEY']\n"
    )
    summary = project.folder / "summary.md"
    done = project.unitai("test", OPENAI_API_KEY=secret, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    project.unitai("report", OPENAI_API_KEY=secret)
    written = [
        path
        for path in project.folder.rglob("*")
        if path.is_file() and path.suffix in (".jsonl", ".xml", ".html", ".md")
    ]
    assert {path.suffix for path in written} == {".jsonl", ".xml", ".html", ".md"}
    assert [path.name for path in written if secret in path.read_text(encoding="utf-8")] == []
    assert re.search(r"redacted", project.junit.read_text(encoding="utf-8"))
