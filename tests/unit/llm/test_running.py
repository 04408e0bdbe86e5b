"""Running a YAML test from a program, and the project that its file belongs to. The engine is scripted here."""

from __future__ import annotations

import pytest
import scripted_yaml

from unitai import ExpectationError, InfrastructureError, InvalidArgumentError
from unitai.llm import LLMTestError, LLMTestFailed, TestSpec, Verdict, engine, run_llm_test
from unitai.llm.project import place, root_of
from unitai.llm.telling import verdict_text

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def scripted(monkeypatch):
    monkeypatch.setattr(engine, "_native", scripted_yaml.native)


def spec(**script: object) -> TestSpec:
    return TestSpec(test={"name": "it"}, steps=[], verdict="checks", vars=script)


def test_the_verdict_is_given(tmp_path):
    steps = [{"name": "a", "status": "pass"}]
    verdict = run_llm_test(spec(word="FAIL", reason="no", steps=steps, issues=["one"]), tmp_path / "a.yaml")
    assert isinstance(verdict, Verdict)
    assert (verdict.verdict, verdict.reason, verdict.issues) == ("FAIL", "no", ["one"])
    assert (verdict.steps[0].name, verdict.steps[0].path) == ("a", "steps[0]")


@pytest.mark.parametrize(("given", "told"), [(None, "None"), (0, "None"), (9, "9")])
def test_a_time_limit_is_handed_on(tmp_path, given, told):
    assert run_llm_test(spec(tell_timeout=True), tmp_path / "a.yaml", given).reason.endswith(f"(timeout {told})")


def test_steps_are_printed_for_who_wants_them(tmp_path, capsys):
    steps = [{"name": "a", "status": "pass"}, {"name": "b", "status": "skip", "details": "why"}]
    run_llm_test(spec(steps=steps), tmp_path / "a.yaml")
    assert capsys.readouterr().out == ""
    run_llm_test(spec(steps=steps), tmp_path / "a.yaml", verbose=True)
    assert capsys.readouterr().out == "  ✓ a\n  ○ b: why\n  2 questions for the judge\n"


def test_no_verdict_is_an_error(tmp_path):
    steps = [{"name": "a", "status": "pass"}]
    with pytest.raises(LLMTestError, match="no server") as caught:
        run_llm_test(spec(word="ERROR", reason="no server", steps=steps), tmp_path / "a.yaml")
    assert isinstance(caught.value, InfrastructureError)
    assert [step.name for step in caught.value.steps] == ["a"]
    assert LLMTestError("x").steps == []


def test_a_test_that_the_engine_does_not_take_is_told(tmp_path):
    made = spec()
    made.__dict__["odds"] = 1
    with pytest.raises(InvalidArgumentError, match="unknown key `odds`"):
        run_llm_test(made, tmp_path / "a.yaml")


def test_a_test_from_a_file_keeps_its_places_until_it_is_changed(tmp_path):
    text = '{"test": {"name": "x"}, "steps": [], "verdict": "checks"}'
    (test,) = engine.read_tests(text, tmp_path / "a.yaml").tests
    made = engine.spec_of(test)
    assert engine._test_of(made, tmp_path) is test
    assert "_native" not in repr(made) + str(made.model_dump())
    made.test.timeout = 5
    changed = engine._test_of(made, tmp_path)
    assert changed is not test
    assert changed.to_dict()["test"]["timeout"] == 5


def test_a_failure_has_the_verdict_and_is_an_assertion():
    verdict = Verdict(verdict="FAIL", reason="no", issues=["one"])
    error = LLMTestFailed(verdict)
    assert error.verdict is verdict
    assert isinstance(error, ExpectationError)
    assert str(error) == str(verdict) == verdict_text(verdict) == "FAIL: no\n\n  issues:\n    - one"


@pytest.mark.parametrize("sign", ["pyproject.toml", "setup.py", ".git", "unitai.toml", "pytest.ini"])
def test_the_root_is_the_nearest_folder_that_looks_like_one(tmp_path, sign):
    deep = tmp_path / "a" / "tests" / "llm"
    deep.mkdir(parents=True)
    (tmp_path / "setup.py").touch()
    (tmp_path / "a" / sign).touch()
    assert root_of(deep / "x.yaml") == tmp_path / "a"


def test_where_nothing_looks_like_a_root_it_is_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert root_of(tmp_path / "tests" / "llm" / "x.yaml") == tmp_path
    monkeypatch.chdir("/")
    monkeypatch.chdir(tmp_path.parent)
    (tmp_path / "a").mkdir()
    assert root_of(tmp_path / "a" / "x.yaml") == tmp_path.parent


def test_places_are_told_from_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert place(str(tmp_path / "a" / "b.yaml"), 3, 4) == "a/b.yaml:3:4"
    assert place(str(tmp_path.parent / "b.yaml"), 3) == f"{tmp_path.parent / 'b.yaml'}:3"
    assert place("b.yaml") == "b.yaml"


def test_what_a_judge_answered_is_told_with_the_way_to_contradict(tmp_path):
    answer = {"id": "Q1", "kind": "pass_if", "path": "", "question": "Is it polite?", "answer": "no", "quotes": []}
    verdict = Verdict(
        verdict="FAIL",
        reason="rude",
        answers=[{**answer, "why": "it shouts"}],
        judge={"by": "openai gpt", "kept": True},
    )
    told = verdict_text(verdict, test="The shop's tone")
    assert "  judged by openai gpt, kept answers:\n    Q1 no: Is it polite? (it shouts)\n" in told
    assert told.endswith("""unitai judge label 'The shop'"'"'s tone' Q1 yes|no""")
    assert "judge" not in verdict_text(Verdict(verdict="FAIL", reason="rude"))


def test_an_issue_is_left_out_only_where_a_step_says_the_very_same():
    steps = [
        {"name": "GET /health", "status": "pass", "details": "200"},
        {"name": "login", "status": "fail", "details": "no"},
    ]
    issues = ["it was answered by 500 instead of 200", "did it ask first? no", "200", "login: no", "no"]
    verdict = Verdict.model_validate({"verdict": "FAIL", "reason": "much", "steps": steps, "issues": issues})
    shown = verdict_text(verdict)
    assert shown.partition("issues:\n")[2].splitlines() == [f"    - {issue}" for issue in issues[:3]]
