"""A judge as a user meets it, by pytest and by the command: what its answers come to, and that trouble is never a verdict.
Programs and services are real ones; only what they say is written down.
"""

from __future__ import annotations

import json
import shutil

import pytest
from judged_project import CODES
from judging_service import JudgingService

pytestmark = pytest.mark.integration

PASS_IF = "The diary has the word"
FAIL_IF = "The diary is torn"
EXPECT = "The word is kept"

TEST = f"""
test: {{name: A word}}
steps:
  - name: Write
    tool: diary_write
    args: {{word: hello}}
    check: word == 'hello'
    expect: {EXPECT}
verdict: {{pass_if: {PASS_IF}, fail_if: {FAIL_IF}}}
"""

GOOD = {PASS_IF: "yes", EXPECT: "yes", FAIL_IF: "no"}

#: What the judge says, the verdict of it, and a part of the reason.
ANSWERS = {
    "all is well": (GOOD, "PASS", "so it says"),
    "fail_if holds": ({**GOOD, FAIL_IF: {"answer": "yes", "why": "a page is gone"}}, "FAIL", "a page is gone"),
    "an expectation does not hold": ({**GOOD, EXPECT: "no"}, "FAIL", EXPECT),
    "it does not know": ({**GOOD, PASS_IF: "unknown"}, "UNCLEAR", f"not decided: {PASS_IF}"),
    "pass_if does not hold": ({**GOOD, PASS_IF: "no"}, "UNCLEAR", f"pass_if does not hold: {PASS_IF}"),
    "it quotes what is not there": (
        {**GOOD, PASS_IF: {"answer": "yes", "quote": "goodbye for ever"}},
        "UNCLEAR",
        f"not decided: {PASS_IF}",
    ),
}

WAYS = pytest.mark.parametrize("way", ["pytest", "command"])
SERVICES = pytest.mark.parametrize("provider", ["anthropic", "openai"])


class TestAnswers:
    @WAYS
    @pytest.mark.parametrize("case", ANSWERS)
    def test_of_a_program_make_the_verdict(self, judged, way, case):
        said, word, part = ANSWERS[case]
        judged.yaml(TEST)
        judged.judge(said=said)
        ended = judged.ended(way)
        assert (ended.word, ended.code) == (word, CODES[way][word]), ended.out
        assert part in ended.reason
        assert len(judged.asked) == 1
        assert len(judged.started) == 2, "one canary and one question"
        assert judged.diary == ["hello", "cleaned"]

    @SERVICES
    @pytest.mark.parametrize("case", ANSWERS)
    def test_of_a_service_make_the_verdict(self, judged, provider, case):
        said, word, part = ANSWERS[case]
        judged.yaml(TEST)
        with JudgingService({"said": said}) as service:
            judged.variables = service.variables(provider)
            ended = judged.ended("command")
        assert (ended.word, ended.code) == (word, CODES["command"][word]), ended.out
        assert part in ended.reason
        assert (len(service.asked), service.canaries) == (1, 1)
        assert judged.started == []

    @SERVICES
    def test_of_a_service_count_in_pytest_too(self, judged, provider):
        judged.yaml(TEST)
        with JudgingService({"said": GOOD}) as service:
            judged.variables = service.variables(provider)
            ended = judged.ended("pytest")
        assert (ended.word, ended.code) == ("PASS", 0), ended.out

    def test_that_leave_it_open_fail_on_demand(self, judged):
        judged.yaml(TEST)
        judged.judge(said={**GOOD, PASS_IF: "unknown"})
        skipped = judged.ended("pytest")
        assert "1 skipped" in skipped.out
        assert "1 YAML test is unclear and counts as skipped" in skipped.out
        failed = judged.ended("pytest", "--llm-unclear=fail")
        assert failed.code == 1
        assert f"UNCLEAR: not decided: {PASS_IF}" in failed.out
        assert judged.ended("command", "--unclear", "fail").code == 1

    @WAYS
    def test_that_cannot_be_read_are_asked_for_once_more(self, judged, way):
        judged.yaml(TEST)
        judged.judge(said=GOOD, rounds=[{"raw": "Well, I think that it is fine."}, {}])
        ended = judged.ended(way, "--llm-judge=live" if way == "pytest" else "--judge=live")
        assert ended.word == "PASS", ended.out
        first, second = judged.asked
        assert "could not be used" in second["prompt"]
        assert "Well, I think that it is fine." in second["prompt"]
        assert "could not be used" not in first["prompt"]

    @WAYS
    def test_that_cannot_be_read_twice_are_unknown(self, judged, way):
        judged.yaml(TEST)
        judged.judge(raw="I had rather not say.")
        ended = judged.ended(way)
        assert ended.word == "UNCLEAR"
        assert "asking once more did not help" in ended.reason
        assert len(judged.asked) == 2
        assert not (judged.folder / "tests/llm/answers").exists(), "what could not be read is not kept"

    def test_are_shown_where_a_test_fails_with_a_way_to_object(self, judged):
        judged.yaml(TEST)
        judged.judge(said={**GOOD, FAIL_IF: {"answer": "yes", "why": "a page is gone"}})
        _, out = judged.run("command")
        assert "Judged by command" in out
        assert f"yes: {FAIL_IF} (a page is gone)" in out
        assert "unitai judge label" in out


