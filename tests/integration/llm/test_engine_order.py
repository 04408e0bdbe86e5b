"""What the engine promises about order and memory, through pytest and the command: repeats, saved values, skips, recordings,
reports.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from local_api import Api
from scripted_judge import broken
from yaml_project import DIARY, YamlProject

pytestmark = pytest.mark.integration

NESTED = """
test: {name: nested, tags: [slow]}
steps:
  - name: outer
    repeat: 3
    save_as: rounds
    steps:
      - {tool: diary_write, args: {word: begin}}
      - name: inner
        repeat: 2
        steps:
          - {tool: diary_write, args: {word: zoom}, save_as: state}
  - {tool: assert_equals, args: {actual: "${state.word}", expected: zoom}}
  - {name: history, check: ["${state.$all} | length == 6", "${rounds} | length == 3", calls('diary_write') == 9]}
  - {name: loses, tool: diary_fail, save_as: lost, check: is_error}
  - {name: depends, tool: diary_write, args: {word: "${lost.word}"}}
verdict: checks
"""

QUICK = "test: {name: quick}\nsteps: [{tool: diary_write, args: {word: quick}}]\nverdict: checks\n"


@pytest.fixture
def project(tmp_path):
    made = YamlProject(tmp_path)
    made.plugin("diary", DIARY)
    return made


def told(project: YamlProject, *args: object) -> list[dict]:
    """What the command says of each test, as data."""
    done = project.unitai("yaml", "run", "--json", *args)
    return [json.loads(line) for line in done.stdout.splitlines()]


class TestRepeats:
    def test_repeats_multiply_in_order(self, project):
        project.yaml(NESTED)
        (run,) = told(project)
        calls = [it["path"] for it in run["evidence"] if it["tool"] == "diary_write"]
        begun = [f"steps[0]#{turn}" for turn in (1, 2, 3)]
        assert calls == [
            path
            for turn in begun
            for path in (f"{turn}.steps[0]", f"{turn}.steps[1]#1.steps[0]", f"{turn}.steps[1]#2.steps[0]")
        ]
        assert project.diary == ["begin", "zoom", "zoom"] * 3 + ["cleaned"]

    def test_history_is_kept_and_what_depends_on_a_failure_is_skipped(self, project):
        project.yaml(NESTED)
        (run,) = told(project)
        steps = {it["name"]: it for it in run["steps"]}
        assert steps["history"]["status"] == "pass", run
        assert steps["depends"]["status"] == "skip"
        assert "lost" in steps["depends"]["details"]

    def test_nothing_is_remembered_from_test_to_test(self, project):
        project.yaml("test: {name: a}\nsteps: [{tool: store_value, args: {name: x, value: 1}}]\nverdict: checks\n")
        project.yaml(
            "test: {name: b}\nsteps: [{tool: get_value, args: {name: x}, check: not found}]\nverdict: checks\n",
            "b.yaml",
        )
        assert [run["verdict"] for run in told(project)] == ["PASS", "PASS"]


class TestPytest:
    def test_collecting_starts_nothing(self, project):
        project.yaml(NESTED + "cases: [{x: 1}, {x: 2}]\n")
        project.plugin("loud", "open('diary', 'a').write('imported')\n")
        code, out = project.run("pytest", "--collect-only", "-q")
        assert code == 0, out
        assert out.splitlines()[:2] == ["tests/llm/a.yaml::nested[x=1]", "tests/llm/a.yaml::nested[x=2]"]
        assert project.diary == []

    def test_tags_choose_also_in_several_processes(self, project):
        project.yaml(NESTED)
        project.yaml(QUICK, "b.yaml")
        code, out = project.run("pytest", "--strict-markers", "-m", "not slow", "-n", "2")
        assert code == 0 and "1 passed" in out, out
        assert project.diary == ["quick", "cleaned"]
        assert project.left() == []

    def test_junit_has_every_step(self, project):
        project.yaml(NESTED)
        project.run("pytest", "--junitxml=out.xml")
        found = ET.parse(project.folder / "out.xml").getroot().iter("property")
        properties = {each.get("name"): each.get("value") for each in found}
        assert properties["llm.verdict"] == "PASS", properties
        assert properties["llm.step.steps[0]#3.steps[1]#2.steps[0]"].startswith("pass: ")
        assert properties["llm.step.steps[4]"].startswith("skip: depends: ")

    def test_a_run_is_a_trajectory_in_its_report(self, project):
        project.yaml(NESTED)
        project.pytest("--llm", "--unitai")
        (run,) = [event for event in project.events if event["event"] == "agent_ran"]
        steps = [step["tool_name"] for step in run["trajectory"]["steps"] if step["step_type"] == "tool_call"]
        assert steps.count("diary_write") == 9


class TestRecordings:
    TEXT = """
    test: {name: users}
    steps:
      - {tool: http_get, args: {url: "URL/users?page=2&limit=3"}, save_as: page, check: [status_code == 200, json(body).data | length == 3]}
      - {tool: diary_write, args: {word: asked}}
      - {tool: assert_equals, args: {actual: "${page.status_code}", expected: 200}}
    verdict: checks
    """

    def test_the_same_verdict_without_tools_and_network(self, project):
        api = Api()
        project.yaml(self.TEXT.replace("URL", api.url))
        (first,) = told(project, "--record")
        api.close()
        (again,) = told(project, "--replay")
        assert (first["verdict"], again["verdict"]) == ("PASS", "PASS"), again
        kept = ("path", "tool", "args", "outcome", "result")
        assert [{key: it[key] for key in kept} for it in again["evidence"]] == [
            {key: it[key] for key in kept} for it in first["evidence"]
        ]
        # No tool was called the second time.
        assert project.diary == ["asked", "cleaned"]
        (without,) = told(project)
        assert without["verdict"] == "FAIL"

    def test_a_failure_is_the_same_failure(self, project):
        api = Api()
        project.yaml(self.TEXT.replace("URL", api.url).replace("length == 3", "length == 4"))
        (first,) = told(project, "--record")
        api.close()
        (again,) = told(project, "--replay")
        assert (again["verdict"], again["reason"], again["issues"]) == ("FAIL", first["reason"], first["issues"])

    def test_no_judge_is_asked_where_checks_decide(self, project):
        project.judged_by(broken)
        project.yaml(QUICK)
        project.yaml(
            "test: {name: b}\nsteps: [{tool: diary_fail, expect: It works}]\nverdict: {pass_if: good, fail_if: bad}\n",
            "b.yaml",
        )
        code, out = project.run("pytest")
        assert "1 failed, 1 passed" in out, out
        assert "no key" not in out
