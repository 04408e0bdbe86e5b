"""Teardown runs after every kind of ending, in pytest and from the command, and so does the cleanup of plugins."""

from __future__ import annotations

import signal

import pytest
from scripted_judge import alarmed, broken
from yaml_project import DIARY, YamlProject, end, interrupted

pytestmark = pytest.mark.integration

TEARDOWN = """
teardown:
  - {tool: diary_fail, check: is_error}
  - {tool: diary_write, args: {word: torn down}}
verdict: checks
"""

#: What happens in a test, with what is said of it.
ENDINGS = {
    "a step fails": ("test: {name: a}\nsteps: [{tool: diary_fail}]", "no ink"),
    "a check fails": ("test: {name: a}\nsteps: [{tool: diary_write, args: {word: x}, check: word == 'y'}]", "word"),
    "setup fails": (
        "test: {name: a}\nsetup: [{tool: diary_fail}]\nsteps: [{tool: diary_write, args: {word: ran}}]",
        "setup failed",
    ),
    "time is over": ("test: {name: a, timeout: 1}\nsteps: [{tool: diary_hang}]", "Test timed out after 1 seconds"),
    "time is over in setup": (
        "test: {name: a, timeout: 1}\nsetup: [{tool: diary_block}]\nsteps: [{tool: diary_hang}]",
        "Test timed out after 1 seconds",
    ),
    "a tool is not there": ("test: {name: a}\nsteps: [{tool: diary_wirte}]", "diary_write"),
    "calls without end": (
        "test: {name: a, max_calls: 3}\nsteps: [{tool: diary_write, args: {word: again}, repeat: 9}]",
        "max_calls",
    ),
}


@pytest.fixture
def project(tmp_path):
    made = YamlProject(tmp_path)
    made.plugin("diary", DIARY)
    return made


@pytest.mark.parametrize("way", ["pytest", "command"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_teardown_runs_when(project, ending, way):
    text, said = ENDINGS[ending]
    project.yaml(text + TEARDOWN)
    code, out = project.run(way)
    assert code == 1, out
    assert said in out
    # What hangs was given up with its process; another has the rest.
    assert project.diary.count("torn down") == 1, out
    assert "cleaned" in project.diary
    assert "ran" not in project.diary
    assert project.left() == []


@pytest.mark.parametrize("judge", [broken, alarmed])
def test_teardown_runs_whatever_becomes_of_the_judge(project, judge):
    project.judged_by(judge)
    project.yaml(
        "test: {name: a}\nsteps: [{tool: diary_write, args: {word: ran}, expect: It is good}]"
        + TEARDOWN.replace("verdict: checks", "verdict: {pass_if: it is, fail_if: it is not}")
    )
    code, out = project.run("pytest")
    assert code == 1, out
    assert ("ERROR: the judge failed: the judge has no key" in out) == (judge is broken)
    assert project.diary == ["ran", "torn down", "cleaned"]


def test_teardown_runs_where_a_server_does_not_start(project):
    project.yaml(
        "servers: {shop: {command: [no-such-program-at-all]}}\n"
        "test: {name: a}\nsteps: [{tool: diary_write, args: {word: ran}}]" + TEARDOWN
    )
    code, out = project.run("command")
    assert code == 2 and "no-such-program-at-all" in out, out
    assert project.diary == ["torn down", "cleaned"]


class TestCtrlC:
    # Every two of these meet.
    @pytest.mark.parametrize(
        ("way", "whole_group", "tool"),
        [
            ("pytest", False, "diary_hang"),
            ("pytest", True, "diary_block"),
            ("pytest, verbose", False, "diary_block"),
            ("pytest, verbose", True, "diary_hang"),
            ("command", False, "diary_block"),
            ("command", True, "diary_hang"),
            ("command, verbose", False, "diary_hang"),
            ("command, verbose", True, "diary_block"),
        ],
    )
    def test_it_ends_the_test_and_not_its_teardown(self, project, way, whole_group, tool):
        project.yaml(f"test: {{name: a}}\nsteps: [{{tool: {tool}}}]" + TEARDOWN)
        project.yaml("test: {name: b}\nsteps: [{tool: diary_write, args: {word: next}}]\nverdict: checks", "b.yaml")
        process = project.begin(way)
        project.wait_for("hanging")
        code, out, seconds = interrupted(process, whole_group=whole_group)
        assert code == (2 if way.startswith("pytest") else 130), out
        assert seconds < 10
        assert project.diary.count("torn down") == 1, out
        assert "cleaned" in project.diary
        assert "next" not in project.diary
        assert "Traceback" not in out
        assert project.left() == []

    def test_plugins_that_live_for_the_session_are_cleaned_up(self, project):
        project.plugin("diary", DIARY.replace('name = "diary"', 'name = "diary"\n    scope = "session"'))
        project.yaml("test: {name: a}\nsteps: [{tool: sleep, args: {seconds: 60}}]" + TEARDOWN)
        project.yaml(
            "test: {name: first}\nsteps: [{tool: diary_write, args: {word: hanging}}]\nverdict: checks", "0.yaml"
        )
        for way in ("pytest", "command"):
            (project.folder / "diary").unlink(missing_ok=True)
            process = project.begin(way)
            project.wait_for("hanging")
            _, out, _ = interrupted(process, whole_group=False)
            assert project.diary[-1] == "cleaned", (way, out)

    @pytest.mark.parametrize("way", ["pytest", "command"])
    def test_plugins_of_the_session_are_cleaned_up_while_one_is_at_work(self, project, way):
        project.plugin("diary", DIARY.replace('name = "diary"', 'name = "diary"\n    scope = "session"'))
        project.yaml("test: {name: a}\nsteps: [{tool: diary_hang}]" + TEARDOWN)
        process = project.begin(way)
        project.wait_for("hanging")
        _, out, _ = interrupted(process, whole_group=False)
        assert project.diary.count("cleaned") == 1, out
        assert project.left() == []

    def test_a_polite_end_is_like_it(self, project):
        project.yaml("test: {name: a}\nsteps: [{tool: diary_hang}]" + TEARDOWN)
        process = project.begin("command")
        try:
            project.wait_for("hanging")
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=30)
        finally:
            end(process)
        assert project.diary.count("torn down") == 1, out
        assert project.left() == []
