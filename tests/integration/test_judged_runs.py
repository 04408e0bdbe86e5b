"""A judge in Python tests: `result.judge(...)` asks about a run what no check can tell, and a question without an answer is
inconclusive, never passed.
"""

from __future__ import annotations

import json

import pytest
from judged_project import JudgedProject
from judging_service import JudgingService

pytestmark = pytest.mark.integration

QUESTION = "Was the refund handled politely?"

AGENT = f"""
import pytest
from unitai import assert_trajectory, statistical
from unitai.errors import JudgeUndecidedError

QUESTION = {QUESTION!r}

def agent(message, tools):
    tools["refund"](order_id="42")
    return "Dear customer, your money is on its way."

@pytest.fixture
def result(mock_toolkit):
    mock_toolkit.mock("refund", return_value={{"state": "refunded with a smile"}})
    return mock_toolkit.run(agent, "I want my money")
"""

YES = {QUESTION: {"answer": "yes", "quote": "Dear customer", "why": "it greets"}}
NO = {QUESTION: {"answer": "no", "quote": "refunded with a smile", "why": "a smile is no apology"}}


@pytest.fixture
def project(tmp_path):
    return JudgedProject(tmp_path)


def write(project: JudgedProject, test: str) -> None:
    project.write(test_it=AGENT + test)


PLAIN = "def test_it(result):\n    assert result.judge(QUESTION)\n"


class TestAnswers:
    def test_yes_holds(self, project):
        write(project, PLAIN)
        project.judge(said=YES)
        done = project.pytest()
        assert done.returncode == 0, done.stdout
        (asked,) = project.asked
        for part in (QUESTION, "I want my money", "refunded with a smile", "Dear customer", '"order_id":"42"'):
            assert part in asked["prompt"]

    def test_no_fails_and_shows_what_was_asked_and_why(self, project):
        write(project, PLAIN)
        project.judge(said=NO)
        done = project.pytest()
        assert done.returncode == 1
        assert "1 failed" in done.stdout
        for part in (QUESTION, "a smile is no apology", "refunded with a smile", "says no"):
            assert part in done.stdout
        # The step that the answer quotes is marked in the story of the run.
        assert ">" in next(line for line in done.stdout.splitlines() if "refund(" in line and "42" in line), done.stdout

    def test_no_is_false_for_whoever_wants_to_know(self, project):
        write(
            project,
            "def test_it(result):\n    found = result.judge(QUESTION)\n    assert not found\n    assert found.cites\n",
        )
        project.judge(said=NO)
        done = project.pytest()
        assert done.returncode == 0, done.stdout

    @pytest.mark.parametrize(
        ("said", "part"),
        [
            ({}, "does not know"),
            ({QUESTION: {"answer": "yes", "quote": "what nobody said"}}, "does not know"),
        ],
        ids=["unknown", "a false quote"],
    )
    def test_no_answer_is_inconclusive(self, project, said, part):
        write(project, PLAIN)
        project.judge(said=said)
        done = project.pytest("--unitai")
        assert done.returncode == 1
        assert "JudgeUndecidedError" in done.stdout
        assert part in done.stdout
        assert project.finished("test_it")["outcome"] == "inconclusive"

    def test_trouble_is_inconclusive(self, project):
        write(project, PLAIN)
        project.judge(error={"kind": "unavailable", "message": "too many people"})
        done = project.pytest("--unitai")
        assert "too many people" in done.stdout
        assert project.finished("test_it")["outcome"] == "inconclusive"

    def test_nobody_is_inconclusive_and_says_how_to_get_somebody(self, project):
        write(project, 'def test_it(result):\n    assert result.judge(QUESTION, provider="none")\n')
        done = project.pytest("--unitai")
        assert done.returncode == 1
        assert "to get a judge:" in done.stdout
        assert project.started == []
        assert project.finished("test_it")["outcome"] == "inconclusive"

    def test_a_service_answers_too(self, project):
        write(project, PLAIN)
        with JudgingService({"said": YES}) as service:
            project.variables = service.variables("openai")
            done = project.pytest()
        assert done.returncode == 0, done.stdout
        assert (len(service.asked), service.canaries) == (1, 1)


class TestThreshold:
    ASKED = "def test_it(result):\n    assert result.judge(QUESTION, threshold=0.8, repeats=5)\n"

    @pytest.mark.parametrize(("yes", "code"), [(5, 0), (4, 0), (3, 1)])
    def test_is_the_share_of_yes(self, project, yes, code):
        write(project, self.ASKED)
        project.judge(rounds=[{"said": YES}] * yes + [{"said": NO}] * (5 - yes))
        done = project.pytest()
        assert done.returncode == code, done.stdout
        assert len(project.asked) == 5
        if code:
            assert "3 of 5 answers" in done.stdout
            assert "0.8" in done.stdout

    def test_without_it_a_split_judge_is_undecided(self, project):
        write(project, "def test_it(result):\n    assert result.judge(QUESTION, repeats=2)\n")
        project.judge(rounds=[{"said": YES}, {"said": NO}])
        done = project.pytest()
        assert "JudgeUndecidedError" in done.stdout
        assert "1 yes, 1 no" in done.stdout

    def test_is_a_share(self, project):
        write(project, "def test_it(result):\n    result.judge(QUESTION, threshold=80)\n")
        done = project.pytest()
        assert "threshold must be above 0 and at most 1, not 80" in done.stdout
        assert project.started == []


