"""`hard_timeout`: a test that nothing inside of its process can end is ended from outside, and what that left undone is
told as such.
"""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from processes import is_alive
from projects import Project
from stopwatch import Stopwatch

pytestmark = pytest.mark.integration

#: A regular expression in C, which keeps the interpreter's lock for longer than anybody waits.
STUCK = """
import os, re

def test_before():
    pass

def test_stuck():
    open("pid", "w").write(str(os.getpid()))
    re.match(r"(a+)+$", "a" * 80 + "b")

def test_after():
    pass

def test_last():
    pass
"""
MESSAGE = "the test did not end within the hard_timeout of 1 s, and its process was killed"


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    project.write(test_it=STUCK)
    return project


def test_the_process_is_killed_and_every_report_says_so(project):
    summary = project.folder / "summary.md"
    with Stopwatch() as watch:
        done = project.unitai("test", "--keep-going", UNITAI_HARD_TIMEOUT="1", GITHUB_STEP_SUMMARY=str(summary))
    assert watch.fair < 15
    assert done.returncode == 2, done.stdout
    ending = f"its process died (test_it.py::test_stuck: {MESSAGE}); 2 of 4 tests were not run."
    assert "1 passed, 1 error in " in done.stdout and ending in done.stdout, done.stdout
    assert f"test_it.py::test_stuck: {MESSAGE}" in done.stderr
    assert ending in summary.read_text(encoding="utf-8")

    found = json.loads(project.unitai("results", "--json").stdout)
    assert (found["ending"], found["is_green"], found["passed"], found["errors"]) == ("crashed", False, 1, 1)
    assert found["not_run"] == 2
    stuck = found["tests"][1]
    assert (stuck["test"], stuck["outcome"], stuck["messages"]) == ("test_it.py::test_stuck", "error", [MESSAGE])
    assert stuck["duration_seconds"] >= 1
    shown = project.unitai("results", "--verbose")
    assert shown.returncode == 1
    assert "-o faulthandler_timeout=0.5` shows where it is" in shown.stdout

    cases = {case.get("name"): case for case in ElementTree.parse(project.junit).iter("testcase")}
    assert cases["test_before"].find("error") is None
    assert cases["test_stuck"].find("error").get("message") == MESSAGE
    assert "2 of 4 tests were not run" in cases["unitai.run"].find("error").get("message")


def test_no_process_of_pytest_xdist_is_left(project):
    done = project.unitai("test", "--keep-going", "-n2", "--dist=loadfile", UNITAI_HARD_TIMEOUT="1")
    assert done.returncode == 2, done.stdout
    assert MESSAGE in done.stderr
    assert not is_alive(int((project.folder / "pid").read_text()))


def test_a_limit_that_every_test_keeps_changes_nothing(project):
    project.write(test_it="import time\ndef test_a(): time.sleep(0.4)\ndef test_b(): time.sleep(0.4)\n")
    # Each test has the limit to itself.
    done = project.unitai("test", UNITAI_HARD_TIMEOUT="0.7")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "2 passed in " in done.stdout
