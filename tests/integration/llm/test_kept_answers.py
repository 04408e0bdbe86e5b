"""Answers are kept beside the test, for people to read and for CI to use: the same question about the same evidence is asked
once.
"""

from __future__ import annotations

import json
import sys

import pytest
from judged_project import CODES
from keys import made_up
from projects import SUPPORT

pytestmark = pytest.mark.integration

PASS_IF = "The word is friendly"
FAIL_IF = "The word is rude"

TEST = f"""
test: {{name: A word}}
vars: {{word: hello}}
steps:
  - name: Write
    tool: diary_write
    args: {{word: "${{vars.word}}"}}
verdict: {{pass_if: {PASS_IF}, fail_if: {FAIL_IF}}}
"""

GOOD = {PASS_IF: {"answer": "yes", "quote": "hello", "why": "it greets"}, FAIL_IF: "no"}

WAYS = pytest.mark.parametrize("way", ["pytest", "command"])
NOBODY = {"UNITAI_JUDGE_PROVIDER": "none"}


def mode(way: str, word: str) -> str:
    """How the mode of answers is said."""
    return f"--llm-judge={word}" if way == "pytest" else f"--judge={word}"


@pytest.fixture
def kept(judged):
    """A project whose test was judged once, and whose judge would say the contrary now."""
    judged.yaml(TEST)
    judged.judge(said=GOOD)
    assert judged.ended("command").word == "PASS"
    judged.judge(said={PASS_IF: "no", FAIL_IF: {"answer": "yes", "quote": "hello"}})
    judged.forget()
    return judged


class TestFile:
    def test_people_can_read_it(self, kept):
        told = kept.kept
        assert told["test"] == "A word"
        (entry,) = told["entries"]
        assert entry["judge"]["provider"] == "command"
        assert entry["judge"]["answered_by"] == "scripted-1"
        assert [it["text"] for it in entry["questions"]] == [PASS_IF, FAIL_IF]
        yes, no = entry["replies"]
        assert (yes["answer"], yes["why"]) == ("yes", "it greets")
        assert "hello" in json.dumps(yes["quotes"])
        assert no["answer"] == "no"
        assert "diary_write" in json.dumps(entry["evidence"])
        (file,) = (kept.folder / "tests" / "llm" / "answers").iterdir()
        text = file.read_text(encoding="utf-8")
        assert file.suffix == ".json"
        assert len(text.splitlines()) > 20, "reviewers want lines"
        assert text.endswith("}\n")

    def test_no_secret_is_in_it(self, judged):
        secret = made_up()["OPENAI_API_KEY"]
        judged.yaml(TEST.replace("word: hello", 'word: "hello ${env.SHOP_API_KEY}"'))
        judged.judge(said={**GOOD, PASS_IF: {"answer": "yes", "quote": "hello", "why": f"it says {secret}"}})
        judged.variables["SHOP_API_KEY"] = secret
        ended = judged.ended("command")
        assert ended.word == "PASS", ended.out
        (file,) = (judged.folder / "tests" / "llm" / "answers").iterdir()
        assert secret not in file.read_text(encoding="utf-8")
        assert secret not in ended.out
        judged.forget()
        assert judged.ended("command").word == "PASS"
        assert judged.started == [], "what is hidden is found again"


