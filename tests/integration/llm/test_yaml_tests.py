"""YAML tests from the file to pytest's result, in the real engine with real plugins."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hearing import hearing_ctrl_c
from processes import soon
from projects import Project
from stopwatch import Stopwatch

from unitai import InvalidArgumentError
from unitai.llm import LLMTestError, TestSpec, engine, run_llm_test

pytestmark = pytest.mark.integration

PLUGIN = """
import asyncio, os
from llm_pytest import LLMPlugin

def note(text):
    with open("diary", "a") as file:
        file.write(text + " ")

class Shop(LLMPlugin):
    name = "shop"
    async def add(self, item: str, price: float = 1.0) -> dict:
        note(item)
        return {"items": [item], "price": price}
    async def broken(self): raise OSError("no stock")
    async def hang(self):
        note("hanging")
        await asyncio.sleep(60)
    def total(self): return 7
    def note(self): return {"text": "hello", "ms": "soon"}
    async def cleanup(self): note("cleaned")
"""


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "tests" / "llm" / "plugins").mkdir(parents=True)
    (tmp_path / "tests" / "llm" / "plugins" / "shop.py").write_text(PLUGIN)
    yield made
    engine.close()


def write(project: Project, text: str, name: str = "a.yaml") -> Path:
    path = project.folder / "tests" / "llm" / name
    path.write_text(text)
    return path


def diary(project: Project) -> list[str]:
    file = project.folder / "diary"
    return file.read_text().split() if file.exists() else []


def verdict_on(project: Project, text: str, **options: object):
    path = write(project, text)
    (test,) = engine.read_tests(text, path).tests
    return run_llm_test(engine.spec_of(test), path, **options)


GOOD = """
test: {name: buy, tags: [smoke, slow]}
steps:
  - name: Add
    tool: shop_add
    args: {item: pear, price: 2.5}
    save_as: added
    check: [price == 2.5, items | length == 1]
  - tool: shop_total
    check: result == 7
verdict: checks
"""


class TestPrograms:
    def test_checks_alone_decide(self, project):
        verdict = verdict_on(project, GOOD)
        assert verdict.verdict == "PASS", verdict
        assert [step.status for step in verdict.steps] == ["pass", "pass"]
        assert verdict.steps[0].tool_output == {"items": ["pear"], "price": 2.5}
        assert verdict.steps[1].tool_output == 7
        assert diary(project) == ["pear", "cleaned"]

    def test_a_check_that_does_not_hold_fails_with_its_place(self, project):
        verdict = verdict_on(project, GOOD.replace("price == 2.5", "price == 3"))
        assert verdict.verdict == "FAIL"
        assert (verdict.steps[0].status, verdict.steps[0].line) == ("fail", 4)
        assert "tests/llm/a.yaml:4" in str(verdict)

    def test_a_field_that_a_name_of_every_check_hides_is_reached_by_the_result(self, project):
        steps = """
test: {name: note}
steps:
  - tool: shop_note
    save_as: kept
    check: [text != 'hello', text contains 'hello', result.text == 'hello', result.ms == 'soon', {match: {text: hello}}]
  - check: kept.text == 'hello'