class TestOtherWords:
    def test_chains_and_test_cases_ask_the_same(self, project):
        project.write(
            test_it=AGENT
            + """
from unitai import AgentTestCase, MockToolkit

def test_chain(result):
    assert_trajectory(result).called("refund").judged(QUESTION).succeeded()

def test_same(result):
    assert result.llm_judge(QUESTION)

class TestCase(AgentTestCase):
    def test_it(self):
        tools = MockToolkit()
        tools.mock("refund", return_value={"state": "refunded with a smile"})
        self.assertJudged(tools.run(agent, "I want my money"), QUESTION)
"""
        )
        project.judge(said=YES)
        done = project.pytest()
        assert "3 passed" in done.stdout, done.stdout
        project.judge(said=NO)
        done = project.pytest("--llm-judge=live")
        assert "3 failed" in done.stdout, done.stdout + done.stderr
        assert done.stdout.count("a smile is no apology") >= 3


class TestStatistical:
    REPEATED = """
import itertools
count = itertools.count()

def numbered(message, tools):
    at = next(count)
    return f"{'We are kindly asking' if at % 3 else 'We ask'} for answer {at}."

@statistical(n=6, threshold=0.5, mode="all", retries=0, retry_delay=0)
def test_it(mock_toolkit):
    assert mock_toolkit.run(numbered, "I want my money").judge(QUESTION)
"""

    def test_runs_without_an_answer_leave_the_denominator(self, project):
        write(project, self.REPEATED)
        # Repeated tests have a budget, so that somebody must know what the judge costs.
        project.variables["UNITAI_JUDGE_MODEL"] = "gpt-5.4"
        project.judge(said={QUESTION: {"answer": "yes", "quote": "kindly"}})
        done = project.pytest("--unitai")
        told = project.finished("test_it")["statistics"]
        assert (told["passed"], told["failed"], told["inconclusive"]) == (4, 0, 2), done.stdout
        assert told["pass_rate"] == 1.0
        assert sum(it["is_canary"] for it in project.started) == 1, "canaries are sent once for all runs"
        (file,) = (project.folder / "answers").iterdir()
        assert len(json.loads(file.read_text())["entries"]) == 6, "each run has another answer to be asked about"

    def test_no_run_with_an_answer_is_no_verdict(self, project):
        write(project, self.REPEATED)
        done = project.pytest("--unitai", UNITAI_JUDGE_PROVIDER="none")
        assert done.returncode == 1
        assert project.finished("test_it")["outcome"] == "inconclusive"
        assert "to get a judge:" in done.stdout


class TestKept:
    def test_the_second_run_asks_nobody(self, project):
        write(project, PLAIN)
        project.judge(said=YES)
        assert project.pytest().returncode == 0
        (file,) = (project.folder / "answers").iterdir()
        (entry,) = json.loads(file.read_text())["entries"]
        assert entry["questions"][0]["text"] == QUESTION
        project.forget()
        project.judge(said=NO)
        assert project.pytest().returncode == 0
        assert project.pytest(CI="1", UNITAI_JUDGE_PROVIDER="none").returncode == 0
        assert project.started == []

    def test_another_run_is_inconclusive_in_ci(self, project):
        write(project, PLAIN)
        project.judge(said=YES)
        assert project.pytest().returncode == 0
        project.write(test_it=(AGENT + PLAIN).replace("on its way", "gone"))
        done = project.pytest(CI="1")
        assert done.returncode == 1
        assert "only kept answers may be used" in done.stdout


class TestMoney:
    ASKED = "def test_it(result):\n    assert result.judge(QUESTION)\n"

    def test_what_a_judge_costs_is_in_the_report(self, project):
        write(project, self.ASKED)
        project.judge(said=YES, cost_usd=0.02)
        done = project.pytest("--unitai")
        assert done.returncode == 0, done.stdout
        # The canary, and the question.
        assert "Total cost: $0.04 | Total tokens: 220 | LLM calls: 2" in done.stdout
        told = project.finished("test_it")["spending"]
        assert (told["live"]["calls"], told["live"]["cost"]) == (2, pytest.approx(0.04))

    def test_kept_answers_cost_nothing(self, project):
        write(project, self.ASKED)
        project.judge(said=YES, cost_usd=0.02)
        project.pytest()
        done = project.pytest("--unitai")
        assert "Total cost: $0.04" not in done.stdout
        assert not project.finished("test_it").get("spending")

    @pytest.mark.parametrize(
        ("further", "args"),
        [("[tool.unitai]\ncost_budget_per_test = 0.0001\n", ()), ("", ("--unitai-budget=0.0001",))],
        ids=["per test", "per suite"],
    )
    def test_a_budget_stops_a_judge_before_it_is_asked(self, project, further, args):
        write(project, self.ASKED)
        project.settings(further)
        project.judge(said=YES)
        project.variables["UNITAI_JUDGE_MODEL"] = "gpt-5.4"
        done = project.pytest(*args)
        assert done.returncode == 1
        assert "budget" in done.stdout
        assert "a question to the judge that can cost" in done.stdout
        assert project.started == []

    def test_a_budget_wants_a_price(self, project):
        write(project, self.ASKED)
        project.judge(said=YES)
        done = project.pytest("--unitai-budget=5")
        assert "no price for command" in done.stdout
        assert project.started == []
        project.variables["UNITAI_JUDGE_MODEL"] = "gpt-5.4"
        assert project.pytest("--unitai-budget=5").returncode == 0
