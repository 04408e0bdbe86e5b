"""The agentic mode: a model calls the tools of a test, through MCP over HTTP or in the talk of an API. What counts is the
log of its calls, and cleanup is ours however it ends.
"""

from __future__ import annotations

import pytest
from judged_project import CODES
from judging_service import JudgingService
from processes import soon
from yaml_project import end, interrupted

pytestmark = pytest.mark.integration

TEST = """
test: {name: Two words, timeout: 60}
setup: [{tool: diary_write, args: {word: set up}}]
steps:
  - {name: First, tool: diary_write, args: {word: one}, save_as: first, check: word == 'one'}
  - {name: Second, tool: diary_write, args: {word: "${first.word} and two"}, check: word == 'one and two'}
teardown: [{tool: diary_write, args: {word: torn down}}]
verdict: checks
"""

CALLS = [["diary_write", {"word": "one"}], ["diary_write", {"word": "one and two"}]]
FAIL = {"verdict": "FAIL", "reason": "I do not like it", "steps": [], "issues": []}

#: What the model does, the verdict, and a part of what is said.
DRIVES = {
    "it makes the calls": ({"calls": CALLS}, "PASS", ""),
    "one is missing": ({"calls": CALLS[:1]}, "FAIL", "not executed"),
    "one has other arguments": ({"calls": [CALLS[0], ["diary_write", {"word": "two"}]]}, "FAIL", "not executed"),
    "it calls nothing and says PASS": ({"calls": []}, "FAIL", "called no tool"),
    "it reports FAIL though all holds": ({"calls": CALLS, "report": FAIL}, "UNCLEAR", "reported FAIL"),
    "it calls them the other way round": ({"calls": CALLS[::-1]}, "FAIL", "not executed in its order"),
    "it calls more than it should": ({"calls": [*CALLS, ["diary_write", {"word": "three"}]]}, "PASS", ""),
    "it reports FAIL and a call is missing": ({"calls": CALLS[:1], "report": FAIL}, "FAIL", "not executed"),
}

MODE = {"pytest": ("--llm-mode=agentic",), "command": ("--mode", "agentic")}
WAYS = pytest.mark.parametrize("way", ["pytest", "command"])


def words(drive: dict) -> list[str]:
    """What the diary has then."""
    return ["set up", *(args["word"] for _, args in drive["calls"]), "torn down", "cleaned"]


class TestCalls:
    @WAYS
    @pytest.mark.parametrize("case", DRIVES)
    def test_of_a_program_make_the_verdict(self, judged, way, case):
        drive, word, part = DRIVES[case]
        judged.yaml(TEST)
        judged.judge(drive=drive)
        ended = judged.ended(way, *MODE[way])
        assert (ended.word, ended.code) == (word, CODES[way][word]), ended.out
        assert part in ended.out
        assert judged.diary == words(drive)
        assert [it["kind"] for it in judged.started] == ["drive"]
        assert judged.left() == []

    @pytest.mark.parametrize("provider", ["anthropic", "openai"])
    @pytest.mark.parametrize("case", DRIVES)
    def test_of_a_service_make_the_verdict(self, judged, provider, case):
        drive, word, part = DRIVES[case]
        judged.yaml(TEST)
        with JudgingService({"drive": drive}) as service:
            judged.variables = service.variables(provider)
            ended = judged.ended("command", *MODE["command"])
        assert (ended.word, ended.code) == (word, CODES["command"][word]), ended.out
        assert part in ended.out
        assert judged.diary == words(drive)
        assert len(service.asked) == len(drive["calls"]) + 1

    def test_are_evidence_for_the_judge_too(self, judged):
        judged.yaml(TEST.replace("verdict: checks", "verdict: {pass_if: Both are there, fail_if: One is not}"))
        told = {"Both are there": {"answer": "yes", "quote": "one and two"}, "One is not": "no"}
        judged.judge(drive={"calls": [*CALLS, ["diary_write", {"word": "by the way"}]]}, said=told)
        ended = judged.ended("command", *MODE["command"])
        assert ended.word == "PASS", ended.out
        (asked,) = [it for it in judged.asked if it["kind"] == "ask"]
        assert "by the way" in asked["prompt"]
        assert "agent[" in asked["prompt"]

    def test_that_no_check_can_weigh_are_not_believed_because_of_the_report(self, judged):
        judged.yaml(TEST.replace("verdict: checks", "verdict: {pass_if: Both are there, fail_if: One is not}"))
        judged.judge(drive={"calls": CALLS}, said={"Both are there": "yes", "One is not": "yes"})
        assert judged.ended("command", *MODE["command"]).word == "FAIL"