verdict: checks
"""
        assert verdict_on(project, steps).verdict == "PASS"

    def test_what_a_plugin_raises_fails_the_step_with_its_words(self, project):
        verdict = verdict_on(project, GOOD.replace("shop_total", "shop_broken"))
        assert verdict.verdict == "FAIL"
        assert "OSError: no stock" in verdict.steps[1].details

    def test_a_tool_that_nobody_has_is_told_with_the_nearest(self, project):
        verdict = verdict_on(project, GOOD.replace("shop_total", "shop_totla"))
        assert "shop_total" in verdict.steps[1].details

    def test_a_time_limit_ends_a_plugin_that_hangs(self, project):
        with Stopwatch() as watch:
            verdict = verdict_on(project, GOOD.replace("shop_total", "shop_hang"), timeout=5)
        assert watch.fair < 30
        assert (verdict.verdict, verdict.reason) == ("FAIL", "Test timed out after 5 seconds")
        assert "cleaned" in diary(project)

    def test_questions_without_a_judge_are_unclear(self, project):
        text = GOOD.replace("verdict: checks", "verdict: {pass_if: it looks good, fail_if: it does not}")
        verdict = verdict_on(project, text)
        assert verdict.verdict == "UNCLEAR"
        assert "judge" in verdict.reason

    def test_a_server_that_does_not_start_is_an_error(self, project):
        with pytest.raises(LLMTestError, match="nowhere"):
            verdict_on(project, "servers: {nowhere: {command: [no-such-program-at-all]}}\n" + GOOD)

    def test_steps_are_told_while_they_run(self, project, capsys):
        verdict_on(project, GOOD, verbose=True)
        assert "  ✓ Add (steps[0]" in capsys.readouterr().out

    def test_a_test_may_be_made_by_a_program(self, project):
        spec = TestSpec(
            test={"name": "made"},
            steps=[{"tool": "shop_add", "args": {"item": "größe 😀"}, "check": ["price == 1"]}],
            verdict="checks",
        )
        path = project.folder / "tests" / "llm" / "none.yaml"
        verdict = run_llm_test(spec, path)
        assert verdict.verdict == "PASS", verdict
        assert verdict.steps[0].tool_output["items"] == ["größe 😀"]
        spec.test.timeout = -1
        with pytest.raises(InvalidArgumentError, match="the test cannot be run"):
            run_llm_test(spec, path)

    def test_what_a_file_says_is_what_programs_see(self, project):
        (test,) = engine.read_tests(GOOD, project.folder / "a.yaml").tests
        spec = engine.spec_of(test)
        assert (spec.test.name, spec.test.tags, spec.test.timeout) == ("buy", ["smoke", "slow"], 120)
        assert (spec.steps[0].save_as, spec.steps[1].check) == ("added", ["result == 7"])
        assert engine._test_of(spec, project.folder / "a.yaml") is test


class TestPytest:
    def test_cases_tags_and_plugins(self, project):
        write(project, GOOD.replace("item: pear", "item: '${vars.fruit}'") + "cases: [{fruit: fig}, {fruit: plum}]\n")
        done = project.pytest("--llm", "-v", "--strict-markers", "-m", "smoke")
        assert done.returncode == 0, done.stdout
        assert "tests/llm/a.yaml::buy[fruit=fig] PASSED" in done.stdout
        assert diary(project) == ["fig", "cleaned", "plum", "cleaned"]
        assert "2 deselected" in project.pytest("--llm", "-m", "not slow").stdout

    def test_several_processes(self, project):
        write(project, GOOD.replace("item: pear", "item: '${vars.fruit}'") + "cases: [{fruit: fig}, {fruit: plum}]\n")
        done = project.pytest("--llm", "-n", "2", "--llm-verbose")
        assert "2 passed" in done.stdout, done.stdout
        assert sorted(diary(project)) == ["cleaned", "cleaned", "fig", "plum"]

    def test_a_failure_shows_its_steps(self, project):
        write(project, GOOD.replace("price == 2.5", "price == 3"))
        done = project.pytest("--llm")
        assert done.returncode == 1
        assert "\n  ✗ Add\n" in done.stdout
        assert "tests/llm/a.yaml:4" in done.stdout

    def test_a_slip_is_a_collection_error_with_its_place(self, project):
        write(project, GOOD.replace("tool: shop_total", "tol: shop_total"))
        done = project.pytest("--llm")
        assert done.returncode == 2
        assert "tests/llm/a.yaml:9:" in done.stdout
        assert "did you mean `tool`?" in done.stdout

    def test_data_files_are_left_alone(self, project):
        write(project, GOOD)
        write(project, "users: [1, 2]\n", "users.yaml")
        write(project, "a: [", "broken.yaml")
        assert "1 passed" in project.pytest("--llm").stdout

    def test_reports_have_the_trajectory(self, project):
        write(project, GOOD)
        project.pytest("--llm", "--unitai")
        assert project.finished("a.yaml::buy")["outcome"] == "passed"
        (run,) = [event for event in project.events if event["event"] == "agent_ran"]
        assert "shop_add" in str(run)

    @pytest.mark.parametrize("verbose", [(), ("--llm-verbose",)])
    def test_ctrl_c_runs_teardown_and_cleanup(self, project, verbose):
        write(
            project,
            "test: {name: wait}\nsteps: [{tool: shop_hang}]\nverdict: checks\n"
            "teardown: [{tool: shop_add, args: {item: torn}}]\n",
        )
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--llm", *verbose]
        with hearing_ctrl_c():
            process = subprocess.Popen(
                words, cwd=project.folder, env=project.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        assert soon(lambda: "hanging" in diary(project), 60)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 2, out
        assert {"torn", "cleaned"} <= set(diary(project))
