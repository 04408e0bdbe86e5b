"""The models of YAML tests: defaults, what each field takes, and what is said about the rest."""

from __future__ import annotations

import json

import pytest

from unitai import InvalidArgumentError
from unitai.llm import Step, StepResult, TestMeta, TestSpec, Verdict, VerdictSpec

pytestmark = pytest.mark.unit

SPEC = {
    "test": {"name": "health", "tags": ["smoke"]},
    "steps": [{"tool": "http_get", "args": {"url": "x"}}],
    "verdict": {"pass_if": "it answers", "fail_if": "it does not"},
}


def test_defaults_are_those_of_the_contract():
    assert TestMeta(name="x").model_dump() == {"name": "x", "description": "", "tags": [], "timeout": 120}
    assert Step().model_dump() == {
        "name": "", "tool": "", "args": {}, "expect": "", "analyze": "", "save_as": "", "repeat": 1,
        "retry": 0, "retry_delay": 1.0, "timeout": None, "steps": [],
    }  # fmt: skip
    assert StepResult(name="x", status="pass").model_dump() == {
        "name": "x", "status": "pass", "details": "", "tool_output": None,
    }  # fmt: skip
    assert Verdict(verdict="PASS", reason="r").model_dump() == {
        "verdict": "PASS", "reason": "r", "steps": [], "issues": [],
    }  # fmt: skip
    spec = TestSpec.model_validate(SPEC)
    assert (spec.setup, spec.teardown) == ([], [])
    assert spec.verdict == VerdictSpec(pass_if="it answers", fail_if="it does not")


def test_defaults_are_not_shared():
    one, other = Step(), Step()
    one.args["x"] = 1
    one.steps.append(Step())
    assert other == Step()


def test_a_model_comes_back_from_its_dump():
    spec = TestSpec.model_validate({**SPEC, "steps": [{"repeat": 3, "steps": [{"tool": "a", "save_as": "b"}]}]})
    assert TestSpec.model_validate(spec.model_dump()) == spec
    assert TestSpec.model_validate(json.loads(spec.model_dump_json())) == spec
    assert spec.steps[0].is_nested()
    assert not spec.steps[0].steps[0].is_nested()
    assert isinstance(spec.steps[0].steps[0], Step)


def test_equality_and_repr_are_about_what_is_said():
    assert TestMeta(name="x") == TestMeta(name="x", timeout="120")
    assert TestMeta(name="x") != TestMeta(name="y")
    assert TestMeta(name="x") != Step(name="x")
    assert repr(VerdictSpec(pass_if="a", fail_if="b")) == "VerdictSpec(pass_if='a', fail_if='b')"


@pytest.mark.parametrize(
    ("model", "given", "field", "value"),
    [
        (TestMeta, {"name": "x", "timeout": "30"}, "timeout", 30),
        (TestMeta, {"name": "x", "timeout": 30.0}, "timeout", 30),
        (TestMeta, {"name": "x", "timeout": True}, "timeout", 1),
        (TestMeta, {"name": "x", "timeout": 0}, "timeout", 0),
        (TestMeta, {"name": "x", "tags": "smoke"}, "tags", ["smoke"]),
        (TestMeta, {"name": "x", "tags": None}, "tags", []),
        (Step, {"repeat": "3"}, "repeat", 3),
        (Step, {"repeat": 0}, "repeat", 0),
        (Step, {"args": None}, "args", {}),
        (Step, {"steps": None}, "steps", []),
        (Step, {"when": "x == 1"}, "when", "x == 1"),
        (Step, {}, "retry", 0),
        (Step, {}, "retry_delay", 1.0),
        (Step, {}, "timeout", None),
        (Step, {"retry": "2"}, "retry", 2),
        (Step, {"retry": {"times": 3}}, "retry", {"times": 3}),
        (Step, {"retry_delay": "2.5"}, "retry_delay", 2.5),
        (Step, {"timeout": 30}, "timeout", 30),
        (Step, {"timeout": None}, "timeout", None),
        (Step, {"check": ["a", "b"]}, "check", ["a", "b"]),
        (TestSpec, {**SPEC, "setup": None}, "setup", []),
        (TestSpec, {**SPEC, "vars": {"a": 1}}, "vars", {"a": 1}),
        (VerdictSpec, {"check": ["a"]}, "pass_if", ""),
        (TestSpec, {**SPEC, "verdict": "checks"}, "verdict", VerdictSpec(pass_if="", fail_if="")),
        (Verdict, {"verdict": "FAIL", "reason": "r", "issues": None}, "issues", []),
    ],
)
def test_what_a_field_takes(model, given, field, value):
    assert getattr(model.model_validate(given), field) == value
    assert getattr(model(**given), field) == value


