"""`unitai judge`: a judge is measured against people, and what it said is looked at and labelled."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
import uuid
from pathlib import Path

import pytest
from hearing import hearing_ctrl_c
from processes import MARK, marked, soon
from projects import SUPPORT, Project

pytestmark = pytest.mark.integration

CASES = """
case: {name: a refund}
evidence:
  - {tool: chat, args: {message: hello}, text: I am sorry. The money is on its way.}
questions:
  - {ask: 'The agent says "sorry"', label: yes}
  - {ask: 'The agent says "never"', label: no, kind: fail_if}
  - {ask: The agent is kind, label: yes, note: it says sorry}
---
case: {name: an error}
evidence:
  - {tool: refund, error: the order is too old}
questions:
  - {ask: 'The tool says "too old"', label: yes}
  - {ask: 'The refund was "paid"', label: no}
"""


class Judged(Project):
    """A project whose judge is a program."""

    def __init__(self, folder: Path, *, has_judge: bool = True) -> None:
        super().__init__(folder)
        command = [sys.executable, str(SUPPORT / "keyword_judge.py")]
        provider = "command" if has_judge else "none"
        lines = [f'provider = "{provider}"', f"command = {json.dumps(command)}", "canaries = false"]
        text = "\n".join(["[tool.unitai.judge]", *lines, ""])
        (folder / "pyproject.toml").write_text(text, encoding="utf-8")
        self.cases.mkdir(parents=True)

    @property
    def cases(self) -> Path:
        return self.folder / "tests" / "llm" / "judge-cases"

    def case(self, text: str, name: str = "a.yaml") -> None:
        (self.cases / name).write_text(text, encoding="utf-8")


@pytest.fixture
def project(tmp_path):
    return Judged(tmp_path)


def test_a_judge_is_measured_against_people(project):
    project.case(CASES)
    done = project.unitai("judge", "calibrate", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["judge"], told["cases"], told["questions"]) == ("command keywords", 2, 5)
    assert told["labelled_yes"] == {"yes": 2, "no": 1, "unknown": 0}
    assert told["labelled_no"] == {"yes": 0, "no": 2, "unknown": 0}
    assert (told["tpr"]["hits"], told["tpr"]["of"], told["tnr"]["value"]) == (2, 3, 1.0)
    # Agreement is 4/5; by chance 3/5 * 2/5 + 2/5 * 3/5.
    assert told["kappa"]["value"] == pytest.approx((0.8 - 0.48) / 0.52)
    (missed,) = told["disagreements"]
    assert (missed["question"], missed["label"], missed["answer"]) == ("The agent is kind", "yes", "no")
    assert (missed["why"], missed["line"]) == ("it stands nowhere", 8)
    assert (told["input_tokens"], told["cost_usd"]) == (20, 0.5)
    assert not (project.folder / "tests" / "llm" / "answers").exists()


def test_who_always_says_yes_fails_what_is_required(project):
    project.case(CASES)
    required = ("--min-tpr", "0.9", "--min-tnr", "0.9", "--min-kappa", "0.6")
    done = project.unitai("judge", "calibrate", *required, TESTS_JUDGE="yes")
    assert done.returncode == 1, done.stderr
    assert "TPR       100.0%  3 of 3" in done.stdout
    assert done.stdout.endswith("\nTNR is 0.0%, and 90.0% is required\nkappa is 0.00, and 0.60 is required\n")
    required = project.unitai("judge", "calibrate", UNITAI_JUDGE_MIN_KAPPA="0.9")
    assert (required.returncode, "kappa is 0.62, and 0.90 is required" in required.stdout) == (1, True)


def test_the_cases_that_come_along_are_asked_about_where_a_project_has_none(project):
    project.cases.rmdir()
    done = project.unitai("judge", "calibrate", "--repeats", "2")
    assert (done.returncode, "54 questions of 24 cases" in done.stdout) == (0, True), done.stderr
    assert "the cases that come with unitai are asked about" in done.stderr
    assert "of 24 cases are answered" in done.stderr


def test_without_a_judge_it_is_told_how_to_get_one(tmp_path):
    done = Judged(tmp_path, has_judge=False).unitai("judge", "calibrate", "--bundled")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: there is no judge; to get one: install Claude Code" in done.stderr


def test_trouble_is_no_figure(project):
    project.case(CASES)
    done = project.unitai("judge", "calibrate", TESTS_JUDGE="absent")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nobody is logged in; run keywords login" in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            CASES.replace("label: yes", "lable: yes", 1),
            "a.yaml:6:37: a question has no key `lable` (did you mean `label`?)",
        ),
        (
            CASES.replace("label: no", "label: maybe", 1),
            "a.yaml:7:44: `label` must be `yes` or `no`, found the text `maybe`",
        ),
        ("case: {name: a}\n", "a.yaml:1:1: a judge case must have `evidence`, which is not there"),
    ],
)
def test_what_is_wrong_with_a_case_is_told_with_its_place(project, text, told):
    project.case(text)
    done = project.unitai("judge", "calibrate")
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    assert "nobody was asked" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_ctrl_c_ends_it_and_the_judge(project):
    project.case(CASES)
    mark = uuid.uuid4().hex
    with hearing_ctrl_c():
        running = project.start("judge", "calibrate", **{"TESTS_JUDGE": "hang", MARK: mark})
    # The command, and a judge for each of the two cases.
    assert soon(lambda: len(marked(mark)) >= 3, 30)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out) == (130, ""), err
    assert soon(lambda: not marked(mark)), marked(mark)


TEST = """
test: {name: Refunds are polite}
steps:
  - {tool: store_value, args: {name: a, value: 1}, expect: Is it polite?}