class TestAgain:
    @WAYS
    def test_nobody_is_asked_and_the_verdict_is_the_same(self, kept, way):
        ended = kept.ended(way)
        assert (ended.word, ended.reason) == ("PASS", "it greets"), ended.out
        assert kept.started == []

    @WAYS
    def test_nobody_has_to_be_there(self, kept, way):
        kept.variables = NOBODY
        ended = kept.ended(way)
        assert (ended.word, ended.reason) == ("PASS", "it greets"), ended.out

    @WAYS
    def test_ci_asks_nobody_either(self, kept, way):
        kept.variables["CI"] = "1"
        assert kept.ended(way).word == "PASS"
        assert kept.started == []

    @WAYS
    def test_other_evidence_is_asked_about_anew(self, kept, way):
        kept.yaml(TEST.replace("hello", "hello you"))
        assert kept.ended(way).word == "FAIL"
        assert len(kept.asked) == 1

    @WAYS
    @pytest.mark.parametrize("provider", ["command", "none"])
    def test_other_evidence_is_an_error_in_ci(self, kept, way, provider):
        kept.variables = {"CI": "1", "UNITAI_JUDGE_PROVIDER": provider}
        kept.yaml(TEST.replace("hello", "hello you"))
        ended = kept.ended(way)
        assert (ended.word, ended.code) == ("ERROR", CODES[way]["ERROR"]), ended.out
        assert "only kept answers may be used" in ended.out
        assert "E1" in ended.out, "what differs is named"
        assert "hello you" in ended.out
        assert "UNITAI_JUDGE_ANSWERS=live" in ended.out
        assert kept.started == []

    @WAYS
    def test_another_question_is_an_error_in_ci(self, kept, way):
        kept.variables["CI"] = "1"
        kept.yaml(TEST.replace(PASS_IF, "The word is warm"))
        ended = kept.ended(way)
        assert ended.word == "ERROR", ended.out
        assert "The word is warm" in ended.out

    def test_another_script_is_another_judge(self, kept):
        program = kept.folder / "judge.py"
        program.write_text((SUPPORT / "judging_program.py").read_text(encoding="utf-8"), encoding="utf-8")
        kept.settings(command=[sys.executable, "judge.py"])
        kept.judge(said=GOOD)
        assert kept.ended("command").word == "PASS"
        assert len(kept.asked) == 1, "a script of the project is not the one that answered"
        kept.forget()
        kept.variables["CI"] = "1"
        assert (kept.ended("command").word, kept.started) == ("PASS", [])
        program.write_text(program.read_text(encoding="utf-8") + "# mended\n", encoding="utf-8")
        ended = kept.ended("command")
        assert (ended.word, kept.started) == ("ERROR", []), ended.out
        assert "judge.py (" in ended.out, "both are named"

    def test_how_steady_a_judge_is_can_be_seen(self, kept):
        kept.ended("command", "--judge=live")
        kept.ended("command", "--judge=live")
        kept.judge(said=GOOD)
        kept.ended("command", "--judge=live")
        (entry,) = kept.kept["entries"]
        assert entry["steadiness"] == {"again": 3, "flips": 2}
        shown = kept.unitai("judge", "show", "A word").stdout
        assert "asked again 3 times, and 2 of them changed an answer" in shown

    def test_what_is_masked_may_differ(self, judged):
        judged.yaml(TEST.replace("word: hello", "word: hello 1234"))
        judged.settings(judge=r"mask = ['\d+']")
        judged.judge(said=GOOD)
        assert judged.ended("command").word == "PASS"
        judged.forget()
        judged.yaml(TEST.replace("word: hello", "word: hello 5678"))
        judged.variables["CI"] = "1"
        ended = judged.ended("command")
        assert (ended.word, judged.started) == ("PASS", []), ended.out


class TestNeverJudged:
    @WAYS
    def test_is_unclear_in_ci_where_nobody_is(self, judged, way):
        judged.variables = {**NOBODY, "CI": "1"}
        judged.yaml(TEST)
        ended = judged.ended(way)
        assert (ended.word, ended.code) == ("UNCLEAR", 0), ended.out
        assert "to get a judge:" in ended.reason

    @WAYS
    def test_is_an_error_in_ci_where_somebody_could_have_judged(self, judged, way):
        judged.variables["CI"] = "1"
        judged.yaml(TEST)
        judged.judge(said=GOOD)
        ended = judged.ended(way)
        assert (ended.word, ended.code) == ("ERROR", CODES[way]["ERROR"]), ended.out
        assert judged.started == []


class TestModes:
    @WAYS
    def test_cached_uses_kept_answers_alone(self, kept, way):
        assert kept.ended(way, mode(way, "cached")).word == "PASS"
        kept.yaml(TEST.replace("hello", "hello you"))
        ended = kept.ended(way, mode(way, "cached"))
        assert ended.word == "ERROR", ended.out
        assert kept.started == []

    @WAYS
    def test_live_always_asks_and_keeps(self, kept, way):
        assert kept.ended(way, mode(way, "live")).word == "FAIL"
        assert len(kept.asked) == 1
        kept.variables = NOBODY
        assert kept.ended(way).word == "FAIL", "the newer answer counts"

    @WAYS
    def test_live_asks_in_ci_too(self, kept, way):
        kept.variables["CI"] = "1"
        assert kept.ended(way, mode(way, "live")).word == "FAIL"

    @WAYS
    def test_off_asks_nobody_and_nothing(self, kept, way):
        ended = kept.ended(way, mode(way, "off"))
        assert (ended.word, kept.started) == ("UNCLEAR", []), ended.out
        assert "the judge is switched off" in ended.reason

    def test_a_word_that_is_none_is_told(self, kept):
        _, out = kept.run("pytest", "--llm-judge=sometimes")
        assert "sometimes" in out
        assert "cached" in out
        code, out = kept.run("command", "--judge=sometimes")
        assert code == 2
        assert "cached" in out