@pytest.mark.parametrize(
    ("model", "given", "told"),
    [
        (TestMeta, {}, "TestMeta needs `name`"),
        (TestMeta, {"name": 5}, "TestMeta.name cannot be used"),
        (TestMeta, {"name": True}, "TestMeta.name cannot be used"),
        (TestMeta, {"name": "x", "timeout": 30.5}, "expected: a whole number from 0"),
        (TestMeta, {"name": "x", "timeout": -1}, "expected: a whole number from 0"),
        (TestMeta, {"name": "x", "timeout": float("inf")}, "expected: a whole number from 0"),
        (TestMeta, {"name": "x", "timeout": "soon"}, "found:    'soon' (str)"),
        (TestMeta, {"name": "x", "tags": [1]}, "TestMeta.tags[0] cannot be used"),
        (Step, {"args": [1]}, "expected: a mapping whose keys are texts"),
        (Step, {"args": {1: 2}}, "expected: a mapping whose keys are texts"),
        (Step, {"expect": 200}, "Step.expect cannot be used"),
        (Step, {"expect": ["a"]}, "Step.expect cannot be used"),
        (Step, {"repeat": -2}, "Step.repeat cannot be used"),
        (Step, {"retry": -1}, "Step.retry cannot be used"),
        (Step, {"retry": 1.5}, "expected: a whole number from 0"),
        (Step, {"retry_delay": "soon"}, "expected: a number of seconds from 0"),
        (Step, {"retry_delay": None}, "expected: a number of seconds from 0"),
        (Step, {"timeout": float("inf")}, "Step.timeout cannot be used"),
        (Step, {"tol": "x"}, "Step has no `tol`"),
        (Step, {"steps": [{"steps": [{"args": 1}]}]}, "Step.steps[0].steps[0].args cannot be used"),
        (VerdictSpec, {"pass_if": ["a"], "fail_if": "b"}, "VerdictSpec.pass_if cannot be used"),
        (VerdictSpec, {"pass_if": "a"}, "VerdictSpec needs `fail_if`"),
        (TestSpec, {"test": {"name": "x"}, "steps": []}, "TestSpec needs `verdict`"),
        (TestSpec, {**SPEC, "steps": "x"}, "TestSpec.steps cannot be used"),
        (StepResult, {"name": "x", "status": "passed"}, "expected: one of pass, fail, skip"),
        (Verdict, {"verdict": "pass", "reason": "r"}, "expected: one of PASS, FAIL, UNCLEAR"),
        (Verdict, {"verdict": "PASS"}, "Verdict needs `reason`"),
    ],
)
def test_what_a_field_does_not_take(model, given, told):
    with pytest.raises(InvalidArgumentError) as caught:
        model.model_validate(given)
    assert told in str(caught.value)


def test_a_slip_is_told_with_the_nearest_word():
    with pytest.raises(InvalidArgumentError, match="to do:    write `tool`"):
        Step(tol="x")


def test_only_a_mapping_can_be_validated():
    with pytest.raises(InvalidArgumentError, match="expected: a mapping"):
        TestSpec.model_validate([])
    step = Step(tool="x")
    assert Step.model_validate(step) is step


def test_pytest_collects_none_of_them():
    assert not any(model.__test__ for model in (TestMeta, TestSpec, Step, VerdictSpec, StepResult, Verdict))
