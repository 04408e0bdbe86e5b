"""What `unitai yaml run` leaves: a run for `unitai results` and `unitai report`, and JUnit for CI."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from yaml_project import YamlProject

pytestmark = pytest.mark.integration

SCHEMAS = Path(__file__).parents[3] / "schemas"
GOOD = """
test: {name: "It adds :: up"}
steps:
  - {tool: store_value, args: {name: a, value: 1}}
verdict: checks
"""
WRONG = """
test: {name: One is two}
cases: [{n: 1}, {n: 2}]
steps:
  - {tool: store_value, args: {name: a, value: 1}}
  - {tool: assert_equals, args: {actual: 2, expected: "${vars.n}"}}
verdict: checks
"""
UNCLEAR = """
test: {name: It is polite}
steps:
  - {tool: store_value, args: {name: a, value: hello}, expect: It is a greeting}
verdict: checks
"""
ERROR = """
test: {name: No server}
servers: {shop: {command: [this-is-no-program]}}
steps:
  - {tool: shop.buy}
verdict: checks
"""
#: Each test by its id, with the outcome that reports tell.
OUTCOMES = {
    "tests/llm/deep/wrong.yaml::One is two[n=1]": "failed",
    "tests/llm/deep/wrong.yaml::One is two[n=2]": "passed",
    "tests/llm/error.yaml::No server": "error",
    "tests/llm/good.yaml::It adds : up": "passed",
    "tests/llm/unclear.yaml::It is polite": "skipped",
}


@pytest.fixture
def project(tmp_path):
    made = YamlProject(tmp_path)
    for name, text in {"good": GOOD, "deep/wrong": WRONG, "unclear": UNCLEAR, "error": ERROR}.items():
        made.yaml(text, f"{name}.yaml")
    return made


def results(project: YamlProject) -> dict:
    return json.loads(project.unitai("results", "--json").stdout)


def test_the_run_can_be_told_again(project):
    code, out = project.run("command")
    assert code == 2, out
    told = results(project)
    assert {test["test"]: test["outcome"] for test in told["tests"]} == OUTCOMES
    assert (told["passed"], told["failed"], told["errors"], told["skipped"]) == (2, 1, 1, 1)
    assert told["is_green"] is False
    shown = project.unitai("results")
    assert shown.returncode == 1
    assert "FAIL: steps[1]: assert_equals: expected 1, found 2" in shown.stdout
    assert "UNCLEAR: 1 question is left" in shown.stdout
    assert "2 passed, 1 failed, 1 error, 1 skipped in " in shown.stdout


def test_its_events_are_as_their_schema_says_and_pytest_names_the_same_tests(project):
    project.run("command")
    validator = jsonschema.Draft202012Validator(json.loads((SCHEMAS / "events.schema.json").read_text()))
    assert [error.message for event in project.events for error in validator.iter_errors(event)] == []
    assert [project.events[0]["event"], project.events[-1]["event"]] == ["run_started", "run_finished"]
    assert (project.events[-1]["ending"], project.events[-1]["exit_code"]) == ("completed", 2)
    done = project.pytest("--llm", "--collect-only", "-q")
    assert [line for line in done.stdout.splitlines() if "::" in line] == list(OUTCOMES)


def test_junit_has_every_test(project):
    code, _ = project.run("command", "--junit", "out/junit.xml")
    assert code == 2
    suite = ET.parse(project.folder / "out" / "junit.xml").getroot().find("testsuite")
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    wrong = next(case for case in suite.iter("testcase") if case.get("name") == "One is two[n=1]")
    assert (wrong.get("file"), wrong.get("line")) == ("tests/llm/deep/wrong.yaml", "3")
    assert wrong.find("failure").get("message") == "FAIL: steps[1]: assert_equals: expected 1, found 2"
    assert "✗ steps[1]: assert_equals" in wrong.find("failure").text
    unclear = next(case for case in suite.iter("testcase") if case.get("name") == "It is polite")
    assert unclear.find("skipped").get("message").startswith("UNCLEAR: 1 question is left")


def test_unclear_tests_fail_in_the_reports_as_on_the_command_line(project):
    code, _ = project.run("command", "tests/llm/unclear.yaml", "--unclear", "fail", "--junit", "junit.xml")
    assert code == 1
    suite = ET.parse(project.folder / "junit.xml").getroot().find("testsuite")
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "0")
    assert results(project)["failed"] == 1


def test_a_junit_file_of_an_earlier_run_is_not_taken_for_this_one(project):
    project.run("command", "tests/llm/good.yaml", "--junit", "junit.xml")
    assert 'failures="0" errors="0"' in (project.folder / "junit.xml").read_text()
    project.yaml("test: {name: x}\nsteps: [{tol: y}]\nverdict: checks\n", "broken.yaml")
    code, out = project.run("command", "--junit", "junit.xml")
    assert (code, "no key `tol`" in out) == (2, True)
    assert 'name="unitai.ending" value="broken"' in (project.folder / "junit.xml").read_text()
    assert results(project)["is_green"] is False
    code, out = project.run("command", "tests/llm/good.yaml", "--junit", "tests")
    assert (code, "the JUnit file could not be written: tests: " in out) == (2, True), out


def test_html_shows_what_failed_first_and_speaks_of_no_agent(project):
    project.run("command")
    assert project.unitai("report", "-o", "run.html").returncode == 0
    page = (project.folder / "run.html").read_text(encoding="utf-8")
    shown = re.findall(r'<li class="test (\w+)"', page)
    assert shown == ["failed", "error", "passed", "passed", "skipped"]
    body = page[page.index("<body") :]
    assert "What its steps called" in body and "assert_equals" in body
    assert "agent" not in body.lower()


def test_html_of_pytest_speaks_of_no_agent_either(project):
    project.unitai("test", "--keep-going", "--llm")
    assert project.unitai("report", "-o", "run.html").returncode == 0
    page = (project.folder / "run.html").read_text(encoding="utf-8")
    body = page[page.index("<body") :]
    assert "What its steps called" in body
    assert "agent" not in body.lower()


def test_a_secret_is_in_none_of_them(project):
    secret = f"ghp_{'Zk3vQ8xWn2LmR7tY' * 2}Abcd"
    project.yaml(f"test: {{name: It tells}}\nsteps: [{{tool: assert_equals, args: {{actual: {secret}, expected: x}}}}]\nverdict: checks\n", "tells.yaml")  # fmt: skip
    done = project.unitai("yaml", "run", "tests/llm/tells.yaml", "--junit", "junit.xml", SHOP_TOKEN=secret)
    assert done.returncode == 1
    left = [path.read_text() for path in [*(project.folder / ".unitai").rglob("*.jsonl"), project.folder / "junit.xml"]]
    assert len(left) == 2 and not any(secret in text for text in left)


def test_where_nothing_can_be_kept_tests_run_all_the_same(project):
    (project.folder / ".unitai").write_text("no folder")
    code, out = project.run("command", "tests/llm/good.yaml", "--junit", "junit.xml")
    assert (code, "the run could not be kept for `unitai results`" in out) == (0, True), out
    assert 'tests="1"' in (project.folder / "junit.xml").read_text()


def test_a_plan_leaves_no_run(project):
    code, _ = project.run("command", "--mode", "dry")
    assert (code, (project.folder / ".unitai").exists()) == (0, False)