class TestTrouble:
    @WAYS
    @pytest.mark.parametrize(
        ("script", "part"),
        [
            ({"error": {"kind": "absent", "message": "log in with scripted login"}}, "scripted login"),
            ({"error": {"kind": "unavailable", "message": "too many people"}}, "too many people"),
            ({"said": GOOD, "exit": 3}, "3"),
        ],
        ids=["nobody is logged in", "it is busy", "it ends badly"],
    )
    def test_of_a_program_is_an_error(self, judged, way, script, part):
        judged.yaml(TEST)
        judged.judge(**script)
        ended = judged.ended(way)
        assert (ended.word, ended.code) == ("ERROR", CODES[way]["ERROR"]), ended.out
        assert "the judge did not answer" in ended.out
        assert part in ended.out
        assert "skipped" not in ended.out

    @SERVICES
    @pytest.mark.parametrize("status", [400, 401, 429, 500])
    def test_of_a_service_is_an_error(self, judged, provider, status):
        judged.yaml(TEST)
        with JudgingService({"status": status}) as service:
            judged.variables = service.variables(provider)
            ended = judged.ended("command")
        assert (ended.word, ended.code) == ("ERROR", 2), ended.out
        assert str(status) in ended.reason
        assert "it is as it is" in ended.reason
        assert "made-up-key-of-nobody" not in ended.out

    @WAYS
    def test_of_a_wrong_key_fails_the_test(self, judged, way):
        judged.yaml(TEST)
        with JudgingService({"status": 401}) as service:
            judged.variables = service.variables("anthropic")
            ended = judged.ended(way)
        assert (ended.word, ended.code) == ("ERROR", CODES[way]["ERROR"]), ended.out
        assert "ANTHROPIC_API_KEY" in ended.out

    @WAYS
    def test_of_time_is_an_error_and_nothing_is_left(self, judged, way):
        judged.yaml(TEST)
        judged.settings(judge="timeout = 2")
        judged.judge(sleep=60)
        ended = judged.ended(way)
        assert (ended.word, ended.code) == ("ERROR", CODES[way]["ERROR"]), ended.out
        assert "had not answered after 2 s" in ended.out
        assert judged.left() == []

    @SERVICES
    def test_of_a_service_that_says_nothing_is_an_error(self, judged, provider):
        judged.yaml(TEST)
        judged.settings(judge="timeout = 2")
        with JudgingService({"sleep": 20}) as service:
            judged.variables = service.variables(provider)
            ended = judged.ended("command")
        assert (ended.word, ended.code) == ("ERROR", 2), ended.out
        assert "had not answered after 2 s" in ended.reason

    def test_is_told_of_each_test_if_canaries_are_failed(self, judged):
        for name in ("a.yaml", "b.yaml"):
            judged.yaml(TEST, name)
        judged.judge(said=GOOD, canaries="wrong")
        code, out = judged.run("command")
        assert code == 2
        assert "2 not run as they should" in out
        assert out.count("cannot tell yes from no") == 1
        assert "as an earlier test tells in full" in out
        assert judged.asked == []
        judged.settings(judge="canaries = false")
        code, out = judged.run("command")
        assert (code, "2 passed" in out) == (0, True), out