verdict: checks
"""
REPLY = {"id": "Q1", "answer": "yes", "why": "it says sorry", "quotes": [{"ref": "E1", "quote": "sorry"}]}
KEPT = {
    "format": 1,
    "test": "Refunds are polite",
    "entries": [
        {
            "key": "k",
            "judge": {"provider": "claude-code", "model": "", "version": "2.1", "answered_by": "sonnet"},
            "date": "2026-11-16T05:00:00Z",
            "template": 1,
            "repeats": 1,
            "questions": [
                {"id": "Q1", "kind": "expect", "path": "steps[0]", "text": "Is it polite?"},
                {"id": "Q2", "kind": "fail_if", "path": "", "text": "Is it rude?"},
            ],
            "replies": [REPLY, {"id": "Q2", "answer": "unknown", "why": "", "quotes": []}],
            "evidence": [
                {
                    "reference": "E1",
                    "path": "steps[0]",
                    "tool": "chat",
                    "args": {"message": "My kettle: broken"},
                    "outcome": "returned",
                    "text": "I am sorry.\nHere is your money.",
                    "digest": "d",
                }
            ],
        }
    ],
}


@pytest.fixture
def answered(project):
    """A project with a test about which answers are kept."""
    folder = project.folder / "tests" / "llm"
    (folder / "refunds.yaml").write_text(TEST, encoding="utf-8")
    (folder / "answers").mkdir()
    digest = hashlib.sha256(KEPT["test"].encode()).hexdigest()[:8]
    kept = folder / "answers" / f"refunds.refunds-are-polite.{digest}.json"
    kept.write_text(json.dumps(KEPT), encoding="utf-8")
    return project


@pytest.mark.parametrize(
    "test", ["Refunds are polite", "tests/llm/refunds.yaml", "tests/llm/refunds.yaml::Refunds are polite"]
)
def test_answers_are_shown_with_what_they_rest_on(answered, test):
    done = answered.unitai("judge", "show", test)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == [
        "claude-code sonnet, 2026-11-16T05:00:00Z, asked 1 time",
        "  Q1 yes: Is it polite? (expect steps[0])",
        "     it says sorry",
        '     E1 chat: "sorry"',
        "  Q2 unknown: Is it rude? (fail_if)",
        f"Is an answer wrong, or right? Say so: unitai judge label {shell(test)} Q1 yes|no",
    ]


def test_answers_about_a_test_of_python_are_found_by_its_name(project):
    name = "TestRefund::test_polite[de]"
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    kept = project.folder / "tests" / "answers" / f"test_shop.testrefund-test-polite-de.{digest}.json"
    kept.parent.mkdir()
    kept.write_text(json.dumps({**KEPT, "test": name}), encoding="utf-8")
    done = project.unitai("judge", "label", f"tests/test_shop.py::{name}", "Q1", "yes")
    assert done.returncode == 0, done.stderr
    (file,) = project.cases.iterdir()
    assert file.name == "testrefund-test-polite-de.yaml"
    assert 'source: "tests/test_shop.py"' in file.read_text(encoding="utf-8")
    missing = project.unitai("judge", "show", "tests/test_shop.py::test_other")
    assert (missing.returncode, "run the test with a judge first" in missing.stderr) == (2, True), missing.stderr


def shell(text: str) -> str:
    return f"'{text}'" if " " in text else text


def test_a_label_makes_a_case_that_the_judge_is_measured_by(answered):
    done = answered.unitai("judge", "label", "Refunds are polite", "q1", "no", "--note", "it: lies")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tests/llm/judge-cases/refunds-are-polite.yaml: people say no to: Is it polite?\n"
    file = answered.cases / "refunds-are-polite.yaml"
    assert file.read_text(encoding="utf-8") == (
        'case:\n  name: "Refunds are polite"\n  source: "tests/llm/refunds.yaml"\n'
        'evidence:\n  - step: "steps[0]"\n    tool: "chat"\n    args: {"message":"My kettle: broken"}\n'
        "    text: |-\n      I am sorry.\n      Here is your money.\n"
        'questions:\n  - ask: "Is it polite?"\n    label: no\n    step: "steps[0]"\n    note: "it: lies"\n'
    )
    again = answered.unitai("judge", "label", "Refunds are polite", "polite", "no")
    assert (again.returncode, again.stdout.endswith(".yaml:12:5 says so already\n")) == (0, True), again.stdout
    other = answered.unitai("judge", "label", "Refunds are polite", "Q2", "no")
    assert other.returncode == 0, other.stderr
    told = json.loads(answered.unitai("judge", "calibrate", "--json").stdout)
    assert (told["cases"], told["questions"], told["tnr"]["value"]) == (1, 2, 1.0)
    # A file of cases is no test.
    checked = answered.unitai("yaml", "check")
    assert (checked.returncode, checked.stdout) == (0, "1 file, 1 test, 0 errors, 0 warnings\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("Refunds are polit", "Q1", "yes"),
            'there is no test "Refunds are polit" in tests/llm; perhaps "Refunds are polite"',
        ),
        (("Refunds are polite", "Q7", "yes"), "there are:\n  Q1 Is it polite?\n  Q2 Is it rude?"),
        (("Refunds are polite", "is it", "yes"), "several questions have these words:"),
    ],
)
def test_what_cannot_be_labelled_is_told(answered, words, told):
    done = answered.unitai("judge", "label", *words)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    assert list(answered.cases.iterdir()) == []


def test_the_opposite_of_a_label_is_not_written(answered):
    assert answered.unitai("judge", "label", "Refunds are polite", "Q1", "no").returncode == 0
    done = answered.unitai("judge", "label", "Refunds are polite", "Q1", "yes")
    assert (done.returncode, "says no to this already; change it there" in done.stderr) == (2, True), done.stderr