class TestReports:
    def test_that_cannot_be_read_are_asked_for_once_more(self, judged):
        judged.yaml(TEST)
        judged.judge(drive={"calls": CALLS, "report": "I did what I could."})
        ended = judged.ended("command", *MODE["command"])
        assert ended.word == "UNCLEAR", ended.out
        assert "no report that can be read: I did what I could." in ended.reason
        assert [it["kind"] for it in judged.started] == ["drive", "ask"]

    def test_that_contradict_themselves_leave_it_unclear(self, judged):
        step = {"name": "First", "status": "fail", "details": "it was slow"}
        report = {"verdict": "PASS", "reason": "fine", "steps": [step], "issues": []}
        judged.yaml(TEST)
        judged.judge(drive={"calls": CALLS, "report": report})
        ended = judged.ended("command", *MODE["command"])
        assert ended.word == "UNCLEAR", ended.out
        assert "it was slow" in ended.reason


class TestNobody:
    @WAYS
    def test_drives_where_there_is_no_provider(self, judged, way):
        judged.variables = {"UNITAI_JUDGE_PROVIDER": "none"}
        judged.yaml(TEST)
        ended = judged.ended(way, *MODE[way])
        assert (ended.word, ended.code) == ("UNCLEAR", 0), ended.out
        assert "to get a judge:" in ended.reason
        assert judged.diary == ["set up", "torn down", "cleaned"]

    @WAYS
    def test_is_logged_in_and_that_is_an_error(self, judged, way):
        judged.yaml(TEST)
        judged.judge(drive={"calls": []}, error={"kind": "absent", "message": "log in with scripted login"})
        ended = judged.ended(way, *MODE[way])
        assert (ended.word, ended.code) == ("ERROR", CODES[way]["ERROR"]), ended.out
        assert "scripted login" in ended.out
        assert judged.diary == ["set up", "torn down", "cleaned"]


class TestEndings:
    @WAYS
    def test_ctrl_c_while_it_drives_tears_down(self, judged, way):
        judged.yaml(TEST)
        judged.judge(drive={"calls": CALLS[:1], "sleep": 120})
        process = judged.begin(way, *MODE[way])
        try:
            assert soon((judged.folder / "driving").exists, 60)
            code, out, took = interrupted(process, whole_group=True)
        finally:
            end(process)
        assert code in (2, 130), out
        assert took < 20
        assert judged.diary == ["set up", "one", "torn down", "cleaned"], out
        assert judged.left() == []

    @WAYS
    def test_time_that_is_up_while_it_drives_tears_down(self, judged, way):
        judged.yaml(TEST.replace("timeout: 60", "timeout: 4"))
        judged.judge(drive={"calls": CALLS[:1], "sleep": 120})
        ended = judged.ended(way, *MODE[way])
        assert (ended.word, ended.code) == ("FAIL", 1), ended.out
        assert ended.reason == "Test timed out after 4 seconds"
        assert judged.diary == ["set up", "one", "torn down", "cleaned"]
        assert judged.left() == []

    def test_a_tool_that_never_answers_is_given_up_with_the_test(self, judged):
        judged.yaml(TEST.replace("timeout: 60", "timeout: 4"))
        judged.judge(drive={"calls": [["diary_hang", {}]]})
        ended = judged.ended("command", *MODE["command"])
        assert (ended.word, ended.reason) == ("FAIL", "Test timed out after 4 seconds"), ended.out
        assert "torn down" in judged.diary
        assert judged.left() == []


class TestRecorded:
    def test_pytest_keeps_a_run_too(self, judged):
        drive, word, _ = DRIVES["one is missing"]
        judged.yaml(TEST)
        judged.judge(drive=drive)
        first = judged.ended("pytest", "--llm-mode=agentic-record")
        assert first.word == word, first.out
        judged.variables = {"UNITAI_JUDGE_PROVIDER": "none"}
        written = judged.diary
        again = judged.ended("pytest", "--llm-mode=replay")
        assert (again.word, again.reason, again.steps) == (first.word, first.reason, first.steps)
        assert judged.diary == written

    @pytest.mark.parametrize("case", DRIVES)
    def test_a_run_is_the_same_with_everything_gone(self, judged, case):
        drive, word, _ = DRIVES[case]
        judged.yaml(TEST)
        judged.judge(drive=drive)
        first = judged.ended("command", "--mode", "agentic", "--record")
        assert first.word == word, first.out
        judged.variables = {"UNITAI_JUDGE_PROVIDER": "none"}
        (judged.folder / "tests/llm/plugins/diary.py").unlink()
        written = judged.diary
        again = judged.ended("command", "--replay")
        assert (again.word, again.reason, again.code) == (first.word, first.reason, first.code)
        assert again.steps == first.steps != []
        assert (judged.diary, len(judged.started)) == (written, 1)
        assert judged.ended("pytest", "--llm-mode=replay").word == word