class TestPanel:
    @WAYS
    def test_a_split_vote_is_unknown_with_its_tally(self, judged, way):
        judged.yaml(TEST)
        judged.settings(judge="repeats = 3")
        judged.judge(rounds=[{"said": GOOD}, {"said": {**GOOD, PASS_IF: "no"}}, {"said": GOOD}])
        ended = judged.ended(way)
        assert ended.word == "UNCLEAR", ended.out
        assert "2 yes, 1 no" in ended.reason
        assert len(judged.asked) == 3

    def test_tests_at_the_gate_are_asked_three_times(self, judged):
        judged.yaml(TEST.replace("{name: A word}", "{name: A word, tags: [gate]}"))
        judged.judge(said=GOOD)
        assert judged.ended("command").word == "PASS"
        assert len(judged.asked) == 3
        asked = {it["prompt"].rpartition("Now answer ")[2] for it in judged.asked}
        assert len(asked) == 3, "in another order each time"

    @WAYS
    def test_a_second_judge_decides_what_the_first_does_not_know(self, judged, way):
        judged.yaml(TEST)
        judged.settings(judge='second_provider = "openai"')
        judged.judge(said={**GOOD, PASS_IF: "unknown"})
        with JudgingService(
            {"said": {PASS_IF: {"answer": "yes", "quote": "hello", "why": "there it stands"}}}
        ) as second:
            judged.variables = {**second.variables("openai"), "UNITAI_JUDGE_PROVIDER": "command"}
            ended = judged.ended(way)
        assert ended.word == "PASS", ended.out
        (asked,) = second.asked
        told = str(asked["messages"])
        assert PASS_IF in told
        assert FAIL_IF not in told, "only what is open is asked"
        assert second.canaries == 1

    def test_a_second_judge_is_not_asked_what_is_known(self, judged):
        judged.yaml(TEST)
        judged.settings(judge='second_provider = "openai"')
        judged.judge(said=GOOD)
        with JudgingService({"said": {}}) as second:
            judged.variables = {**second.variables("openai"), "UNITAI_JUDGE_PROVIDER": "command"}
            assert judged.ended("command").word == "PASS"
        assert (second.asked, second.canaries) == ([], 0)


class TestNobody:
    @WAYS
    @pytest.mark.parametrize(("wanted", "word"), [("hello", "PASS"), ("goodbye", "FAIL")])
    def test_is_asked_where_checks_decide(self, judged, way, wanted, word):
        judged.yaml(
            "test: {name: a}\nsteps: [{tool: diary_write, args: {word: hello}, "
            f"check: word == '{wanted}'}}]\nverdict: checks\n"
        )
        assert judged.ended(way).word == word
        assert judged.started == []

    @WAYS
    def test_is_asked_where_a_check_fails_though_there_are_questions(self, judged, way):
        judged.yaml(TEST.replace("word == 'hello'", "word == 'goodbye'"))
        judged.judge(said=GOOD)
        ended = judged.ended(way)
        assert (ended.word, judged.started) == ("FAIL", []), ended.out

    @WAYS
    def test_is_there_and_checks_still_decide(self, judged, way):
        judged.variables = {"UNITAI_JUDGE_PROVIDER": "none"}
        checks = "test: {{name: {}}}\nsteps: [{{tool: diary_write, args: {{word: x}}, check: word == '{}'}}]\nverdict: checks"
        judged.yaml(checks.format("good", "x"), "good.yaml")
        judged.yaml(checks.format("bad", "y"), "bad.yaml")
        judged.yaml(TEST, "open.yaml")
        code, out = judged.run(way, *(["-ra"] if way == "pytest" else []))
        assert code == 1
        assert "3 questions are left that only a judge can answer" in out
        assert "to get a judge:" in out
        if way == "pytest":
            assert "1 failed, 1 passed, 1 skipped" in out
            assert "1 YAML test is unclear and counts as skipped" in out
        else:
            assert "1 passed, 1 failed, 1 unclear" in out

    @WAYS
    def test_is_usable_where_auto_finds_none(self, judged, way):
        # Nothing is on this path, so that no program of this machine is asked.
        empty = judged.folder / "empty"
        empty.mkdir()
        nothing = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY"), "")
        judged.variables = {"UNITAI_JUDGE_PROVIDER": "auto", "PATH": str(empty), **nothing}
        judged.settings(command=[])
        judged.yaml(TEST)
        ended = judged.ended(way)
        assert (ended.word, ended.code) == ("UNCLEAR", 0), ended.out
        for how in ("Claude Code", "ANTHROPIC_API_KEY", "judge.command"):
            assert how in ended.reason


class TestDry:
    def test_the_command_shows_the_plan_and_runs_nothing(self, judged):
        judged.yaml(TEST)
        code, out = judged.run("command", "--mode", "dry")
        assert code == 0
        for part in ("A word: 1 call, 3 questions", "diary_write", f"pass_if: {PASS_IF}", "1 test planned, none run"):
            assert part in out
        assert (judged.diary, judged.started) == ([], [])

    @pytest.mark.parametrize("further", [(), ("-n", "2")], ids=["one process", "two processes"])
    def test_pytest_shows_the_plan_and_runs_nothing(self, judged, further):
        judged.yaml(TEST)
        code, out = judged.run("pytest", "--llm-mode=dry", "-rs", *further)
        assert code == 0
        assert "1 skipped" in out
        assert "planned, and not run" in out
        for part in ("A word: 1 call, 3 questions", "diary_write", f"pass_if: {PASS_IF}"):
            assert part in out
        assert (judged.diary, judged.started) == ([], [])


class TestMoney:
    #: Where a budget is said: for the test, for the suite.
    BUDGETS = {
        "per test": {"UNITAI_COST_BUDGET_PER_TEST": "0.0001"},
        "per suite": {"UNITAI_COST_BUDGET_PER_SUITE": "0.0001"},
    }

    @WAYS
    @pytest.mark.parametrize("whose", BUDGETS)
    def test_a_budget_stops_a_judge_before_it_is_asked(self, judged, way, whose):
        judged.yaml(TEST)
        judged.judge(said=GOOD)
        judged.variables |= {**self.BUDGETS[whose], "UNITAI_JUDGE_MODEL": "gpt-5.4"}
        ended = judged.ended(way)
        assert (ended.word, ended.code) == ("ERROR", CODES[way]["ERROR"]), ended.out
        assert "budget" in ended.out
        assert "a question to the judge that can cost" in ended.out
        assert judged.started == []

    def test_the_flag_of_pytest_is_such_a_budget(self, judged):
        judged.yaml(TEST)
        judged.judge(said=GOOD)
        judged.variables["UNITAI_JUDGE_MODEL"] = "gpt-5.4"
        ended = judged.ended("pytest", "--unitai-budget=0.0001")
        assert ended.word == "ERROR", ended.out
        assert "a question to the judge that can cost" in ended.out
        assert judged.ended("pytest", "--unitai-budget=5").word == "PASS"

    def test_what_a_judge_costs_is_in_the_report(self, judged):
        judged.yaml(TEST)
        judged.judge(said=GOOD, cost_usd=0.02)
        code, out = judged.run("pytest", "--unitai")
        assert code == 0, out
        # The canary, and the question.
        assert "Total cost: $0.04 | Total tokens: 220 | LLM calls: 2" in out
        spending = judged.finished("a.yaml::A word")["spending"]
        assert (spending["live"]["calls"], spending["live"]["cost"]) == (2, pytest.approx(0.04))

    def test_the_command_tells_it_as_json(self, judged):
        judged.yaml(TEST)
        judged.judge(said=GOOD, cost_usd=0.02)
        _, out = judged.run("command", "--json")
        (told,) = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        assert "0.04" in json.dumps(told["judge"]), told["judge"]


class TestRecorded:
    @WAYS
    @pytest.mark.parametrize("case", ["all is well", "fail_if holds", "it does not know"])
    def test_a_run_is_the_same_with_everything_gone(self, judged, way, case):
        said, word, _ = ANSWERS[case]
        judged.judge(said=said)
        with JudgingService({}) as page:
            judged.yaml(TEST.replace("steps:", f"steps:\n  - {{tool: http_get, args: {{url: '{page.url}'}}}}"))
            first = judged.ended(way, "--llm-mode=record" if way == "pytest" else "--record")
        assert first.word == word, first.out
        asked, written = judged.started, judged.diary
        shutil.rmtree(judged.folder / "tests/llm/answers")
        (judged.folder / "tests/llm/plugins/diary.py").unlink()
        judged.variables = {"UNITAI_JUDGE_PROVIDER": "none"}
        again = judged.ended(way, "--llm-mode=replay" if way == "pytest" else "--replay")
        assert (again.word, again.reason, again.code) == (first.word, first.reason, first.code), again.out
        assert again.steps == first.steps != []
        assert (judged.started, judged.diary) == (asked, written)
